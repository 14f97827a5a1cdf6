"""Options for importing the files of an analysis."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cut:
    """Contents of a redacted copy of another analysis."""

    source: str
    """Id of the analysis whose files are read."""
    from_ns: int | None = None
    to_ns: int | None = None
    """First and last moment, ns of the analysis' clock."""
    tasks: list[int] | None = None
    """Threads that were chosen; None is all."""
    pseudonyms: bool = False
    """Names of tasks, cgroups and files become numbers."""


@dataclass(frozen=True)
class ReadOptions:
    """The owner's options of an import; stored as JSON in the row of the analysis."""

    tolerant: bool = False
    """Skip what is damaged instead of failing."""
    offsets: dict[str, int] = field(default_factory=dict)
    """Shown name of an input to the ns that are added to its own times."""
    cut: Cut | None = None
    """Set for a copy, which has no files of its own."""

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None) -> "ReadOptions":
        """The options as kept; the defaults when nothing was."""
        if kept is None:
            return cls()
        cut = kept.get("cut")
        return cls(**{**kept, "cut": None if cut is None else Cut(**cut)})

    def kept(self) -> dict[str, Any]:
        """The options as they are kept."""
        return asdict(self)

"""How the files of an analysis are to be read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class ReadOptions:
    """What the owner decides about a reading; kept as JSON in the row of the analysis."""

    tolerant: bool = False
    """Skip what is damaged instead of failing."""
    offsets: dict[str, int] = field(default_factory=dict)
    """Shown name of an input to the ns that are added to its own times."""

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None) -> "ReadOptions":
        """The options as kept; the defaults when nothing was."""
        return cls() if kept is None else cls(**kept)

    def kept(self) -> dict[str, Any]:
        """The options as they are kept."""
        return asdict(self)

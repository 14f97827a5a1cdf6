"""The analyses of a fleet as their owners have filed them: all that may change after a recording was read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol


class Filed(Protocol):
    """An analysis as the database has it."""

    id: Any
    title: Any
    created_at: Any
    tags: Any
    incident: Any
    generation: Any


@dataclass(frozen=True)
class Entry:
    """An analysis as its owner has filed it."""

    analysis: str
    title: str
    uploaded_at: datetime
    tags: Sequence[str] = field(default_factory=list)
    incident: str | None = None
    generation: str | None = None
    """Which bundle of it is read, where the files are in a bucket; no question is about it."""

    @classmethod
    def of(cls, row: Filed) -> "Entry":
        """The entry of a row of the database."""
        return cls(row.id, row.title, row.created_at, list(row.tags), row.incident, row.generation)

    @classmethod
    def received(cls, cells: dict[str, Any]) -> "Entry":
        """The entry of its `cells`."""
        return cls(**{**cells, "uploaded_at": datetime.fromisoformat(cells["uploaded_at"]).replace(tzinfo=UTC)})

    def cells(self) -> dict[str, Any]:
        """The entry as JSON has it."""
        moment = self.uploaded_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        return {
            "analysis": self.analysis,
            "title": self.title,
            "uploaded_at": moment,
            "tags": list(self.tags),
            "incident": self.incident,
        }

"""The analyses of a fleet as their owners have filed them: all that may change after a recording was read."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol


class Filed(Protocol):
    """An analysis as the database has it."""

    id: Any
    title: Any
    created_at: Any
    tags: Any
    incident: Any
    generation: Any


class Entry(NamedTuple):
    """An analysis as its owner has filed it. A tuple, for there may be a hundred thousand."""

    analysis: str
    title: str
    uploaded_at: datetime
    tags: Sequence[str] = ()
    incident: str | None = None
    generation: str | None = None
    """Which bundle of it is read, where the files are in a bucket; no question is about it."""

    @classmethod
    def of(cls, row: Filed) -> "Entry":
        """The entry of a row of the database."""
        return cls(row.id, row.title, row.created_at, list(row.tags), row.incident, row.generation)


def columns_of(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    """Entries as JSON has them, by column: of many that is a fraction of the work of one object each."""
    return {
        "analysis": [entry.analysis for entry in entries],
        "title": [entry.title for entry in entries],
        "uploaded_at": [entry.uploaded_at.astimezone(UTC).isoformat(" ") for entry in entries],
        "tags": [list(entry.tags) for entry in entries],
        "incident": [entry.incident for entry in entries],
    }


def entries_of(columns: Mapping[str, Sequence[Any]]) -> list[Entry]:
    """The entries of `columns_of`."""
    moments = map(datetime.fromisoformat, columns["uploaded_at"])
    names = (columns["analysis"], columns["title"], moments, columns["tags"], columns["incident"])
    return list(map(Entry, *names))

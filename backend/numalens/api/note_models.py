"""The shapes of notes: what people say about an analysis."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from numalens.api.models import Answer, Lines, NsString, OneLine, Wish

Author = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), OneLine]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000), Lines]
LaneKey = Annotated[str, StringConstraints(min_length=1, max_length=200), Field(examples=["cpu:3", "node:0"])]
FindingKey = Annotated[str, StringConstraints(min_length=1, max_length=200), Field(examples=["CGROUP_THROTTLE@40000"])]


class NotePlace(Wish):
    """What a note stands at: a stretch of time or a moment, a lane, a finding, or several of them."""

    from_ns: NsString | None = None
    to_ns: NsString | None = Field(None, description="The same as `from_ns` for a moment.")
    lane: LaneKey | None = None
    finding: FindingKey | None = Field(None, description="Key of a finding, as links name it.")

    @model_validator(mode="after")
    def whole(self) -> Self:
        """Raises ValueError for half a stretch and for one that ends before it begins."""
        if (self.from_ns is None) != (self.to_ns is None):
            raise ValueError("from_ns and to_ns belong together")
        if self.from_ns is not None and self.to_ns is not None and int(self.to_ns) < int(self.from_ns):
            raise ValueError("to_ns is before from_ns")
        return self


class CreateNote(Wish):
    """Something to be said."""

    author: Author | None = Field(
        None, description="The name that the writer goes by; nobody checks it. Who is signed in needs none."
    )
    text: Text
    place: NotePlace | None = Field(None, description="Null: about the analysis as a whole. Answers have none.")
    parent_id: str | None = Field(None, max_length=64, description="The first note of the conversation it answers to.")


class ChangeNote(Wish):
    """Other words for a note."""

    text: Text


class Note(Answer):
    """What somebody said."""

    id: str
    parent_id: str | None
    author: str
    text: str = Field(description="Empty: withdrawn by its author; what was answered stays.")
    place: NotePlace | None
    by_owner: bool = Field(description="Written by an owner, not by a reader or somebody with a link.")
    vouched: bool = Field(description="The author was signed in under this name; else it is what somebody typed.")
    yours: bool = Field(description="The asker wrote it, signed in.")
    created_at: datetime
    changed_at: datetime | None


class CreatedNote(Note):
    """A new note with the secret by which its author may change it."""

    key: str = Field(
        description="To be sent as `X-NumaLens-Note`; shown here and never again. A vouched note needs none."
    )


class NoteList(Answer):
    """All notes of an analysis, oldest first."""

    notes: list[Note]

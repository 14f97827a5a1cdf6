"""Notes: read by all viewers, written by owners and by holders of a link that allows it."""

from datetime import datetime
from typing import Annotated, Final, Self

from fastapi import APIRouter, Header, Request, status
from pydantic import Field, StringConstraints, model_validator

from numalens.api.access import CommenterOf, Reader, ReaderOf
from numalens.api.models import Answer, Lines, NsString, OneLine, Wish
from numalens.api.services import services_of
from numalens.errors import SentenceError
from numalens.store import schema

Author = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), OneLine]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000), Lines]
LaneKey = Annotated[str, StringConstraints(min_length=1, max_length=200), Field(examples=["cpu:3", "node:0"])]
FindingKey = Annotated[str, StringConstraints(min_length=1, max_length=200), Field(examples=["CGROUP_THROTTLE@40000"])]


class NotePlace(Wish):
    """Place of a note: a time range or a time, a lane, a finding, or several of them."""

    from_ns: NsString | None = None
    to_ns: NsString | None = Field(None, description="Equal to `from_ns` for a point in time.")
    lane: LaneKey | None = None
    finding: FindingKey | None = Field(None, description="Key of a finding, as links name it.")

    @model_validator(mode="after")
    def whole(self) -> Self:
        """Raises ValueError for half a time range and for one that ends before it begins."""
        if (self.from_ns is None) != (self.to_ns is None):
            raise ValueError("from_ns and to_ns belong together")
        if self.from_ns is not None and self.to_ns is not None and int(self.to_ns) < int(self.from_ns):
            raise ValueError("to_ns is before from_ns")
        return self


class CreateNote(Wish):
    """Request for a new note."""

    author: Author | None = Field(None, description="Name of the author, unverified. Not needed for signed-in users.")
    text: Text
    place: NotePlace | None = Field(None, description="Null: about the analysis as a whole. Answers have none.")
    parent_id: str | None = Field(None, max_length=64, description="The first note of the conversation it answers to.")


class ChangeNote(Wish):
    """New text of a note."""

    text: Text


class Note(Answer):
    """Note of a user."""

    id: str
    parent_id: str | None
    author: str
    text: str = Field(description="Empty: withdrawn by its author; answers remain.")
    place: NotePlace | None
    by_owner: bool = Field(description="Written by an owner, not by a reader or through a link.")
    vouched: bool = Field(
        description="The author was signed in under this name (false: the name was typed and not verified)."
    )
    yours: bool = Field(description="True if the signed-in client wrote it.")
    created_at: datetime
    changed_at: datetime | None


class CreatedNote(Note):
    """A new note with the secret by which its author may change it."""

    key: str = Field(
        description="To be sent as `X-NumaLens-Note`; shown only once. Notes of signed-in users need none."
    )


class NoteList(Answer):
    """All notes of an analysis, oldest first."""

    notes: list[Note]


router = APIRouter(tags=["notes"])

NOTE_HEADER: Final = "X-NumaLens-Note"
NoteKey = Annotated[
    str | None,
    Header(alias=NOTE_HEADER, max_length=200, description="The note's own secret; an owner needs none."),
]


@router.get("/analyses/{analysis_id}/notes")
def list_notes(request: Request, who: ReaderOf) -> NoteList:
    """Notes of an analysis."""
    rows = services_of(request).notes.of(who.analysis_id)
    return NoteList(notes=[shown_note(row, who.person_id) for row in rows])


@router.post("/analyses/{analysis_id}/notes", status_code=status.HTTP_201_CREATED)
def create_note(request: Request, who: CommenterOf, wanted: CreateNote) -> CreatedNote:
    """Keeps a note, under the name of the signed-in user. 409: an answer to an answer, or too many notes. 422: without a name."""
    author = wanted.author if who.person is None else who.person.name
    if author is None:
        raise SentenceError(422, "A note needs the name of its author.")
    note, key = services_of(request).notes.create(
        who.analysis_id,
        author,
        wanted.text,
        about=None if wanted.place is None else wanted.place.model_dump(),
        parent_id=wanted.parent_id,
        by_owner=who.access == "owner",
        person_id=who.person_id,
    )
    return CreatedNote(**dict(shown_note(note, who.person_id)), key=key)


@router.patch("/analyses/{analysis_id}/notes/{note_id}")
def change_note(request: Request, who: CommenterOf, note_id: str, change: ChangeNote, key: NoteKey = None) -> Note:
    """Changes the text of a note. 403 for those who neither wrote it nor own the analysis."""
    changed = services_of(request).notes.change(who.analysis_id, note_id, change.text, _key(who, key), who.person_id)
    return shown_note(changed, who.person_id)


@router.delete("/analyses/{analysis_id}/notes/{note_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_note(request: Request, who: CommenterOf, note_id: str, key: NoteKey = None) -> None:
    """Removes a note. An owner also removes its answers; an author removes only the text of a note that has answers."""
    services_of(request).notes.delete(who.analysis_id, note_id, _key(who, key), who.person_id)


def _key(who: Reader, key: str | None) -> str | None:
    """Proof that a client may change a note; None if none is needed."""
    return None if who.access == "owner" else key or ""


def shown_note(row: schema.Note, asker_id: str | None = None) -> Note:
    """A note, without its author's secret. `asker_id`: the user who makes the request."""
    return Note(
        id=row.id,
        parent_id=row.parent_id,
        author=row.author,
        text=row.text,
        place=None if row.about is None else NotePlace(**row.about),
        by_owner=row.by_owner,
        vouched=row.person_id is not None,
        yours=asker_id is not None and row.person_id == asker_id,
        created_at=row.created_at,
        changed_at=row.changed_at,
    )

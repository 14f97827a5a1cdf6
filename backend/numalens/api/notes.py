"""Notes: read by whoever may look, written by owners and by holders of a link that allows it."""

from typing import Annotated, Final

from fastapi import APIRouter, Header, Request, status

from numalens.api import note_models, present
from numalens.api.access import CommenterOf, Reader, ReaderOf
from numalens.api.services import services_of
from numalens.errors import SentenceError

router = APIRouter(tags=["notes"])

NOTE_HEADER: Final = "X-NumaLens-Note"
NoteKey = Annotated[
    str | None,
    Header(alias=NOTE_HEADER, max_length=200, description="The note's own secret; an owner needs none."),
]


@router.get("/analyses/{analysis_id}/notes")
def list_notes(request: Request, who: ReaderOf) -> note_models.NoteList:
    """What was said about an analysis."""
    rows = services_of(request).notes.of(who.analysis_id)
    return note_models.NoteList(notes=[present.note(row, _id(who)) for row in rows])


@router.post("/analyses/{analysis_id}/notes", status_code=status.HTTP_201_CREATED)
def create_note(request: Request, who: CommenterOf, wanted: note_models.CreateNote) -> note_models.CreatedNote:
    """Keeps a note, under the name of who is signed in. 409: an answer to an answer, or too many notes. 422: without a name."""
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
        person_id=_id(who),
    )
    return note_models.CreatedNote(**dict(present.note(note, _id(who))), key=key)


@router.patch("/analyses/{analysis_id}/notes/{note_id}")
def change_note(
    request: Request, who: CommenterOf, note_id: str, change: note_models.ChangeNote, key: NoteKey = None
) -> note_models.Note:
    """Gives a note other words. 403 for those who neither wrote it nor own the analysis."""
    changed = services_of(request).notes.change(who.analysis_id, note_id, change.text, _key(who, key), _id(who))
    return present.note(changed, _id(who))


@router.delete("/analyses/{analysis_id}/notes/{note_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_note(request: Request, who: CommenterOf, note_id: str, key: NoteKey = None) -> None:
    """Removes a note: with its answers where an owner does, else its words alone when it has answers."""
    services_of(request).notes.delete(who.analysis_id, note_id, _key(who, key), _id(who))


def _id(who: Reader) -> str | None:
    return None if who.person is None else who.person.id


def _key(who: Reader, key: str | None) -> str | None:
    """What proves that somebody may change a note; None for who needs no proof."""
    return None if who.access == "owner" else key or ""

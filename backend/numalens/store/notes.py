"""Notes about analyses."""

import hmac
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from numalens.errors import SentenceError
from numalens.store.database import RowStore
from numalens.store.names import new_id, new_token, now, token_hash
from numalens.store.schema import Note, of_analysis, require_analysis

MOST: Final = 5000
"""Most notes of one analysis."""


class NoteStore(RowStore):
    """The notes of one data folder."""

    def of(self, analysis_id: str) -> list[Note]:
        """The notes of an analysis, oldest first. Raises 404 when there is no such analysis."""
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            query = select(Note).where(Note.analysis_id == analysis_id).order_by(Note.created_at, Note.id)
            return list(session.scalars(query))

    def create(
        self,
        analysis_id: str,
        author: str,
        text: str,
        *,
        about: dict[str, Any] | None,
        parent_id: str | None,
        by_owner: bool,
        person_id: str | None = None,
    ) -> tuple[Note, str]:
        """Keeps a note and returns it with its author's secret. `person_id`: who wrote it, where they are signed in.

        Raises 404 when there is no such analysis or nothing to answer to, 409 for an answer to an answer and when there are
        too many.
        """
        key = new_token()
        note = Note(
            id=new_id(),
            analysis_id=analysis_id,
            parent_id=parent_id,
            author=author,
            text=text,
            about=about,
            key_hash=token_hash(key),
            by_owner=by_owner,
            person_id=person_id,
            created_at=now(),
        )
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            if (
                parent_id is not None
                and of_analysis(session, Note, parent_id, analysis_id, "note").parent_id is not None
            ):
                raise SentenceError(409, "Answer the first note of a conversation, not another answer.")
            count = session.scalar(select(func.count()).where(Note.analysis_id == analysis_id)) or 0
            if count >= MOST:
                raise SentenceError(409, f"An analysis has at most {MOST:,} notes.", cap="notes", limit=MOST)
            session.add(note)
        return note, key

    def change(self, analysis_id: str, note_id: str, text: str, key: str | None, person_id: str | None = None) -> Note:
        """Changes the text of a note. `key` is its author's secret, None for an owner; `person_id` who asks. Raises 404 and 403."""
        with self._database.session() as session:
            note = _allowed(session, analysis_id, note_id, key, person_id)
            note.text = text
            note.changed_at = now()
        self._database.scrub()
        return note

    def delete(self, analysis_id: str, note_id: str, key: str | None, person_id: str | None = None) -> None:
        """Removes a note. An owner removes its answers with it; where its author does, the answers of others stay."""
        with self._database.session() as session:
            note = _allowed(session, analysis_id, note_id, key, person_id)
            answered = session.scalar(select(Note.id).where(Note.parent_id == note_id).limit(1)) is not None
            if answered and key is not None:
                note.text = ""
                note.changed_at = now()
            else:
                session.delete(note)
        self._database.scrub()


def _allowed(session: Session, analysis_id: str, note_id: str, key: str | None, person_id: str | None) -> Note:
    note = of_analysis(session, Note, note_id, analysis_id, "note")
    if key is not None and not _wrote(note, key, person_id):
        raise SentenceError(403, "Only its author and the owner of the analysis may change a note.")
    return note


def _wrote(note: Note, key: str, person_id: str | None) -> bool:
    """Returns whether a client wrote a note: signed-in users are known, and need no secret of a browser."""
    if note.person_id is not None:
        return note.person_id == person_id
    return hmac.compare_digest(note.key_hash, token_hash(key))

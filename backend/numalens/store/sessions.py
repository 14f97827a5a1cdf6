"""Sessions: the browsers that people are signed in with, by a secret in a cookie."""

from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import joinedload

from numalens.store.database import Database
from numalens.store.ids import new_token, now, token_hash
from numalens.store.schema import SignedIn, User


class SessionStore:
    """The sessions of one database; of their secrets only hashes are kept."""

    def __init__(self, database: Database) -> None:
        """Uses `database`."""
        self._database = database

    def begin(self, person_id: str, hours: float) -> str:
        """Begins a session and returns its secret; sessions that ended by themselves are removed."""
        secret = new_token()
        began = now()
        with self._database.session() as session:
            session.execute(delete(SignedIn).where(SignedIn.expires_at <= began))
            session.add(
                SignedIn(
                    token_hash=token_hash(secret),
                    person_id=person_id,
                    created_at=began,
                    expires_at=began + timedelta(hours=hours),
                )
            )
        return secret

    def person(self, secret: str) -> User | None:
        """Whose session this is; None when it has ended or there never was one."""
        query = select(SignedIn).where(SignedIn.token_hash == token_hash(secret)).options(joinedload(SignedIn.person))
        with self._database.session() as session:
            found = session.scalar(query)
        return None if found is None or found.expires_at <= now() else found.person

    def end(self, secret: str) -> None:
        """Ends one session."""
        with self._database.session() as session:
            session.execute(delete(SignedIn).where(SignedIn.token_hash == token_hash(secret)))

    def end_all(self, person_id: str) -> int:
        """Ends all sessions of a person; gives how many there were."""
        at = now()
        with self._database.session() as session:
            ended = session.scalars(
                delete(SignedIn).where(SignedIn.person_id == person_id).returning(SignedIn.expires_at)
            ).all()
        return sum(expires_at > at for expires_at in ended)

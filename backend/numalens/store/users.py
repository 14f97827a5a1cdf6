"""Users: who signed in, and who was named before the first sign-in."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from numalens.errors import SentenceError
from numalens.store.database import Database
from numalens.store.ids import new_id, now
from numalens.store.schema import ApiToken, SignedIn, User


@dataclass(frozen=True)
class UserSummary:
    """Somebody, and by what they are here now."""

    person: User
    sessions: int
    """Browsers that they are signed in with."""
    tokens: int
    """API tokens that act for them."""


class UserStore:
    """The users of one database (table `people`). Names come in the form of `auth.rules.known_name`."""

    def __init__(self, database: Database) -> None:
        """Uses `database`."""
        self._database = database

    def find(self, name: str) -> User | None:
        """The person with this name, if there is one."""
        with self._database.session() as session:
            return session.scalar(select(User).where(User.name == name))

    def all(self) -> list[UserSummary]:
        """Everybody, by name."""
        at = now()
        sessions = (
            select(func.count())
            .where(SignedIn.person_id == User.id, SignedIn.expires_at > at)
            .correlate(User)
            .scalar_subquery()
        )
        tokens = (
            select(func.count())
            .where(
                ApiToken.person_id == User.id,
                ApiToken.revoked_at.is_(None),
                or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > at),
            )
            .correlate(User)
            .scalar_subquery()
        )
        with self._database.session() as session:
            found = session.execute(select(User, sessions, tokens).order_by(User.name))
            return [UserSummary(*row) for row in found]

    def named(self, name: str) -> User:
        """The person with this name; made when there is none."""
        found = self.find(name)
        if found is not None:
            return found
        try:
            with self._database.session() as session:
                return add_user(session, name)
        except IntegrityError:  # another request was faster
            with self._database.session() as session:
                return session.scalars(select(User).where(User.name == name)).one()

    def signed_in(self, name: str, subject: str, groups: Sequence[str]) -> User:
        """The user that an issuer knows as `subject`, under the name that it gives now.

        Whoever was named before their first sign-in becomes that account. Raises 403 when the name is another account's:
        addresses are given to new people, and what was shared with the old one is not theirs.
        """
        try:
            with self._database.session() as session:
                return _signed_in(session, name, subject, groups)
        except IntegrityError:  # the same person signs in twice at once
            with self._database.session() as session:
                return _signed_in(session, name, subject, groups)


def add_user(session: Session, name: str, subject: str | None = None) -> User:
    """Adds somebody to a transaction."""
    person = User(id=new_id(), name=name, subject=subject, groups=[], created_at=now())
    session.add(person)
    session.flush()
    return person


def _signed_in(session: Session, name: str, subject: str, groups: Sequence[str]) -> User:
    known = session.scalar(select(User).where(User.subject == subject))
    namesake = session.scalar(select(User).where(User.name == name))
    if namesake is not None and namesake is not known and (known is not None or namesake.subject is not None):
        raise SentenceError(403, f"{name} is another account's name here; an administrator of this server can help.")
    person = known or namesake or add_user(session, name)
    person.name = name
    person.subject = subject
    person.groups = list(groups)
    person.signed_in_at = now()
    session.flush()
    return person

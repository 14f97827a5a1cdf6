"""Users: who signed in, and who was named before the first sign-in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from numalens.errors import SentenceError, not_found
from numalens.store.database import RowStore
from numalens.store.names import new_id, new_token, now, token_hash
from numalens.store.schema import ApiToken, SignedIn, User


@dataclass(frozen=True)
class UserSummary:
    """User, and their role on this server."""

    person: User
    sessions: int
    """Browsers that they are signed in with."""
    tokens: int
    """API tokens that act for them."""


class UserStore(RowStore):
    """The users of one database (table `people`). Names come in the form of `auth.rules.known_name`."""

    def find(self, name: str) -> User | None:
        """The person with this name, if there is one."""
        with self._database.session() as session:
            return session.scalar(select(User).where(User.name == name))

    def all(self) -> list[UserSummary]:
        """All users, by name."""
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

        A user named before their first sign-in becomes that account. Raises 403 when the name is another account's: addresses
        are given to new users, and shares with the old one are not theirs.
        """
        try:
            with self._database.session() as session:
                return _signed_in(session, name, subject, groups)
        except IntegrityError:  # the same person signs in twice at once
            with self._database.session() as session:
                return _signed_in(session, name, subject, groups)


def add_user(session: Session, name: str) -> User:
    """Adds a user to a transaction."""
    person = User(id=new_id(), name=name, groups=[], created_at=now())
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


class SessionStore(RowStore):
    """The sessions of one database; of their secrets only hashes are kept."""

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
        """User of this session; None when it has ended or never existed."""
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


Scope = Literal["upload", "owner"]
TOKEN_PREFIX: Final = "nlt_"  # noqa: S105  (a beginning, no secret)
"""Programs that look for secrets in code know a token by it."""
USE_NOTED: Final = timedelta(minutes=1)
"""Uses closer together are not noted one by one."""


class TokenStore(RowStore):
    """The API tokens of one database. Needs only the database, so the command line can create tokens while a server runs."""

    def create(self, name: str, scope: Scope, days: float | None, person_id: str | None = None) -> tuple[ApiToken, str]:
        """Makes a token that lives for `days`, or for good, and returns it with its secret, which is not kept.

        `person_id`: the user that it acts for; None: for an administrator.
        """
        secret = TOKEN_PREFIX + new_token()
        created = now()
        token = ApiToken(
            id=new_id(),
            name=name,
            scope=scope,
            token_hash=token_hash(secret),
            created_at=created,
            expires_at=None if days is None else created + timedelta(days=days),
            person_id=person_id,
        )
        with self._database.session() as session:
            session.add(token)
        return token, secret

    def all(self, person_id: str | None = None) -> list[tuple[ApiToken, str | None]]:
        """All tokens or those of a user, newest first, including revoked ones, with the names of their users."""
        query = select(ApiToken, User.name).outerjoin(User, User.id == ApiToken.person_id)
        if person_id is not None:
            query = query.where(ApiToken.person_id == person_id)
        with self._database.session() as session:
            found = session.execute(query.order_by(ApiToken.created_at.desc(), ApiToken.id))
            return [(token, name) for token, name in found]

    def revoke(self, token_id: str, person_id: str | None = None) -> None:
        """Makes a token useless for good. Raises 404 when there is none, or it is another person's."""
        with self._database.session() as session:
            token = session.get(ApiToken, token_id)
            if token is None or (person_id is not None and token.person_id != person_id):
                raise not_found("token")
            if token.revoked_at is None:
                token.revoked_at = now()

    def revoke_all(self, person_id: str) -> int:
        """Makes all tokens of a person useless for good; gives how many worked."""
        at = now()
        unrevoked = update(ApiToken).where(ApiToken.person_id == person_id, ApiToken.revoked_at.is_(None))
        with self._database.session() as session:
            revoked = session.scalars(unrevoked.values(revoked_at=at).returning(ApiToken.expires_at)).all()
        return sum(expires_at is None or expires_at > at for expires_at in revoked)

    def check(self, secret: str) -> tuple[ApiToken, User | None]:
        """The token with this secret, and the user that it acts for. Raises 401 when there is none that is good."""
        with self._database.session() as session:
            token = session.scalar(select(ApiToken).where(ApiToken.token_hash == token_hash(secret)))
            person = None if token is None or token.person_id is None else session.get(User, token.person_id)
        if token is None:
            raise _bad_token("is unknown")
        if token.revoked_at is not None:
            raise _bad_token("was revoked")
        if token.expires_at is not None and token.expires_at <= now():
            raise _bad_token("has expired")
        if token.person_id is not None and person is None:
            raise _bad_token("no longer has an owner")
        self._note_use(token)
        return token, person

    def _note_use(self, token: ApiToken) -> None:
        if token.last_used_at is not None and token.last_used_at > now() - USE_NOTED:
            return
        with self._database.session() as session:
            session.execute(update(ApiToken).where(ApiToken.id == token.id).values(last_used_at=now()))


def _bad_token(why: str) -> SentenceError:
    return SentenceError(401, f"The API token {why}.", headers={"WWW-Authenticate": "Bearer"})

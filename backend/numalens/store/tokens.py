"""API tokens: secrets by which programs, such as a CI job, act for a person or for the server's administrators."""

from datetime import timedelta
from typing import Final, Literal

from sqlalchemy import select, update

from numalens.errors import SentenceError, not_found
from numalens.store.database import Database
from numalens.store.ids import new_id, new_token, now, token_hash
from numalens.store.schema import ApiToken, User

Scope = Literal["upload", "owner"]
PREFIX: Final = "nlt_"
"""Programs that look for secrets in code know a token by it."""
USE_NOTED: Final = timedelta(minutes=1)
"""Uses closer together are not noted one by one."""


class TokenStore:
    """The API tokens of one database. Needs nothing else of the data folder: the command line makes them while a server runs."""

    def __init__(self, database: Database) -> None:
        """Uses `database`."""
        self._database = database

    def create(self, name: str, scope: Scope, days: float | None, person_id: str | None = None) -> tuple[ApiToken, str]:
        """Makes a token that lives for `days`, or for good, and returns it with its secret, which is not kept.

        `person_id`: the user that it acts for; None: for an administrator.
        """
        secret = PREFIX + new_token()
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
        """All tokens or those of a person, newest first, revoked ones too, with the names of their people."""
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
            raise _refused("is not known here")
        if token.revoked_at is not None:
            raise _refused("was revoked")
        if token.expires_at is not None and token.expires_at <= now():
            raise _refused("has expired")
        if token.person_id is not None and person is None:
            raise _refused("belongs to nobody any more")
        self._note_use(token)
        return token, person

    def _note_use(self, token: ApiToken) -> None:
        if token.last_used_at is not None and token.last_used_at > now() - USE_NOTED:
            return
        with self._database.session() as session:
            session.execute(update(ApiToken).where(ApiToken.id == token.id).values(last_used_at=now()))


def _refused(why: str) -> SentenceError:
    return SentenceError(401, f"The API token {why}.", headers={"WWW-Authenticate": "Bearer"})

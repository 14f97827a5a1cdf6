"""Links that open one analysis, for holders of the secret."""

import hmac
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import joinedload

from numalens.errors import SentenceError, not_found
from numalens.store.database import RowStore
from numalens.store.names import new_id, new_token, now, token_hash
from numalens.store.schema import Member, Share, of_analysis, require_analysis


class ShareStore(RowStore):
    """The links of one data folder."""

    def create(
        self,
        analysis_id: str,
        view: str,
        expires_in_s: int | None,
        *,
        name: str = "",
        comment: bool = False,
        download: bool = False,
    ) -> tuple[Share, str]:
        """Makes a link and returns it with its secret, which is not kept. Raises 404 when there is no such analysis."""
        token = new_token()
        created = now()
        share = Share(
            id=new_id(),
            analysis_id=analysis_id,
            token_hash=token_hash(token),
            name=name,
            view=view,
            comment=comment,
            download=download,
            created_at=created,
            expires_at=None if expires_in_s is None else created + timedelta(seconds=expires_in_s),
            opened=0,
        )
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            session.add(share)
        return share, token

    def of(self, analysis_id: str) -> list[Share]:
        """The links of an analysis, newest first, revoked ones too. Raises 404 when there is no such analysis."""
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            query = select(Share).where(Share.analysis_id == analysis_id).order_by(Share.created_at.desc(), Share.id)
            return list(session.scalars(query))

    def all(self, owner_id: str | None = None) -> list[Share]:
        """The links of all analyses with them, or of those that a person owns, newest first."""
        with self._database.session() as session:
            query = select(Share).options(joinedload(Share.analysis)).order_by(Share.created_at.desc(), Share.id)
            if owner_id is not None:
                owned = select(Member.analysis_id).where(Member.person_id == owner_id, Member.role == "owner")
                query = query.where(Share.analysis_id.in_(owned))
            return list(session.scalars(query))

    def change(self, analysis_id: str, share_id: str, changes: dict[str, object]) -> Share:
        """Sets columns of a link. Raises 404 when the analysis has no such link, 409 when it was revoked."""
        with self._database.session() as session:
            share = of_analysis(session, Share, share_id, analysis_id, "shared link")
            if share.revoked_at is not None:
                raise SentenceError(409, "This link was revoked and cannot be restored; create a new one.")
            for column, value in changes.items():
                setattr(share, column, value)
            return share

    def revoke(self, analysis_id: str, share_id: str) -> None:
        """Makes a link useless for good. Raises 404 when the analysis has no such link."""
        with self._database.session() as session:
            share = of_analysis(session, Share, share_id, analysis_id, "shared link")
            if share.revoked_at is None:
                share.revoked_at = now()

    def check(self, token: str) -> Share:
        """The link with this secret. Raises 404 when there is none, 410 when it was revoked or has expired."""
        wanted = token_hash(token)
        with self._database.session() as session:
            share = session.scalar(select(Share).where(Share.token_hash == wanted))
        if share is None or not hmac.compare_digest(share.token_hash, wanted):
            raise not_found("shared link")
        if share.revoked_at is not None:
            raise SentenceError(410, "This link was revoked by its owner.")
        if share.expires_at is not None and share.expires_at <= now():
            raise SentenceError(410, "This link has expired; ask its owner for a new one.")
        return share

    def open(self, token: str) -> Share:
        """Like `check`, and counts the opening."""
        share = self.check(token)
        with self._database.session() as session:
            opened = {"opened": Share.opened + 1, "last_opened_at": now()}
            session.execute(update(Share).where(Share.id == share.id).values(opened))
        return share

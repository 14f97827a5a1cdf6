"""Owners and readers of analyses."""

from typing import Final, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from numalens.errors import SentenceError, not_found
from numalens.store.database import RowStore
from numalens.store.names import now
from numalens.store.schema import Member, User, require_analysis
from numalens.store.users import add_user

Role = Literal["owner", "reader"]
MOST: Final = 200
"""Most owners and readers of one analysis."""


class MemberStore(RowStore):
    """Owners and readers of the analyses of one database."""

    def get(self, analysis_id: str, person_id: str) -> Member | None:
        """Role of a user for an analysis; None for a stranger, and when there is no such analysis."""
        with self._database.session() as session:
            return session.get(Member, (analysis_id, person_id))

    def of(self, analysis_id: str) -> list[Member]:
        """Owners, then readers, in order of arrival, with their users. Raises 404 for no such analysis."""
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            query = select(Member).where(Member.analysis_id == analysis_id).options(joinedload(Member.person))
            return list(session.scalars(query.order_by(Member.role, Member.created_at, Member.person_id)))

    def put(self, analysis_id: str, name: str, role: Role, *, download: bool, last: bool = False) -> Member:
        """Makes a user an owner or a reader, also before their first sign-in.

        Raises 404 for no such analysis, 409 when it would have no owner (except with `last`), and when there are too many.
        """
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            member = _member(session, analysis_id, name)
            if role == "reader":
                _keep_an_owner(session, member, last=last)
            _set(member, role, download=download)
            session.flush()
            return member

    def remove(self, analysis_id: str, person_id: str, *, last: bool = False) -> None:
        """Removes all rights of a user. Raises 404 for a stranger, 409 as `put` does."""
        with self._database.session() as session:
            member = session.get(Member, (analysis_id, person_id))
            if member is None:
                raise not_found("user among this analysis' owners and readers")
            _keep_an_owner(session, member, last=last)
            session.delete(member)

    def hand_over(self, analysis_id: str, giver_id: str | None, name: str) -> Member:
        """Transfers an analysis; its previous owner stays as a reader, who can reclaim it for as long as they are one.

        `giver_id`: None for an administrator who is not an owner. Raises 404, and 409 when it is theirs already.
        """
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            giver = None if giver_id is None else session.get(Member, (analysis_id, giver_id))
            taker = _member(session, analysis_id, name)
            if taker.role == "owner":
                raise SentenceError(409, f"{name} owns this analysis already.")
            _set(taker, "owner", download=True)
            if giver is not None:
                _set(giver, "reader", download=True)
                giver.handed_to = taker.person_id
            session.flush()
            return taker

    def take_back(self, analysis_id: str, person_id: str) -> None:
        """Returns an analysis to the owner who transferred it; its new owner loses all rights. Raises 409 without a transfer."""
        with self._database.session() as session:
            giver = session.get(Member, (analysis_id, person_id))
            if giver is None or giver.handed_to is None:
                raise SentenceError(409, "You did not transfer this analysis, or its new owner has accepted it.")
            taker = session.get(Member, (analysis_id, giver.handed_to))
            _set(giver, "owner", download=True)
            if taker is not None:
                session.delete(taker)


def own(person_id: str) -> Member:
    """The row of an analysis' first owner."""
    return Member(person_id=person_id, role="owner", download=True, created_at=now())


def _member(session: Session, analysis_id: str, name: str) -> Member:
    """The row of a user by name; created without a role if there is none."""
    person = session.scalar(select(User).where(User.name == name)) or add_user(session, name)
    found = session.get(Member, (analysis_id, person.id), options=[joinedload(Member.person)])
    if found is not None:
        return found
    count = session.scalar(select(func.count()).where(Member.analysis_id == analysis_id)) or 0
    if count >= MOST:
        raise SentenceError(409, f"An analysis has at most {MOST} owners and readers.", cap="members", limit=MOST)
    made = Member(
        analysis_id=analysis_id,
        person_id=person.id,
        person=person,
        role="reader",
        download=False,
        created_at=now(),
    )
    session.add(made)
    return made


def _set(member: Member, role: Role, *, download: bool) -> None:
    member.role = role
    member.download = download or role == "owner"
    member.handed_to = None


def _keep_an_owner(session: Session, member: Member, *, last: bool) -> None:
    """Raises 409 when the analysis has no other owner."""
    if member.role != "owner" or last:
        return
    query = select(Member.person_id).where(
        Member.analysis_id == member.analysis_id, Member.role == "owner", Member.person_id != member.person_id
    )
    if session.scalar(query.limit(1)) is None:
        raise SentenceError(409, "An analysis needs an owner: add another one first, or transfer it.")

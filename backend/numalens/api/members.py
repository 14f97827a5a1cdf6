"""Owners and readers of an analysis: listed and changed, and the transfer of an analysis and its return."""

from datetime import datetime
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Depends, Path, Request, status
from pydantic import Field, StringConstraints

from numalens.api.access import MemberOf, Reader, ReaderOf, owner_of
from numalens.api.models import Answer, Wish
from numalens.api.services import services_of
from numalens.auth.rules import known_name
from numalens.errors import SentenceError
from numalens.store import schema

Role = Literal["owner", "reader"]
PersonName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Field(description="E-mail address or user name.", examples=["ann@numalens.example"]),
]


class Member(Answer):
    """User who owns an analysis or may read it."""

    id: str
    name: str
    role: Role
    download: bool = Field(description="Rights of a reader besides viewing and writing notes.")
    you: bool = Field(description="The asker.")
    since: datetime


class MemberList(Answer):
    """Owners, then readers, in the order in which they came."""

    members: list[Member]


class PutMember(Wish):
    """User who is to own or read an analysis; an earlier sign-in is not needed."""

    name: PersonName
    role: Role = "reader"
    download: bool = False


class HandOver(Wish):
    """New owner of an analysis."""

    to: PersonName


router = APIRouter(prefix="/analyses/{analysis_id}", tags=["people"])

Owning = Annotated[Reader, Depends(owner_of)]


@router.get("/permissions")
def list_people(request: Request, who: Owning) -> MemberList:
    """Owners and readers of an analysis; none without sign-in."""
    rows = services_of(request).members.of(who.analysis_id)
    return MemberList(members=[_shown(row, who.person_id) for row in rows])


@router.put("/permissions")
def put_person(request: Request, who: Owning, wanted: PutMember) -> Member:
    """Makes a user an owner or a reader, or changes their rights.

    409: the server has no sign-in, the analysis would have no owner, or there are too many.
    """
    services = services_of(request)
    _check_sign_in(request)
    row = services.members.put(
        who.analysis_id, known_name(wanted.name), wanted.role, download=wanted.download, last=_is_admin(request, who)
    )
    return _shown(row, who.person_id)


@router.delete("/permissions/{person_id}", status_code=status.HTTP_204_NO_CONTENT)
def remove_person(request: Request, who: Owning, person_id: Annotated[str, Path(max_length=64)]) -> None:
    """Removes an owner or a reader from an analysis. 409: it would have no owner."""
    services_of(request).members.remove(who.analysis_id, person_id, last=_is_admin(request, who))


@router.post("/ownership-transfer")
def hand_over(request: Request, who: Owning, wanted: HandOver) -> Member:
    """Transfers an analysis. Its previous owner stays as a reader, and may reclaim it until the new owner changes that."""
    _check_sign_in(request)
    row = services_of(request).members.hand_over(who.analysis_id, who.person_id, known_name(wanted.to))
    return _shown(row, who.person_id)


@router.delete("/ownership-transfer", status_code=status.HTTP_204_NO_CONTENT)
def take_back(request: Request, asker: MemberOf, who: ReaderOf) -> None:
    """Returns an analysis to the owner who transferred it. 409: this user did not transfer it, or may not reclaim it."""
    services_of(request).members.take_back(who.analysis_id, asker.person_id or "")


def _check_sign_in(request: Request) -> None:
    if services_of(request).settings.sign_in == "none":
        raise SentenceError(
            409, "This server has no sign-in, so it has no users to name; see NUMALENS_SIGN_IN. Create a link instead."
        )


def _is_admin(request: Request, who: Reader) -> bool:
    """Returns whether an administrator would be responsible for an analysis without owners."""
    return who.person is None or services_of(request).rules.is_admin(who.person.name)


def _shown(row: schema.Member, asker_id: str | None) -> Member:
    """An owner or reader, with their person loaded."""
    return Member(
        id=row.person_id,
        name=row.person.name,
        role=cast("Role", row.role),
        download=row.download,
        you=row.person_id == asker_id,
        since=row.created_at,
    )

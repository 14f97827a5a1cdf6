"""The shapes of people: who owns and reads an analysis, and how one signs in."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from numalens.api.models import Answer, Wish

Role = Literal["owner", "reader"]
PersonName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Field(description="E-mail address or user name.", examples=["ann@numalens.example"]),
]


class Member(Answer):
    """Somebody who owns an analysis or may read it."""

    id: str
    name: str
    role: Role
    download: bool = Field(description="What a reader may do besides looking and writing notes.")
    you: bool = Field(description="The asker.")
    since: datetime


class MemberList(Answer):
    """Owners, then readers, in the order in which they came."""

    members: list[Member]


class PutMember(Wish):
    """Who is to own or read an analysis; they need not have signed in before."""

    name: PersonName
    role: Role = "reader"
    download: bool = False


class HandOver(Wish):
    """Who is to own an analysis from now on."""

    to: PersonName


class BeginSignIn(Wish):
    """Where somebody wants to be once they are signed in."""

    return_to: Annotated[str, StringConstraints(max_length=2048)] = Field(
        "/", description="A path of this server's own page, with its query."
    )


class BegunSignIn(Answer):
    """Where the browser has to go now."""

    url: str = Field(description="The issuer's page; it sends the browser back to `/signed-in`.")


class FinishSignIn(Wish):
    """What the issuer sent the browser back with."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=8192)]
    state: Annotated[str, StringConstraints(min_length=1, max_length=512)]


class FinishedSignIn(Answer):
    """Who is signed in, and where they wanted to be."""

    name: str
    return_to: str


class SignOut(Wish):
    """Which sessions end."""

    everywhere: bool = Field(False, description="In all browsers of this person, not only in this one.")


class SignedOut(Answer):
    """The sessions have ended here; what is left to do at the issuer."""

    url: str | None = Field(
        description="The issuer's page that ends its own session and sends the browser back; null: there is none."
    )

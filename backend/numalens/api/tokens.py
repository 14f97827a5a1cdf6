"""API tokens: made, listed and revoked by the users that they act for."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, status
from pydantic import Field, StringConstraints

from numalens.api.access import MemberOf
from numalens.api.models import Answer, OneLine, Wish
from numalens.api.services import services_of
from numalens.store import schema
from numalens.store.users import Scope

router = APIRouter(tags=["tokens"])

USUAL_DAYS = 90.0
MOST_DAYS = 3660.0


class CreateToken(Wish):
    """Request for a new token."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), OneLine]
    scope: Scope = "upload"
    days: Annotated[float, Field(gt=0, le=MOST_DAYS)] | None = Field(USUAL_DAYS, description="Null: never expires.")


class Token(Answer):
    """An API token without its secret."""

    id: str
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    revoked: bool
    last_used_at: datetime | None = Field(description="Time of the last use, to the minute.")
    person: str | None = Field(description="Name of its user; null: an administrator.")


class CreatedToken(Token):
    """A new token."""

    secret: str = Field(description="Sent as `Authorization: Bearer`; shown only once.")


class TokenList(Answer):
    """All tokens, newest first."""

    tokens: list[Token]


@router.post("/tokens", status_code=status.HTTP_201_CREATED)
def create_token(request: Request, who: MemberOf, wanted: CreateToken) -> CreatedToken:
    """Creates a token with which a program acts for the user: to upload and view its own analyses, or with all rights."""
    row, secret = services_of(request).tokens.create(wanted.name, wanted.scope, wanted.days, who.person_id)
    name = None if who.person is None else who.person.name
    return CreatedToken(**dict(_shown(row, name)), secret=secret)


@router.get("/tokens")
def list_tokens(request: Request, who: MemberOf) -> TokenList:
    """The client's tokens, without their secrets; all tokens for an administrator."""
    return TokenList(tokens=[_shown(row, name) for row, name in services_of(request).tokens.all(who.sees_only)])


@router.delete("/tokens/{token_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_token(request: Request, who: MemberOf, token_id: Annotated[str, Path(max_length=64)]) -> None:
    """Revokes a token immediately."""
    services_of(request).tokens.revoke(token_id, who.sees_only)


def _shown(row: schema.ApiToken, person: str | None) -> Token:
    return Token.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "scope": row.scope,
            "created_at": row.created_at,
            "expires_at": row.expires_at,
            "revoked": row.revoked_at is not None,
            "last_used_at": row.last_used_at,
            "person": person,
        }
    )

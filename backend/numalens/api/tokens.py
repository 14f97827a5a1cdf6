"""API tokens: made, listed and revoked by owners."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, status
from pydantic import Field, StringConstraints

from numalens.api.access import OwnerOnly
from numalens.api.models import Answer, Wish
from numalens.api.services import services_of
from numalens.store import schema
from numalens.store.tokens import Scope

router = APIRouter(tags=["tokens"], dependencies=[OwnerOnly])

USUAL_DAYS = 90.0
MOST_DAYS = 3660.0


class CreateToken(Wish):
    """A token to be made."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    scope: Scope = "upload"
    days: Annotated[float, Field(gt=0, le=MOST_DAYS)] | None = Field(USUAL_DAYS, description="Null: for good.")


class Token(Answer):
    """An API token without its secret."""

    id: str
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    revoked: bool
    last_used_at: datetime | None = Field(description="To the minute.")


class CreatedToken(Token):
    """A new token."""

    secret: str = Field(description="Sent as `Authorization: Bearer`; told here and never again.")


class TokenList(Answer):
    """All tokens, newest first."""

    tokens: list[Token]


@router.post("/tokens", status_code=status.HTTP_201_CREATED)
def create_token(request: Request, wanted: CreateToken) -> CreatedToken:
    """Makes a token by which a program acts for the owner: to upload and look at what it made, or to do everything."""
    row, secret = services_of(request).tokens.create(wanted.name, wanted.scope, wanted.days)
    return CreatedToken(**dict(_shown(row)), secret=secret)


@router.get("/tokens")
def list_tokens(request: Request) -> TokenList:
    """The tokens, without their secrets."""
    return TokenList(tokens=[_shown(row) for row in services_of(request).tokens.all()])


@router.delete("/tokens/{token_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_token(request: Request, token_id: Annotated[str, Path(max_length=64)]) -> None:
    """Makes a token useless from this moment on."""
    services_of(request).tokens.revoke(token_id)


def _shown(row: schema.ApiToken) -> Token:
    return Token.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "scope": row.scope,
            "created_at": row.created_at,
            "expires_at": row.expires_at,
            "revoked": row.revoked_at is not None,
            "last_used_at": row.last_used_at,
        }
    )

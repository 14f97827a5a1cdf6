"""`numalens token`: secrets for programs, made on the machine of the server, whether it runs or not."""

from typing import Annotated, Final

import typer

from numalens.cli.settings import Data, database
from numalens.cli.usage import UsageError, new_app
from numalens.errors import SentenceError
from numalens.store.schema import ApiToken
from numalens.store.users import Scope, TokenStore

app = new_app("API tokens for programs, such as a CI job.")

USUAL_DAYS: Final = 90.0


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Purpose of the token.")],
    scope: Annotated[
        Scope,
        typer.Option("--scope", help="upload: create and view analyses; owner: everything, as an administrator."),
    ] = "upload",
    days: Annotated[float, typer.Option("--days", min=0, help="Validity in days; 0 never expires.")] = USUAL_DAYS,
    data: Data = None,
) -> None:
    """Make a token and print its secret, which is shown only now."""
    if not name.strip():
        raise UsageError("a token needs a name")
    with database(data) as opened:
        _, secret = TokenStore(opened).create(name.strip(), scope, days or None)
    typer.echo(secret)


@app.command(name="list")
def show(data: Data = None) -> None:
    """List the tokens, newest first."""
    with database(data) as opened:
        tokens = TokenStore(opened).all()
    for token, person in tokens:
        whose = "" if person is None else f"  ({person})"
        typer.echo(f"{token.id}  {token.scope:6}  {_state(token):10}  {token.name}{whose}")


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="ID of the token, from `numalens token list`.")],
    data: Data = None,
) -> None:
    """Revoke a token permanently."""
    try:
        with database(data) as opened:
            TokenStore(opened).revoke(token_id)
    except SentenceError as error:
        raise UsageError(f"there is no token {token_id}") from error


def _state(token: ApiToken) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "for good" if token.expires_at is None else f"{token.expires_at:%Y-%m-%d}"

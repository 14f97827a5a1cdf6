"""`numalens users`: users of a server and their removal, on its machine, whether it runs or not."""

from typing import Annotated

import typer

from numalens.auth.rules import known_name
from numalens.cli.settings import Data, database
from numalens.cli.usage import UsageError, new_app
from numalens.errors import SentenceError
from numalens.store.database import Database
from numalens.store.schema import User
from numalens.store.users import SessionStore, TokenStore, UserStore, UserSummary

app = new_app("Users of a server: list them, end their sessions and tokens.")

Who = Annotated[str, typer.Argument(metavar="WHO", help="Name of the user, from `numalens users list`.")]


@app.command(name="list")
def show(data: Data = None) -> None:
    """List users by name, with last sign-in (UTC), open sessions and valid API tokens."""
    with database(data) as opened:
        everybody = UserStore(opened).all()
    wide = max((len(here.person.name) for here in everybody), default=0)
    for here in everybody:
        counts = f"{_counted(here.sessions, 'session'):12}{_counted(here.tokens, 'token')}"
        typer.echo(f"{here.person.name:{wide}}  {_signed_in(here):16}  {counts}")


@app.command()
def end_sessions(who: Who, data: Data = None) -> None:
    """Sign a user out everywhere; they may sign in again if still allowed."""
    with database(data) as opened:
        ended = SessionStore(opened).end_all(_person(opened, who).id)
    typer.echo(f"{_counted(ended, 'session')} ended")


@app.command()
def revoke_tokens(who: Who, data: Data = None) -> None:
    """Revoke all API tokens of a user permanently."""
    with database(data) as opened:
        revoked = TokenStore(opened).revoke_all(_person(opened, who).id)
    typer.echo(f"{_counted(revoked, 'token')} revoked")


def _person(opened: Database, who: str) -> User:
    """Raises UsageError when there is no user of that name."""
    try:
        name = known_name(who)
    except SentenceError as error:
        raise UsageError(error.sentence) from error
    found = UserStore(opened).find(name)
    if found is None:
        raise UsageError(f"there is no user {name}; `numalens users list` lists the users")
    return found


def _signed_in(here: UserSummary) -> str:
    at = here.person.signed_in_at
    return "not signed in" if at is None else f"{at:%Y-%m-%d %H:%M}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

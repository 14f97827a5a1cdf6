"""The database of a server, for commands that work while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError
from numalens.store.database import Database
from numalens.store.folder import DATABASE

Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The server's data folder.")]


def database(data: Path | None) -> Database:
    """The database of the settings, or of the data folder. Raises UsageError where no server has run yet.

    A server may be using it: only that is opened, which takes more than one user.
    """
    settings = settings_of()
    if settings.database_url is not None:
        return Database(settings.database_url)
    path = (data or settings.data) / DATABASE
    if not path.is_file():
        raise UsageError(f"{path} is missing: a server that has run once makes it")
    return Database(path)

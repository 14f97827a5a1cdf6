"""A server's settings and its database, for commands that work while it runs: what is wrong is a sentence."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError

from numalens.cli.config import from_file
from numalens.cli.usage import UsageError
from numalens.settings import Settings
from numalens.store.database import Database
from numalens.store.folder import DATABASE


def settings_of(**chosen: object) -> Settings:
    """Returns the settings of environment and configuration file, replaced by those that are chosen and not None.

    Raises UsageError for one that is not valid.
    """
    for name, path in from_file.items():
        if name not in Settings.model_fields:
            raise UsageError(f"{name} in {path} is not a setting; docs/settings.md lists all settings")
    given = {name: value for name, value in chosen.items() if value is not None}
    try:
        return Settings.model_validate(given) if given else Settings()
    except (ValidationError, SettingsError) as error:
        problem = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        name = "_".join(str(part) for part in problem["loc"])
        message = str(problem["msg"]).removeprefix("Value error, ")
        if name in given:
            raise UsageError(f"--{name} {given[name]} is not valid: {message}") from error
        where = (
            f"{name} in {from_file[name]}" if name in from_file else f"the environment variable NUMALENS_{name.upper()}"
        )
        raise UsageError(f"{where} is not valid: {message}") from error


Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The server's data folder.")]


@contextmanager
def database(data: Path | None) -> Iterator[Database]:
    """The database of the settings, or of the data folder. Raises UsageError where no server has run yet.

    A server may be using it: only that is opened, which takes more than one user.
    """
    settings = settings_of()
    path = (data or settings.data) / DATABASE
    if settings.database_url is None and not path.is_file():
        raise UsageError(f"{path} is missing: start the server once to create it")
    with closing(Database(settings.database_url or path)) as opened:
        yield opened

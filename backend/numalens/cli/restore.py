"""`numalens restore`: a data folder of a backup."""

from pathlib import Path
from typing import Annotated

import typer

from numalens.cli.backup import described
from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError, new_app
from numalens.store import backup as backups
from numalens.store.backup import BackupError

app = new_app()


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="Folder or archive of `numalens backup`.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The new data folder.")] = None,
) -> None:
    """Restore a backup into a new data folder.

    All of the backup is checked first.
    """
    folder = data or settings_of().data
    try:
        taken = backups.put_back(source, folder)
    except BackupError as error:
        raise UsageError(str(error)) from error
    typer.echo(f"{folder} has {described(taken)}, all verified")

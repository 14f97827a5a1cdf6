"""`numalens backup`: a server's data as a folder or an archive."""

from pathlib import Path
from typing import Annotated

import typer

from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError, new_app
from numalens.store import backup as backups
from numalens.store.backup import BackupError, Taken

app = new_app()


def described(taken: Taken) -> str:
    """The sizes of a backup, for a sentence."""
    return f"{taken.analyses:,} analyses in {taken.files:,} files, {taken.bytes:,} bytes"


@app.command()
def backup(
    target: Annotated[
        Path, typer.Argument(metavar="DIR|FILE", help="A new folder, or an archive: .tar, .tar.gz, .tgz.")
    ],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The server's data folder.")] = None,
) -> None:
    """Copy a server's data, also while it runs.

    `numalens restore` makes a data folder of the copy.
    """
    settings = settings_of()
    if settings.database_url is not None or settings.store is not None:
        raise UsageError(
            "this server keeps its data elsewhere (NUMALENS_DATABASE, NUMALENS_STORE), and numalens backup copies "
            "only a data folder: copy the database first, then the bucket, with their own tools"
        )
    try:
        taken = backups.take(data or settings.data, target)
    except BackupError as error:
        raise UsageError(str(error)) from error
    typer.echo(f"{target} has {described(taken)}")

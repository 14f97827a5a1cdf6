"""`numalens backup` and `numalens restore`: a server's data as a folder or an archive, and back."""

from pathlib import Path

import typer

from numalens.cli.inputs import UsageError
from numalens.cli.settings import settings_of
from numalens.store import backup
from numalens.store.backup import BackupError, Taken


def take(data: Path | None, target: Path) -> None:
    """Takes a backup and says what it has. Raises UsageError."""
    settings = settings_of()
    if settings.database_url is not None or settings.store is not None:
        raise UsageError(
            "this server has its rows or its files elsewhere (NUMALENS_DATABASE, NUMALENS_STORE), and numalens backup copies a"
            " data folder: use what the database and the bucket have for it, the database first"
        )
    try:
        taken = backup.take(data or settings.data, target)
    except BackupError as error:
        raise UsageError(str(error)) from error
    typer.echo(f"{target} has {_words(taken)}")


def put_back(source: Path, data: Path | None) -> None:
    """Makes a data folder of a backup and says what it has. Raises UsageError."""
    folder = data or settings_of().data
    try:
        taken = backup.put_back(source, folder)
    except BackupError as error:
        raise UsageError(str(error)) from error
    typer.echo(f"{folder} has {_words(taken)}, all as they were")


def _words(taken: Taken) -> str:
    return f"{taken.analyses:,} analyses in {taken.files:,} files, {taken.bytes:,} bytes"

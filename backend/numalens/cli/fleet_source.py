"""Where `numalens fleet` finds analyses: a server's data folder, or a folder of bundles or summaries."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from numalens.cli.inputs import UsageError
from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetDatabase
from numalens.fleet.files import SummaryFile, summary_files
from numalens.fleet.parquet import write_rows
from numalens.fleet.rows import FILE
from numalens.fleet.summary import summary_rows
from numalens.jobs.reading import MANIFEST
from numalens.store.analyses import ready_analyses
from numalens.store.database import Database
from numalens.store.folder import DATABASE


@contextmanager
def opened(folder: Path) -> Iterator[tuple[FleetDatabase, list[Entry], list[str]]]:
    """The summaries below `folder`, the analyses that they are of, and the names of those that cannot be told.

    Summaries that are missing are made for as long as the block lasts; nothing is written into the folder. Raises UsageError when
    there is nothing.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; a data folder, or one of bundles or summaries is expected")
    entries, places = _server(folder) if (folder / DATABASE).is_file() else _bundles(folder)
    if not entries:
        raise UsageError(f"{folder} has no analyses: neither a server's, nor bundles, nor summaries")
    with tempfile.TemporaryDirectory(prefix="numalens-fleet-") as scratch:
        files, lost = _files(entries, places, Path(scratch))
        database = FleetDatabase(files)
        try:
            yield database, entries, [*lost, *database.unread]
        finally:
            database.close()


def _server(folder: Path) -> tuple[list[Entry], dict[str, Path]]:
    # A server may be using the folder: only its database is opened, which takes more than one user.
    database = Database(folder / DATABASE)
    try:
        entries = [Entry.of(row) for row in ready_analyses(database)]
    finally:
        database.close()
    return entries, {entry.analysis: folder / "bundles" / entry.analysis for entry in entries}


def _bundles(folder: Path) -> tuple[list[Entry], dict[str, Path]]:
    """Folders with a bundle or a summary, at any depth: each is called by its path below `folder`."""
    found = {path.parent for name in (MANIFEST, FILE) for path in folder.rglob(name)}
    places = {("." if path == folder else path.relative_to(folder).as_posix()): path for path in sorted(found)}
    return [Entry(name, name, _written(path)) for name, path in places.items()], places


def _written(path: Path) -> datetime:
    known = next(file for file in (path / MANIFEST, path / FILE) if file.is_file())
    return datetime.fromtimestamp(known.stat().st_mtime, UTC)


def _files(entries: list[Entry], places: dict[str, Path], scratch: Path) -> tuple[list[SummaryFile], list[str]]:
    made: dict[str, Path] = {}
    lost = []
    for number, entry in enumerate(entries):
        if not (places[entry.analysis] / FILE).is_file():
            place = made[entry.analysis] = scratch / str(number)
            place.mkdir()
            try:
                write_rows(summary_rows(str(places[entry.analysis])), place / FILE)
            except (KeyError, OSError, RuntimeError, ValueError):
                lost.append(entry.analysis)
    return summary_files(places, lambda name: made.get(name, places[name])), lost

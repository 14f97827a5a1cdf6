"""Where `numalens fleet` finds analyses: a server's data, or a folder of bundles or summaries."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from numalens.cli.usage import UsageError
from numalens.fleet.database import Entry, FleetDatabase, Source
from numalens.fleet.merge import MergedFiles
from numalens.fleet.rows import FILE, write_rows
from numalens.fleet.summary import summary_rows
from numalens.jobs.reading import MANIFEST
from numalens.settings import Settings
from numalens.store.analyses import ready_analyses
from numalens.store.database import Database
from numalens.store.folder import DATABASE, MERGED, Place, open_stores
from numalens.store.summaries import Summaries, SummaryFile, located


@dataclass(frozen=True)
class OpenedFleet:
    """Analyses, and a database of their summaries."""

    entries: list[Entry]
    database: FleetDatabase
    lost: list[str]
    """Analyses whose summary cannot be read or made."""


@contextmanager
def opened(settings: Settings, data: Path | None) -> Iterator[OpenedFleet]:
    """The analyses below the folder `data`, or else those of the server that the settings mean.

    Summaries that are missing are made for as long as the block lasts, and those in a bucket are fetched; nothing is written
    into the folder. Raises UsageError when there is nothing, AwayError when a service is away.
    """
    with tempfile.TemporaryDirectory(prefix="numalens-fleet-") as scratch:
        if data is None and (settings.database_url is not None or settings.store is not None):
            entries, source, lost = _elsewhere(settings, Path(scratch))
        else:
            entries, source, lost = _folder(data or settings.data, Path(scratch))
        database = FleetDatabase(source)
        yield OpenedFleet(entries, database, lost + database.unread)


def _elsewhere(settings: Settings, scratch: Path) -> tuple[list[Entry], Source, list[str]]:
    """The server whose rows or files are not in its folder."""
    folder = settings.data.absolute()
    if settings.database_url is None and not (folder / DATABASE).is_file():
        raise UsageError(f"{settings.data} has no analyses: the server's database is not there")
    entries = _filed(settings.database_url or folder / DATABASE)
    if not entries:
        raise UsageError("the server has no analyses")
    if settings.store is None:
        places = {entry.analysis: folder / "bundles" / entry.analysis for entry in entries}
        return entries, *_source(places, scratch, MergedFiles(folder / MERGED))
    _, bundles = open_stores(Place(str(folder), settings.store, settings.cache_bytes), scratch)
    summaries = Summaries(scratch / "summaries", bundles, FILE)
    merged = MergedFiles(folder / MERGED).source(
        summaries.locate({entry.analysis: entry.generation for entry in entries})
    )
    files = summaries.fetch(merged.files)
    found = {file.analysis for file in files} | set(merged.merged)
    return (
        entries,
        Source(files, merged.parts, merged.merged),
        sorted(entry.analysis for entry in entries if entry.analysis not in found),
    )


def _folder(folder: Path, scratch: Path) -> tuple[list[Entry], Source, list[str]]:
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; a data folder, or one of bundles or summaries is expected")
    entries, places = _server(folder) if (folder / DATABASE).is_file() else _bundles(folder)
    if not entries:
        raise UsageError(f"{folder} has no analyses: neither a server's, nor bundles, nor summaries")
    return entries, *_source(places, scratch, MergedFiles(folder / MERGED))


def _server(folder: Path) -> tuple[list[Entry], dict[str, Path]]:
    entries = _filed(folder / DATABASE)
    return entries, {entry.analysis: folder / "bundles" / entry.analysis for entry in entries}


def _filed(where: Path | str) -> list[Entry]:
    # A server may be using it: only its database is opened, which takes more than one user.
    database = Database(where)
    try:
        return [Entry.of(row) for row in ready_analyses(database)]
    finally:
        database.close()


def _bundles(folder: Path) -> tuple[list[Entry], dict[str, Path]]:
    """Folders with a bundle or a summary, at any depth: each is called by its path below `folder`."""
    found = {path.parent for name in (MANIFEST, FILE) for path in folder.rglob(name)}
    places = {("." if path == folder else path.relative_to(folder).as_posix()): path for path in sorted(found)}
    return [Entry(name, name, _written(path)) for name, path in places.items()], places


def _written(path: Path) -> datetime:
    known = next(file for file in (path / MANIFEST, path / FILE) if file.is_file())
    return datetime.fromtimestamp(known.stat().st_mtime, UTC)


def _source(places: dict[str, Path], scratch: Path, merged: MergedFiles) -> tuple[Source, list[str]]:
    """The summaries that there are or can be made, and the analyses without."""
    made: list[SummaryFile] = []
    lost = []
    for number, (analysis, bundle) in enumerate(places.items()):
        if not (bundle / FILE).is_file():
            path = scratch / str(number) / FILE
            path.parent.mkdir()
            try:
                write_rows(summary_rows(str(bundle)), path)
                made.append(SummaryFile(analysis, str(path), ""))
            except (KeyError, OSError, RuntimeError, ValueError):
                lost.append(analysis)
    found = [file for analysis, bundle in places.items() for file in located(analysis, bundle / FILE)]
    return merged.source([*found, *made]), lost

"""Where `numalens fleet` finds analyses: a server's data, or a folder of bundles or summaries."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from numalens.cli.usage import UsageError
from numalens.fleet.catalog import Entry
from numalens.fleet.files import SummaryFile, summary_files
from numalens.fleet.parquet import write_rows
from numalens.fleet.rows import FILE
from numalens.fleet.summary import summary_rows
from numalens.jobs.reading import MANIFEST
from numalens.settings import Settings
from numalens.store.analyses import ready_analyses
from numalens.store.database import Database
from numalens.store.folder import DATABASE, Place, open_stores
from numalens.store.summaries import Summaries


@dataclass(frozen=True)
class Source:
    """Analyses and their summaries."""

    entries: list[Entry]
    files: list[SummaryFile]
    """None where workers fetch them themselves, from the bucket of `place`."""
    lost: list[str]
    """Analyses whose summary cannot be read or made."""
    place: Place


@contextmanager
def opened(settings: Settings, data: Path | None, *, fetch: bool) -> Iterator[Source]:
    """The analyses below the folder `data`, or else those of the server that the settings mean.

    Summaries that are missing are made for as long as the block lasts, and those in a bucket are fetched unless `fetch` is
    false; nothing is written into the folder. Raises UsageError when there is nothing, AwayError when a service is away.
    """
    with tempfile.TemporaryDirectory(prefix="numalens-fleet-") as scratch:
        if data is None and (settings.database_url is not None or settings.store is not None):
            yield _elsewhere(settings, Path(scratch), fetch=fetch)
        else:
            yield _folder(data or settings.data, Path(scratch))


def _elsewhere(settings: Settings, scratch: Path, *, fetch: bool) -> Source:
    """The server whose rows or files are not in its folder."""
    place = Place(str(settings.data.absolute()), settings.store, settings.cache_bytes)
    if settings.database_url is None and not (settings.data / DATABASE).is_file():
        raise UsageError(f"{settings.data} has no analyses: the server's database is not there")
    entries = _filed(settings.database_url or settings.data / DATABASE)
    if not entries:
        raise UsageError("the server has no analyses")
    if place.url is None:
        places = {entry.analysis: settings.data.absolute() / "bundles" / entry.analysis for entry in entries}
        return Source(entries, *_files(places, scratch), place)
    if not fetch:
        return Source(entries, [], [], place)
    _, bundles = open_stores(place, scratch)
    wanted = {entry.analysis: entry.generation for entry in entries}
    folders = Summaries(scratch / "summaries", bundles, FILE).folders(wanted)
    files = summary_files(sorted(folders), folders.__getitem__)
    return Source(entries, files, sorted(set(folders) - {file.analysis for file in files}), place)


def _folder(folder: Path, scratch: Path) -> Source:
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; a data folder, or one of bundles or summaries is expected")
    entries, places = _server(folder) if (folder / DATABASE).is_file() else _bundles(folder)
    if not entries:
        raise UsageError(f"{folder} has no analyses: neither a server's, nor bundles, nor summaries")
    return Source(entries, *_files(places, scratch), Place(str(folder.absolute())))


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


def _files(places: dict[str, Path], scratch: Path) -> tuple[list[SummaryFile], list[str]]:
    """The summaries that there are or can be made, and the analyses without."""
    made: dict[str, Path] = {}
    lost = []
    for number, (analysis, bundle) in enumerate(places.items()):
        if not (bundle / FILE).is_file():
            place = made[analysis] = scratch / str(number)
            place.mkdir()
            try:
                write_rows(summary_rows(str(bundle)), place / FILE)
            except (KeyError, OSError, RuntimeError, ValueError):
                lost.append(analysis)
    return summary_files(places, lambda name: made.get(name, places[name]).absolute()), lost

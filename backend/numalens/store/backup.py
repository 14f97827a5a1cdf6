"""A copy of a data folder that can be put back: taken while its server runs, checked by hashes.

The database is copied by SQLite's own online backup, then the files that this copy names: stored files, which never change,
bundles, which are replaced as a whole, and uploads claimed by analyses. Files that disappear in between belong to analyses that
were deleted or imported again, so another copy of the database is taken, until all files of the copy exist. Unclaimed uploads
are left out: their clients continue with the server that has them.
"""

import json
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from numalens import __version__
from numalens.store.blobs import hash_file
from numalens.store.folder import DATABASE, DataFolder
from numalens.store.names import is_id
from numalens.store.schema import Base
from numalens.store.uploads import SUFFIX

LIST: Final = "backup.json"
SCHEMA: Final = "numalens.backup/1"
LIST_BYTES: Final = 64 << 20
"""More than the list of a million files has."""
TRIES: Final = 20
ARCHIVES: Final = {".tar": "w", ".tgz": "w:gz", ".tar.gz": "w:gz"}


class BackupError(Exception):
    """A backup that could not be taken or put back; the text is one sentence."""


@dataclass(frozen=True)
class Taken:
    """Contents of a backup."""

    analyses: int
    files: int
    bytes: int


class _GoneError(Exception):
    """Something that the copy of the database names is no longer there."""


def take(data: Path, target: Path) -> Taken:
    """Copies the data folder `data` to the new folder `target`, or into an archive (.tar, .tar.gz, .tgz).

    Raises BackupError when there is no data folder, when `target` is there, or when the server changes faster than it is copied.
    """
    if not (data / DATABASE).is_file():
        raise BackupError(f"{data / DATABASE} is missing, so {data} is not a data folder")
    if target.exists():
        raise BackupError(f"{target} already exists; a backup never overwrites another")
    mode = next((mode for ending, mode in ARCHIVES.items() if target.name.endswith(ending)), None)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        copy = Path(scratch) / "backup"
        copy.mkdir(mode=0o700)
        taken = _copy(data, copy)
        if mode is None:
            copy.replace(target)
        else:
            archive = Path(scratch) / "archive"
            archive.touch(mode=0o600)
            with tarfile.open(archive, mode) as tar:  # type: ignore[call-overload]
                for path in sorted(copy.rglob("*")):
                    tar.add(path, path.relative_to(copy).as_posix(), recursive=False)
            archive.replace(target)
    return taken


def put_back(source: Path, data: Path) -> Taken:
    """Makes the new data folder `data` of a backup, every file of which is checked first.

    Raises BackupError when `source` is not a backup, is incomplete or was changed, or when `data` is not empty.
    """
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise BackupError(f"{data} is not empty; restore a backup into a new folder")
    data.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=data.parent, prefix=f".{data.name}-") as scratch,
        _opened(source, Path(scratch)) as copy,
    ):
        taken = _check(copy)
        new = Path(scratch) / "restored"
        shutil.copytree(copy, new, ignore=shutil.ignore_patterns(LIST), copy_function=shutil.copyfile)
        new.chmod(0o700)
        if data.exists():
            data.rmdir()
        new.replace(data)
    # Opening it brings the database to this version's schema, and says if it cannot be.
    with DataFolder(data):
        pass
    return taken


def _copy(data: Path, copy: Path) -> Taken:
    for _ in range(TRIES):
        named = _database(data / DATABASE, copy / DATABASE)
        try:
            for sha256 in named["blobs"]:
                _copy_file(data / "blobs" / sha256[:2] / sha256[2:], copy / "blobs" / sha256[:2] / sha256[2:])
            for upload_id in named["uploads"]:
                name = f"{upload_id}{SUFFIX}"
                _copy_file(data / "uploads" / name, copy / "uploads" / name)
            for analysis_id in named["bundles"]:
                _copy_bundle(data / "bundles" / analysis_id, copy / "bundles" / analysis_id)
        except _GoneError:
            continue
        _drop_unnamed(copy, named)
        return _list(copy, len(named["analyses"]))
    raise BackupError("analyses were deleted or imported again during the copy; try again")


def _database(source: Path, target: Path) -> dict[str, list[str]]:
    """Copies the database as it is at one moment, and returns what files it names."""
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)
        # A file alone, without its log, is what is copied on.
        copy.execute("PRAGMA journal_mode=DELETE")
        copy.execute("DELETE FROM uploads WHERE id NOT IN (SELECT upload_id FROM inputs WHERE upload_id IS NOT NULL)")
        copy.commit()
        copy.execute("VACUUM")

        def column(query: str) -> list[str]:
            return [str(row[0]) for row in copy.execute(query)]

        named = {
            "analyses": column("SELECT id FROM analyses"),
            "blobs": column("SELECT DISTINCT sha256 FROM inputs WHERE sha256 IS NOT NULL"),
            "uploads": column("SELECT upload_id FROM inputs WHERE upload_id IS NOT NULL"),
            "bundles": column(
                "SELECT id FROM analyses WHERE input_summaries IS NOT NULL AND input_summaries != 'null'"
            ),
        }
    target.chmod(0o600)
    return named


def _copy_file(source: Path, target: Path) -> None:
    if target.exists():
        # Stored files never change; a claimed upload is complete.
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError as error:
        target.unlink(missing_ok=True)
        raise _GoneError from error


def _copy_bundle(source: Path, target: Path) -> None:
    """A bundle of one import: one that is replaced during the copy is copied again."""
    shutil.rmtree(target, ignore_errors=True)
    try:
        before = source.stat().st_ino
        shutil.copytree(source, target, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns(".*"))
        if source.stat().st_ino != before:
            raise _GoneError
    except (FileNotFoundError, shutil.Error) as error:
        shutil.rmtree(target, ignore_errors=True)
        raise _GoneError from error


def _drop_unnamed(copy: Path, named: dict[str, list[str]]) -> None:
    """Removes files of an earlier try that the last copy of the database no longer names."""
    for path in copy.glob("blobs/*/*"):
        if path.parent.name + path.name not in named["blobs"]:
            path.unlink()
    for folder in ("uploads", "bundles"):
        for path in copy.glob(f"{folder}/*"):
            if path.name.removesuffix(SUFFIX) not in named[folder]:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _list(copy: Path, analyses: int) -> Taken:
    files: dict[str, dict[str, Any]] = {
        path.relative_to(copy).as_posix(): {"bytes": path.stat().st_size, "sha256": hash_file(path)}
        for path in sorted(copy.rglob("*"))
        if path.is_file()
    }
    listed = {
        "schema": SCHEMA,
        "made_by": f"numalens {__version__}",
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "analyses": analyses,
        "files": files,
    }
    (copy / LIST).write_text(json.dumps(listed, indent=1), encoding="utf-8")
    return Taken(analyses, len(files), sum(each["bytes"] for each in files.values()))


@contextmanager
def _opened(source: Path, scratch: Path) -> Iterator[Path]:
    """The folder of a backup; an archive is unpacked below `scratch`."""
    if source.is_dir():
        yield source
        return
    if not source.is_file():
        raise BackupError(f"{source} is missing; a backup is a folder or an archive")
    unpacked = scratch / "unpacked"
    unpacked.mkdir(mode=0o700)
    try:
        with tarfile.open(source) as tar:
            tar.extractall(unpacked, filter="data")
    except (tarfile.TarError, EOFError, OSError) as error:
        raise BackupError(f"{source} is not a complete backup archive: {error}") from error
    yield unpacked


def _check(copy: Path) -> Taken:
    try:
        if (copy / LIST).stat().st_size > LIST_BYTES:
            raise BackupError(f"{LIST} has more than {LIST_BYTES:,} bytes, which is too long for the list of a backup")
        listed: dict[str, Any] = json.loads((copy / LIST).read_text(encoding="utf-8"))
        schema, analyses = listed["schema"], int(listed["analyses"])
        files = {str(name): dict(file) for name, file in listed["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BackupError(f"{copy.name} has no readable {LIST}, so it is not a backup") from error
    if schema != SCHEMA:
        raise BackupError(f"this backup has the format {schema!r}; this version reads {SCHEMA}")
    there = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if not path.is_dir() or path.is_symlink()}
    for name in sorted(there - {LIST} - set(files)):
        raise BackupError(f"{name} is in the backup's folder but not in its list")
    for name, file in files.items():
        _check_file(copy, name, file)
    _check_database(copy / DATABASE)
    return Taken(analyses, len(files), sum(int(file["bytes"]) for file in files.values()))


def _check_file(copy: Path, name: str, file: dict[str, Any]) -> None:
    parts = PurePosixPath(name).parts
    path = copy.joinpath(*parts)
    if not parts or ".." in parts or PurePosixPath(name).is_absolute() or path.is_symlink() or not path.is_file():
        raise BackupError(f"{name} is in the backup's list but not in its folder")
    if path.stat().st_size != file.get("bytes") or hash_file(path) != file.get("sha256"):
        raise BackupError(f"{name} differs from the backup: wrong size or hash")
    if parts[0] == "blobs" and "".join(parts[1:]) != file.get("sha256"):
        raise BackupError(f"{name} is not named by the hash of its content")


def _check_database(path: Path) -> None:
    """Checks the database without running code in it. Raises BackupError, also for triggers and views, which no migration makes."""
    if not path.is_file():
        raise BackupError(f"{DATABASE} is not in the backup")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA trusted_schema=OFF")
            made = "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'"
            for kind, name in database.execute(made):
                raise BackupError(f"the database of the backup has a {kind} {name!r}, which no server creates")
            (said,) = database.execute("PRAGMA integrity_check").fetchone()
            if said != "ok":
                raise BackupError(f"the database of the backup is damaged: {said}")
            for table, column in _IDS:
                every = f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"  # noqa: S608  (of our own schema)
                for (found,) in database.execute(every):
                    if not is_id(str(found)):
                        raise BackupError(f"the database of the backup has {found!r} instead of an id of {table}")
    except sqlite3.Error as error:
        raise BackupError(f"the database of the backup cannot be read: {error}") from error


_IDS: Final = [
    (table.name, column.name)
    for table in Base.metadata.sorted_tables
    for column in table.columns
    if column.name == "id" or column.name.endswith("_id")
]
"""Tables and their columns with ids: they become names of files and parts of addresses."""

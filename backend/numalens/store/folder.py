"""The data folder: one server's uploads and, unless they are elsewhere, its database, stored files and bundles.

Only one server uses a folder and a database.
"""

import fcntl
import logging
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from numalens.errors import FolderInUseError
from numalens.store.blobs import Blobs, BlobStore, ObjectBlobs
from numalens.store.bundles import Bundles, FolderBundles, ObjectBundles, Workshop
from numalens.store.cache import Cache
from numalens.store.database import Database, database_url
from numalens.store.objects import Objects

if TYPE_CHECKING:
    from numalens.store.lock import DatabaseLock

DATABASE: Final = "numalens.sqlite3"
MERGED: Final = "fleet"
"""The folder of merged summaries: copies, which are made again."""
RESERVE: Final = "reserve"
RESERVE_BYTES: Final = 4 << 20
"""Space that a deletion may need on a full disk: SQLite writes changed pages elsewhere first."""
CACHE_BYTES: Final = 20 << 30
PRIVATE: Final = 0o700

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """Place of stored files and bundles, also for processes elsewhere."""

    folder: str
    """The data folder."""
    url: str | None = None
    """`s3://bucket/prefix`, instead of the folder."""
    cache_bytes: int = CACHE_BYTES


def open_stores(place: Place, work: Path) -> tuple[Blobs, Bundles]:
    """The stores of a place, for a process with its own folder `work`. Raises ValueError for an invalid URL."""
    if place.url is None:
        folder = Path(place.folder)
        return BlobStore(folder / "blobs"), FolderBundles(folder / "bundles")
    objects, cache = Objects(place.url), Cache(work / "cache", place.cache_bytes)
    return ObjectBlobs(objects, cache), ObjectBundles(objects, cache, Workshop(work / "bundles"))


def _make_private(root: Path) -> None:
    """Makes the folder and its contents private. Without the rights of its owner, the log says so."""
    if root.stat().st_mode & 0o077 == 0:
        return
    try:
        root.chmod(PRIVATE)
        for path in root.rglob("*"):
            if not path.is_symlink():
                path.chmod(PRIVATE if path.is_dir() else 0o600)
    except OSError as error:
        log.warning("other users of this machine may read %s: %s", root, error.strerror)


class DataFolder:
    """Everything below `NUMALENS_DATA`. A context manager: leaving it closes the database and lets the folder go."""

    def __init__(
        self, root: Path, database: str | None = None, store: str | None = None, cache_bytes: int = CACHE_BYTES
    ) -> None:
        """Opens or creates the folder; the database of a URL and the store of another replace the folder's own.

        Raises FolderInUseError when another server has the folder or the database open, OSError when the folder cannot be
        used, AwayError when a service does not answer.
        """
        self.root = root.resolve()
        self.root.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        _make_private(self.root)
        self.place = Place(str(self.root), store, cache_bytes)
        self._lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.database_lock: DatabaseLock | None = None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            msg = f"Another NumaLens server is using {self.root}; stop it first or choose another folder with --data."
            raise FolderInUseError(msg) from error
        self.uploads = self.root / "uploads"
        self.bundles = self.root / "bundles"
        self.blob_lock = threading.Lock()
        """Held while a stored file gets its first row or loses its last one, so that the two never cross."""
        try:
            self.uploads.mkdir(exist_ok=True)
            self.blobs, self.kept = open_stores(self.place, self.root)
            if isinstance(self.blobs, BlobStore):
                self.blobs.clear()
            self.kept.workshop.clear()
            if database is not None:
                # PostgreSQL's client takes a tenth of a server's start.
                from numalens.store import lock  # noqa: PLC0415

                self.database_lock = lock.DatabaseLock(database_url(database))
            self.database = Database(database or self.root / DATABASE)
        except BaseException:
            self._let_go()
            raise
        if self.database_lock is not None:
            self.database.guard = self.database_lock.check
        self._keep_reserve()

    def bundle(self, analysis_id: str) -> Path:
        """The bundle folder of an analysis, where bundles are kept in this folder."""
        return self.bundles / analysis_id

    def free_bytes(self) -> int:
        """Free space of the disk that holds the folder."""
        return shutil.disk_usage(self.root).free

    @contextmanager
    def without_reserve(self) -> Iterator[None]:
        """Frees some space of a full disk in the block, for work that frees more."""
        (self.root / RESERVE).unlink(missing_ok=True)
        try:
            yield
        finally:
            self._keep_reserve()

    def close(self) -> None:
        """Closes the database and lets another server use the folder."""
        self.database.close()
        self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _keep_reserve(self) -> None:
        """Keeps the reserve. With a database server, the disk of the rows is not managed here."""
        if self.database.is_postgresql:
            return
        # A disk that has no room even for this has it at a later start, or after a deletion.
        with suppress(OSError):
            path = self.root / RESERVE
            if not path.is_file() or path.stat().st_size < RESERVE_BYTES:
                path.write_bytes(bytes(RESERVE_BYTES))

    def _let_go(self) -> None:
        if self.database_lock is not None:
            self.database_lock.close()
        os.close(self._lock)

"""The data folder: one server's database, uploads, stored files and bundles, and the rule that only one server uses it."""

import fcntl
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from numalens.errors import FolderInUseError
from numalens.store.blobs import BlobStore, sync_folder
from numalens.store.database import Database

DATABASE: Final = "numalens.sqlite3"
TRASH_PREFIX: Final = ".trash-"
TEMP_PREFIX: Final = ".new-"
SCRATCH_PREFIX: Final = ".scratch-"


class DataFolder:
    """Everything below `NUMALENS_DATA`. A context manager: leaving it closes the database and lets the folder go."""

    def __init__(self, root: Path) -> None:
        """Opens or creates the folder. Raises FolderInUseError when another server has it open, OSError when it cannot be used."""
        self.root = root.resolve()
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            msg = f"Another NumaLens server is using {self.root}; stop it first or choose another folder with --data."
            raise FolderInUseError(msg) from error
        self.uploads = self.root / "uploads"
        self.bundles = self.root / "bundles"
        self.uploads.mkdir(exist_ok=True)
        self.bundles.mkdir(exist_ok=True)
        self.blobs = BlobStore(self.root / "blobs")
        self.database = Database(self.root / DATABASE)
        self.blob_lock = threading.Lock()
        """Held while a stored file gets its first row or loses its last one, so that the two never cross."""
        self.bundle_lock = threading.Lock()
        """Held while a bundle's name changes from one folder to another, and by whoever opens the bundle."""
        self._clear_left_overs()

    def bundle(self, analysis_id: str) -> Path:
        """The bundle folder of an analysis."""
        return self.bundles / analysis_id

    def new_bundle(self, analysis_id: str) -> Path:
        """Where a bundle is written before it gets its name; whatever an earlier try left there is removed."""
        return self._cleared(TEMP_PREFIX, analysis_id)

    def new_scratch(self, analysis_id: str) -> Path:
        """Where a reading unpacks its inputs; whatever an earlier try left there is removed."""
        return self._cleared(SCRATCH_PREFIX, analysis_id)

    def keep_bundle(self, analysis_id: str) -> None:
        """Gives a finished new bundle its name, in place of the one before, and makes all of it survive a power cut."""
        new = self.bundles / f"{TEMP_PREFIX}{analysis_id}"
        for folder, _, names in os.walk(new):
            for name in names:
                _sync_file(Path(folder) / name)
            sync_folder(Path(folder))
        with self.bundle_lock:
            trash = self._discarded(analysis_id)
            new.replace(self.bundle(analysis_id))
        sync_folder(self.bundles)
        shutil.rmtree(trash, ignore_errors=True)

    def drop_bundle(self, analysis_id: str) -> None:
        """Removes a bundle: it loses its name first, so that nobody can open a half-removed one."""
        self.new_bundle(analysis_id)
        self.new_scratch(analysis_id)
        with self.bundle_lock:
            trash = self._discarded(analysis_id)
        shutil.rmtree(trash, ignore_errors=True)

    def free_bytes(self) -> int:
        """Free space of the disk that holds the folder."""
        return shutil.disk_usage(self.root).free

    def close(self) -> None:
        """Closes the database and lets another server use the folder."""
        self.database.close()
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cleared(self, prefix: str, analysis_id: str) -> Path:
        path = self.bundles / f"{prefix}{analysis_id}"
        shutil.rmtree(path, ignore_errors=True)
        return path

    def _discarded(self, analysis_id: str) -> Path:
        """Where the bundle of an analysis now lies, if it has one, to be removed."""
        trash = self._cleared(TRASH_PREFIX, analysis_id)
        with suppress(FileNotFoundError):
            self.bundle(analysis_id).replace(trash)
        return trash

    def _clear_left_overs(self) -> None:
        for prefix in (TRASH_PREFIX, TEMP_PREFIX, SCRATCH_PREFIX):
            for path in self.bundles.glob(f"{prefix}*"):
                shutil.rmtree(path, ignore_errors=True)


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

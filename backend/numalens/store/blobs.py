"""Files named by their content: `blobs/<2 hex digits>/<62 hex digits>`, written once, never changed; in a folder or in a bucket."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from numalens.errors import SentenceError
from numalens.store.cache import Cache, Hold, Plan
from numalens.store.objects import MissingError, Objects

CHUNK: Final = 1 << 20
DIGEST_LENGTH: Final = 64


PREFIX: Final = "blobs"
MISSING: Final = "A file of this analysis is missing in the store, so it cannot be read; upload it again."


class Blobs(Protocol):
    """Files by their SHA-256. What has its name is whole, and survives whatever ends this process."""

    def put(self, sha256: str, source: Path, *, link: bool) -> None:
        """Keeps the content of `source`, whose hash is `sha256`; repeating it is cheap and allowed."""

    def hold(self, sha256: str) -> Hold:
        """A path of the file with this hash, for as long as the answer is kept."""

    def remove(self, sha256: str) -> None:
        """Deletes the file with this hash, if it is there."""

    def all(self) -> Iterator[str]:
        """The hashes of all files."""

    def check(self) -> None:
        """Finds out within seconds whether files can be kept and read, where that is not the data folder's. Raises as `put`."""


class BlobStore:
    """The content-addressed files below one folder. A file that has its name is whole and on the disk."""

    def __init__(self, root: Path) -> None:
        """Uses (and creates) the folder `root`."""
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def clear(self) -> None:
        """Removes what a killed writer left; for the one process that writes here."""
        for left_over in self.root.glob(".new-*"):
            left_over.unlink()

    def path(self, sha256: str) -> Path:
        """Path of the file with this hash, whether it exists or not."""
        return self.root / sha256[:2] / sha256[2:]

    def hold(self, sha256: str) -> Hold:
        """Use of the file with this hash."""
        return Hold(self.path(sha256))

    def put(self, sha256: str, source: Path, *, link: bool) -> None:
        """Gives the content of `source`, whose hash is `sha256`, its place here; `source` itself stays.

        With `link`, no bytes are copied if the file system can link: only for files without other writers.
        """
        target = self.path(sha256)
        if not target.parent.exists():
            target.parent.mkdir(exist_ok=True)
            sync_folder(self.root)
        if not target.exists():
            if not (link and _link(source, target)):
                self._copy(source, target)
            sync_folder(target.parent)

    def remove(self, sha256: str) -> None:
        """Deletes the file with this hash, if it is there."""
        path = self.path(sha256)
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()

    def all(self) -> Iterator[str]:
        """The hashes of all files here."""
        for shard in self.root.iterdir():
            if shard.is_dir():
                for file in shard.iterdir():
                    name = shard.name + file.name
                    if len(name) == DIGEST_LENGTH:
                        yield name

    def check(self) -> None:
        """Lies in the data folder, and has nothing to add."""

    def _copy(self, source: Path, target: Path) -> None:
        """A whole copy under another name first, then the rename."""
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=self.root)
        try:
            with os.fdopen(descriptor, "wb") as copy, source.open("rb") as file:
                shutil.copyfileobj(file, copy, CHUNK)
                copy.flush()
                os.fsync(copy.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


class ObjectBlobs:
    """The content-addressed files in a bucket; recently read ones are also in a cache."""

    def __init__(self, objects: Objects, cache: Cache) -> None:
        """Uses the objects below `blobs/`, and a cache that it shares with others."""
        self._objects = objects
        self._cache = cache

    def put(self, sha256: str, source: Path, *, link: bool) -> None:
        """Sends the content of `source` in parts; it has its name when the last one is there. Raises AwayError."""
        name = _object_name(sha256)
        if self._objects.size(name) is None:
            self._objects.put(name, source)
            if link:
                # It is to be read next.
                self._cache.adopt(_cache_name(sha256), source, link=True)

    def hold(self, sha256: str) -> Hold:
        """A local copy; its content is checked when it is fetched. Raises AwayError, and SentenceError when it is not there."""

        def fill(size: int, path: Path) -> None:
            digest = hashlib.sha256()
            try:
                self._objects.fetch(_object_name(sha256), size, path, digest.update)
            except MissingError:
                raise SentenceError(409, MISSING) from None
            if digest.hexdigest() != sha256:
                raise SentenceError(409, "A file of this analysis is damaged in the store; upload it again.")

        def plan() -> Plan:
            size = self._objects.size(_object_name(sha256))
            if size is None:
                raise SentenceError(409, MISSING)
            return size, partial(fill, size)

        return self._cache.hold(_cache_name(sha256), plan)

    def remove(self, sha256: str) -> None:
        """Deletes the object and the local copy."""
        self._cache.drop(_cache_name(sha256))
        self._objects.delete([_object_name(sha256)])

    def all(self) -> Iterator[str]:
        """The hashes of all objects here."""
        for name, _ in self._objects.list(PREFIX):
            sha256 = "".join(name.split("/")[1:])
            if len(sha256) == DIGEST_LENGTH:
                yield sha256

    def check(self) -> None:
        """Asks the bucket. Raises AwayError, FullError."""
        self._objects.check()


def _object_name(sha256: str) -> str:
    return f"{PREFIX}/{sha256[:2]}/{sha256[2:]}"


def _cache_name(sha256: str) -> str:
    return f"blob.{sha256}"


def hash_file(path: Path, progress: Callable[[int], None] | None = None) -> str:
    """The SHA-256 of a file. `progress(done)` is called with the bytes read so far; an exception it raises stops the work."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if progress is not None:
                progress(done)
    return digest.hexdigest()


def _link(source: Path, target: Path) -> bool:
    """Returns whether `target` is now a name of `source`'s content; not every file system can do that."""
    try:
        os.link(source, target)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Makes the names in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Files named by their content: `blobs/<2 hex digits>/<62 hex digits>`, written once, never changed."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

CHUNK: Final = 1 << 20
DIGEST_LENGTH: Final = 64


class BlobStore:
    """The content-addressed files below one folder. A file that has its name is whole and on the disk."""

    def __init__(self, root: Path) -> None:
        """Uses (and creates) the folder `root`; left-overs of a killed writer are removed."""
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        for left_over in root.glob(".new-*"):
            left_over.unlink()

    def path(self, sha256: str) -> Path:
        """Where the file with this hash is or would be."""
        return self.root / sha256[:2] / sha256[2:]

    def put(self, sha256: str, source: Path, *, link: bool) -> None:
        """Gives the content of `source`, whose hash is `sha256`, its place here; `source` itself stays.

        With `link`, no bytes are copied where the file system can link: only for files that nobody else writes.
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
    """Tells whether `target` is now a name of `source`'s content; not every file system can do that."""
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

"""Files and folders fetched from elsewhere: those that were used last stay, as many as there is room for."""

import logging
import os
import shutil
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from typing_extensions import override

from numalens.errors import FullError, SentenceError, is_out_of_space, not_found
from numalens.store.names import new_id
from numalens.store.objects import MissingError, Objects

NEW: Final = ".new-"
FULL: Final = "The disk for files fetched from the store is full; try again when an administrator has freed space."

Plan = tuple[int, Callable[[Path], None]]
"""Future size in bytes, and the function that creates a file or a folder at a path."""

log = logging.getLogger(__name__)


Fetch = Callable[[str, int, int], None]
"""Makes bytes of a file in a folder available: takes its name there, the first byte, and the end (exclusive)."""


class Hold:
    """Use of a path: it stays in place until `release`, or until this object is deleted."""

    fetch: Fetch | None = None
    """To be called before bytes of a file in the folder are read; None where all of them are there."""

    def __init__(self, path: Path, release: Callable[[], None] = lambda: None) -> None:
        """Takes the path, and what is called once at the end."""
        self.path = path
        self._release = weakref.finalize(self, release)
        self._release.atexit = False

    def release(self) -> None:
        """Ends the use; repeating it is allowed."""
        self._release()

    def whole(self) -> None:
        """Fetches all bytes of all files, for readers that cannot request them."""


@dataclass
class _Entry:
    bytes: int = 0
    holds: int = 0
    there: bool = False
    dropped: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while it is fetched, so that those who want it at the same time wait for the first."""


class Cache:
    """The entries below one folder, for which no other object may use it. Safe to use from several threads."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        """Takes up what an earlier process left in `root`, the latest used last, but for what it had not finished."""
        self._root = root
        self._max = max_bytes
        # A hold that the garbage collector ends may do so in the middle of any of the methods here.
        self._lock = threading.RLock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        root.mkdir(parents=True, exist_ok=True)
        for path in sorted(root.iterdir(), key=lambda path: path.stat().st_mtime):
            if path.name.startswith(NEW):
                _remove(path)
            else:
                self._entries[path.name] = _Entry(_size(path), there=True)
        self._make_room(0)

    def hold(self, name: str, plan: Callable[[], Plan]) -> Hold:
        """The entry with this name, a plain file name; made by `plan` when it is not there.

        Raises FullError when the disk is full, and what the plan raises.
        """
        with self._lock:
            entry = self._entries.setdefault(name, _Entry())
            entry.holds += 1
            self._entries.move_to_end(name)
        try:
            with entry.lock:
                if not entry.there:
                    self._fetch(name, entry, plan())
        except BaseException:
            self._let_go(name, entry)
            raise
        path = self._root / name
        # What was used last is known to the next process, too.
        os.utime(path)
        return Hold(path, lambda: self._let_go(name, entry))

    def grow(self, name: str, size: int) -> None:
        """Frees space for `size` more bytes of an entry in use."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is not None:
                self._make_room(size)
                entry.bytes += size

    def adopt(self, name: str, path: Path, *, link: bool = False) -> None:
        """Takes the file or folder at `path` as the entry with this name, so that it need not be fetched; or just removes it.

        With `link`, a file gets a second name, and stays where it is.
        """
        size = _size(path)

        def fill(new: Path) -> None:
            if link:
                os.link(path, new)
            else:
                path.replace(new)

        try:
            self.hold(name, lambda: (size, fill)).release()
        except (OSError, SentenceError) as error:
            log.info("not taken into the cache: %s", error)
        if not link:
            _remove(path)

    def drop(self, prefix: str) -> None:
        """Removes the entries whose names begin with `prefix`; who holds one keeps what is open."""
        with self._lock:
            for name in [name for name in self._entries if name.startswith(prefix)]:
                self._evict(name)

    def _fetch(self, name: str, entry: _Entry, plan: Plan) -> None:
        size, fill = plan
        with self._lock:
            self._make_room(size)
        new = self._root / f"{NEW}{new_id()}"
        try:
            fill(new)
        except OSError as error:
            _remove(new)
            if is_out_of_space(error):
                raise FullError(FULL) from error
            raise
        except BaseException:
            _remove(new)
            raise
        with self._lock:
            entry.bytes = size
            new.replace(self._root / name)
            entry.there = True

    def _let_go(self, name: str, entry: _Entry) -> None:
        with self._lock:
            entry.holds -= 1
            if entry.holds == 0:
                if entry.dropped:
                    # It came after it was dropped.
                    _remove(self._root / name)
                elif not entry.there:
                    self._entries.pop(name, None)
                else:
                    self._make_room(0)

    def _make_room(self, size: int) -> None:
        """Removes unused entries, the least recently used first, until `size` more bytes fit."""
        used = sum(entry.bytes for entry in self._entries.values())
        for name, entry in list(self._entries.items()):
            if used + size <= self._max:
                return
            if entry.holds == 0:
                used -= entry.bytes
                self._evict(name)

    def _evict(self, name: str) -> None:
        entry = self._entries.pop(name, None)
        if entry is not None:
            entry.dropped = True
            _remove(self._root / name)


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


BLOCK: Final = 1 << 20
"""Bytes that are fetched at least: an answer's way takes longer than so many bytes."""


class PartFiles:
    """The local part of a bundle in a bucket: only the blocks that were read. Safe to use from several threads.

    A viewer's window needs a small part of a bundle, whose event tables may have gigabytes. The files here have their full
    length from the start, as sparse files, so that the compiled module opens and maps them as usual; before it reads bytes, it
    requests them.
    """

    def __init__(self, objects: Objects, prefix: str, sizes: dict[str, int], grow: Callable[[int], None]) -> None:
        """Takes the objects' common prefix, their sizes by name, and who makes room for so many more bytes."""
        self._objects = objects
        self._prefix = prefix
        self._sizes = sizes
        self._grow = grow
        self._there = {name: bytearray(-(-size // BLOCK)) for name, size in sizes.items()}
        self._locks = {name: threading.Lock() for name in sizes}

    @property
    def first_bytes(self) -> int:
        """Number of bytes that `make` fetches."""
        return sum(size for name, size in self._sizes.items() if _is_first(name))

    def make(self, folder: Path) -> None:
        """Makes the folder, and fetches the files at its top, which are always needed. Raises AwayError, 404, OSError."""
        for name, size in self._sizes.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.truncate(size)
            if _is_first(name):
                self._copy(path, name, 0, size)
                self._there[name][:] = b"\1" * len(self._there[name])

    def fetch(self, folder: Path, name: str, begin: int, end: int) -> None:
        """Has the bytes from `begin` to before `end` in a file of the folder. Raises AwayError, 404, 507."""
        blocks = range(begin // BLOCK, -(-end // BLOCK))
        there = self._there.get(name)
        if there is None or all(there[block] for block in blocks):
            return
        with self._locks[name]:
            for first, last in _missing(there, blocks):
                start, stop = first * BLOCK, min(last * BLOCK, self._sizes[name])
                self._grow(stop - start)
                try:
                    self._copy(folder / name, name, start, stop)
                except FileNotFoundError:
                    # Deleted in the meantime.
                    raise not_found("analysis") from None
                except OSError as error:
                    if is_out_of_space(error):
                        raise FullError(FULL) from error
                    raise
                there[first:last] = b"\1" * (last - first)

    def fetch_all(self, folder: Path) -> None:
        """Has all bytes in the folder."""
        for name, size in self._sizes.items():
            self.fetch(folder, name, 0, size)

    def _copy(self, path: Path, name: str, start: int, stop: int) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            for piece in self._objects.pieces(self._prefix + name, start, stop):
                view = piece
                while view:
                    written = os.pwrite(descriptor, view, start)
                    start += written
                    view = view[written:]
        except MissingError:
            raise not_found("analysis") from None
        finally:
            os.close(descriptor)


class PartHold(Hold):
    """Use of a folder of which some files are only in the bucket."""

    def __init__(self, held: Hold, parts: PartFiles) -> None:
        """Takes over the use of the folder itself, which lasts as long as this object, or its fetches."""
        super().__init__(held.path)
        self._held = held
        self._parts = parts
        self.fetch = partial(_fetch, held, parts)

    @override
    def release(self) -> None:
        self._held.release()

    @override
    def whole(self) -> None:
        self._parts.fetch_all(self.path)


def _fetch(held: Hold, parts: PartFiles, name: str, begin: int, end: int) -> None:
    parts.fetch(held.path, name, begin, end)


def _is_first(name: str) -> bool:
    return "/" not in name


def _missing(there: bytearray, blocks: range) -> Iterator[tuple[int, int]]:
    """The missing ranges of `blocks`: first, and one past the last."""
    first: int | None = None
    for block in blocks:
        if not there[block] and first is None:
            first = block
        elif there[block] and first is not None:
            yield first, block
            first = None
    if first is not None:
        yield first, blocks.stop

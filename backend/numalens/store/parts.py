"""Files of a bucket of which only the blocks are here that were read.

A viewer's window needs a small part of a bundle whose event tables may have gigabytes. The files here have their full length
from the begin on, as sparse files, so that the compiled module opens and maps them as it does any other; before it reads bytes,
it asks for them.
"""

import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from typing_extensions import override

from numalens.errors import FullError, is_out_of_space, not_found
from numalens.store.cache import FULL, Hold
from numalens.store.objects import MissingError, Objects

BLOCK: Final = 1 << 20
"""Bytes that are fetched at least: an answer's way takes longer than so many bytes."""


class PartFiles:
    """The files of one bundle. Safe to use from several threads."""

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
        """How many bytes `make` fetches."""
        return sum(size for name, size in self._sizes.items() if _is_first(name))

    def make(self, folder: Path) -> None:
        """Makes the folder, and fetches what lies at its top, which everybody needs. Raises AwayError, 404, OSError."""
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
                    # Deleted meanwhile.
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
    """The use of a folder whose files are not all here."""

    def __init__(self, held: Hold, parts: PartFiles) -> None:
        """Takes the use of the folder itself, which lasts as long as anybody has this, or can still fetch."""
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
    """The stretches of `blocks` that are not there: first, and the one behind the last."""
    first: int | None = None
    for block in blocks:
        if not there[block] and first is None:
            first = block
        elif there[block] and first is not None:
            yield first, block
            first = None
    if first is not None:
        yield first, blocks.stop

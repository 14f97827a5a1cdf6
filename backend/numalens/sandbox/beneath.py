"""Files below a folder, opened relative to its descriptor: no link that is put on the way leads elsewhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def folder_beneath(root: int, below: Path) -> Iterator[int]:
    """A descriptor of the folder `below` a root's descriptor. Raises OSError for a link on the way, and for `..`."""
    found = os.dup(root)
    try:
        for part in below.parts:
            if part == os.pardir:
                raise NotADirectoryError(part)
            found, before = os.open(part, FOLDER, dir_fd=found), found
            os.close(before)
        yield found
    finally:
        os.close(found)


@contextmanager
def file_in(folder: int, name: str) -> Iterator[int]:
    """A descriptor of a file in a folder. Raises OSError for a link."""
    found = os.open(name, FILE, dir_fd=folder)
    try:
        yield found
    finally:
        os.close(found)


def path_of(descriptor: int) -> Path:
    """Returns the path under which this process reaches what it has open, whatever happens to names."""
    return Path("/proc/self/fd") / str(descriptor)

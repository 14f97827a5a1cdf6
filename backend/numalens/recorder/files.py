"""Reads of the kernel's small text files, as cheap as Python has them: they are done thousands of times a recording."""

import os
from contextlib import suppress

_CHUNK = 1 << 16


def read_text(path: str) -> str | None:
    """A file's text; None when it is not there, or not for us."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        return read_descriptor(descriptor)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def read_descriptor(descriptor: int) -> str:
    """The text of an open file from its start. The kernel creates it for every such read."""
    parts: list[bytes] = []
    at = 0
    while part := os.pread(descriptor, _CHUNK, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts).decode("utf-8", "replace")


def unicode(text: str) -> str:
    """Returns `text` with U+FFFD for each byte that is not UTF-8, as `read_text` does."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def pids(root: str = "/proc") -> list[int]:
    """All processes."""
    with suppress(OSError), os.scandir(root) as entries:
        return sorted(int(entry.name) for entry in entries if entry.name.isdigit())
    return []

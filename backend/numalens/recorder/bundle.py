"""The output of a recording: a tar archive, compressed while it is assembled from its parts."""

import io
import os
import re
import tarfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from typing_extensions import override

from numalens.recorder.trace_dat import Part

SUFFIX: Final = ".tar.gz"
# Pages of a trace shrink to a quarter at level 1; higher levels take several times as long for little.
LEVEL: Final = 1
Progress = Callable[[int, int], None]


def bundle_name(host: str, real_ns: int) -> str:
    """`numalens-HOST-YYYYMMDD-HHMMSS` in local time, safe as a file name."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", host).strip(".-") or "host"
    return f"numalens-{safe}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(real_ns // 1_000_000_000))}"


class Joined(io.RawIOBase):
    """Several parts read as one file."""

    def __init__(self, parts: Sequence[Part], done: Callable[[int], None]) -> None:
        super().__init__()
        self._parts = list(parts)
        self._done = done
        self._file: BinaryIO | None = None
        self._left = 0
        self._next()

    @override
    def readable(self) -> bool:
        return True

    @override
    def read(self, size: int = -1) -> bytes:
        """Exactly `size` bytes as long as there are as many: tarfile takes less for a damaged source."""
        out: list[bytes] = []
        wanted = size
        while wanted and self._file is not None:
            data = self._file.read(min(wanted, self._left))
            if not data and self._left:
                msg = "a spooled file became shorter while it was packed"
                raise OSError(msg)
            self._left -= len(data)
            wanted -= len(data)
            out.append(data)
            if not self._left:
                self._next()
        self._done(size - wanted)
        return b"".join(out)

    @override
    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        super().close()

    def _next(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        while self._parts and self._file is None:
            part = self._parts.pop(0)
            if part.size:
                self._left = part.size
                self._file = io.BytesIO(part.data) if part.path is None else part.path.open("rb")
                self._file.seek(part.offset)


def pack(target: Path, work: Path, entries: Sequence[tuple[str, Sequence[Part]]], progress: Progress) -> None:
    """Writes the bundle in the folder `work` and gives it its place when it is whole. Readable by its owner only.

    It holds kernel addresses and the names of everything that ran.
    """
    total = sum(part.size for _, parts in entries for part in parts)
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        progress(done, total)

    unfinished = work / target.name
    folder = target.name.removesuffix(SUFFIX)
    with (
        open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,  # noqa: PTH123
        tarfile.open(fileobj=file, mode="w:gz", compresslevel=LEVEL) as archive,
    ):
        for name, parts in entries:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = sum(part.size for part in parts)
            entry.mtime = int(time.time())
            with Joined(parts, more) as joined:
                archive.addfile(entry, joined)
        _give_to_the_asker(file.fileno())
    unfinished.rename(target)


def _give_to_the_asker(file: int) -> None:
    """Below sudo the open file becomes the property of the user who called sudo, who has to upload it.

    If the folder is that user's, its name may by now be a link to a file of another user.
    """
    owner, group = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if os.geteuid() == 0 and owner.isdigit() and group.isdigit():
        with suppress(OSError):
            os.fchown(file, int(owner), int(group))

"""A disk of a few megabytes that can be filled to its last byte: a tmpfs, which only root may mount."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass
class SmallDisk:
    """Where it is mounted, and what fills it."""

    root: Path

    @property
    def filler(self) -> Path:
        """The file that takes the room."""
        return self.root / ".filler"

    def fill(self, but: int = 0) -> None:
        """Takes all room but for so many bytes, rounded down to whole pages."""
        with self.filler.open("ab") as file:
            # What others give back in the meantime, too.
            while (room := self.free() - but) > 0:
                os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, room)

    def free(self) -> int:
        """Bytes that still fit."""
        found = os.statvfs(self.root)
        return found.f_bavail * found.f_frsize

    def clear(self) -> None:
        """Gives the room back."""
        self.filler.unlink(missing_ok=True)


@contextmanager
def small_disk(root: Path, size: int) -> Iterator[SmallDisk]:
    """Such a disk of `size` bytes at the new folder `root`; skips the test where none can be mounted."""
    root.mkdir(parents=True)
    answer = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", "tmpfs", str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {answer.stderr.strip()}")
    try:
        yield SmallDisk(root)
    finally:
        # Lazily: what a server that was just killed still has open must not fail the test.
        subprocess.run(["umount", "--lazy", str(root)], check=True)

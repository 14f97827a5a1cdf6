"""Starts the watchdog before there is anything to clean up, and dismisses it when there is nothing any more."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from numalens.recorder import watchdog


class Guard:
    """A watchdog process for one recording. The pipe to it must reach no other process: its end is how death is noticed."""

    def __init__(self, instance: Path, spool: Path, mount: Path | None) -> None:
        arguments = [str(instance), "--spool", str(spool)]
        if mount is not None:
            arguments += ["--mount", str(mount)]
        self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and script)
            [sys.executable, "-I", "-S", watchdog.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The watchdog's process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets the watchdog look after what our own cleaning up has left; usually that is nothing."""
        with suppress(OSError):
            self._process.communicate(timeout=watchdog.PATIENCE_S + 5)

    def helper(self, pid: int) -> None:
        """A process that must not outlive us; it leads its own process group."""
        start = watchdog.start_time(pid)
        if start is not None:
            self._tell(f"kill {pid} {start}\n")

    def dismiss(self) -> None:
        """Everything is cleaned up."""
        self._tell("done\n")

    def _tell(self, order: str) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(order.encode())
                self._process.stdin.flush()

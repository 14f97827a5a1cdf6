"""When a recording ends, and the command that it may last as long as."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

COMMAND_END_S: Final = 5.0


class Ending:
    """The request to end: by a signal, by the command's end, or by the clock."""

    def __init__(self) -> None:
        self.wanted = threading.Event()
        self._signalled = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._signalled:
            # The second Ctrl-C: packing is given up, too.
            raise KeyboardInterrupt(number)
        self._signalled = True
        self.wanted.set()

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Takes SIGINT, SIGTERM and SIGHUP for the wish to end, once."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._on_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Command:
    """The user's command; none when there are no arguments."""

    def __init__(self, arguments: Sequence[str], ending: Ending) -> None:
        self.arguments = tuple(arguments)
        self.status: int | None = None
        self.ended_by_us = False
        self._ending = ending
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it; its end is the wish to end."""
        if not self.arguments:
            return
        # Our standard output has the bundle's path and nothing else.
        self._process = process = subprocess.Popen(self.arguments, stdout=sys.stderr.fileno())  # noqa: S603

        def wait() -> None:
            process.wait()
            self._ending.wanted.set()

        threading.Thread(target=wait, name="command", daemon=True).start()

    def end(self) -> None:
        """Ends it if the recording ended before it, and takes its status."""
        process = self._process
        if process is None or self.status is not None:
            return
        # Ctrl-C in a terminal reaches the command, too, which then ends by itself.
        for step, patience in ((None, COMMAND_END_S / 5), (process.terminate, COMMAND_END_S), (process.kill, None)):
            if step is not None:
                self.ended_by_us = True
                step()
            with suppress(subprocess.TimeoutExpired):
                self.status = process.wait(patience)
                return

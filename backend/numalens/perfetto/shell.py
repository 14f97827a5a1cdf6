"""The operator's own trace processor: a `trace_processor_shell` in a process of its own.

It is used over its standard input and output (`--stdiod`), with the framing of `rpc.py`. Unlike the WebAssembly it is a
program that could do anything this user can; what it may use is limited before it is given a trace, and it ends with the
process that started it.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from typing_extensions import override

from numalens.perfetto import rpc
from numalens.perfetto.calls import InvalidAnswerError, TraceProcessor, last_line, limited, too_late
from numalens.perfetto.errors import EngineMemoryError, MissingEngineError, PerfettoError
from numalens.sandbox.limits import die_with_parent, limit_child

PIECE: Final = 1 << 20
LOG_KEPT: Final = 4000
OUT_OF_MEMORY: Final = ("bad_alloc", "out of memory", "mmap")
RESPONSE: Final = 3
"""Field of an answer: the method it answers."""
ERROR, BATCH, LAST_BATCH = 2, 3, 6
"""Fields of `QueryResult`, and of its batches."""


class Shell(TraceProcessor):
    """A trace processor with at most `memory_bytes` of memory, each of whose calls may take at most `seconds`."""

    def __init__(self, program: Path, *, memory_bytes: int, seconds: float | None = None) -> None:
        """Starts it. Raises MissingEngineError when that is not possible."""
        self.seconds = seconds
        self._memory_bytes = memory_bytes
        self._frames = rpc.Frames()
        self._log = b""

        def limit() -> None:
            die_with_parent()
            limit_child(memory_bytes)

        try:
            # The limits must be there before the first of the program's own instructions.
            self._process = subprocess.Popen(  # noqa: S603
                [program, "--stdiod"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env={},
                preexec_fn=limit,  # noqa: PLW1509
            )
        except (OSError, subprocess.SubprocessError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise MissingEngineError(
                f"The trace processor {program} (NUMALENS_TRACE_PROCESSOR) cannot be started: {why}."
            ) from error
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @override
    def close(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    @override
    def _exchange(self, head: bytes, body: bytes, on_message: Callable[[bytes], None]) -> None:
        try:
            with self._limited():
                self._send(head)
                self._send(body)
                while True:
                    for message in self._frames.take(self._receive()):
                        on_message(message)
                        if _is_last(message):
                            return
        except (EOFError, BrokenPipeError) as error:
            raise self._failure() from error
        except (InvalidAnswerError, rpc.BrokenMessageError) as error:
            raise PerfettoError(f"The trace processor failed on this trace: {last_line(str(error))}.") from error

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Applies the time limit to each exchange."""
        with limited(self.seconds, self._process.kill) as late:
            try:
                yield
            except (EOFError, BrokenPipeError):
                if not late.is_set():
                    raise
                raise too_late(self.seconds) from None

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view and self._process.stdin is not None:
            view = view[os.write(self._process.stdin.fileno(), view[:PIECE]) :]

    def _receive(self) -> bytes:
        piece = os.read(self._process.stdout.fileno(), PIECE) if self._process.stdout is not None else b""
        if not piece:
            raise EOFError
        return piece

    def _listen(self) -> None:
        pipe = self._process.stderr
        while pipe is not None and (piece := pipe.read(PIECE)):
            self._log = (self._log + piece)[-LOG_KEPT:]

    def _failure(self) -> PerfettoError:
        """Reason for which the process ended without an answer."""
        status = self._process.wait()
        self._listener.join()
        log = self._log.decode(errors="replace")
        if any(sign in log.lower() for sign in OUT_OF_MEMORY):
            return EngineMemoryError(
                f"The trace processor needed more memory than the {self._memory_bytes:,} bytes it may take."
            )
        how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return PerfettoError(f"The trace processor ended {how}: {last_line(log)}.")


def _is_last(message: bytes) -> bool:
    """Returns whether an answer is complete: a query's comes in parts, and the last one is marked; all others are one message."""
    method, result = 0, memoryview(b"")
    for number, value in rpc.fields(message):
        if number == RESPONSE and isinstance(value, int):
            method = value
        elif number == rpc.Field.QUERY_RESULT and not isinstance(value, int):
            result = value
    if method != rpc.Method.QUERY:
        return True
    for number, value in rpc.fields(result):
        if number == ERROR:
            return True
        if number == BATCH and not isinstance(value, int):
            return any(field == LAST_BATCH and last for field, last in rpc.fields(value))
    return False

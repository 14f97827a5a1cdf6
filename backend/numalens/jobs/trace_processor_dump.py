"""The dump of a Perfetto trace by the trace processor, which the compiled module reads: a file of frames.

The file begins with MAGIC. Each frame is one byte for its kind, its length (8 bytes, little endian), and that many bytes. Kinds
are `t` bytes of the trace itself, `p` the plan of a table (JSON), `r` rows of that table, and `i` metadata of the trace (JSON),
which comes last. A file without `i` is incomplete.
"""

from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numalens_native as native

from numalens.perfetto.errors import PerfettoError
from numalens.perfetto.importer import Limits, Progress, convert

MAGIC: Final = b"numalens answers 1\n"
TRACE, PLAN, ROWS, INFO = b"t", b"p", b"r", b"i"
LENGTH_BYTES: Final = 8
WIDE_FROM_BYTES: Final = 1 << 30
"""From this size on a trace gets the engine with 64-bit memory: the other one is full at about twice as many bytes."""
WIDE_BYTES: Final = 16 << 30
"""Address space of that engine; the import process's own limit is usually lower, and applies."""


class DumpFile:
    """Writes the frames of one trace."""

    def __init__(self, path: Path, name: str, max_bytes: int | None) -> None:
        """Makes the file at `path`; it may have `max_bytes`. `name` is the trace's, for errors."""
        self._file = path.open("xb")
        self._name = name
        self._left = max_bytes
        self._limit = max_bytes
        self._file.write(MAGIC)

    def trace(self, chunk: bytes) -> None:
        """The next bytes of the trace itself."""
        self._frame(TRACE, chunk)

    def table(self, plan: str) -> None:
        """A new table begins."""
        self._frame(PLAN, plan.encode())

    def rows(self, part: bytes) -> None:
        """Rows of the table."""
        self._frame(ROWS, part)

    def finish(self, info: str) -> None:
        """All tables are there."""
        self._frame(INFO, info.encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _frame(self, what: bytes, content: bytes) -> None:
        """Writes one frame. Raises LimitError when the file would become too large."""
        if self._left is not None and self._limit is not None:
            self._left -= len(content)
            if self._left < 0:
                expected = f"at most {self._limit} bytes written"
                error = native.LimitError(f"{self._name}: reading it writes more than {self._limit:,} bytes")
                error.cap, error.limit = "max_bytes", self._limit
                raise _about(error, self._name, expected)
        self._file.write(what + len(content).to_bytes(LENGTH_BYTES, "little"))
        self._file.write(content)


def dump(trace: Path, name: str, out: Path, progress: Progress, max_bytes: int | None) -> None:
    """Has the trace processor read the Perfetto trace `name` and writes the dump. Raises InputError, LimitError, OSError."""
    try:
        with DumpFile(out, name, max_bytes) as file:
            convert(trace, file, progress, _limits(trace.stat().st_size))
    except PerfettoError as error:
        raise _about(native.InputError(f"{name}: {error}"), name, error.expected) from error


def _limits(trace_bytes: int) -> Limits:
    """The engine that a trace of this size needs."""
    return Limits(wide=True, memory_bytes=WIDE_BYTES) if trace_bytes >= WIDE_FROM_BYTES else Limits()


def _about(error: native.InputError, name: str, expected: str) -> native.InputError:
    """An error like those of the compiled module, about an input as a whole."""
    error.name, error.offset, error.unit, error.expected = name, None, "byte", expected
    return error

"""The process of an engine: takes an order, holds the trace, answers requests until its input ends.

Kept free of the web and database libraries, as the import process is.
"""

import os
import queue
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Final

import numalens_native as native

from numalens.folders import cache_folder
from numalens.perfetto.errors import (
    EngineMemoryError,
    EngineTimeoutError,
    PerfettoError,
    QueryEndedEngineError,
    SqlError,
)
from numalens.perfetto.sql.protocol import (
    MEMORY_CAP,
    PIECE,
    About,
    Done,
    Export,
    Failure,
    Limits,
    Order,
    Query,
    Request,
    end_frame,
    frame,
    parse_request,
    time_cap,
)
from numalens.perfetto.sql.session import Session, sql_sentence
from numalens.sandbox.confine import ConfinementError, confine
from numalens.sandbox.limits import LAST, NICENESS, apply_limits, end_with_parent

OVERHEAD_BYTES: Final = 1 << 30
"""Memory of this process beyond the engine's: the program itself, the bundle's columns, an answer's rows."""
FILE_BYTES: Final = 64 << 20
"""The compiled WebAssembly, should it have to be made."""
PIECE_BYTES: Final = 1 << 18
MOMENT_S: Final = 0.2


class Worker:
    """Writes answers as frames to a file descriptor."""

    def __init__(self, out: int) -> None:
        """Writes to `out`."""
        self._out = out

    def run(self, order: Order, lines: "queue.SimpleQueue[bytes]") -> None:
        """Loads the trace and answers requests until the engine can no more."""
        try:
            session = Session(order.limits, None if order.native is None else Path(order.native))
            _load(session, order)
        except (PerfettoError, MemoryError, OSError, ValueError) as error:
            self._end(_failure(error, order.limits, about="trace"))
            return
        self._end(Done())
        while session.alive:
            try:
                end: Done | Failure = self._answer(session, parse_request(lines.get()))
            except (PerfettoError, MemoryError) as error:
                end = _failure(error, order.limits, about="query")
            if not end.alive:
                session.alive = False
            changed = session.changed
            if changed:
                # Before the end is sent: the engine may not survive it, and no request may be sent to a dead one.
                session.tidy()
            self._end(replace(end, alive=session.alive))
            if not changed:
                session.tidy()

    def _answer(self, session: Session, request: Request) -> Done:
        truncated = False
        if isinstance(request, Query):
            self._pieces(session.query(request.sql, request.limit))
        elif isinstance(request, Export):
            truncated = session.export(request.sql, request.format, request.limit, self._pieces)
        else:
            self._pieces(session.schema())
        return Done(truncated)

    def _pieces(self, content: bytes) -> None:
        view = memoryview(content)
        for at in range(0, len(view), PIECE_BYTES):
            self._write(frame(PIECE, bytes(view[at : at + PIECE_BYTES])))

    def _end(self, end: Done | Failure) -> None:
        self._write(end_frame(end))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]


def _confine_to(order: Order) -> None:
    """Leaves this process the bundle of its order, and no place to write to. Raises ConfinementError and OSError."""
    if not Path(order.bundle).exists():
        # When files were read again, the folder has no name for the moment in which the new one takes its place.
        time.sleep(MOMENT_S)
    confine(order.confine, read=[order.bundle, str(cache_folder())], write=[], program=order.native)


def _load(session: Session, order: Order) -> None:
    """Opens the bundle and gives it to the engine; what is in the engine then needs the bundle no more."""
    session.load(native.Bundle(order.bundle), order.from_ns, order.to_ns)


def _failure(error: Exception, limits: Limits, about: About) -> Failure:
    """The failure that an error becomes."""
    if isinstance(error, SqlError):
        return Failure("refused", sql_sentence(error), line=error.line, column=error.column, alive=True)
    if isinstance(error, MemoryError):
        return Failure(
            "memory",
            f"The {about} needed more memory than the {limits.memory_bytes:,} bytes that an engine may have, and its process"
            " besides (NUMALENS_SQL_MEMORY_BYTES); choose a shorter time range of the recording.",
            MEMORY_CAP,
        )
    if isinstance(error, PerfettoError):
        if isinstance(error, EngineTimeoutError):
            return Failure("time", str(error), time_cap(about))
        if isinstance(error, EngineMemoryError):
            return Failure("memory", str(error), MEMORY_CAP)
        return Failure("refused" if isinstance(error, QueryEndedEngineError) else "engine", str(error))
    traceback.print_exception(error)
    return Failure("engine", f"The {about} could not be sent to the engine; the server's log has the details.")


def _lines_of(rest: bytearray, piece: bytes) -> list[bytes]:
    """The lines that are complete with `piece`; what is not stays in `rest`."""
    rest += piece
    *lines, last = bytes(rest).split(b"\n")
    rest[:] = last
    return lines


def main() -> int:
    """Runs one engine until it can no more. Exit status 0; 1 when something unexpected happened (on stderr)."""
    # Whatever a library prints must not mix with the frames: they get a private copy of standard output.
    out = os.dup(1)
    os.dup2(2, 1)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    rest = bytearray()
    first = b""
    while not first.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return 0
        first += byte
    order = Order.parse(first)

    def take(piece: bytes) -> None:
        for line in _lines_of(rest, piece):
            lines.put(line)

    try:
        # Before there is another thread, which would stay free.
        _confine_to(order)
    except ConfinementError as error:
        os.write(out, end_frame(Failure("engine", str(error))))
        return 0
    end_with_parent(take)
    apply_limits(
        memory_bytes=order.limits.memory_bytes + OVERHEAD_BYTES,
        file_bytes=FILE_BYTES,
        niceness=LAST if order.linked else NICENESS,
    )
    try:
        Worker(out).run(order, lines)
    except Exception:  # noqa: BLE001  (for the server's log; the server says a neutral sentence)
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

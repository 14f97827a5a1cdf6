"""The requests that a trace processor understands, whichever way they travel to it.

Framing and messages are those of `rpc.py`. An `exchange` is one request with all its answers; those of a query come in parts
while it runs.
"""

import re
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Self

from numalens.perfetto import queries, rpc
from numalens.perfetto.errors import EngineMemoryError, EngineTimeoutError, PerfettoError, SqlError

CHUNK_BYTES: Final = 8 << 20
"""Bytes of trace that are handed over at once."""

_PLACE: Final = re.compile(r'File "([^"]*)" line (\d+) col (\d+)')


class InvalidAnswerError(Exception):
    """The trace processor reports that it cannot continue."""


@contextmanager
def limited(seconds: float | None, stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Calls `stop` when the block takes longer than `seconds`; the event shows whether it was called."""
    late = threading.Event()

    def end() -> None:
        late.set()
        stop()

    timer = None if seconds is None else threading.Timer(seconds, end)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield late
    finally:
        if timer is not None:
            timer.cancel()


def too_late(seconds: float | None) -> EngineTimeoutError:
    """The error of a call that took longer than it may."""
    return EngineTimeoutError(f"The trace processor exceeded its limit of {seconds:g} seconds.")


class TraceProcessor(ABC):
    """A trace processor for one thread and one trace. After any error but a refused query it is dead."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Releases all its resources."""

    @abstractmethod
    def _exchange(self, head: bytes, body: bytes, on_message: Callable[[bytes], None]) -> None:
        """Sends one request of `head` and `body` and gives each message of its answer to `on_message`."""

    def _memory_error(self) -> EngineMemoryError | None:
        """The error of a query that failed for want of memory, if it did."""
        return None

    def append(self, chunk: bytes) -> None:
        """Takes the next bytes of the trace, at most CHUNK_BYTES. Raises PerfettoError when they cannot be a trace."""
        self._call(rpc.append_head(len(chunk)), chunk, rpc.Field.APPEND_RESULT, lambda result: _refuse(result, 2))

    def finalize(self) -> None:
        """The trace is complete. Raises PerfettoError for what shows only at its end."""
        self._call(rpc.request(rpc.Method.FINALIZE), b"", rpc.Field.FINALIZE_RESULT, lambda result: _refuse(result, 1))

    def reset(self, *, raw: bool = True) -> None:
        """Forgets the trace; `raw` = False leaves ftrace events of the next one out of `ftrace_event` where it can."""
        args = rpc.bytes_field(rpc.Field.RESET_ARGS, rpc.number_field(2, int(raw)))
        self._call(rpc.request(rpc.Method.RESET, args), b"", None, _forget)

    def register(self, package: str, modules: Mapping[str, str]) -> None:
        """Makes SQL modules known by name, all of which begin with `package`; `restore` keeps them."""
        args = rpc.bytes_field(1, package.encode())
        for name, sql in modules.items():
            args += rpc.bytes_field(2, rpc.bytes_field(1, name.encode()) + rpc.bytes_field(2, sql.encode()))
        args += rpc.number_field(3, 1)
        self._call(
            rpc.request(rpc.Method.REGISTER_PACKAGE, rpc.bytes_field(rpc.Field.PACKAGE_ARGS, args)),
            b"",
            rpc.Field.PACKAGE_RESULT,
            lambda result: _refuse(result, 1),
        )

    def restore(self) -> None:
        """Removes everything that queries created: tables, views, functions, macros, settings, included modules."""
        self._call(rpc.request(rpc.Method.RESTORE), b"", None, _forget)

    def version(self) -> str:
        """Version as reported by the trace processor."""
        found: list[str] = []
        self._call(
            rpc.request(rpc.Method.STATUS),
            b"",
            rpc.Field.STATUS,
            lambda result: found.append(rpc.text_field(result, 2)),
        )
        return found[0] if found else ""

    def query(self, sql: str, on_part: Callable[[bytes], None]) -> None:
        """Runs `sql` and returns the encoded `QueryResult` of its last statement, part by part while it runs.

        An exception of `on_part` stops the query and is passed on. Raises SqlError for a refused query.
        """
        errors: list[str] = []

        def part(result: bytes) -> None:
            if error := rpc.result_error(result):
                errors.append(error)
            else:
                on_part(result)

        args = rpc.bytes_field(rpc.Field.QUERY_ARGS, rpc.bytes_field(1, sql.encode(errors="replace")))
        self._call(rpc.request(rpc.Method.QUERY, args), b"", rpc.Field.QUERY_RESULT, part)
        if errors:
            raise self._memory_error() or refusal(errors[0])

    def rows(self, sql: str) -> list[tuple[rpc.Cell, ...]]:
        """The rows of a query with a small result."""
        parts: list[bytes] = []
        self.query(sql, parts.append)
        return rpc.result_rows(parts)

    def _call(self, head: bytes, body: bytes, field: rpc.Field | None, on_result: Callable[[bytes], None]) -> None:
        """Sends one request of `head` and `body`, and gives the bytes of each `field` of the answers to `on_result`."""

        def on_message(message: bytes) -> None:
            for number, value in rpc.fields(message):
                if number == rpc.Field.FATAL_ERROR and not isinstance(value, int):
                    raise InvalidAnswerError(bytes(value).decode(errors="replace"))
                if number == rpc.Field.INVALID_REQUEST:
                    raise InvalidAnswerError("unknown request")
                if number == field and not isinstance(value, int):
                    on_result(bytes(value))

        self._exchange(head, body, on_message)


def refusal(text: str) -> SqlError:
    """The error of a refused query, from what the trace processor says: a traceback whose last line is the reason."""
    error = SqlError(f"The trace processor refused a query: {last_line(text)}.")
    error.reason = last_line(text)
    # The first place is in the query, later ones are in modules and functions that it uses.
    if (found := _PLACE.search(text)) and found[1] == "stdin":
        error.line, error.column = int(found[2]), int(found[3])
    return error


def last_line(text: str) -> str:
    """The last line of a log that says something, without a full stop, cut to a readable length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[-1] if lines else "it gave no reason")[:300].rstrip(".")


def _forget(_: bytes) -> None:
    """Discards an answer."""


def _refuse(result: bytes, field: int) -> None:
    if error := rpc.text_field(result, field):
        raise PerfettoError(f"The trace processor cannot read this trace: {last_line(error)}.")


LOSSES: Final = frozenset({"ftrace_cpu_has_data_loss"})
"""Stats that say a CPU lost events."""
PRINTS: Final = frozenset({"systrace_parse_failure"})
SHOWN: Final = 64


def stat_notes(engine: TraceProcessor, *, errors_only: bool = False, lossy: list[int] | None = None) -> list[str]:
    """One sentence for each count that is an error or more than information; `lossy` gets the CPUs that lost events."""
    totals: Counter[tuple[str, str]] = Counter()
    per_cpu: dict[str, list[str]] = {}
    for name, index, value, severity in engine.rows(queries.STATS):
        if errors_only and severity != "error":
            continue
        count = value if isinstance(value, int) else 0
        totals[str(name), str(severity)] += count
        if isinstance(index, int):
            per_cpu.setdefault(str(name), []).append(f"{index}: {count}")
            if name in LOSSES and lossy is not None:
                lossy.append(index)
    return [_note(name, severity, value, per_cpu.get(name)) for (name, severity), value in totals.items()]


def _note(name: str, severity: str, value: int, by_index: list[str] | None) -> str:
    where = f" (by index {', '.join(by_index[:SHOWN])})" if by_index else ""
    more = "; lines of print events that are not Android marks count here, and are kept" if name in PRINTS else ""
    return f"The trace processor counted {name} = {value:,}{where}, of the kind {severity}{more}."

"""One trace in one trace processor, and its queries, each as if it were the first.

Objects made by a query are removed before the next one: the trace processor forgets them all, which costs some hundredths of a
second. Only modules stay included, as long as the next queries also include them. A query must not find a table that it did not
ask for, and a repeated query need not wait for its modules again.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numalens_native as native

from numalens.perfetto.calls import CHUNK_BYTES, stat_notes
from numalens.perfetto.engine import NARROW_BYTES, Engine
from numalens.perfetto.errors import (
    EngineMemoryError,
    EngineTimeoutError,
    PerfettoError,
    QueryEndedEngineError,
    SqlError,
)
from numalens.perfetto.queries import MADE_WAKINGS, NO_WAITS
from numalens.perfetto.shell import Shell
from numalens.perfetto.sql import statements
from numalens.perfetto.sql.catalogue import PACKAGE, catalogue, modules
from numalens.perfetto.sql.protocol import CUT_BYTES, EXPORT_BYTES, FileFormat, Limits

ENOUGH_S: Final = 2.0
"""Time for which a query may continue after its rows are no longer wanted; then its engine is stopped."""
OTHER: Final = "*"
"""Represents, among the included modules, all other objects that a query may have made."""
SHORTER: Final = "choose a shorter time range of the recording"


class _EnoughError(Exception):
    """No more rows are wanted, and the query does not end."""


@dataclass
class Loaded:
    """Data loaded into the trace processor."""

    from_ns: int | None
    to_ns: int | None
    events: int = 0
    bytes: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


class Session:
    """A trace, and an engine that holds it; for one thread. After an error but a refused query it is of no more use."""

    def __init__(self, limits: Limits, program: Path | None = None) -> None:
        """Starts the engine: the operator's `program`, else the WebAssembly. Raises PerfettoError."""
        self._limits = limits
        self._kind = "wasm" if program is None else "native"
        wide = limits.memory_bytes > NARROW_BYTES
        self._engine: Engine | Shell = (
            Engine(memory_bytes=limits.memory_bytes, wide=wide)
            if program is None
            else Shell(program, memory_bytes=limits.memory_bytes)
        )
        self._loaded = Loaded(None, None)
        self._included: frozenset[str] = frozenset()
        self._schema: bytes | None = None
        self._queried = False
        self.alive = True
        """True if it can be queried."""

    def close(self) -> None:
        """Releases the memory."""
        self.alive = False
        self._engine.close()

    def load(self, bundle: native.Bundle, from_ns: int | None, to_ns: int | None) -> None:
        """Gives the trace processor a bundle's events in [from_ns, to_ns]. Raises PerfettoError."""
        begin = time.monotonic()
        loaded = Loaded(from_ns, to_ns)
        try:
            loaded.events = bundle.export_trace(lambda piece: self._append(loaded, piece, begin), from_ns, to_ns)
            self._engine.seconds = self._left(begin)
            self._engine.finalize()
        except EngineTimeoutError:
            raise EngineTimeoutError(
                "Loading the trace took longer than the limit of "
                "{self._limits.load_seconds:g} seconds (NUMALENS_SQL_LOAD_SECONDS); {SHORTER}."
            ) from None
        except EngineMemoryError:
            raise EngineMemoryError(
                f"The trace does not fit into the {self._limits.memory_bytes:,} bytes that an engine may have"
                f" (NUMALENS_SQL_MEMORY_BYTES); {SHORTER}."
            ) from None
        self._engine.seconds = self._limits.load_seconds
        loaded.notes = self._judge(loaded.events)
        self._engine.register(PACKAGE, {module.name: module.sql for module in modules()})
        self._engine.seconds = self._limits.seconds
        loaded.seconds = time.monotonic() - begin
        self._loaded = loaded

    def query(self, sql: str, limit: int) -> bytes:
        """The first `limit` rows as the JSON of `SqlAnswer`. Raises PerfettoError, SqlError for a refused query."""
        begin = time.monotonic()
        rows, notes = self._run(sql, limit, CUT_BYTES)
        answer = {
            "columns": [{"name": name, "kind": kind} for name, kind in rows.columns()],
            "truncated": rows.truncated,
            "elapsed_ms": _ms(time.monotonic() - begin),
            "trace": self._trace(),
            "notes": [*self._loaded.notes, *notes],
        }
        self._queried = True
        return json.dumps(answer, ensure_ascii=False).encode(errors="replace")[:-1] + b', "rows": ' + rows.json() + b"}"

    def export(self, sql: str, fmt: FileFormat, limit: int, out: Callable[[bytes], None]) -> bool:
        """Writes the first `limit` rows as a file; returns whether there were more. Raises like `query`."""
        rows, _ = self._run(sql, limit, EXPORT_BYTES)
        self._queried = True
        rows.write(fmt, out)
        return rows.truncated

    def schema(self) -> bytes:
        """The catalogue for queries, as the JSON of `SqlSchema`. Raises PerfettoError."""
        if self._schema is None:
            with self._unhurried():
                self._fresh(frozenset())
                schema = catalogue(self._engine)
                self._restore()
                schema["engine"] = {"name": self._engine.version(), "kind": self._kind}
            self._schema = json.dumps(schema).encode()
        self._queried = True
        return self._schema

    def _append(self, loaded: Loaded, piece: bytes, begin: float) -> None:
        for at in range(0, len(piece), CHUNK_BYTES):
            self._engine.seconds = self._left(begin)
            self._engine.append(piece[at : at + CHUNK_BYTES])
        loaded.bytes += len(piece)

    def _left(self, begin: float) -> float:
        left = self._limits.load_seconds - (time.monotonic() - begin)
        if left <= 0:
            raise EngineTimeoutError
        return left

    def _judge(self, events: int) -> list[str]:
        """Notes about what was not read. Raises PerfettoError when that is everything."""
        notes = stat_notes(self._engine, errors_only=True)
        if not events:
            return ["There is no event in this time range of the recording.", *notes]
        ((found,),) = self._engine.rows("select count(*) from ftrace_event")
        if not found:
            why = " ".join(stat_notes(self._engine)) or "No reason was given."
            raise PerfettoError(f"The trace processor read none of the {events:,} events. {why}")
        ((cell,),) = self._engine.rows(MADE_WAKINGS)
        if isinstance(cell, int) and cell > 0:
            notes.append(
                f"{cell:,} sched_waking with success = 0 were added for the trace processor: only their wakeups were recorded."
            )
        notes += [
            f"Waits are not recorded, numalens.latency has none: {why!s}" for (why,) in self._engine.rows(NO_WAITS)
        ]
        return notes

    def _run(self, sql: str, limit: int, most_bytes: int) -> tuple[native.QueryRows, list[str]]:
        """The rows of a query, and what is to be said about them."""
        statements.check(sql)
        wanted = statements.included(sql)
        self._fresh(wanted or frozenset())
        rows, notes = native.QueryRows(limit, most_bytes), []
        enough_at: float | None = None

        def take(part: bytes) -> None:
            nonlocal enough_at
            if enough_at is None:
                enough_at = None if rows.take(part) else time.monotonic()
            elif time.monotonic() - enough_at > ENOUGH_S:
                raise _EnoughError

        try:
            self._engine.query(sql, take)
        except SqlError:
            raise
        except (_EnoughError, PerfettoError, native.InputError) as error:
            self.alive = False
            if enough_at is None or not isinstance(error, (_EnoughError, EngineTimeoutError)):
                raise self._death(error) from error
            notes.append("The query was stopped after the maximum number of rows.")
        finally:
            self._included |= frozenset({OTHER}) if wanted is None else wanted
        if rows.truncated and len(rows) < limit:
            notes.append(f"Only {len(rows):,} rows are returned: they reach the limit of {most_bytes >> 20} MiB.")
        return rows, notes

    def _death(self, error: Exception) -> PerfettoError:
        """The sentence about an engine that died of a query."""
        if isinstance(error, EngineTimeoutError):
            return EngineTimeoutError(
                f"The query was stopped after its limit of {self._limits.seconds:g} seconds (NUMALENS_SQL_SECONDS)."
            )
        if isinstance(error, EngineMemoryError):
            return EngineMemoryError(
                f"The query needed more memory than the {self._limits.memory_bytes:,} bytes that an engine may have"
                f" (NUMALENS_SQL_MEMORY_BYTES), the trace among it; ask for less, or {SHORTER}."
            )
        if isinstance(error, native.InputError):
            _, _, reason = str(error).rpartition("expected ")
            return QueryEndedEngineError(f"The query's answer cannot be returned: expected {reason}.")
        if isinstance(error, PerfettoError) and isinstance(self._engine, Shell):
            # Its signal says more.
            return error
        return QueryEndedEngineError(
            "The trace processor crashed on this query; endless recursion of views or functions is one reason."
        )

    @property
    def changed(self) -> bool:
        """Returns whether the last query may have changed something."""
        return OTHER in self._included

    def tidy(self) -> None:
        """Undoes what the last query made, unless all it did was to include modules; an engine that cannot is given up.

        Removes objects of queries. The trace processor crashes if one of its own views was dropped.
        """
        if self.alive and (self.changed or not self._included):
            try:
                self._restore()
            except PerfettoError:
                self.alive = False

    def _fresh(self, wanted: frozenset[str]) -> None:
        """Makes the engine one in which at most the `wanted` modules are included."""
        if not self._included <= wanted:
            self._restore()

    def _restore(self) -> None:
        with self._unhurried():
            self._engine.restore()
        self._included = frozenset()

    @contextmanager
    def _unhurried(self) -> Iterator[None]:
        """Around work that is not the query's: the limit of a query, which may be short, is not for it."""
        before, self._engine.seconds = self._engine.seconds, self._limits.load_seconds
        try:
            yield
        finally:
            self._engine.seconds = before

    def _trace(self) -> dict[str, Any]:
        loaded = self._loaded
        return {
            "events": loaded.events,
            "from_ns": None if loaded.from_ns is None else str(loaded.from_ns),
            "to_ns": None if loaded.to_ns is None else str(loaded.to_ns),
            "bytes": loaded.bytes,
            "load_ms": _ms(loaded.seconds),
            "loaded": "before" if self._queried else "now",
        }


def sql_sentence(error: SqlError) -> str:
    """The sentence for a query that was refused, with the place in it when that is known."""
    if not error.reason:
        return str(error)
    where = "" if error.line is None else f" at line {error.line}, column {error.column}"
    return f"The trace processor refused the query{where}: {error.reason}."


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 3)

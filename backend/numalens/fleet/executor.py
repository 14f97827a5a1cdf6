"""Answers questions over the fleet: ready ones in this process, queries in a process each (`query_process.py`) with limits.

A merged file that a question needs may be removed in between by a deletion: then the question is asked again over single
summaries.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from numalens.fleet.database import Entry, FleetDatabase, FleetError, GoneError, Source, columns_of
from numalens.sandbox.child import ended

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from numalens.fleet.merge import MergedFiles
    from numalens.sandbox.confine import Confine
    from numalens.store.summaries import Summaries


class Fleet:
    """Questions about the analyses that are given each time. Safe to use from several threads."""

    def __init__(self, summaries: Summaries, merged: MergedFiles) -> None:
        """Finds single summaries and merged files there."""
        self._summaries = summaries
        self._merged = merged
        self._lock = threading.Lock()
        self._source = Source([])
        self._database: FleetDatabase | None = None

    def source(self, entries: Sequence[Entry], *, merged: bool = True) -> Source:
        """The summaries of these analyses, with `merged` as far as they are. Raises AwayError while they are unavailable."""
        files = self._summaries.locate({entry.analysis: entry.generation for entry in entries})
        found = self._merged.source(files) if merged else Source(files)
        return Source(self._summaries.fetch(found.files), found.parts, found.merged)

    @contextmanager
    def cursor(self, entries: Sequence[Entry], *, merged: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor with the views over these analyses and no others. Raises GoneError, AwayError."""
        source = self.source(entries, merged=merged)
        with self._lock:
            if self._database is None or source != self._source:
                self._database, self._source = FleetDatabase(source), source
            database = self._database
        with database.cursor(entries) as cursor:
            yield cursor

    def merge(self, entries: Sequence[Entry]) -> None:
        """Merges summaries where there are a thousand single ones, and removes what no analysis has. Raises AwayError."""
        self._merged.tidy([entry.analysis for entry in entries])
        for analysis in self._merged.merge(self.source(entries).files):
            # A copy out of a bucket is not needed any more.
            self._summaries.drop(analysis)

    def remove(self, analysis: str) -> None:
        """Removes all copies of the summary of an analysis that was deleted or imported again."""
        self._summaries.drop(analysis)
        self._merged.remove([analysis])
        self.forget()

    def forget(self) -> None:
        """Gives the memory back until the next question; questions under way are answered."""
        with self._lock:
            # Not closed: another thread may be about to use it, and the last user closes it.
            self._database = None


COMMAND: Final = (sys.executable, "-P", "-m", "numalens.fleet.query_process")
AT_ONCE: Final = 2
GRACE_S: Final = 10.0
"""For starting and loading, on top of the query's own time."""

log = logging.getLogger(__name__)


class Question(Protocol):
    """A ready question: a frozen dataclass of plain values."""

    def answer(self, cursor: duckdb.DuckDBPyConnection) -> Any:  # noqa: ANN401  (each question has its own answer)
        """The answer over the recordings that a cursor sees (`FleetDatabase.cursor`). Raises FleetError."""


@dataclass(frozen=True)
class QueryLimits:
    """Limits of a query."""

    seconds: float
    memory_bytes: int
    confine: Confine = "auto"


class FleetExecutor:
    """The questions of one server, queries few at a time. All methods are called in its event loop."""

    def __init__(self, fleet: Fleet, limits: QueryLimits) -> None:
        """Every query has these limits."""
        self._fleet = fleet
        self._limits = limits
        self._room = asyncio.Semaphore(AT_ONCE)

    async def answer(self, question: Question, entries: Sequence[Entry]) -> Any:  # noqa: ANN401  (each has its own)
        """The answer to a ready question. Raises FleetError, AwayError."""
        try:
            return await asyncio.to_thread(self._answer, question, entries)
        except GoneError:
            return await asyncio.to_thread(self._answer, question, entries, merged=False)

    async def select(self, entries: Sequence[Entry], sql: str, limit: int) -> dict[str, Any]:
        """The answer to a query as `select.select` gives it. Raises FleetError, AwayError."""
        try:
            return await self._select(entries, sql, limit)
        except GoneError:
            return await self._select(entries, sql, limit, merged=False)

    def _answer(self, question: Question, entries: Sequence[Entry], *, merged: bool = True) -> Any:  # noqa: ANN401  (each has its own)
        with self._fleet.cursor(entries, merged=merged) as cursor:
            return question.answer(cursor)

    async def _select(self, entries: Sequence[Entry], sql: str, limit: int, *, merged: bool = True) -> dict[str, Any]:
        source = await asyncio.to_thread(self._fleet.source, entries, merged=merged)
        order = await asyncio.to_thread(_order, source, entries, sql, limit, self._limits)
        async with self._room:
            return await _answered(order, self._limits.seconds)


def _order(source: Source, entries: Sequence[Entry], sql: str, limit: int, limits: QueryLimits) -> bytes:
    """The order for a process, as it reads it."""
    order = {
        "files": [(file.analysis, file.path) for file in source.files],
        "parts": source.parts,
        "merged": source.merged,
        "entries": columns_of(entries),
        "sql": sql,
        "limit": limit,
        "seconds": limits.seconds,
        "memory_bytes": limits.memory_bytes,
        "confine": limits.confine,
    }
    return json.dumps(order).encode()


async def _answered(order: bytes, seconds: float) -> dict[str, Any]:
    """Answer of a process. Raises FleetError for a refusal, and when it ends without an answer."""
    try:
        process = await ended(COMMAND, seconds + GRACE_S, order)
    except TimeoutError:
        raise FleetError(f"The query took longer than {seconds:g} seconds and was stopped.") from None
    if process.status != 0:
        log.error(
            "query over the fleet ended with status %d: %s",
            process.status,
            process.errors.decode(errors="replace")[-2000:],
        )
        raise FleetError("The query stopped unexpectedly, most likely because it needed too much memory.")
    answer: dict[str, Any] = json.loads(process.output)
    if "sentence" in answer:
        raise GoneError(answer["sentence"]) if answer["gone"] else FleetError(answer["sentence"])
    return answer

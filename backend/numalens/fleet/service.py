"""The fleet of one server: its summaries, loaded again when one of them is another, and merged when they are many."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb

from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetDatabase, Source
from numalens.fleet.merge import MergedFiles
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
        """The summaries of these analyses, with `merged` as far as they are. Raises AwayError when they cannot be had now."""
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
        """Removes all copies of the summary of an analysis that was deleted or read anew."""
        self._summaries.drop(analysis)
        self._merged.remove([analysis])
        self.forget()

    def forget(self) -> None:
        """Gives the memory back until the next question; questions under way are answered."""
        with self._lock:
            # Not closed: somebody may be about to use it, and the last one who does closes it.
            self._database = None

"""The fleet of one server: its summaries in memory, read anew when one of them is another."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetDatabase
from numalens.fleet.files import SummaryFile, summary_files


class Fleet:
    """Answers questions about the analyses that it is told of each time. Safe to use from several threads."""

    def __init__(self, folders: Callable[[Sequence[Entry]], Mapping[str, Path]]) -> None:
        """Finds summaries in the folders that `folders` tells for analyses."""
        self._folders = folders
        self._lock = threading.Lock()
        self._files: list[SummaryFile] = []
        self._database: FleetDatabase | None = None

    def files(self, entries: Sequence[Entry]) -> list[SummaryFile]:
        """The summaries that there are of these analyses. Raises AwayError when they cannot be had now."""
        folders = self._folders(entries)
        return summary_files(sorted(folders), folders.__getitem__)

    @contextmanager
    def asked(self, entries: Sequence[Entry]) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor with the views over these analyses; one that is not among them is not to be seen by it."""
        files = self.files(entries)
        with self._lock:
            if self._database is None or files != self._files:
                self._database, self._files = FleetDatabase(files, packed=True), files
            database = self._database
        with database.asked(entries) as cursor:
            yield cursor

    def forget(self) -> None:
        """Gives the memory back until the next question; questions under way are answered."""
        with self._lock:
            # Not closed: somebody may be about to ask it, and the last one who does closes it.
            self._database = None

"""Summaries in a DuckDB of their own, in memory, which after loading reaches nothing else: no file, no network, no setting."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from numalens.fleet.catalog import Entry
from numalens.fleet.files import SummaryFile
from numalens.fleet.rows import COLUMNS, VERSION

VIEWS: Final = Path(__file__).with_name("views.sql")
MEMORY_BYTES: Final = 1 << 30
THREADS: Final = 2
CATALOG: Final = json.dumps(
    [
        {
            "analysis": "VARCHAR",
            "title": "VARCHAR",
            "uploaded_at": "TIMESTAMP",
            "tags": "VARCHAR[]",
            "incident": "VARCHAR",
        }
    ]
)
Answered = list[dict[str, Any]]


class FleetError(Exception):
    """A question that could not be answered; the text is one sentence."""


class FleetDatabase:
    """The rows of some summaries. Safe to use from several threads: each question has a cursor of its own."""

    def __init__(self, files: Sequence[SummaryFile], memory_bytes: int = MEMORY_BYTES, threads: int = THREADS) -> None:
        """Reads the files. One that is damaged, of another version or gone meanwhile is left out (see `unread`)."""
        self.unread: list[str] = []
        """Analyses whose summaries could not be read."""
        self._connection = duckdb.connect(
            config={
                "memory_limit": f"{memory_bytes}B",
                "threads": threads,
                "temp_directory": "",
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "python_enable_replacements": False,
                "python_scan_all_frames": False,
            }
        )
        columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
        self._connection.execute(f"CREATE TABLE rows (analysis VARCHAR, {columns})")
        self._load(files)
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def close(self) -> None:
        """Gives the memory back."""
        self._connection.close()

    @contextmanager
    def asked(self, entries: Sequence[Entry]) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor with the views of `views.sql` over these analyses."""
        cursor = self._connection.cursor()
        try:
            cells = json.dumps([entry.cells() for entry in entries])
            cursor.execute(
                "CREATE TEMP TABLE catalog AS SELECT entry.* FROM (SELECT unnest(from_json($1, $2)) AS entry)",
                [cells, CATALOG],
            )
            cursor.execute(VIEWS.read_text(encoding="utf-8"))
            yield cursor
        except duckdb.Error as error:
            raise FleetError(sentence(error)) from error
        finally:
            cursor.close()

    def _load(self, files: Sequence[SummaryFile]) -> None:
        try:
            self._insert(files)
        except duckdb.Error:
            # Rare, and slower: which of them is it?
            for file in files:
                try:
                    self._insert([file])
                except duckdb.Error:
                    self.unread.append(file.analysis)

    def _insert(self, files: Sequence[SummaryFile]) -> None:
        if not files:
            return
        names = ", ".join(f'told."{name}"' for name in COLUMNS)
        paths = [os.fspath(file.path) for file in files]
        self._connection.execute(
            f"""
            INSERT INTO rows
            SELECT named.analysis, {names}
            FROM read_parquet($1, union_by_name = true, filename = true) AS told
            JOIN (SELECT unnest($1::VARCHAR[]) AS filename, unnest($2::VARCHAR[]) AS analysis) AS named USING (filename)
            WHERE told.version = {VERSION}
            """,  # noqa: S608  (names of columns and numbers of this module)
            [paths, [file.analysis for file in files]],
        )


def rows_of(cursor: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, Any] | None = None) -> Answered:
    """The rows of a query by column."""
    cursor.execute(query, parameters or {})
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def sentence(error: duckdb.Error) -> str:
    """What DuckDB says, on one line, ending like a sentence."""
    said = " ".join(str(error).split("\n\n", maxsplit=1)[0].split())
    return said if said.endswith(".") else f"{said}."

"""Summaries in a DuckDB of their own, in memory, which after loading reaches nothing else: no file, no network, no setting."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import duckdb

from numalens.fleet.catalog import Entry
from numalens.fleet.files import SummaryFile
from numalens.fleet.rows import COLUMNS, VERSION

VIEWS: Final = Path(__file__).with_name("views.sql")
MEMORY_BYTES: Final = 1 << 30
THREADS: Final = 1
"""Each takes memory of its own for every question, and a second one would save a tenth of a second of a thousand summaries."""
AT_ONCE: Final = 1000
"""Summaries that are read before what was read is packed."""
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

    def __init__(
        self,
        files: Sequence[SummaryFile],
        memory_bytes: int = MEMORY_BYTES,
        threads: int = THREADS,
        *,
        packed: bool = False,
    ) -> None:
        """Reads the files. One that is damaged, of another version or gone meanwhile is left out (see `unread`).

        `packed`, rows take an eighth of the memory, and a tenth more time to read: for a database that stays. Many are in any case.
        """
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
        self._packed = packed or len(files) > AT_ONCE
        self._connection.execute("ATTACH ':memory:' AS fleet (COMPRESS)")
        self._connection.execute("USE fleet")
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
        for first in range(0, len(files), AT_ONCE):
            some = files[first : first + AT_ONCE]
            # All summaries of one version of NumaLens have the same columns; to look for others costs more than to read.
            if not self._insert(some, "false") and not self._insert(some, "true"):
                self.unread += [file.analysis for file in some if not self._insert([file], "true")]
            if self._packed:
                self._connection.execute("CHECKPOINT fleet")

    def _insert(self, files: Sequence[SummaryFile], any_columns: Literal["false", "true"]) -> bool:
        """Takes the rows of all of these files, or of none of them when one cannot be read."""
        names = ", ".join(f'told."{name}"' for name in COLUMNS)
        paths = [os.fspath(file.path) for file in files]
        query = f"""
            INSERT INTO rows
            SELECT named.analysis, {names}
            FROM read_parquet($1, union_by_name = {any_columns}, filename = true) AS told
            JOIN (SELECT unnest($1::VARCHAR[]) AS filename, unnest($2::VARCHAR[]) AS analysis) AS named USING (filename)
            WHERE told.version = {VERSION}
        """  # noqa: S608  (names of columns and numbers of this module)
        try:
            self._connection.execute(query, [paths, [file.analysis for file in files]])
        except duckdb.Error:
            return False
        return True


def rows_of(cursor: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, Any] | None = None) -> Answered:
    """The rows of a query by column."""
    cursor.execute(query, parameters or {})
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def sentence(error: duckdb.Error) -> str:
    """What DuckDB says, on one line, ending like a sentence."""
    said = " ".join(str(error).split("\n\n", maxsplit=1)[0].split())
    return said if said.endswith(".") else f"{said}."

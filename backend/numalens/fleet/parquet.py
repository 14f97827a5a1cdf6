"""Writes summaries. DuckDB has a Parquet writer, so that the service needs no other library for it."""

import json
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import duckdb

from numalens.fleet.rows import COLUMNS, FILE, Row
from numalens.fleet.summary import summary_rows

MEMORY: Final = "256MB"
ONE_SHAPE: Final = json.dumps([COLUMNS])


def keep_summary(bundle: Path) -> None:
    """Writes the summary of the bundle in this folder into it, in place of earlier ones.

    Raises ValueError when there is no bundle, OSError or RuntimeError when it cannot be written.
    """
    new = bundle / f".{FILE}"
    write_rows(summary_rows(str(bundle)), new)
    new.replace(bundle / FILE)
    for other in bundle.glob("summary-*.parquet"):
        if other.name != FILE:
            other.unlink(missing_ok=True)


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Writes rows as one Parquet file. Raises RuntimeError when that does not work."""
    # One thread: the process has a limit on memory, and each thread takes its part of it.
    with closing(duckdb.connect(config={"threads": 1, "memory_limit": MEMORY})) as connection:
        write_rows_by(connection, rows, path)


def write_rows_by(connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], path: Path) -> None:
    """The same by an open connection, for who writes many."""
    cells = json.dumps([row.cells() for row in rows], allow_nan=False)
    columns = ", ".join(f'row."{name}" AS "{name}"' for name in COLUMNS)
    query = f"COPY (SELECT {columns} FROM (SELECT unnest(from_json($1, $2)) AS row)) TO $3 (FORMAT parquet, COMPRESSION zstd)"  # noqa: S608
    try:
        connection.execute(query, [cells, ONE_SHAPE, os.fspath(path)])
    except duckdb.Error as error:
        path.unlink(missing_ok=True)
        raise RuntimeError(f"the summary could not be written: {error}") from error

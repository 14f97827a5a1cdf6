"""The rows of a summary: one long table, whose columns mean the same in every row.

`part` says what a row is:

- `recording`: a fact about the recording itself; `text` or `value`, times of day in `moment` (UTC)
- `fact`: a number of a replay or of samples, by the name that comparisons have for it. Where it is a count, `seconds` is the time
  in which it was counted
- `bucket`: how many waits were `least` ns or longer and shorter than `below` ns; `bucket` numbers the fixed bins
- `node`: a number of a NUMA node
- `distance`: of node `node` from node `other`
- `finding`: all findings of one kind, severity and node together; `value` is their cost in ms, `most` that of the costliest

No row names a task or a cgroup.
"""

from __future__ import annotations

import json
import os
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from numalens.extras import require
from numalens.store.summary_file import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from numalens.report.build import Label

with suppress(ModuleNotFoundError):  # the extra fleet
    import duckdb

COLUMNS: Final = {
    "version": "SMALLINT",
    "part": "VARCHAR",
    "name": "VARCHAR",
    "title": "VARCHAR",
    "node": "INTEGER",
    "other": "INTEGER",
    "bucket": "INTEGER",
    "least": "DOUBLE",
    "below": "DOUBLE",
    "value": "DOUBLE",
    "most": "DOUBLE",
    "count": "BIGINT",
    "seconds": "DOUBLE",
    "unit": "VARCHAR",
    "better": "VARCHAR",
    "text": "VARCHAR",
    "moment": "TIMESTAMP",
    "label": "VARCHAR",
    "missing": "VARCHAR[]",
}
"""Names and types of the columns, in the order of the file."""


@dataclass(frozen=True)
class Row:
    """A row of a summary; fields that do not apply have the value None."""

    part: str
    name: str
    label: Label
    title: str | None = None
    node: int | None = None
    other: int | None = None
    bucket: int | None = None
    least: float | None = None
    below: float | None = None
    value: float | None = None
    most: float | None = None
    count: int | None = None
    seconds: float | None = None
    unit: str | None = None
    better: str | None = None
    text: str | None = None
    moment: datetime | None = None
    missing: list[str] = field(default_factory=list)

    def cells(self) -> dict[str, Any]:
        """The row as JSON has it, by column."""
        moment = None if self.moment is None else self.moment.strftime("%Y-%m-%d %H:%M:%S.%f")
        return {**asdict(self), "moment": moment, "version": VERSION}


MEMORY: Final = "256MB"
ONE_SHAPE: Final = json.dumps([COLUMNS])


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Writes rows as one Parquet file, by DuckDB: no other library is needed for it. Raises RuntimeError when that fails."""
    require("a summary", "fleet")
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

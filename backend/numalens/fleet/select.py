"""A free query: one SELECT, in a database without access to anything but its summaries."""

from __future__ import annotations

import json
import math
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Literal

from numalens.fleet.database import Entry, FleetDatabase, FleetError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

with suppress(ModuleNotFoundError):  # the extra fleet
    import duckdb

CellKind = Literal["integer", "real", "text"]
INTEGERS: Final = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")) | {
    "INTEGER",
    "UINTEGER",
}
REALS: Final = ("FLOAT", "DOUBLE", "DECIMAL")
MOST_BYTES: Final = 16 << 20
"""Maximum size of the cells of an answer."""


def select(database: FleetDatabase, entries: Sequence[Entry], sql: str, limit: int, seconds: float) -> dict[str, Any]:
    """The answer to a query: `columns` of `name` and `kind`, `rows`, and whether there are more (`truncated`).

    Whole numbers are decimal strings, reals numbers (`inf`, `-inf`, `nan` as strings), all else is text. Raises FleetError for
    what is not one SELECT, for what DuckDB refuses, and when it takes longer than `seconds`.
    """
    with database.cursor(entries) as cursor:
        query = _only_select(cursor, sql)
        with _at_most(cursor, seconds):
            cursor.execute(query)
            description = cursor.description or []
            kinds = [_kind(str(column[1])) for column in description]
            rows, more = _rows(cursor, kinds, limit)
    columns = [{"name": column[0], "kind": kind} for column, kind in zip(description, kinds, strict=True)]
    return {"columns": columns, "rows": rows, "truncated": more}


def _only_select(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    try:
        statements = cursor.extract_statements(sql)
    except duckdb.Error as error:
        raise FleetError(sentence(error)) from error
    if len(statements) != 1:
        raise FleetError(f"One SELECT is expected here; these are {len(statements)} statements.")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise FleetError(f"Only SELECT is possible here; this is {statements[0].type.name}.")
    return statements[0]


@contextmanager
def _at_most(cursor: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    timer = threading.Timer(seconds, cursor.interrupt)
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise FleetError(f"The query took longer than {seconds:g} seconds and was stopped.") from error
    finally:
        timer.cancel()


def _rows(
    cursor: duckdb.DuckDBPyConnection, kinds: Sequence[CellKind], limit: int
) -> tuple[list[list[str | float | None]], bool]:
    rows: list[list[str | float | None]] = []
    taken = 0
    while (row := cursor.fetchone()) is not None:
        if len(rows) == limit:
            return rows, True
        cells = [_cell(value, kind) for value, kind in zip(row, kinds, strict=True)]
        taken += sum(len(cell) if isinstance(cell, str) else 8 for cell in cells)
        if taken > MOST_BYTES:
            return rows, True
        rows.append(cells)
    return rows, False


def _kind(name: str) -> CellKind:
    if name in INTEGERS:
        return "integer"
    return "real" if name.startswith(REALS) else "text"


def _cell(value: Any, kind: CellKind) -> str | float | None:  # noqa: ANN401  (whatever DuckDB has)
    if value is None:
        return None
    if kind == "real":
        number = float(value)
        return number if math.isfinite(number) else str(number)
    if isinstance(value, (list, dict, tuple)):
        return json.dumps(value, default=str, ensure_ascii=False)
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return str(value)

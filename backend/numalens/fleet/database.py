"""Summaries in a separate DuckDB, which after loading has no access to other files, networks or settings."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

from numalens.extras import require
from numalens.fleet.rows import COLUMNS
from numalens.store.summary_file import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numalens.store.summaries import SummaryFile

with suppress(ModuleNotFoundError):  # the extra fleet
    import duckdb


class Filed(Protocol):
    """An analysis as the database has it."""

    id: Any
    title: Any
    created_at: Any
    tags: Any
    incident: Any
    generation: Any


class Entry(NamedTuple):
    """An analysis as its owner has filed it. A tuple, for there may be a hundred thousand."""

    analysis: str
    title: str
    uploaded_at: datetime
    tags: Sequence[str] = ()
    incident: str | None = None
    generation: str | None = None
    """Generation of the bundle to read, if the files are in a bucket; not part of a question."""

    @classmethod
    def of(cls, row: Filed) -> Entry:
        """The entry of a row of the database."""
        return cls(row.id, row.title, row.created_at, list(row.tags), row.incident, row.generation)


def columns_of(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    """Entries as JSON has them, by column: of many that is a fraction of the work of one object each."""
    return {
        "analysis": [entry.analysis for entry in entries],
        "title": [entry.title for entry in entries],
        "uploaded_at": [entry.uploaded_at.astimezone(UTC).isoformat(" ") for entry in entries],
        "tags": [list(entry.tags) for entry in entries],
        "incident": [entry.incident for entry in entries],
    }


def entries_of(columns: Mapping[str, Sequence[Any]]) -> list[Entry]:
    """The entries of `columns_of`."""
    moments = map(datetime.fromisoformat, columns["uploaded_at"])
    names = (columns["analysis"], columns["title"], moments, columns["tags"], columns["incident"])
    return list(map(Entry, *names))


VIEWS: Final = Path(__file__).with_name("views.sql")
MEMORY_BYTES: Final = 1 << 30
AT_ONCE: Final = 1000
"""Summaries that are read by one statement."""
CATALOG: Final = json.dumps(
    {
        "analysis": ["VARCHAR"],
        "title": ["VARCHAR"],
        "uploaded_at": ["TIMESTAMP"],
        "tags": [["VARCHAR"]],
        "incident": ["VARCHAR"],
    }
)
"""Types of the columns of a catalog."""
Rows = list[dict[str, Any]]


class FleetError(Exception):
    """A question that could not be answered; the text is one sentence."""


class GoneError(FleetError):
    """A file that a question needed was removed in between; the question can be asked again."""


@dataclass(frozen=True)
class Source:
    """The summaries that questions are about: a file each, or rows of merged files (`merge.py`)."""

    files: Sequence[SummaryFile]
    parts: Sequence[str] = ()
    """Paths of the merged files."""
    merged: Sequence[str] = ()
    """Analyses whose rows in them count; each is in one of them."""


class FleetDatabase:
    """The rows of some summaries. Safe to use from several threads: each question has a cursor of its own."""

    def __init__(self, source: Source, memory_bytes: int = MEMORY_BYTES) -> None:
        """Loads the single files; merged ones are read by each question, which needs few of their bytes.

        A single file that is damaged, of another version or removed in between is left out (see `unread`). Raises GoneError
        when a merged one is removed.
        """
        self._connection = connect(memory_bytes)
        self._parts = source.parts
        self.unread = load(self._connection, source.files)
        """Analyses whose summaries could not be read."""
        columns = ", ".join(f'"{name}"' for name in ("analysis", *COLUMNS))
        view = f"CREATE VIEW rows AS SELECT {columns} FROM single"  # noqa: S608  (columns and files of this module)
        if source.parts:
            self._connection.execute(
                "CREATE TABLE merged AS SELECT unnest(from_json($1, '[\"VARCHAR\"]')) AS analysis",
                [json.dumps(source.merged)],
            )
            paths = ", ".join(quoted(path) for path in source.parts)
            view += f" UNION ALL SELECT {columns} FROM read_parquet([{paths}]) SEMI JOIN merged USING (analysis)"  # noqa: S608
            self._connection.execute(f"SET allowed_paths = [{paths}]")
        try:
            self._connection.execute(view)
        except duckdb.Error as error:
            raise self._error(error) from error
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def close(self) -> None:
        """Releases the memory."""
        self._connection.close()

    @contextmanager
    def cursor(self, entries: Sequence[Entry]) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor with the views of `views.sql` over these analyses. Raises FleetError for what DuckDB refuses in the block."""
        cursor = self._connection.cursor()
        try:
            names = ("analysis", "title", "uploaded_at", "tags", "incident")
            columns = ", ".join(f"unnest(columns.{name}) AS {name}" for name in names)
            cursor.execute(
                f"CREATE TEMP TABLE catalog AS SELECT {columns} FROM (SELECT from_json($1, $2) AS columns)",  # noqa: S608
                [json.dumps(columns_of(entries)), CATALOG],
            )
            cursor.execute(VIEWS.read_text(encoding="utf-8"))
            yield cursor
        except duckdb.Error as error:
            raise self._error(error) from error
        finally:
            cursor.close()

    def _error(self, error: duckdb.Error) -> FleetError:
        kind = FleetError if all(Path(path).exists() for path in self._parts) else GoneError
        return kind(sentence(error))


def connect(memory_bytes: int) -> duckdb.DuckDBPyConnection:
    """A database in memory with an empty table `single` for the rows of summaries: `analysis`, and those of `rows.COLUMNS`."""
    require("a question over many analyses", "fleet")
    connection = duckdb.connect(
        config={
            "memory_limit": f"{memory_bytes}B",
            # Each takes memory of its own for every question, and saves little of the time.
            "threads": 1,
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "python_scan_all_frames": False,
        }
    )
    connection.execute("ATTACH ':memory:' AS fleet (COMPRESS)")
    connection.execute("USE fleet")
    columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE single (analysis VARCHAR, {columns})")
    return connection


def load(connection: duckdb.DuckDBPyConnection, files: Sequence[SummaryFile]) -> list[str]:
    """Takes the rows of summaries into the table `single`; returns the analyses whose files cannot be read."""
    unread = []
    for first in range(0, len(files), AT_ONCE):
        some = files[first : first + AT_ONCE]
        # All summaries of one version of NumaLens have the same columns; to look for others costs more than to read.
        if not _insert(connection, some, "false") and not _insert(connection, some, "true"):
            unread += [file.analysis for file in some if not _insert(connection, [file], "true")]
        # Packed, rows take an eighth of the memory.
        connection.execute("CHECKPOINT fleet")
    return unread


def _insert(
    connection: duckdb.DuckDBPyConnection, files: Sequence[SummaryFile], any_columns: Literal["false", "true"]
) -> bool:
    """Takes the rows of all of these files, or of none of them when one cannot be read."""
    names = ", ".join(f'found."{name}"' for name in COLUMNS)
    query = f"""
        INSERT INTO single
        SELECT named.analysis, {names}
        FROM read_parquet($1, union_by_name = {any_columns}, filename = true) AS found
        JOIN (SELECT unnest($1::VARCHAR[]) AS filename, unnest($2::VARCHAR[]) AS analysis) AS named USING (filename)
        WHERE found.version = {VERSION}
    """  # noqa: S608  (names of columns and numbers of this module)
    try:
        connection.execute(query, [[file.path for file in files], [file.analysis for file in files]])
    except duckdb.Error:
        return False
    return True


def rows_of(cursor: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, Any] | None = None) -> Rows:
    """The rows of a query by column."""
    cursor.execute(query, parameters or {})
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def quoted(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def sentence(error: duckdb.Error) -> str:
    """DuckDB's message on one line, ending like a sentence."""
    message = " ".join(str(error).split("\n\n", maxsplit=1)[0].split())
    return message if message.endswith(".") else f"{message}."

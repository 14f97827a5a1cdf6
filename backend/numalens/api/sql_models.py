"""The shapes of SQL over an analysis. Numbers of 64 bits travel as decimal strings, as times do everywhere."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from numalens.api.export import ExportFormat
from numalens.api.models import Answer, NsString, Wish

MOST_SQL: int = 50_000
MOST_SHOWN: int = 10_000

Sql = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MOST_SQL),
    Field(
        description="PerfettoSQL, one statement or several; the rows are those of the last.",
        examples=["SELECT cpu, count(*) AS switches FROM sched GROUP BY cpu"],
    ),
]
CellKind = Literal["integer", "real", "text", "blob", "mixed", "empty"]
Cell = str | float | None


class SqlInterval(Wish):
    """The stretch of the recording that the trace processor is given; both null: all of it."""

    from_ns: NsString | None = Field(None, description="Absolute ns of the trace's clock.")
    to_ns: NsString | None = None


class SqlQuestion(SqlInterval):
    """A query, and how many of its rows are wanted."""

    sql: Sql
    limit: Annotated[int, Field(ge=1, le=MOST_SHOWN)] = Field(1000, description="Most rows of the answer.")


class SqlExport(SqlInterval):
    """A query whose rows are wanted as a file."""

    sql: Sql
    format: ExportFormat = "csv"


class SqlColumn(Answer):
    """A column of the answer; names may stand several times."""

    name: str
    kind: CellKind = Field(
        description="Of all values that are returned: `mixed` when they differ, `empty` when there are none but nulls."
    )


class SqlTrace(Answer):
    """The trace that was queried."""

    events: int = Field(description="Events that the trace processor was given.")
    from_ns: NsString | None
    to_ns: NsString | None
    bytes: int = Field(description="Length of the trace.")
    load_ms: float = Field(description="How long giving it to the trace processor took.")
    loaded: Literal["now", "before"] = Field(description="Whether this query had to wait for that.")


class SqlAnswer(Answer):
    """The rows of a query's last statement."""

    columns: list[SqlColumn]
    rows: list[list[Cell]] = Field(
        description="Null; a decimal string in `integer` columns; a number in `real` columns, or `inf`, `-inf`, `nan` as a "
        "string; a string in `text` and `mixed` columns; hexadecimal digits in `blob` columns."
    )
    truncated: bool = Field(description="There are more rows than these.")
    elapsed_ms: float = Field(description="How long the query took, loading not counted.")
    trace: SqlTrace
    notes: list[str] = Field(description="What the trace processor could not read, and what was cut off; to be shown.")


class SqlEngine(Answer):
    """The trace processor that answers."""

    name: str = Field(description="What it calls itself.")
    kind: Literal["wasm", "native"]


class SqlTableColumn(Answer):
    """A column of a table or view."""

    name: str
    type: str = Field(description="Empty when it is computed.")


class SqlTable(Answer):
    """A table or view that can be queried."""

    name: str
    kind: Literal["table", "view", "ours"] = Field(description="`ours`: of a module of NumaLens.")
    description: str | None
    module: str | None = Field(description="What must be included first: `INCLUDE PERFETTO MODULE <module>;`.")
    columns: list[SqlTableColumn]


class SqlModule(Answer):
    """A module of NumaLens."""

    name: str = Field(examples=["numalens.cling"])
    description: str


class SqlExample(Answer):
    """A question that works on every analysis."""

    title: str
    sql: str


class SqlSchema(Answer):
    """What can be queried."""

    engine: SqlEngine
    tables: list[SqlTable]
    modules: list[SqlModule]
    functions: list[str] = Field(description="Functions besides those that every SQLite has, ascending.")
    examples: list[SqlExample]

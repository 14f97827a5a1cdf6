"""`numalens query`: SQL over recordings, answered by Perfetto's trace processor, without a server."""

import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from numalens.cli.inputs import Wanted, Window, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import From, Offsets, OutFile, To, Tolerant, read_options, with_sample
from numalens.cli.output import output
from numalens.cli.tables import aligned, shown
from numalens.cli.usage import UsageError, new_app
from numalens.perfetto.engine import NARROW_BYTES
from numalens.perfetto.errors import PerfettoError, SqlError
from numalens.perfetto.sql.protocol import Limits
from numalens.perfetto.sql.session import Session, sql_sentence

SHOWN: Final = 1000
"""Rows of a table by default; files have all."""
ALL: Final = 1 << 40
OUTSIDE: Final = "there is no recording to query: samples alone have no events"

Format = Literal["table", "csv", "json", "arrow"]

app = new_app()


@dataclass(frozen=True)
class Query:
    """A query, and what its answer is to be."""

    sql: str
    fmt: Format
    limit: int | None
    seconds: float
    program: Path | None


def run(wanted: Wanted, window: Window, query: Query, out: Path | None) -> None:
    """Writes the answer to `out`, or to standard output. Raises UsageError for a query that is refused too."""
    check_window(window)
    limits = Limits(NARROW_BYTES, query.seconds, load_seconds=float(1 << 20))
    try:
        with opened(wanted) as bundle:
            if not bundle.manifest["tables"]:
                raise UsageError(OUTSIDE)
            with closing(Session(limits, query.program)) as session:
                session.load(bundle.engine, *window)
                with output(out) as write:
                    _answer(session, query, write)
    except SqlError as error:
        raise UsageError(sql_sentence(error)) from error
    except PerfettoError as error:
        raise RuntimeError(str(error)) from error


def _answer(session: Session, query: Query, write: Callable[[bytes], None]) -> None:
    if query.fmt in {"csv", "arrow"}:
        fmt: Literal["csv", "arrow"] = "csv" if query.fmt == "csv" else "arrow"
        if session.export(query.sql, fmt, query.limit or ALL, write):
            _say("More rows exist.")
        return
    text = session.query(query.sql, query.limit or SHOWN)
    answer = json.loads(text)
    if query.fmt == "json":
        write(text + b"\n")
    else:
        write(table(answer).encode())
        if answer["truncated"]:
            _say("More rows exist; raise --limit.")
    for note in answer["notes"]:
        _say(note)


def table(answer: dict[str, Any]) -> str:
    """The rows of an answer in columns, numbers to the right."""
    names = [column["name"] for column in answer["columns"]]
    right = [column["kind"] in {"integer", "real"} for column in answer["columns"]]
    rows = ([" ".join(shown(cell).splitlines()) for cell in row] for row in answer["rows"])
    return aligned([names, *rows], right)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


@app.command()
def query(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... SQL",
            help="Recordings and side files, a folder of them, or one bundle folder; the query comes last, or - to read it "
            "from standard input.",
        ),
    ],
    from_ns: From = None,
    to_ns: To = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Maximum number of rows (default: 1000; CSV and Arrow: all)."),
    ] = None,
    fmt: Annotated[
        Literal["table", "csv", "json", "arrow"], typer.Option("--format", help="Form of the output.")
    ] = "table",
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="Time limit of the query in seconds.")] = 600.0,
    program: Annotated[
        Path | None,
        typer.Option(
            "--trace-processor",
            metavar="FILE",
            envvar="NUMALENS_TRACE_PROCESSOR",
            help="A trace_processor_shell to use instead of Perfetto's WebAssembly.",
        ),
    ] = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    out: OutFile = None,
) -> None:
    """Query recordings in PerfettoSQL.

    INCLUDE PERFETTO MODULE numalens.latency and others add modules of NumaLens.
    """
    limit_memory(more_bytes=NARROW_BYTES)
    *files, sql = arguments
    if not files:
        raise UsageError("expected FILE... followed by one SQL query")
    if sql == "-":
        sql = sys.stdin.read()
    wanted = Wanted(with_sample([Path(file) for file in files]), options=read_options(tolerant, offset))
    run(wanted, (from_ns, to_ns), Query(sql, fmt, limit, seconds, program), out)

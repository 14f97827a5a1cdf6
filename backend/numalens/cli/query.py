"""`numalens query`: SQL over recordings, answered by Perfetto's trace processor, without a server."""

import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from numalens.cli.inputs import UsageError, Wanted, Window, check_window, opened
from numalens.cli.output import output
from numalens.perfetto.engine import NARROW_BYTES
from numalens.perfetto.errors import PerfettoError, SqlError
from numalens.perfetto.sql.protocol import Limits
from numalens.perfetto.sql.session import Session, sql_sentence

SHOWN: Final = 1000
"""Rows of a table unless told otherwise; files have all."""
ALL: Final = 1 << 40
OUTSIDE: Final = "there is no recording to ask: samples alone have no events"

Format = Literal["table", "csv", "json", "arrow"]


@dataclass(frozen=True)
class Asked:
    """A query, and what its answer is to be."""

    sql: str
    fmt: Format
    limit: int | None
    seconds: float
    program: Path | None


def run(wanted: Wanted, window: Window, asked: Asked, out: Path | None) -> None:
    """Writes the answer to `out`, or to standard output. Raises UsageError for a query that is refused too."""
    check_window(window)
    limits = Limits(NARROW_BYTES, asked.seconds, load_seconds=float(1 << 20))
    try:
        with opened(wanted) as bundle:
            if not bundle.manifest["tables"]:
                raise UsageError(OUTSIDE)
            with closing(Session(limits, asked.program)) as session:
                session.load(bundle.engine, *window)
                with output(out) as write:
                    _answer(session, asked, write)
    except SqlError as error:
        raise UsageError(sql_sentence(error)) from error
    except PerfettoError as error:
        raise RuntimeError(str(error)) from error


def _answer(session: Session, asked: Asked, write: Callable[[bytes], None]) -> None:
    if asked.fmt in {"csv", "arrow"}:
        fmt: Literal["csv", "arrow"] = "csv" if asked.fmt == "csv" else "arrow"
        if session.export(asked.sql, fmt, asked.limit or ALL, write):
            _say("There are more rows than these.")
        return
    text = session.query(asked.sql, asked.limit or SHOWN)
    told = json.loads(text)
    if asked.fmt == "json":
        write(text + b"\n")
    else:
        write(table(told).encode())
        if told["truncated"]:
            _say("There are more rows than these; --limit gives more of them.")
    for note in told["notes"]:
        _say(note)


def table(told: dict[str, Any]) -> str:
    """The rows of an answer in columns, numbers to the right."""
    names = [column["name"] for column in told["columns"]]
    right = [column["kind"] in {"integer", "real"} for column in told["columns"]]
    lines = [names, *([_cell(cell) for cell in row] for row in told["rows"])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )


def _cell(cell: str | float | None) -> str:
    """A cell on one line."""
    if cell is None:
        return "-"
    return " ".join(cell.splitlines()) if isinstance(cell, str) else f"{cell:.10g}"


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)

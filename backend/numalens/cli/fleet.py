"""`numalens fleet`: questions over many analyses, by their summaries."""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from numalens.cli.fleet_source import OpenedFleet, opened
from numalens.cli.fleet_tables import Format, Shown, amount, as_csv, as_json, day, escaped, mark, table
from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError, new_app
from numalens.fleet.database import FleetError
from numalens.fleet.executor import Question
from numalens.fleet.over_time import METRICS, Series
from numalens.fleet.questions import By, Chosen, Every, Findings, Machines
from numalens.fleet.select import select
from numalens.fleet.upgrade import Upgrade

T = TypeVar("T")

app = new_app("Questions over many analyses.")

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="A server's data folder, or a folder of bundles or of summaries; else the server of NUMALENS_DATA,"
        " NUMALENS_DATABASE and NUMALENS_STORE.",
    ),
]
From = Annotated[
    str | None, typer.Option("--from", metavar="DATE", help="Recordings from then on, like 2026-11-02 (UTC).")
]
To = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Recordings before then.")]
Last = Annotated[float | None, typer.Option("--last", metavar="DAYS", min=0, help="Recordings of the last days.")]
Machine = Annotated[str | None, typer.Option("--machine", metavar="NAME", help="Of this machine only.")]
Kernel = Annotated[str | None, typer.Option("--kernel", metavar="RELEASE", help="Of this kernel only.")]
Tag = Annotated[str | None, typer.Option("--tag", metavar="TAG", help="With this tag only.")]
Csv = Annotated[bool, typer.Option("--csv", help="All fields as CSV.")]
Json = Annotated[bool, typer.Option("--json", help="All fields as JSON.")]
MOST_ROWS: Final = 1_000_000
COUNTS: Final = frozenset({"recordings", "flips", "per min", "what-if", "count", "of", "machines"})


@app.command()
def machines(
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    kernel: Kernel = None, tag: Tag = None, csv: Csv = False, json: Json = False,
) -> None:  # fmt: skip
    """Every machine: when it was last seen, flips of busy nodes, and its worst finding."""
    question = Machines(_chosen(begin, end, last, machine, kernel, tag))
    rows = _answer(data, question)
    columns: list[tuple[str, Shown]] = [
        ("machine", lambda row: row["machine"]),
        ("recordings", lambda row: str(row["recordings"])),
        ("last seen", lambda row: day(row["last_seen"])),
        ("kernel", lambda row: row["kernel"] + (f" (+{row['kernels'] - 1})" if row["kernels"] > 1 else "")),
        ("flips", lambda row: amount(row["flips"], "")),
        ("per min", lambda row: amount(row["flips_per_minute"], "")),
        ("what-if", lambda row: amount(row["flips_what_if"], "")),
        ("worst finding", lambda row: _worst(row["worst"])),
    ]
    _print(rows, columns, _format(csv, json))


@app.command()
def metric(
    name: Annotated[str, typer.Argument(metavar="METRIC", help="Like wakeup_p99; without one they are listed.")] = "",
    by: Annotated[By, typer.Option("--by", help="What makes a group.")] = "all",
    every: Annotated[Every, typer.Option("--every", help="Length of a period, UTC; weeks begin on Monday.")] = "week",
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    kernel: Kernel = None, tag: Tag = None, csv: Csv = False, json: Json = False,
) -> None:  # fmt: skip
    """A metric over time, by groups."""
    wanted = METRICS.get(name)
    if wanted is None:
        names = "".join(f"  {each.name:20} {each.title}\n" for each in METRICS.values())
        raise UsageError(
            f"{f'there is no metric {name}' if name else 'expected a metric'}; there are\n{names.rstrip()}"
        )
    question = Series(wanted.name, by, every, _chosen(begin, end, last, machine, kernel, tag))
    rows = _answer(data, question)
    unit = wanted.unit
    columns: list[tuple[str, Shown]] = [
        (every, lambda row: day(row["period"])),
        (by, lambda row: row["group"]),
        (wanted.name, lambda row: amount(row["value"], unit)),
        ("least", lambda row: amount(row["least"], unit)),
        ("most", lambda row: amount(row["most"], unit)),
        ("recordings", lambda row: str(row["recordings"])),
        ("of", lambda row: str(row["looked_at"])),
        ("is", lambda row: mark(row["label"])),
    ]
    _print(rows, [column for column in columns if column[0] != "all"], _format(csv, json), wanted.name, "least", "most")


@app.command(name="upgrade")
def upgraded(
    before: Annotated[str | None, typer.Option("--before", metavar="RELEASE", help="The old kernel.")] = None,
    after: Annotated[str | None, typer.Option("--after", metavar="RELEASE", help="The new one; the newest unless given.")] = None,
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    tag: Tag = None, csv: Csv = False, json: Json = False,
) -> None:  # fmt: skip
    """Every metric before and after a change of kernels, on the machines that had both."""
    question = Upgrade(_chosen(begin, end, last, machine, None, tag), before, after)
    answer = _answer(data, question)
    fmt = _format(csv, json)
    if fmt == "json":
        _write(as_json(answer))
        return
    sides = answer["sides"]
    columns: list[tuple[str, Shown]] = [("metric", lambda row: row["title"])]
    for place, side in enumerate(sides):
        columns.append((escaped(side["kernel"]), partial(_spread, place)))
    columns += [
        ("better by", lambda row: "-" if row["percent"] is None else f"{row['percent']:+.1f} %"),
        ("star", _star),
        ("is", lambda row: mark(row["label"])),
    ]
    if fmt == "table":
        for side in sides:
            span = f"{day(side['first_seen'])} to {day(side['last_seen'])}"
            _write(
                f"{escaped(side['kernel'])}: {side['recordings']} recordings of {side['machines']} machines, {span}\n"
            )
        _write("Mean, least and most of the recordings; a star needs two of each kernel.\n\n")
    _print(answer["rows"], columns, fmt, "better by")


@app.command()
def findings(
    every: Annotated[Every, typer.Option("--every", help="Length of a period, UTC; weeks begin on Monday.")] = "week",
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    kernel: Kernel = None, tag: Tag = None, csv: Csv = False, json: Json = False,
) -> None:  # fmt: skip
    """Findings by kind over time."""
    question = Findings(_chosen(begin, end, last, machine, kernel, tag), every)
    rows = _answer(data, question)
    columns: list[tuple[str, Shown]] = [
        (every, lambda row: day(row["period"])),
        ("finding", lambda row: row["kind"]),
        ("severity", lambda row: row["severity"]),
        ("count", lambda row: str(row["count"])),
        ("recordings", lambda row: f"{row['recordings']} of {row['looked_at']}"),
        ("machines", lambda row: str(row["machines"])),
        ("cost", lambda row: amount(row["cost_ms"] * 1e6, "ns")),
        ("worst", lambda row: f"{row['worst']['machine']}, {row['worst']['title']}"),
    ]
    _print(rows, [column for column in columns if column[0] != "all"], _format(csv, json), "cost")


@app.command()
def sql(
    query: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT over the views, or - to read it from standard input.")],
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="Longest time of the query.")] = 600.0,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Most rows.")] = MOST_ROWS,
    data: Data = None, csv: Csv = False, json: Json = False,
) -> None:  # fmt: skip
    """Query in DuckDB's SQL: recordings, facts, waits, nodes, distances, findings."""
    words = sys.stdin.read() if query == "-" else query
    answer = _from(data, lambda fleet: select(fleet.database, fleet.entries, words, limit, seconds))
    names = [column["name"] for column in answer["columns"]]
    if json:
        _write(as_json(answer))
    elif csv:
        _write(as_csv([dict(zip(_distinct(names), row, strict=True)) for row in answer["rows"]]))
    else:
        columns: list[tuple[str, Shown]] = [(escaped(name), partial(_place, place)) for place, name in enumerate(names)]
        right = frozenset(escaped(column["name"]) for column in answer["columns"] if column["kind"] != "text")
        _write(table(columns, [{"cells": row} for row in answer["rows"]], right))
    if answer["truncated"]:
        sys.stderr.write("There are more rows than these.\n")


def _distinct(names: Sequence[str]) -> list[str]:
    """Each name once: a row has a field for each column."""
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name}_{count + 1}" if count else name for name, count in zip(names, before, strict=True)]


def _place(place: int, row: Mapping[str, Any]) -> str:
    return _cell(row["cells"][place])


def _cell(cell: str | float | None) -> str:
    return "-" if cell is None else cell if isinstance(cell, str) else f"{cell:.10g}"


def _answer(data: Path | None, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
    def answer(fleet: OpenedFleet) -> Any:  # noqa: ANN401
        with fleet.database.cursor(fleet.entries) as cursor:
            return question.answer(cursor)

    return _from(data, answer)


def _from(data: Path | None, work: Callable[[OpenedFleet], T]) -> T:
    """The answer to a question. Raises UsageError for one that is refused, AwayError when a service is away."""
    try:
        with opened(settings_of(), data) as fleet:
            for name in fleet.lost:
                sys.stderr.write(f"left out, its summary cannot be read or made: {escaped(name)}\n")
            return work(fleet)
    except FleetError as error:
        raise UsageError(str(error)) from error


def _format(csv: bool, json: bool) -> Format:
    if csv and json:
        raise UsageError("--csv and --json are two forms; choose one")
    return "csv" if csv else "json" if json else "table"


def _chosen(
    begin: str | None, end: str | None, last: float | None, machine: str | None, kernel: str | None, tag: str | None
) -> Chosen:
    first, until = _date("--from", begin), _date("--to", end)
    if last is not None:
        if first is not None:
            raise UsageError("--last and --from both say where to begin; choose one")
        first = datetime.now(UTC) - timedelta(days=min(last, 36_500))
    if first is not None and until is not None and first >= until:
        raise UsageError("the interval is empty: --from is not before --to")
    return Chosen(first, until, machine, kernel, tag)


def _date(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        answer = datetime.fromisoformat(text)
        return answer.replace(tzinfo=UTC) if answer.tzinfo is None else answer.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{option} {text}: expected a date like 2026-11-02, or with a time 2026-11-02T08:00"
        ) from error


def _worst(worst: Mapping[str, Any] | None) -> str:
    if worst is None:
        return "-"
    return f"{worst['kind']} ({worst['severity']}, {amount(worst['cost_ms'] * 1e6, 'ns')}) in {worst['title']}"


def _spread(place: int, row: Mapping[str, Any]) -> str:
    side, unit = row["sides"][place], row["unit"]
    least, most = amount(side["least"], unit), amount(side["most"], unit)
    return f"{amount(side['mean'], unit)} ({least} .. {most}, n={side['recordings']})"


def _star(row: Mapping[str, Any]) -> str:
    rules = [name for name in ("2020", "2024") if row[f"significant_{name}"]]
    return "*" if len(rules) == 2 else f"* by {rules[0]}" if rules else ""  # noqa: PLR2004  (both rules)


def _print(rows: Sequence[Mapping[str, Any]], columns: Sequence[tuple[str, Shown]], fmt: Format, *right: str) -> None:
    if fmt == "json":
        _write(as_json(list(rows)))
    elif fmt == "csv":
        _write(as_csv(rows))
    elif rows:
        _write(table(columns, rows, COUNTS | set(right)))
    else:
        sys.stderr.write("The chosen analyses have none of it.\n")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()

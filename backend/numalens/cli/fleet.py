"""`numalens fleet`: questions over many analyses, by their summaries."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from numalens.cli.options import OutFile
from numalens.cli.settings import settings_of
from numalens.cli.tables import Format, Shown, aligned, amount, as_csv, as_json, day, escaped, mark, shown, table
from numalens.cli.usage import UsageError, new_app
from numalens.cli.verbosity import note
from numalens.extras import require
from numalens.fleet.database import Entry, FleetDatabase, FleetError, Source
from numalens.fleet.executor import Question
from numalens.fleet.merge import MergedFiles
from numalens.fleet.over_time import METRICS, Series
from numalens.fleet.questions import By, Chosen, Every, Findings, Machines
from numalens.fleet.rows import write_rows
from numalens.fleet.select import select
from numalens.fleet.summary import summary_rows
from numalens.fleet.upgrade import Upgrade
from numalens.jobs.reading import MANIFEST
from numalens.settings import Settings
from numalens.store.analyses import ready_analyses
from numalens.store.database import Database
from numalens.store.folder import DATABASE, MERGED, Place, open_stores
from numalens.store.summaries import Summaries, SummaryFile, located
from numalens.store.summary_file import FILE


@dataclass(frozen=True)
class OpenedFleet:
    """Analyses, and a database of their summaries."""

    entries: list[Entry]
    database: FleetDatabase
    lost: list[str]
    """Analyses whose summary cannot be read or made."""


@contextmanager
def opened(settings: Settings, data: Path | None) -> Iterator[OpenedFleet]:
    """The analyses below the folder `data`, or else those of the server that the settings mean.

    Opens a fleet; missing summaries are computed for the duration of the block. Those in a bucket are fetched; nothing is
    written into the folder. Raises UsageError when there is nothing, AwayError when a service is unavailable.
    """
    require("this command", "fleet")
    with tempfile.TemporaryDirectory(prefix="numalens-fleet-") as scratch:
        if data is None and (settings.database_url is not None or settings.store is not None):
            entries, source, lost = _elsewhere(settings, Path(scratch))
        else:
            entries, source, lost = _folder(data or settings.data, Path(scratch))
        database = FleetDatabase(source)
        yield OpenedFleet(entries, database, lost + database.unread)


def _elsewhere(settings: Settings, scratch: Path) -> tuple[list[Entry], Source, list[str]]:
    """The server whose rows or files are not in its folder."""
    folder = settings.data.absolute()
    if settings.database_url is None and not (folder / DATABASE).is_file():
        raise UsageError(f"{settings.data} has no analyses: the server's database is missing")
    entries = _filed(settings.database_url or folder / DATABASE)
    if not entries:
        raise UsageError("the server has no analyses")
    if settings.store is None:
        places = {entry.analysis: folder / "bundles" / entry.analysis for entry in entries}
        return entries, *_source(places, scratch, MergedFiles(folder / MERGED))
    _, bundles = open_stores(Place(str(folder), settings.store, settings.cache_bytes), scratch)
    summaries = Summaries(scratch / "summaries", bundles, FILE)
    merged = MergedFiles(folder / MERGED).source(
        summaries.locate({entry.analysis: entry.generation for entry in entries})
    )
    files = summaries.fetch(merged.files)
    found = {file.analysis for file in files} | set(merged.merged)
    return (
        entries,
        Source(files, merged.parts, merged.merged),
        sorted(entry.analysis for entry in entries if entry.analysis not in found),
    )


def _folder(folder: Path, scratch: Path) -> tuple[list[Entry], Source, list[str]]:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: expected a data folder, or a folder of bundles or summaries")
    entries, places = _server(folder) if (folder / DATABASE).is_file() else _bundles(folder)
    if not entries:
        raise UsageError(f"{folder} has no analyses: neither a server's, nor bundles, nor summaries")
    return entries, *_source(places, scratch, MergedFiles(folder / MERGED))


def _server(folder: Path) -> tuple[list[Entry], dict[str, Path]]:
    entries = _filed(folder / DATABASE)
    return entries, {entry.analysis: folder / "bundles" / entry.analysis for entry in entries}


def _filed(where: Path | str) -> list[Entry]:
    # A server may be using it: only its database is opened, which takes more than one user.
    database = Database(where)
    try:
        return [Entry.of(row) for row in ready_analyses(database)]
    finally:
        database.close()


def _bundles(folder: Path) -> tuple[list[Entry], dict[str, Path]]:
    """Folders with a bundle or a summary, at any depth: each is called by its path below `folder`."""
    found = {path.parent for name in (MANIFEST, FILE) for path in folder.rglob(name)}
    places = {("." if path == folder else path.relative_to(folder).as_posix()): path for path in sorted(found)}
    return [Entry(name, name, _written(path)) for name, path in places.items()], places


def _written(path: Path) -> datetime:
    known = next(file for file in (path / MANIFEST, path / FILE) if file.is_file())
    return datetime.fromtimestamp(known.stat().st_mtime, UTC)


def _source(places: dict[str, Path], scratch: Path, merged: MergedFiles) -> tuple[Source, list[str]]:
    """The summaries that there are or can be made, and the analyses without."""
    made: list[SummaryFile] = []
    lost = []
    for number, (analysis, bundle) in enumerate(places.items()):
        if not (bundle / FILE).is_file():
            path = scratch / str(number) / FILE
            path.parent.mkdir()
            try:
                write_rows(summary_rows(str(bundle)), path)
                made.append(SummaryFile(analysis, str(path), ""))
            except (KeyError, OSError, RuntimeError, ValueError):
                lost.append(analysis)
    found = [file for analysis, bundle in places.items() for file in located(analysis, bundle / FILE)]
    return merged.source([*found, *made]), lost


T = TypeVar("T")

app = new_app("Query many analyses at once.")

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="A server's data folder, or a folder of bundles or of summaries (default: the server of"
        " NUMALENS_DATA, NUMALENS_DATABASE and NUMALENS_STORE).",
    ),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="DATE", help="Only recordings since this date, such as 2026-11-02 (UTC)."),
]
To = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Only recordings before this date.")]
Last = Annotated[
    float | None, typer.Option("--last", metavar="DAYS", min=0, help="Only recordings of the last N days.")
]
Machine = Annotated[str | None, typer.Option("--machine", metavar="NAME", help="Only this machine.")]
Kernel = Annotated[str | None, typer.Option("--kernel", metavar="RELEASE", help="Only this kernel.")]
Tag = Annotated[str | None, typer.Option("--tag", metavar="TAG", help="Only recordings with this tag.")]
Form = Annotated[Format, typer.Option("--format", help="Form of the output; CSV and JSON have all fields.")]
MOST_ROWS: Final = 1_000_000
COUNTS: Final = frozenset({"recordings", "flips", "per min", "what-if", "count", "of", "machines"})


@app.command()
def machines(
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    kernel: Kernel = None, tag: Tag = None, fmt: Form = "table", out: OutFile = None,
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
    _print(rows, columns, fmt, out)


@app.command()
def metric(
    name: Annotated[str, typer.Argument(metavar="METRIC", help="Such as wakeup_p99 (default: list all metrics).")] = "",
    by: Annotated[By, typer.Option("--by", help="Grouping key.")] = "all",
    every: Annotated[Every, typer.Option("--every", help="Length of a period, UTC; weeks start on Monday.")] = "week",
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    kernel: Kernel = None, tag: Tag = None, fmt: Form = "table", out: OutFile = None,
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
    _print(rows, [column for column in columns if column[0] != "all"], fmt, out, wanted.name, "least", "most")


@app.command(name="upgrade")
def upgraded(
    before: Annotated[str | None, typer.Option("--before", metavar="RELEASE", help="The old kernel.")] = None,
    after: Annotated[str | None, typer.Option("--after", metavar="RELEASE", help="The new kernel (default: the newest).")] = None,
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    tag: Tag = None, fmt: Form = "table", out: OutFile = None,
) -> None:  # fmt: skip
    """Every metric before and after a kernel upgrade, on the machines that had both kernels."""
    question = Upgrade(_chosen(begin, end, last, machine, None, tag), before, after)
    answer = _answer(data, question)
    if fmt == "json":
        _write(as_json(answer), out)
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
    head = "".join(
        f"{escaped(side['kernel'])}: {side['recordings']} recordings of {side['machines']} machines,"
        f" {day(side['first_seen'])} to {day(side['last_seen'])}\n"
        for side in sides
    )
    head += "Mean, minimum and maximum of the recordings; a star needs two recordings per kernel.\n\n"
    _print(answer["rows"], columns, fmt, out, "better by", head=head)


@app.command()
def findings(
    every: Annotated[Every, typer.Option("--every", help="Length of a period, UTC; weeks start on Monday.")] = "week",
    data: Data = None, begin: From = None, end: To = None, last: Last = None, machine: Machine = None,
    kernel: Kernel = None, tag: Tag = None, fmt: Form = "table", out: OutFile = None,
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
    _print(rows, [column for column in columns if column[0] != "all"], fmt, out, "cost")


@app.command()
def sql(
    query: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT over the views, or - to read it from standard input.")],
    seconds: Annotated[float, typer.Option(metavar="S", min=0.001, help="Time limit of the query in seconds.")] = 600.0,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Most rows.")] = MOST_ROWS,
    data: Data = None, fmt: Form = "table", out: OutFile = None,
) -> None:  # fmt: skip
    """Query in DuckDB's SQL: recordings, facts, waits, nodes, distances, findings."""
    words = sys.stdin.read() if query == "-" else query
    answer = _from(data, lambda fleet: select(fleet.database, fleet.entries, words, limit, seconds))
    names = [column["name"] for column in answer["columns"]]
    if fmt == "json":
        _write(as_json(answer), out)
    elif fmt == "csv":
        _write(as_csv([dict(zip(_distinct(names), row, strict=True)) for row in answer["rows"]]), out)
    else:
        rows = ([escaped(shown(cell)) for cell in row] for row in answer["rows"])
        right = [column["kind"] != "text" for column in answer["columns"]]
        _write(aligned([[escaped(name) for name in names], *rows], right), out)
    if answer["truncated"]:
        sys.stderr.write("More rows exist.\n")


def _distinct(names: Sequence[str]) -> list[str]:
    """Each name once: a row has a field for each column."""
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name}_{count + 1}" if count else name for name, count in zip(names, before, strict=True)]


def _answer(data: Path | None, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
    def answer(fleet: OpenedFleet) -> Any:  # noqa: ANN401
        with fleet.database.cursor(fleet.entries) as cursor:
            return question.answer(cursor)

    return _from(data, answer)


def _from(data: Path | None, work: Callable[[OpenedFleet], T]) -> T:
    """The answer to a question. Raises UsageError for a refused one, AwayError when a service is unavailable."""
    try:
        with opened(settings_of(), data) as fleet:
            for name in fleet.lost:
                sys.stderr.write(f"skipped, unreadable summary: {escaped(name)}\n")
            return work(fleet)
    except FleetError as error:
        raise UsageError(str(error)) from error


def _chosen(
    begin: str | None, end: str | None, last: float | None, machine: str | None, kernel: str | None, tag: str | None
) -> Chosen:
    first, until = _date("--from", begin), _date("--to", end)
    if last is not None:
        if first is not None:
            raise UsageError("--last and --from both set the start; choose one")
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


def _print(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[tuple[str, Shown]],
    fmt: Format,
    out: Path | None,
    *right: str,
    head: str = "",
) -> None:
    """Writes the rows; a table comes after the lines of `head`."""
    if fmt == "json":
        _write(as_json(list(rows)), out)
    elif fmt == "csv":
        _write(as_csv(rows), out)
    else:
        _write(head + (table(columns, rows, COUNTS | set(right)) if rows else ""), out)
        if not rows:
            note("No matching rows in the chosen analyses.")


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        out.write_text(text, encoding="utf-8")

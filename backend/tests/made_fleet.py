"""A fleet made up of real summaries: their values are drawn anew for each machine, kernel and day, always the same by the seed.

    python -m tests.made_fleet FOLDER --count 1000 --seed 1 SUMMARY.parquet...

leaves the summaries in FOLDER/ID/summary.parquet and the list of analyses in FOLDER/catalog.json; with --server FOLDER is the data
folder of a server that has these analyses, and nothing of them but their summaries. For measuring and for tests of questions; what
it says about kernels means nothing.
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from numalens.fleet.database import Entry, columns_of
from numalens.fleet.executor import Question
from numalens.fleet.over_time import quantile_of
from numalens.fleet.recording import version_of
from numalens.fleet.rows import Row, write_rows_by
from numalens.store.folder import DataFolder
from numalens.store.schema import Analysis
from numalens.store.summaries import SummaryFile, located
from numalens.store.summary_file import FILE

KERNELS = ("6.1.192-cling", "6.6.119", "6.12.61", "6.18.2")
BEGIN = datetime(2026, 9, 7, tzinfo=UTC)
DAYS = 70
MACHINES = 40
QUIET = 3
"""Every third machine has no flips, whatever runs on it."""
KERNEL_COST = (1.0, 1.1, 0.8, 0.82)
"""By kernel: how much longer waits are."""
TRIED = frozenset({"attempts", "cling_attempts", "migration_pages", "ilb_sent"})
FAILED = frozenset({"attempts_failed", "cling_failures", "migration_just_too_late", "ilb_dropped"})
PERCENTILES = {"latency_p50_ns": 0.5, "latency_p99_ns": 0.99}
CATALOG = "catalog.json"


def rows_of_files(paths: Sequence[Path]) -> dict[Path, list[Row]]:
    """The rows of summaries."""
    names = [each.name for each in fields(Row)]
    columns = ", ".join(f'"{name}"' for name in names)
    answer: dict[Path, list[Row]] = {path: [] for path in paths}
    with duckdb.connect() as connection:
        query = f"SELECT filename, {columns} FROM read_parquet($1, filename = true)"  # noqa: S608
        for path, *row in connection.execute(query, [[str(path) for path in paths]]).fetchall():
            answer[Path(path)].append(Row(**dict(zip(names, row, strict=True))))
    return answer


def made_fleet(folder: Path, sources: Sequence[Path], count: int, seed: int = 1) -> list[Entry]:
    """Writes `count` summaries below `folder`; returns what a server would know of their analyses."""
    dice = random.Random(seed)  # noqa: S311  (the same on every machine)
    real = list(rows_of_files(sources).values())
    entries = []
    writer = duckdb.connect(config={"threads": 1})
    for number in range(count):
        machine = dice.randrange(MACHINES)
        moment = BEGIN + timedelta(seconds=dice.randrange(DAYS * 86_400))
        # Every machine changes its kernel on a day of its own, once in each third of the time.
        stage = (moment - BEGIN).days + machine % 7
        kernel = min(len(KERNELS) - 1, stage * len(KERNELS) // (DAYS + 7))
        # Dice of its own: who was recorded when does not depend on how many rows a summary has.
        own = random.Random(f"{seed}-{number}")  # noqa: S311
        drawn = _drawn(own, dice.choice(real), machine, kernel, number)
        analysis = f"made{number:05d}"
        (folder / analysis).mkdir(parents=True, exist_ok=True)
        write_rows_by(writer, [*_identity(machine, KERNELS[kernel], moment), *drawn], folder / analysis / FILE)
        tags = [dice.choice(("storage", "web", "batch"))]
        entries.append(Entry(analysis, f"node{machine:02d} {moment:%Y-%m-%d}", moment + timedelta(hours=2), tags))
    (folder / CATALOG).write_text(json.dumps(columns_of(entries)))
    return entries


def made_server(data: Path, sources: Sequence[Path], count: int, seed: int = 1) -> None:
    """A server's data folder with so many analyses, of which it has the summaries."""
    with DataFolder(data) as folder:
        entries = made_fleet(folder.bundles, sources, count, seed)
        (folder.bundles / CATALOG).unlink()
        with folder.database.session() as session:
            for entry in entries:
                session.add(
                    Analysis(
                        id=entry.analysis,
                        title=entry.title,
                        status="ready",
                        created_at=entry.uploaded_at,
                        tags=list(entry.tags),
                        input_summaries=[],
                    )
                )


def files_of(folder: Path, entries: Sequence[Entry]) -> list[SummaryFile]:
    """The files that `made_fleet` wrote."""
    return [file for entry in entries for file in located(entry.analysis, folder / entry.analysis / FILE)]


def ask(cursor: duckdb.DuckDBPyConnection, question: Question) -> Any:
    """The answer over the recordings that a cursor sees."""
    return question.answer(cursor)


def _identity(machine: int, kernel: str, moment: datetime) -> list[Row]:
    major, minor, patch = version_of(kernel)
    return [
        Row("recording", "host", "observed", text=f"node{machine:02d}"),
        Row("recording", "kernel", "observed", text=kernel),
        Row("recording", "kernel_major", "observed", value=major),
        Row("recording", "kernel_minor", "observed", value=minor),
        Row("recording", "kernel_patch", "observed", value=patch),
        Row("recording", "recorded_at", "observed", moment=moment),
    ]


def _drawn(dice: random.Random, rows: Sequence[Row], machine: int, kernel: int, number: int) -> list[Row]:
    own = {row.name for row in _identity(0, KERNELS[0], BEGIN)}
    slower = KERNEL_COST[kernel] * dice.lognormvariate(0, 0.2)
    drawn = []
    for row in rows:
        if row.part == "recording" and row.name in own:
            continue
        if row.part == "bucket" and row.count is not None:
            drawn.append(replace(row, count=max(1, round(row.count * dice.uniform(0.5, 1.5)))))
        elif row.part == "finding":
            if dice.random() < 0.7:
                drawn.append(replace(row, value=(row.value or 0) * slower, most=(row.most or 0) * slower))
        elif row.part == "fact" and row.value is not None:
            factor = _factor(dice, rows, row, slower, number)
            flips = row.name == "cling_flips"
            value = 0.0 if flips and machine % QUIET == 0 else row.value * factor
            drawn.append(replace(row, value=float(round(value)) if flips else value))
        else:
            drawn.append(row)
    return [_within_its_bin(row, drawn) for row in drawn]


def _factor(dice: random.Random, rows: Sequence[Row], row: Row, slower: float, number: int) -> float:
    """What a number is multiplied by: shares of something stay shares of it."""
    factor = slower if row.better == "lower" else dice.uniform(0.8, 1.2)
    if row.name in TRIED:
        return 1.0 + (number % 4) / 10
    if row.name in FAILED:
        # No more can fail than was tried.
        return min(factor, 1.0)
    if row.name == "cpu_known":
        return 1.0
    whole = next((each.value for each in rows if each.name == "cpu_known"), None) if row.name == "cpu_busy" else None
    if row.name.startswith("psi_"):
        whole = 1000 * (row.seconds or 0)
    return min(factor, whole / row.value) if whole and row.value else factor


def _within_its_bin(row: Row, drawn: Sequence[Row]) -> Row:
    """A percentile of waits goes with the waits as they were drawn."""
    if row.name not in PERCENTILES:
        return row
    bins = [
        (each.bucket or 0, each.least or 0.0, each.below, each.count or 0) for each in drawn if each.part == "bucket"
    ]
    below, least = quantile_of(bins, PERCENTILES[row.name])
    return row if below is None or least is None else replace(row, value=(below + least) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("summaries", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--server", action="store_true")
    queries = parser.parse_args()
    make = made_server if queries.server else made_fleet
    make(queries.folder, queries.summaries, queries.count, queries.seed)


if __name__ == "__main__":
    main()

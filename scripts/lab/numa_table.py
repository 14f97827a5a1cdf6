"""`scripts/lab numa`: what the NUMA balancer did, one line a recording, and how much of cling a replay reproduces."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numalens_native
from numalens.cli.inputs import RecordingFiles, read_recording, recordings
from numalens.report import ask
from numalens.report.build import is_missing

import frame
from frame import COMPUTED, REJECTED, show

COLUMNS: Final = {
    "moves": "task_migrated_idle_cpu",
    "swaps": "task_migrated_swapped",
    "no CPU": "migrate_failed_no_cpu",
    "move failed": "migrate_failed_move_to_idle",
    "swap failed": "migrate_failed_swap_task_fail",
    "retries": "task_migrate_retry_failed",
    "lb cross": "load_balance_cross_numa",
}
"""Heads of the first table, and the rows that they show."""
MORE: Final = ("mmtests lb", "wake-ups")
PARTS: Final = ("attempts", "counters", "flips")
CLING: Final = ("checked", "from_events", "from_everything", "readings")
"""What the JSON has of the section `cling`."""


@dataclass
class Row(frame.Row):
    """A recording, and what the NUMA balancer did in it."""

    ops: dict[str, Any] = field(default_factory=dict)
    ops_mmtests: dict[str, Any] = field(default_factory=dict)
    crossings: dict[str, Any] = field(default_factory=dict)
    cling: dict[str, Any] | None = None
    """How much a replay of the printed lines, and of events, reproduces; None without a kernel that has cling."""


def run(paths: list[Path], json_file: str | None) -> set[str]:
    """Prints the table, writes the JSON if wanted, and gives all verdicts."""
    head = "  ".join([*COLUMNS, *MORE, "recording"])
    rows = show(map(compute, recordings(paths, sampled=False)), lines, json_file, head)
    return {row.verdict for row in rows}


def compute(files: RecordingFiles) -> Row:
    """The figures of a recording, read with its companion files."""
    row = Row(str(files.recording))
    try:
        with read_recording(files) as opened:
            first, last = opened.manifest["origin_ns"], opened.manifest["end_ns"]

            balancing = ask(opened.engine, "numa_balancing", (first, last), {"limit": 1})
            cling = ask(opened.engine, "cling", (first, last), {"limit": 1, "decisions": 1, "points": 1})
            _fill(row, balancing, cling)
    except numalens_native.InputError as error:
        row.verdict, row.reason = REJECTED, str(error)
    return row


def _fill(row: Row, balancing: dict[str, Any], cling: dict[str, Any]) -> None:
    if is_missing(balancing):
        row.reason = balancing["reason"]
        return
    row.verdict = COMPUTED
    ops = balancing["ops"]
    row.ops, row.ops_mmtests, row.crossings = ops["rows"], ops["mmtests"], ops["crossings"]
    if not is_missing(cling) and (cling["checked"] is not None or cling["readings"]["all"]):
        row.cling = {name: cling[name] for name in CLING}


def lines(row: Row) -> Iterator[str]:
    """The line of a recording, and how much of cling a replay reproduces."""
    if row.verdict != COMPUTED:
        yield f"{row.recording}: {row.reason}"
        return
    shown = {head: row.ops[name] for head, name in COLUMNS.items()}
    shown |= dict(zip(MORE, (row.ops_mmtests["load_balance_cross_numa"], row.crossings["wakeup"]), strict=True))
    counts = (("-" if count is None else str(count)).rjust(len(head)) for head, count in shown.items())
    yield "  ".join([*counts, row.recording])
    if row.cling is not None:
        yield from (f"    {line}" for line in _cling_lines(row.cling))


def _cling_lines(cling: Mapping[str, Any]) -> Iterator[str]:
    checked, readings = cling["checked"], cling["readings"]
    if checked is not None:
        kinds = {kind["check"]: kind for kind in checked["kinds"]}
        exact = [f"{name} {kind['exact']:,}/{kind['compared']:,}" for name, kind in kinds.items() if kind["compared"]]
        yield f"printed lines replayed, exact/compared: {', '.join(exact)}; {checked['violations_all']:,} violations"
        yield f"events: {'; '.join(_printed(cling['from_events']))}"
        yield f"events, probes, readings: {'; '.join(_printed(cling['from_everything']))}"
    if readings["all"]:
        counts = [
            f"{readings[name]:,} {name.replace('_', ' ')}" for name in readings if name != "all" and readings[name]
        ]
        yield f"readings {readings['all']:,}: {', '.join(counts)}"


def _printed(table: Mapping[str, Any]) -> Iterator[str]:
    """How much of the printed lines a replay reproduces."""
    for name in PARTS:
        part = table[name]
        share = "-" if part["percent"] is None else f"{part['percent']:.1f} %"
        whys = [f"{miss['count']:,} {miss['reason']}" for miss in part["missed"]]
        whys += [f"{miss['count']:,} too many: {miss['reason']}" for miss in part["extra"]]
        yield f"{name} {share} of {part['printed']:,}" + (f" ({', '.join(whys)})" if whys else "")

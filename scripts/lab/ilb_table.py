"""`scripts/lab ilb`: recorded kicks of the idle load balancer against the model's, idle time against samples, three models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numalens_native
from numalens.cli.inputs import RecordingFiles, read_recording, recordings
from numalens.cli.tables import aligned
from numalens.report import ask

import frame
from frame import COMPUTED, REJECTED, show

KEPT: Final = (
    *("model", "kernel", "hz", "cpus", "label", "missing", "observation", "kicks", "passes", "comparison", "models"),
    *("idle_percent", "idle_sampled", "idle_vmstat", "idle_difference", "waste", "blocked_ticks"),
)
"""What the JSON has of the section; its lists of moments are the report's."""
MODEL_COLUMNS: Final = {
    "kicks": "kicks",
    "dropped": "dropped",
    "latched": "latched",
    "passes": "passes",
    "gate closed": "gate_closed_ticks",
    "blocked": "blocked_ticks",
    "waste CPU ms": "waste_cpu_ms",
}
"""Heads of the table of models, and the numbers that they show."""


@dataclass
class Row(frame.Row):
    """A recording, and its section."""

    ilb: dict[str, Any] = field(default_factory=dict)


def run(paths: list[Path], json_file: str | None) -> set[str]:
    """Prints the tables of each recording, writes the JSON if wanted, and gives all verdicts."""
    rows = show(map(compute, recordings(paths, sampled=False)), lines, json_file)
    return {row.verdict for row in rows}


def compute(files: RecordingFiles) -> Row:
    """The figures of a recording from its first event to its last, read with its companion files."""
    row = Row(str(files.recording))
    try:
        with read_recording(files) as opened:
            window = (opened.manifest["origin_ns"], opened.manifest["end_ns"])
            section = ask(opened.engine, "idle_balancing", window, {"limit": 1})
    except numalens_native.InputError as error:
        row.verdict, row.reason = REJECTED, str(error)
        return row
    if section.get("available") is False:
        row.reason = section["reason"]
    else:
        row.verdict, row.ilb = COMPUTED, {name: section[name] for name in KEPT}
    return row


def lines(row: Row) -> Iterator[str]:
    """The tables of a recording."""
    if row.verdict != COMPUTED:
        yield f"{row.recording}: {row.reason}"
        return
    ilb = row.ilb
    yield f"{row.recording}: Linux {ilb['kernel'] or 'of unknown version'}, {ilb['cpus']} CPUs, model {ilb['model']}"
    yield f"  {_kicks(ilb['kicks'], ilb['passes'])}"
    for part in (_comparison(ilb["comparison"]), _idle(ilb), _models(ilb["models"])):
        yield ""
        yield from (f"  {line}" for line in part)
    yield ""


def _kicks(kicks: Mapping[str, Any], passes: Mapping[str, Any]) -> str:
    moved = "" if passes["migrations"] is None else f", {passes['migrations']:,} tasks moved"
    return (
        f"{kicks['sent']:,} kicks ({kicks['label']}): {kicks['handled']:,} handled, {kicks['dropped']:,} dropped, "
        f"{kicks['not_seen']:,} not seen to come; {passes['count']:,} passes, {passes['aborted']:,} aborted{moved}"
    )


def _comparison(comparison: Mapping[str, Any] | None) -> Iterator[str]:
    if comparison is None:
        yield "kicks: nothing recorded shows them, so there is nothing to compare a model with"
        return
    rows = [
        (_count(reason["both"]), _count(reason["observed_only"]), _count(reason["model_only"]), reason["words"])
        for reason in comparison["reasons"]
    ]
    total = (str(comparison["both"]), str(comparison["observed"]), str(comparison["model"]), "all of each side")
    yield from _table(("both", "recorded", "model", "kicks, by why they are only on one side"), [*rows, total])
    with_flags = comparison["told_flags"]
    if with_flags:
        yield f"flags are the same in {comparison['same_flags']:,} of {with_flags:,} kicks on both sides"


def _idle(ilb: Mapping[str, Any]) -> Iterator[str]:
    difference = ilb["idle_difference"]
    shares = {
        "trace, by second": ilb["idle_percent"],
        "trace, as sampled": None if difference is None else difference["traced"],
        "samples": ilb["idle_sampled"],
        "samples, as vmstat prints": ilb["idle_vmstat"],
    }
    rows = [
        (*(f"{share[name]:.2f}" for name in ("mean", "stdev", "min", "max")), str(share["windows"]), name)
        for name, share in shares.items()
        if share is not None
    ]
    yield from _table(("idle % mean", "stdev", "min", "max", "windows", "of"), rows)
    if difference is None:
        yield "no samples of /proc/stat lie in the recording, so there is nothing to compare with"
        return
    yield f"difference {difference['mean']:+.2f} points, {difference['largest']:.2f} at most in a window"
    yield difference["sentence"]


def _models(models: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    rows = [
        (*(_count(model[name], zero="0") for name in MODEL_COLUMNS.values()), f"{model['name']} ({model['label']})")
        for model in models
    ]
    yield from _table((*MODEL_COLUMNS, "model"), rows)


def _count(number: float, zero: str = "") -> str:
    return f"{number:,.0f}" if number else zero


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Numbers to the right, the last column to the left."""
    return aligned([heads, *rows], [*(True for _ in heads[1:]), False]).splitlines()

"""From the answers of the engine on each recording to rows: which number is compared with which, and which way is better.

Nothing is computed here: a row function passes numbers of one run on, and the engine makes totals, rates, means and tests.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numalens_native

from numalens.report.build import Label
from numalens.report.compare.gather import Gathered
from numalens.report.compare.shapes import Better, ComparedCell, ComparedTable, ComparedTableRow, Unit

GOODNESS: Final[tuple[Label, ...]] = ("observed", "replayed", "inferred", "what-if")


@dataclass(frozen=True)
class Reading:
    """Numbers of one run."""

    values: Sequence[float]
    label: Label = "replayed"
    missing: Sequence[str] = ()
    seconds: float | None = None
    """For counts: the seconds of each count."""
    add: bool = False
    """The values are parts of one."""


@dataclass(frozen=True)
class Absent:
    """Reason for which a run has no number."""

    reason: str


Read = Callable[[Gathered], Reading | Absent]


def from_section(section: str) -> Callable[[Callable[[Gathered, dict[str, Any]], Reading | Absent]], Read]:
    """Makes a `Read` of what reads a section's answer: where the section has no content, its reason is why."""

    def with_content(read: Callable[[Gathered, dict[str, Any]], Reading | Absent]) -> Read:
        def of_run(run: Gathered) -> Reading | Absent:
            answer = run.section(section)
            return read(run, answer) if run.has(section) else Absent(answer["reason"])

        return of_run

    return with_content


@dataclass(frozen=True)
class Spec:
    """A row: what it is called, and where its numbers are."""

    name: str
    title: str
    read: Read
    unit: Unit = ""
    better: Better = "neither"


@dataclass(frozen=True)
class Sheet:
    """A future table: its rows, and the section of all of them, if any."""

    name: str
    title: str
    specs: Sequence[Spec]
    section: str | None = None


@dataclass
class _ReadRow:
    """A row on its way to the engine."""

    spec: Spec
    sides: list[list[Reading | Absent]] = field(default_factory=list)

    @property
    def counted(self) -> bool:
        return any(isinstance(read, Reading) and read.seconds is not None for runs in self.sides for read in runs)

    def question(self) -> dict[str, Any]:
        return {"better": self.spec.better, "sides": [[_run(read) for read in runs] for runs in self.sides]}


def _run(read: Reading | Absent) -> dict[str, Any]:
    if isinstance(read, Absent):
        return {"values": []}
    run: dict[str, Any] = {"values": list(read.values), "add": read.add}
    return run if read.seconds is None else {**run, "seconds": read.seconds}


def tables(
    sheets: Iterable[Sheet], sides: Sequence[Sequence[Gathered]], base: int, by: Literal["windows", "runs"]
) -> list[ComparedTable]:
    """The tables, with the engine's statistics in one call. A row that no side has anything of is left out."""
    sheets = list(sheets)
    rows_read = [[_ask(spec, sides) for spec in sheet.specs] for sheet in sheets]
    kept = [[row for row in rows if _known(row)] for rows in rows_read]
    questions = [row.question() for rows in kept for row in rows]
    answers = iter(json.loads(numalens_native.compare_rows(json.dumps({"by": by, "base": base, "rows": questions}))))
    return [
        {
            "name": sheet.name,
            "title": sheet.title,
            "rows": [_row(row, next(answers)) for row in rows],
            "absent": [_absent(sheet, runs) for runs in sides],
        }
        for sheet, rows in zip(sheets, kept, strict=True)
    ]


def _ask(spec: Spec, sides: Sequence[Sequence[Gathered]]) -> _ReadRow:
    return _ReadRow(spec, [[spec.read(run) for run in runs] for runs in sides])


def _known(row: _ReadRow) -> bool:
    return any(isinstance(read, Reading) for runs in row.sides for read in runs)


def _absent(sheet: Sheet, runs: Sequence[Gathered]) -> str | None:
    if sheet.section is None or any(run.has(sheet.section) for run in runs):
        return None
    return str(runs[0].section(sheet.section)["reason"])


def weakest(labels: Sequence[Label]) -> Label | None:
    """The label of what several things make together; None of nothing."""
    return max(labels, key=GOODNESS.index, default=None)


def _row(rows_read: _ReadRow, answer: dict[str, Any]) -> ComparedTableRow:
    spec = rows_read.spec
    return {
        "name": spec.name,
        "title": spec.title,
        "unit": spec.unit,
        "better": spec.better,
        "counted": rows_read.counted,
        "mean": answer["mean"],
        "sides": [_cell(side, runs) for side, runs in zip(answer["sides"], rows_read.sides, strict=True)],
    }


def _cell(answer: dict[str, Any], runs: Sequence[Reading | Absent]) -> ComparedCell:
    reads = [read for read in runs if isinstance(read, Reading)]
    reasons = [read.reason for read in runs if isinstance(read, Absent)]
    label = weakest([read.label for read in reads])
    lacking = dict.fromkeys(name for read in reads for name in read.missing)
    why = next(iter(reasons), None)
    if why is None and answer["mean"] is None:
        why = "not recorded in this window"
    return {**answer, "label": label, "missing": list(lacking), "reason": why}  # type: ignore[typeddict-item]

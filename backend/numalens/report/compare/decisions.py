"""Decisions of the kernel side by side. Wording, shares and tests are the engine's."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numalens_native

from numalens.report.compare.gather import Gathered
from numalens.report.compare.shapes import ComparedDecisions

SECTION = "decisions"


def compared_decisions(
    sides: Sequence[Sequence[Gathered]], base: int, by: Literal["windows", "runs"]
) -> ComparedDecisions:
    """The decisions of all sides."""
    answers = [[run.section(SECTION) if run.has(SECTION) else None for run in runs] for runs in sides]
    compared = json.loads(numalens_native.compare_decisions(json.dumps({"by": by, "base": base, "sides": answers})))
    for kind in compared["kinds"]:
        for row in (kind, *kind["outcomes"]):
            for runs, cell in zip(sides, row["sides"], strict=True):
                _place(cell, runs)
    for runs, missing in zip(sides, compared["missing"], strict=True):
        missing.extend(dict.fromkeys(str(run.section(SECTION)["reason"]) for run in runs if not run.has(SECTION)))
    found: ComparedDecisions = compared
    return found


def _place(cell: dict[str, Any], runs: Sequence[Gathered]) -> None:
    """Names the analysis of an example instead of the run of its side."""
    run = cell.pop("run")
    example: Mapping[str, Any] | None = cell["example"]
    if example is not None:
        cell["example"] = {"analysis": runs[run].place, **example}

"""Decisions of the kernel side by side. Wording, shares and tests are the engine's."""

import json
from collections.abc import Sequence
from typing import Literal

import numalens_native

from numalens.report.compare.gather import Gathered
from numalens.report.compare.shapes import Shape

SECTION = "decisions"


def compared_decisions(
    sides: Sequence[Sequence[Gathered]], base: int, by: Literal["windows", "runs"], *, browser: bool
) -> Shape:
    """The decisions of all sides."""
    answers = [[run.section(SECTION) if run.has(SECTION) else None for run in runs] for runs in sides]
    query = {"by": by, "base": base, "browser": browser, "sides": answers}
    compared: Shape = json.loads(numalens_native.compare_decisions(json.dumps(query)))
    for runs, missing in zip(sides, compared["missing"], strict=True):
        missing.extend(dict.fromkeys(str(run.section(SECTION)["reason"]) for run in runs if not run.has(SECTION)))
    return compared

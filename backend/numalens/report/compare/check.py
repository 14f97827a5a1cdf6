"""Thresholds on a comparison: what a build fails on."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from numalens.report.compare.shapes import Comparison, Shape

Outcome = Literal["ok", "worse", "undecided", "not recorded"]
NS_PER_MS: Final = 1e6
FEWEST: Final = 2
"""Values that vary."""


class Threshold(BaseModel):
    """Tolerance for a row of a comparison."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    row: str = Field(pattern=r"^[a-z_0-9]+/\w+$")
    """Table and row of `numalens compare --json`: `statistics/p99`."""
    worse_percent: float = Field(ge=0, lt=1e6)
    """Tolerated change for the worse, percent of the base."""


class Thresholds(BaseModel):
    """A file of thresholds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threshold: list[Threshold] = Field(min_length=1)


DEFAULT: Final = Thresholds(
    threshold=[
        Threshold(row="statistics/p99", worse_percent=10),
        Threshold(row="statistics/wasted", worse_percent=10),
    ]
)


@dataclass(frozen=True)
class Checked:
    """A threshold, and its result in the comparison."""

    threshold: Threshold
    outcome: Outcome
    sentence: str
    """Both means, the change, and the smallest change that would have been seen."""


def read_thresholds(path: Path) -> Thresholds:
    """The thresholds of a TOML file. Raises ValueError, one sentence, for an invalid one; OSError."""
    try:
        return Thresholds.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"]) or "the file"
        raise ValueError(f"{path}: {place}: {problem['msg']}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not TOML: {error}") from None


def check(comparison: Comparison, thresholds: Thresholds) -> list[Checked]:
    """Each threshold applied to two sides. Raises ValueError for a missing row, or one without a better direction.

    A row is worse when its mean is, by more than the threshold, and the intervals of 95 % around the means of both sides do
    not overlap. It is undecided when it is neither worse nor better by these intervals, and a change as large as the threshold
    would not have been seen.
    """
    rows = {f"{table['name']}/{row['name']}": row for table in comparison["tables"] for row in table["rows"]}
    absent = {
        table["name"]: next(filter(None, table["absent"]), None) for table in comparison["tables"] if not table["rows"]
    }
    return [_checked(each, rows.get(each.row), absent, comparison) for each in thresholds.threshold]


def _checked(threshold: Threshold, row: Shape | None, absent: dict[str, str | None], comparison: Comparison) -> Checked:
    if row is None:
        table = threshold.row.partition("/")[0]
        if table not in {each["name"] for each in comparison["tables"]}:
            raise ValueError(f"{threshold.row}: a comparison has no table {table}")
        return Checked(threshold, "not recorded", absent.get(table) or "no run has it")
    if row["better"] == "neither":
        raise ValueError(f"{threshold.row}: no direction of change is better")
    base, new = (row["sides"][at] for at in (comparison["base"], 1 - comparison["base"]))
    if base["mean"] is None or new["mean"] is None:
        return Checked(threshold, "not recorded", base["reason"] or new["reason"] or "no run has it")
    return Checked(threshold, _outcome(threshold, row, base, new), _sentence(row, base, new))


def _outcome(threshold: Threshold, row: Shape, base: Shape, new: Shape) -> Outcome:
    if new["intervals"] is not None and new["intervals"]["significant"]:
        changed = (new["mean"] or 0.0) - (base["mean"] or 0.0)
        worse = changed > 0 if row["better"] == "lower" else changed < 0
        # From 0 there is no percentage, and anything is more than a threshold.
        above = new["percent"] is None or -new["percent"] > threshold.worse_percent
        return "worse" if worse and above else "ok"
    seen = smallest(base, new)
    return "ok" if seen is not None and seen <= threshold.worse_percent else "undecided"


def _sentence(row: Shape, base: Shape, new: Shape) -> str:
    unit, scale = ("ms", NS_PER_MS) if row["unit"] == "ns" else (row["unit"], 1.0)
    unit = f"{unit or 1}/s" if row["counted"] else unit
    first, last = (f"{(cell['mean'] or 0.0) / scale:.4g}" for cell in (base, new))
    percent = new["percent"]
    if percent is None:
        change = "no percentage"
    else:
        word = "better" if percent > 0 else "worse" if percent < 0 else "the same"
        change = f"{abs(percent):.1f} % {word}" if percent else word
    runs = " and ".join(f"{cell['summary']['n']:,}" for cell in (base, new) if cell["summary"] is not None)
    seen = smallest(base, new)
    least = "no change would be detectable" if seen is None else f"changes from {seen:.1f} % are detectable"
    return f"{first} -> {last} {unit}, {change}; of {runs} values {least}"


def smallest(base: Shape, new: Shape) -> float | None:
    """The smallest change of the mean that would have been seen: both halves of the intervals, percent of the base.

    None for one value a side, which does not vary, and for a base of 0.
    """
    intervals = new["intervals"]
    counts = [cell["summary"]["n"] for cell in (base, new) if cell["summary"] is not None]
    if intervals is None or not base["mean"] or min(counts, default=0) < FEWEST:
        return None
    return float((intervals["base"] + intervals["new"]) / abs(base["mean"]) * 100)


def failures(checked: Sequence[Checked], strict: bool) -> list[Checked]:
    """Failures of a build. A value that was not recorded is a failure; `strict`: an undecided one as well."""
    good = {"ok"} if strict else {"ok", "undecided"}
    return [each for each in checked if each.outcome not in good]

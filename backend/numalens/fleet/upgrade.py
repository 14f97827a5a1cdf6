"""What a change of kernels brought: recordings before and after it, by the rules of significance that comparisons have."""

import json
from collections import defaultdict
from typing import Any, Final

import duckdb
import numalens_native

from numalens.fleet.database import Answered, FleetError, rows_of
from numalens.fleet.metrics import METRICS, Metric
from numalens.fleet.over_time import names_of, values_of
from numalens.fleet.questions import CHOSEN, Chosen, weakest_of

MOST_COMPARED: Final = 8
"""Recordings of each side that a comparison is opened with."""


def upgrade(
    cursor: duckdb.DuckDBPyConnection, chosen: Chosen, before: str | None = None, after: str | None = None
) -> dict[str, Any]:
    """Every metric with kernel `before` and with kernel `after`, each recording one value.

    Without names these are the newest kernel and the one before it. Only machines that had both count, so that it is the kernel
    that differs. Raises FleetError when there is nothing to set side by side.
    """
    rows = rows_of(
        cursor,
        f"SELECT r.analysis, r.title, r.machine, r.kernel, r.time FROM recordings AS r WHERE {CHOSEN} ORDER BY r.time, r.analysis",  # noqa: S608
        chosen.parameters(),
    )
    before, after = _kernels(rows, before, after)
    had: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        had[row["machine"]].add(row["kernel"])
    both = sorted(machine for machine, kernels in had.items() if {before, after} <= kernels)
    if not both:
        raise FleetError(f"No machine was recorded both with kernel {before} and with kernel {after}.")
    sides = [[row for row in rows if row["kernel"] == kernel and row["machine"] in both] for kernel in (before, after)]
    return {
        "machines": both,
        "sides": [_side(kernel, side) for kernel, side in zip((before, after), sides, strict=True)],
        "rows": _compared(cursor, sides),
    }


def _kernels(rows: Answered, before: str | None, after: str | None) -> tuple[str, str]:
    """The two kernels: as asked for, else the newest recording's, and that of the newest recording with another before it."""
    newest = [str(row["kernel"]) for row in reversed(rows)]
    if after is None:
        after = next((kernel for kernel in newest if kernel != before), None)
    if before is None and after is not None:
        first = min((place for place, row in enumerate(rows) if row["kernel"] == after), default=len(rows))
        earlier = [str(row["kernel"]) for row in reversed(rows[:first])] or newest
        before = next((kernel for kernel in earlier if kernel != after), None)
    if before is None or after is None:
        raise FleetError("There are not two kernels to compare: all of these recordings are of one.")
    if before == after:
        raise FleetError(f"Kernel {before} is named on both sides.")
    return before, after


def _side(kernel: str, side: Answered) -> dict[str, Any]:
    return {
        "kernel": kernel,
        "recordings": len(side),
        "machines": len({row["machine"] for row in side}),
        "first_seen": side[0]["time"],
        "last_seen": side[-1]["time"],
        "analyses": [row["analysis"] for row in side[-MOST_COMPARED:]],
    }


def _compared(cursor: duckdb.DuckDBPyConnection, sides: list[Answered]) -> Answered:
    found = [(metric, _values(cursor, metric, sides)) for metric in METRICS.values()]
    kept = [(metric, values, labels) for metric, (values, labels) in found if all(values)]
    asked = [
        {"better": metric.better, "sides": [[{"values": [one]} for one in side] for side in values]}
        for metric, values, _ in kept
    ]
    answers = json.loads(numalens_native.compare_rows(json.dumps({"by": "runs", "base": 0, "rows": asked})))
    return [
        _row(metric, values, labels, answer["sides"])
        for (metric, values, labels), answer in zip(kept, answers, strict=True)
    ]


def _values(
    cursor: duckdb.DuckDBPyConnection, metric: Metric, sides: list[Answered]
) -> tuple[list[list[float]], list[str]]:
    told = {row["analysis"]: row for row in rows_of(cursor, values_of(metric), dict(names_of(metric)))}
    with_it = [[told[row["analysis"]] for row in side if row["analysis"] in told] for side in sides]
    values = [[row["value"] for row in side if row["value"] is not None] for side in with_it]
    return values, [row["label"] for side in with_it for row in side]


def _row(metric: Metric, values: list[list[float]], labels: list[str], told: list[dict[str, Any]]) -> dict[str, Any]:
    new = told[1]
    return {
        "metric": metric.name,
        "title": metric.title,
        "unit": metric.unit,
        "better": metric.better,
        "label": weakest_of(labels),
        "sides": [
            {
                "recordings": len(side),
                "mean": each["mean"],
                "median": each["summary"]["median"],
                "least": each["summary"]["min"],
                "most": each["summary"]["max"],
            }
            for side, each in zip(values, told, strict=True)
        ],
        "percent": new["percent"],
        "significant_2020": new["t_test"]["significant"] if new["t_test"] else None,
        "significant_2024": new["intervals"]["significant"] if new["intervals"] else None,
    }

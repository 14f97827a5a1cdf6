"""A change of kernels: recordings before and after it, by the rules of significance that comparisons have."""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import numalens_native

from numalens.fleet.database import FleetError, Rows, rows_of
from numalens.fleet.metrics import METRICS, Metric
from numalens.fleet.over_time import names_of, values_of
from numalens.fleet.questions import CHOSEN, Chosen, moment_of, weakest_of

MOST_COMPARED: Final = 8
"""Recordings of each side that a comparison is opened with."""


@dataclass(frozen=True)
class Upgrade:
    """Every metric with kernel `before` and with kernel `after`, each recording one value.

    Without names these are the newest kernel and the one before it. Only machines that had both count, so that it is the kernel
    that differs.
    """

    chosen: Chosen
    before: str | None = None
    after: str | None = None

    def answer(self, cursor: duckdb.DuckDBPyConnection) -> dict[str, Any]:
        """The two sides and a row for each metric. Raises FleetError when there is nothing to set side by side."""
        chosen = self.chosen.parameters()
        query = f"""
            SELECT analysis, machine, kernel, epoch_us(time) AS time FROM recordings AS r WHERE {CHOSEN} ORDER BY time, analysis
        """  # noqa: S608  (parts of these modules)
        rows = rows_of(cursor, query, chosen)
        before, after = _kernels(rows, self.before, self.after)
        had: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            had[row["machine"]].add(row["kernel"])
        both = {machine for machine, kernels in had.items() if {before, after} <= kernels}
        if not both:
            raise FleetError(f"No machine was recorded both with kernel {before} and with kernel {after}.")
        sides = [
            [row for row in rows if row["kernel"] == kernel and row["machine"] in both] for kernel in (before, after)
        ]
        cursor.execute(
            "CREATE OR REPLACE TEMP TABLE sides AS SELECT unnest($1::VARCHAR[]) AS analysis, unnest($2::TINYINT[]) AS side,"
            " unnest(range(len($1))) AS place",
            [[row["analysis"] for side in sides for row in side], [at for at in (0, 1) for _ in sides[at]]],
        )
        # Once and not for each metric: of a hundred thousand recordings that is most of the time.
        names = {name for metric in METRICS.values() for name in (metric.top, metric.bottom) if name is not None}
        cursor.execute(
            "CREATE OR REPLACE TEMP TABLE side_facts AS SELECT analysis, name, value, seconds, label"
            " FROM facts SEMI JOIN sides USING (analysis) WHERE list_contains($1, name)",
            [sorted(names)],
        )
        return {
            "machines": sorted(both),
            "sides": [_side(kernel, side) for kernel, side in zip((before, after), sides, strict=True)],
            "rows": _compared([(metric, *_values(cursor, metric)) for metric in METRICS.values()]),
        }


def _kernels(rows: Rows, before: str | None, after: str | None) -> tuple[str, str]:
    """The two kernels: as given, else the newest recording's, and that of the newest recording with another before it."""
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


def _side(kernel: str, side: Rows) -> dict[str, Any]:
    return {
        "kernel": kernel,
        "recordings": len(side),
        "machines": len({row["machine"] for row in side}),
        "first_seen": moment_of(side[0]["time"]),
        "last_seen": moment_of(side[-1]["time"]),
        "analyses": [row["analysis"] for row in side[-MOST_COMPARED:]],
    }


def _values(cursor: duckdb.DuckDBPyConnection, metric: Metric) -> tuple[list[list[float]], list[str]]:
    """A metric of each side in the order of its recordings, and all labels."""
    query = f"""
        WITH facts AS (FROM side_facts)
        SELECT side, list(value ORDER BY place) FILTER (WHERE value IS NOT NULL) AS values, list(DISTINCT label) AS labels
        FROM ({values_of(metric)}) JOIN sides USING (analysis) GROUP BY side
    """  # noqa: S608  (parts of these modules)
    found = {row["side"]: row for row in rows_of(cursor, query, dict(names_of(metric)))}
    values = [found[side]["values"] or [] if side in found else [] for side in (0, 1)]
    return values, [label for row in found.values() for label in row["labels"]]


def _compared(found: list[tuple[Metric, list[list[float]], list[str]]]) -> Rows:
    kept = [(metric, values, labels) for metric, values, labels in found if all(values)]
    rows = [
        {"better": metric.better, "sides": [[{"values": [one]} for one in side] for side in values]}
        for metric, values, _ in kept
    ]
    answers = json.loads(numalens_native.compare_rows(json.dumps({"by": "runs", "base": 0, "rows": rows})))
    return [
        _row(metric, values, labels, answer["sides"])
        for (metric, values, labels), answer in zip(kept, answers, strict=True)
    ]


def _row(metric: Metric, values: list[list[float]], labels: list[str], sides: list[dict[str, Any]]) -> dict[str, Any]:
    new = sides[1]
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
            for side, each in zip(values, sides, strict=True)
        ],
        "percent": new["percent"],
        "significant_2020": new["t_test"]["significant"] if new["t_test"] else None,
        "significant_2024": new["intervals"]["significant"] if new["intervals"] else None,
    }

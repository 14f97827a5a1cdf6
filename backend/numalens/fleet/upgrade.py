"""A change of kernels: recordings before and after it, by the rules of significance that comparisons have."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numalens_native

from numalens.fleet.database import FleetError, Rows, rows_of
from numalens.fleet.over_time import METRICS, Metric, names_of, values_of
from numalens.fleet.questions import CHOSEN, Chosen, moment_of, weakest_of

if TYPE_CHECKING:
    import duckdb

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
            "CREATE OR REPLACE TEMP TABLE sides AS SELECT unnest($1::VARCHAR[]) AS analysis, unnest(range(len($1))) AS place",
            [[row["analysis"] for side in sides for row in side]],
        )
        return {
            "machines": sorted(both),
            "sides": [_side(kernel, side) for kernel, side in zip((before, after), sides, strict=True)],
            "rows": _compared(cursor, len(sides[0])),
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
        raise FleetError("Comparing needs two kernels: all these recordings are from one.")
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


def _compared(cursor: duckdb.DuckDBPyConnection, first_after: int) -> Rows:
    """A row for each metric that both sides have; analyses from number `first_after` on are the second side.

    The values go from DuckDB to the engine as they are, through no list of Python.
    """
    names = {name for metric in METRICS.values() for name in (metric.top, metric.bottom) if name is not None}
    # Once and not for each metric, and by numbers: of a hundred thousand recordings that is most of the time.
    cursor.execute(
        "CREATE OR REPLACE TEMP TABLE side_facts AS SELECT place AS analysis, name, value, seconds, label"
        " FROM facts JOIN sides USING (analysis) WHERE list_contains($1, name)",
        [sorted(names)],
    )
    cursor.execute(
        "CREATE OR REPLACE TEMP TABLE measured"
        " (metric VARCHAR, better VARCHAR, before DOUBLE[], after DOUBLE[], labels VARCHAR[])"
    )
    for metric in METRICS.values():
        query = f"""
            INSERT INTO measured
            WITH facts AS (FROM side_facts)
            SELECT
                $metric,
                $better,
                list(value ORDER BY analysis) FILTER (analysis < $first_after AND value IS NOT NULL) AS before,
                list(value ORDER BY analysis) FILTER (analysis >= $first_after AND value IS NOT NULL) AS after,
                list(DISTINCT label)
            FROM ({values_of(metric)})
            HAVING len(before) > 0 AND len(after) > 0
        """  # noqa: S608  (parts of these modules)
        parameters = {"metric": metric.name, "better": metric.better, "first_after": first_after}
        cursor.execute(query, {**parameters, **names_of(metric)})
    found = rows_of(cursor, "SELECT metric, [len(before), len(after)] AS counts, labels FROM measured ORDER BY rowid")
    # Each recording has one value, so that its values are to the engine as windows of one run.
    cursor.execute(
        """
        SELECT to_json({
            'by': 'windows',
            'base': 0,
            'rows': list(
                {'better': better, 'sides': [[{'values': before}], [{'values': after}]]} ORDER BY measured.rowid
            )
        })
        FROM measured
        """
    )
    answers = json.loads(numalens_native.compare_rows(cursor.fetchall()[0][0])) if found else []
    return [
        _row(METRICS[row["metric"]], row["counts"], row["labels"], answer["sides"])
        for row, answer in zip(found, answers, strict=True)
    ]


def _row(metric: Metric, counts: list[int], labels: list[str], sides: list[dict[str, Any]]) -> dict[str, Any]:
    new = sides[1]
    return {
        "metric": metric.name,
        "title": metric.title,
        "unit": metric.unit,
        "better": metric.better,
        "label": weakest_of(labels),
        "sides": [
            {
                "recordings": count,
                "mean": each["mean"],
                "median": each["summary"]["median"],
                "least": each["summary"]["min"],
                "most": each["summary"]["max"],
            }
            for count, each in zip(counts, sides, strict=True)
        ],
        "percent": new["percent"],
        "significant_2020": new["t_test"]["significant"] if new["t_test"] else None,
        "significant_2024": new["intervals"]["significant"] if new["intervals"] else None,
    }

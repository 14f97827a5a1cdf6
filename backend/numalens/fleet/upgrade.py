"""What a change of kernels brought: recordings before and after it, by the rules of significance that comparisons have."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numalens_native

from numalens.fleet.database import FleetError
from numalens.fleet.metrics import METRICS, Metric
from numalens.fleet.over_time import names_of, values_of
from numalens.fleet.questions import CHOSEN, Chosen, weakest_of
from numalens.fleet.together import Rows, Table, appended, least, moment

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

    @property
    def tables(self) -> Mapping[str, Table]:
        """The recordings, and for each metric their values. Which two kernels it is about only all parts together tell."""
        recordings = Table(
            f"SELECT analysis, title, machine, kernel, epoch_us(time) AS time FROM recordings AS r WHERE {CHOSEN}",  # noqa: S608
            ("analysis",),
            dict.fromkeys(("title", "machine", "kernel", "time"), least),
            self.chosen.parameters(),
        )
        return {"recordings": recordings, **{metric.name: self._values(metric) for metric in METRICS.values()}}

    def told(self, tables: Mapping[str, Rows]) -> dict[str, Any]:
        """The two sides and a row for each metric. Raises FleetError when there is nothing to set side by side."""
        rows = sorted(tables["recordings"], key=lambda row: (row["time"], row["analysis"]))
        before, after = _kernels(rows, self.before, self.after)
        had: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            had[row["machine"]].add(row["kernel"])
        both = sorted(machine for machine, kernels in had.items() if {before, after} <= kernels)
        if not both:
            raise FleetError(f"No machine was recorded both with kernel {before} and with kernel {after}.")
        sides = [
            [row for row in rows if row["kernel"] == kernel and row["machine"] in both] for kernel in (before, after)
        ]
        return {
            "machines": both,
            "sides": [_side(kernel, side) for kernel, side in zip((before, after), sides, strict=True)],
            "rows": _compared(tables, sides),
        }

    def _values(self, metric: Metric) -> Table:
        query = f"""
            SELECT list(row(told.analysis, told.value, told.label)) AS values
            FROM ({values_of(metric)}) AS told JOIN recordings AS r USING (analysis) WHERE {CHOSEN}
        """  # noqa: S608  (parts of these modules)
        return Table(query, (), {"values": appended}, {**self.chosen.parameters(), **names_of(metric)})


def _kernels(rows: Rows, before: str | None, after: str | None) -> tuple[str, str]:
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


def _side(kernel: str, side: Rows) -> dict[str, Any]:
    return {
        "kernel": kernel,
        "recordings": len(side),
        "machines": len({row["machine"] for row in side}),
        "first_seen": moment(side[0]["time"]),
        "last_seen": moment(side[-1]["time"]),
        "analyses": [row["analysis"] for row in side[-MOST_COMPARED:]],
    }


def _compared(tables: Mapping[str, Rows], sides: list[Rows]) -> Rows:
    found = [(metric, *_values(tables[metric.name][0]["values"], sides)) for metric in METRICS.values()]
    kept = [(metric, values, labels) for metric, values, labels in found if all(values)]
    asked = [
        {"better": metric.better, "sides": [[{"values": [one]} for one in side] for side in values]}
        for metric, values, _ in kept
    ]
    answers = json.loads(numalens_native.compare_rows(json.dumps({"by": "runs", "base": 0, "rows": asked})))
    return [
        _row(metric, values, labels, answer["sides"])
        for (metric, values, labels), answer in zip(kept, answers, strict=True)
    ]


def _values(told: list[list[Any]], sides: list[Rows]) -> tuple[list[list[float]], list[str]]:
    """The values of each side in the order of its recordings, and all their labels."""
    by_analysis = {analysis: (value, label) for analysis, value, label in told}
    with_it = [[by_analysis[row["analysis"]] for row in side if row["analysis"] in by_analysis] for side in sides]
    values = [[value for value, _ in side if value is not None] for side in with_it]
    return values, [label for side in with_it for _, label in side]


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

"""A metric over time, by groups: a ratio of sums, or a percentile of the bins of all waits together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from numalens.fleet.database import Rows, rows_of
from numalens.fleet.questions import CHOSEN, GROUPS, PERIODS, By, Chosen, Every, exact_sum, moment_of, weakest_of

if TYPE_CHECKING:
    import duckdb

    from numalens.report.compare.shapes import Better


@dataclass(frozen=True)
class Metric:
    """A number of a fleet: `scale` times the sum of the facts `top` over that of `bottom`, or over the time of counting.

    Ratios of sums and percentiles of added histograms can both be made of parts. With a `quantile` it is that of all wakeup
    waits together, and `top` is the fact that each recording has of its own.
    """

    name: str
    title: str
    unit: str
    better: Better
    top: str
    bottom: str | None = None
    scale: float = 1.0
    quantile: float | None = None


METRICS: Final = {
    metric.name: metric
    for metric in (
        Metric("wakeup_p50", "Wakeup latency p50", "ns", "lower", "latency_p50_ns", quantile=0.5),
        Metric("wakeup_p99", "Wakeup latency p99", "ns", "lower", "latency_p99_ns", quantile=0.99),
        Metric("wakeups", "Wakeups", "/s", "neither", "latency_wakeups"),
        Metric("cpu_some", "CPU pressure, some", "%", "lower", "psi_cpu_some", scale=0.1),
        Metric(
            "cpu_some_sampled", "CPU pressure, some, the kernel's own", "%", "lower", "psi_cpu_some_sampled", scale=0.1
        ),
        Metric("memory_some", "Memory pressure, some", "%", "lower", "psi_memory_some", scale=0.1),
        Metric("memory_full", "Memory pressure, full", "%", "lower", "psi_memory_full", scale=0.1),
        Metric("io_some", "I/O pressure, some", "%", "lower", "psi_io_some", scale=0.1),
        Metric("io_full", "I/O pressure, full", "%", "lower", "psi_io_full", scale=0.1),
        Metric("busy", "CPUs busy", "%", "neither", "cpu_busy", "cpu_known", 100.0),
        Metric("wasted", "Idle CPUs while tasks wait", "ms/s", "lower", "waste_all"),
        Metric(
            "failure_ratio", "Attempts to place a task that failed", "%", "lower", "attempts_failed", "attempts", 100.0
        ),
        Metric(
            "cling_failure_ratio",
            "Cling's attempts that failed",
            "%",
            "lower",
            "cling_failures",
            "cling_attempts",
            100.0,
        ),
        Metric("flips", "Flips of busy nodes", "/min", "lower", "cling_flips", scale=60.0),
        Metric("crossings", "Migrations to another node", "/s", "lower", "crossings_total"),
        Metric("pages", "Pages moved between nodes", "/s", "lower", "migration_pages"),
        Metric(
            "too_late", "Pages moved just too late", "%", "lower", "migration_just_too_late", "migration_pages", 100.0
        ),
        Metric("hint_faults", "NUMA hint faults", "/s", "lower", "vmstat_hint_faults"),
        Metric("kicks", "Kicks of the idle load balancer", "/s", "neither", "ilb_sent"),
        Metric("kicks_dropped", "Kicks that were dropped", "%", "lower", "ilb_dropped", "ilb_sent", 100.0),
    )
}


Bins = Sequence[tuple[int, float, float | None, int]]
"""A bin's number, its start and its end in ns, and its number of waits."""


@dataclass(frozen=True)
class Series:
    """A metric by group and period: of all recordings together, and the least and most of each by itself."""

    metric: str
    by: By
    every: Every
    chosen: Chosen

    def answer(self, cursor: duckdb.DuckDBPyConnection) -> Rows:
        """The points by time and group; groups without the number are left out."""
        metric, parameters = METRICS[self.metric], self.chosen.parameters()
        bins: defaultdict[tuple[str, int | None], list[tuple[int, float, float | None, int]]] = defaultdict(list)
        if metric.quantile is not None:
            for row in rows_of(cursor, _bins(self._grouped), parameters):
                bins[row["group"], row["period"]].append(
                    (row["bucket"], row["least_ns"], row["below_ns"], row["waits"])
                )
        found = rows_of(cursor, _sums(metric, self._grouped), {**parameters, **names_of(metric)})
        rows = [row for row in found if row["recordings"]]
        rows.sort(key=lambda row: (row["period"] or 0, row["group"]))
        return [_point(metric, row, bins[row["group"], row["period"]]) for row in rows]

    @property
    def _grouped(self) -> str:
        return f"""
            SELECT
                r.analysis,
                epoch_us(r.time) AS us,
                epoch_us({PERIODS[self.every]}) AS period,
                unnest({GROUPS[self.by]}) AS "group"
            FROM recordings AS r WHERE {CHOSEN}
        """  # noqa: S608  (parts of these modules)


def _point(metric: Metric, row: Mapping[str, Any], bins: Bins) -> dict[str, Any]:
    value, lower = quantile_of(bins, metric.quantile) if metric.quantile else (_ratio(metric, row), None)
    return {
        "group": row["group"],
        "period": moment_of(row["period"]),
        "value": value,
        "value_least": lower,
        "recordings": row["recordings"],
        "looked_at": row["looked_at"],
        "least": row["least"],
        "most": row["most"],
        "latest": None if row["latest"] is None else row["latest"][-1],
        "label": weakest_of(row["labels"] or []),
    }


def _ratio(metric: Metric, row: Mapping[str, Any]) -> float | None:
    bottom = exact_sum(row["bottom"])
    return metric.scale * exact_sum(row["top"]) / bottom if bottom else None


def quantile_of(bins: Bins, quantile: float) -> tuple[float | None, float | None]:
    """The nearest rank's bin, from its upper edge (the value is at most that) to its lower one, ns; None without waits."""
    rank = math.ceil(quantile * sum(waits for *_, waits in bins))
    below = 0
    for _, begin, end, waits in sorted(bins, key=lambda each: each[0]):
        below += waits
        if below >= rank:
            return (begin if end is None else end), begin
    return None, None


def _sums(metric: Metric, grouped: str) -> str:
    return f"""
        WITH grouped AS ({grouped}), found AS ({values_of(metric)})
        SELECT
            "group",
            period,
            list(top) FILTER (WHERE top IS NOT NULL) AS top,
            list(bottom) FILTER (WHERE bottom IS NOT NULL) AS bottom,
            count(found.analysis) AS recordings,
            count(*) AS looked_at,
            min(value) AS least,
            max(value) AS most,
            max(row(us, found.analysis)) FILTER (WHERE found.analysis IS NOT NULL) AS latest,
            list(DISTINCT label) FILTER (WHERE label IS NOT NULL) AS labels
        FROM grouped LEFT JOIN found USING (analysis)
        GROUP BY "group", period
    """  # noqa: S608  (parts of these modules)


def _bins(grouped: str) -> str:
    return f"""
        WITH grouped AS ({grouped})
        SELECT "group", period, bucket, least_ns, below_ns, sum(count)::BIGINT AS waits
        FROM grouped JOIN waits USING (analysis)
        GROUP BY ALL
    """  # noqa: S608  (parts of these modules)


def values_of(metric: Metric) -> str:
    """A query for the metric of each recording by itself: `analysis`, `top`, `bottom`, `value`, `label`.

    What-if values are left out.
    """
    if metric.quantile is not None:
        return """
            SELECT analysis, NULL::DOUBLE AS top, NULL::DOUBLE AS bottom, value, label
            FROM facts WHERE name = $top AND label <> 'what-if'
        """
    if metric.bottom is None:
        return """
            SELECT analysis, value AS top, seconds AS bottom, $scale * value / seconds AS value, label
            FROM facts WHERE name = $top AND seconds > 0 AND label <> 'what-if'
        """
    return """
        SELECT above.analysis, above.value AS top, under.value AS bottom, $scale * above.value / under.value AS value, above.label
        FROM facts AS above JOIN facts AS under USING (analysis)
        WHERE above.name = $top AND under.name = $bottom AND under.value > 0 AND above.label <> 'what-if'
    """


def names_of(metric: Metric) -> Mapping[str, Any]:
    """The parameters of `values_of`."""
    if metric.quantile is not None:
        return {"top": metric.top}
    names: dict[str, Any] = {"top": metric.top, "scale": metric.scale}
    return names if metric.bottom is None else {**names, "bottom": metric.bottom}

"""A metric over time, by groups. Parts tell sums and bins of waits, which add up to the same as all at once."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from numalens.fleet.metrics import METRICS, Metric
from numalens.fleet.questions import CHOSEN, GROUPS, PERIODS, By, Chosen, Every, weakest_of
from numalens.fleet.together import Rows, Rule, Table, count, exactly, least, moment, most, union

KEY: Final = ("group", "period")
Bins = Sequence[tuple[int, float, float | None, int]]
"""A bin's number, its begin and its end in ns, and how many waits are in it."""


@dataclass(frozen=True)
class Series:
    """A metric by group and period: of all recordings together, and the least and most of each by itself."""

    metric: str
    by: By
    every: Every
    chosen: Chosen

    @property
    def tables(self) -> Mapping[str, Table]:
        """Sums, and the bins of waits where it is a percentile."""
        metric = METRICS[self.metric]
        parameters = self.chosen.parameters()
        rules: dict[str, Rule] = {
            "top": exactly,
            "bottom": exactly,
            "recordings": count,
            "looked_at": count,
            "least": least,
            "most": most,
            "latest": most,
            "labels": union,
        }
        sums = {"sums": Table(_sums(metric, self._grouped), KEY, rules, {**parameters, **names_of(metric)})}
        if metric.quantile is None:
            return sums
        bins = Table(_bins(self._grouped), (*KEY, "bucket", "least_ns", "below_ns"), {"waits": count}, parameters)
        return {**sums, "bins": bins}

    def told(self, tables: Mapping[str, Rows]) -> Rows:
        """What the sums say, by time and group; groups without the number are left out."""
        bins: defaultdict[tuple[str, int | None], list[tuple[int, float, float | None, int]]] = defaultdict(list)
        for row in tables.get("bins", []):
            bins[row["group"], row["period"]].append((row["bucket"], row["least_ns"], row["below_ns"], row["waits"]))
        rows = [row for row in tables["sums"] if row["recordings"]]
        rows.sort(key=lambda row: (row["period"] or 0, row["group"]))
        return [_point(METRICS[self.metric], row, bins[row["group"], row["period"]]) for row in rows]

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
        "period": moment(row["period"]),
        "value": value,
        "value_least": lower,
        "recordings": row["recordings"],
        "looked_at": row["looked_at"],
        "least": row["least"],
        "most": row["most"],
        "latest": None if row["latest"] is None else row["latest"][-1],
        "label": weakest_of(row["labels"]),
    }


def _ratio(metric: Metric, row: Mapping[str, Any]) -> float | None:
    bottom = math.fsum(row["bottom"])
    return metric.scale * math.fsum(row["top"]) / bottom if bottom else None


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
        WITH grouped AS ({grouped}), told AS ({values_of(metric)})
        SELECT
            "group",
            period,
            list(top) FILTER (WHERE top IS NOT NULL) AS top,
            list(bottom) FILTER (WHERE bottom IS NOT NULL) AS bottom,
            count(told.analysis) AS recordings,
            count(*) AS looked_at,
            min(value) AS least,
            max(value) AS most,
            max(row(us, told.analysis)) FILTER (WHERE told.analysis IS NOT NULL) AS latest,
            list(DISTINCT label) FILTER (WHERE label IS NOT NULL) AS labels
        FROM grouped LEFT JOIN told USING (analysis)
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

    What a kernel would have done has no place among what kernels did.
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

"""A metric over time, by groups. First partial sums, which may come from several places, then what they say together."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import duckdb

from numalens.fleet.database import Answered, rows_of
from numalens.fleet.metrics import Metric
from numalens.fleet.questions import CHOSEN, GROUPS, PERIODS, By, Chosen, Every, weakest_of


@dataclass
class Partial:
    """What some recordings of a group say in a period. Two of them add up, in any order, to the same as all at once."""

    top: float = 0.0
    bottom: float = 0.0
    recordings: int = 0
    """That have the number; `looked_at` are all."""
    looked_at: int = 0
    least: float = math.inf
    most: float = -math.inf
    """Of the recordings, each by itself."""
    latest: tuple[datetime, str] | None = None
    labels: set[str] = field(default_factory=set)
    waits: Counter[tuple[int, float, float | None]] = field(default_factory=Counter)
    """By bin, its begin and its end."""

    def add(self, other: "Partial") -> None:
        """Takes another one in."""
        self.top += other.top
        self.bottom += other.bottom
        self.recordings += other.recordings
        self.looked_at += other.looked_at
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)
        self.latest = max((each for each in (self.latest, other.latest) if each is not None), default=None)
        self.labels |= other.labels
        self.waits += other.waits


Key = tuple[str, datetime | None]
Partials = dict[Key, Partial]


def partials(cursor: duckdb.DuckDBPyConnection, metric: Metric, by: By, every: Every, chosen: Chosen) -> Partials:
    """The partial sums of a metric, by group and the begin of the period."""
    found: Partials = {}
    for row in _sums(cursor, metric, by, every, chosen):
        found[row["group"], row["period"]] = Partial(
            row["top"] or 0.0,
            row["bottom"] or 0.0,
            row["recordings"],
            row["looked_at"],
            math.inf if row["least"] is None else row["least"],
            -math.inf if row["most"] is None else row["most"],
            None if row["latest"] is None else (row["latest_time"], row["latest"]),
            set(row["labels"] or []),
        )
    if metric.quantile is not None:
        for row in _bins(cursor, by, every, chosen):
            at = row["bucket"], row["least_ns"], row["below_ns"]
            found[row["group"], row["period"]].waits[at] += row["waits"]
    return found


def merged(parts: Iterable[Partials]) -> Partials:
    """All partial sums together."""
    whole: Partials = {}
    for part in parts:
        for key, partial in part.items():
            whole.setdefault(key, Partial()).add(partial)
    return whole


def points(metric: Metric, whole: Partials) -> Answered:
    """What the sums say, by time and group; groups without the number are left out."""
    told = [_point(metric, key, partial) for key, partial in whole.items() if partial.recordings]
    return sorted(told, key=lambda point: (point["period"] is not None, point["period"], point["group"]))


def _point(metric: Metric, key: Key, partial: Partial) -> dict[str, Any]:
    group, period = key
    value, least = _quantile(partial, metric.quantile) if metric.quantile else (_ratio(metric, partial), None)
    return {
        "group": group,
        "period": period,
        "value": value,
        "value_least": least,
        "recordings": partial.recordings,
        "looked_at": partial.looked_at,
        "least": partial.least if math.isfinite(partial.least) else None,
        "most": partial.most if math.isfinite(partial.most) else None,
        "latest": None if partial.latest is None else partial.latest[1],
        "label": weakest_of(sorted(partial.labels)),
    }


def _ratio(metric: Metric, partial: Partial) -> float | None:
    return metric.scale * partial.top / partial.bottom if partial.bottom else None


def _quantile(partial: Partial, quantile: float) -> tuple[float | None, float | None]:
    """The nearest rank's bin, from its upper edge (the value is at most that) to its lower one."""
    rank = math.ceil(quantile * partial.waits.total())
    below = 0
    for (_, least, edge), waits in sorted(partial.waits.items(), key=lambda item: item[0][0]):
        below += waits
        if below >= rank:
            return (least if edge is None else edge), least
    return None, None


def _groups(by: By, every: Every) -> str:
    return f"""
        SELECT r.analysis, r.time, {PERIODS[every]} AS period, unnest({GROUPS[by]}) AS "group"
        FROM recordings AS r WHERE {CHOSEN}
    """  # noqa: S608  (parts of these modules)


def _sums(cursor: duckdb.DuckDBPyConnection, metric: Metric, by: By, every: Every, chosen: Chosen) -> Answered:
    own = f"({values_of(metric)})"
    return rows_of(
        cursor,
        f"""
        WITH grouped AS ({_groups(by, every)}), told AS {own}
        SELECT
            "group",
            period,
            sum(top) AS top,
            sum(bottom) AS bottom,
            count(told.analysis) AS recordings,
            count(*) AS looked_at,
            min(value) AS least,
            max(value) AS most,
            max(time) FILTER (WHERE told.analysis IS NOT NULL) AS latest_time,
            arg_max(told.analysis, (time, told.analysis)) FILTER (WHERE told.analysis IS NOT NULL) AS latest,
            list(DISTINCT label) FILTER (WHERE label IS NOT NULL) AS labels
        FROM grouped LEFT JOIN told USING (analysis)
        GROUP BY "group", period
        """,  # noqa: S608  (parts of these modules)
        {**chosen.parameters(), **names_of(metric)},
    )


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


def _bins(cursor: duckdb.DuckDBPyConnection, by: By, every: Every, chosen: Chosen) -> Answered:
    return rows_of(
        cursor,
        f"""
        WITH grouped AS ({_groups(by, every)})
        SELECT "group", period, bucket, least_ns, below_ns, sum(count)::BIGINT AS waits
        FROM grouped JOIN waits USING (analysis)
        GROUP BY ALL
        """,  # noqa: S608  (parts of these modules)
        chosen.parameters(),
    )

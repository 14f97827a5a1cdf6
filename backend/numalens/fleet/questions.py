"""The ready questions about machines and findings, and what all questions have in common.

DuckDB filters, groups and counts. Sums of measurements are made of the single values here, correctly rounded: they do not
depend on the order in which recordings are read. Moments are microseconds of UTC since 1970.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from numalens.fleet.database import Rows, rows_of

L = TypeVar("L", bound=str)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

Every = Literal["day", "week", "month", "all"]
By = Literal["all", "machine", "kernel", "tag", "incident", "nodes"]

CHOSEN: Final = """
    ($from IS NULL OR r.time >= $from) AND ($to IS NULL OR r.time < $to)
    AND ($machine IS NULL OR r.machine = $machine)
    AND ($kernel IS NULL OR r.kernel = $kernel)
    AND ($tag IS NULL OR list_contains(r.tags, $tag))
"""
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MOST: Final = 1e300
"""Limit of valid measurements; larger values, and NaN, would make a sum of all others worthless."""
SEVERITIES: Final = ("high", "medium", "low")
RANK: Final = "CASE severity WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END"
PERIODS: Final = {
    "day": "date_trunc('day', r.time)",
    "week": "date_trunc('week', r.time)",
    "month": "date_trunc('month', r.time)",
    "all": "NULL::TIMESTAMP",
}
"""Starts of periods in UTC, as SQL; weeks start on Monday."""
GROUPS: Final = {
    "all": "['all']",
    "machine": "[r.machine]",
    "kernel": "[r.kernel]",
    "tag": "CASE WHEN len(r.tags) = 0 THEN ['no tag'] ELSE r.tags END",
    "incident": "[coalesce(r.incident, 'no incident')]",
    "nodes": "[format('{} x {} CPUs', r.nodes, r.cpus // greatest(r.nodes, 1))]",
}
"""The groups that a recording belongs to: with several tags it counts in each of them."""


@dataclass(frozen=True)
class Chosen:
    """Recordings of a question. Times are those of recording, or of upload if no input has them."""

    begin: datetime | None = None
    end: datetime | None = None
    machine: str | None = None
    kernel: str | None = None
    tag: str | None = None

    def parameters(self) -> dict[str, Any]:
        """As the conditions in `CHOSEN` call them."""
        fields = asdict(self)
        begin, end = (_naive(fields.pop(name)) for name in ("begin", "end"))
        return {**fields, "from": begin, "to": end}


def _naive(moment: datetime | None) -> datetime | None:
    """UTC without a zone, as the files have it."""
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def moment_of(us: int | None) -> datetime | None:
    """A moment as answers have it: UTC without a zone."""
    return None if us is None else (EPOCH + timedelta(microseconds=us)).replace(tzinfo=None)


def exact_sum(values: Iterable[float] | None) -> float:
    """The sum of measurements, rounded once."""
    return math.fsum(value for value in values or () if abs(value) < MOST)


@dataclass(frozen=True)
class Choices:
    """Choices for questions: machines, kernels in their order, tags, and the first and last time."""

    def answer(self, cursor: duckdb.DuckDBPyConnection) -> dict[str, Any]:
        """One row."""
        (row,) = rows_of(
            cursor,
            """
            SELECT
                count(*) AS recordings,
                epoch_us(min(time)) AS first_seen,
                epoch_us(max(time)) AS last_seen,
                list(DISTINCT machine) AS machines,
                list_distinct(flatten(list(tags))) AS tags
            FROM recordings
            """,
        )
        version = "[coalesce(number, -1) FOR number IN kernel_version]"
        kernels = rows_of(cursor, f"SELECT kernel, min({version}) AS version FROM recordings GROUP BY kernel")  # noqa: S608
        kernels.sort(key=lambda kernel: (kernel["version"], kernel["kernel"]))
        seen = {name: moment_of(row[name]) for name in ("first_seen", "last_seen")}
        sets = {name: sorted(row[name] or []) for name in ("machines", "tags")}
        return {**row, **seen, **sets, "kernels": [kernel["kernel"] for kernel in kernels]}


@dataclass(frozen=True)
class Machines:
    """Every machine: its recordings, when it was last seen, the flips of busy nodes, and its worst finding; most flips first.

    `flips` is null where no recording has cling; `flips_what_if` are those of kernels that have none, as if they had it.
    """

    chosen: Chosen

    def answer(self, cursor: duckdb.DuckDBPyConnection) -> Rows:
        """A row for each machine. Where something is chosen by an order, the order comes first, and ends with the analysis."""
        query = f"""
            WITH chosen AS (SELECT *, epoch_us(time) AS us FROM recordings AS r WHERE {CHOSEN}),
            flips AS (
                SELECT analysis, value AS flips, seconds, label, label <> 'what-if' AS did FROM facts WHERE name = 'cling_flips'
            ),
            worst AS (
                SELECT analysis, min(row({RANK}, -worst_ms, analysis, kind, label)) AS worst FROM findings GROUP BY analysis
            )
            SELECT
                machine,
                count(*) AS recordings,
                min(us) AS first_seen,
                max(row(us, analysis, title, kernel, nodes, cpus)) AS latest,
                list(DISTINCT kernel) AS kernels,
                sum(flips) FILTER (WHERE did) AS flips,
                sum(flips) FILTER (WHERE NOT did) AS flips_what_if,
                list(flips.seconds) FILTER (WHERE did AND flips.seconds IS NOT NULL) AS seconds,
                count(*) FILTER (WHERE did AND flips > 0) AS recordings_with_flips,
                list(DISTINCT label) FILTER (WHERE did) AS labels,
                max(row(flips, us, analysis)) FILTER (WHERE did AND flips > 0) AS most_flips,
                min(row(worst, title)) FILTER (WHERE worst IS NOT NULL) AS worst
            FROM chosen LEFT JOIN flips USING (analysis) LEFT JOIN worst USING (analysis)
            GROUP BY machine
        """  # noqa: S608  (parts of this module)
        rows = [_machine(row) for row in rows_of(cursor, query, self.chosen.parameters())]
        return sorted(
            rows, key=lambda row: (row["flips"] is None, -(row["flips"] or 0), -row["recordings"], row["machine"])
        )


def _machine(row: Mapping[str, Any]) -> dict[str, Any]:
    us, latest, title, kernel, nodes, cpus = row["latest"]
    seconds = exact_sum(row["seconds"])
    worst = None
    if row["worst"] is not None:
        (rank, cost, analysis, kind, label), worst_title = row["worst"]
        worst = {"analysis": analysis, "title": worst_title, "kind": kind, "severity": SEVERITIES[rank]}
        worst |= {"cost_ms": -cost, "label": label}
    return {
        "machine": row["machine"],
        "recordings": row["recordings"],
        "first_seen": moment_of(row["first_seen"]),
        "last_seen": moment_of(us),
        "kernel": kernel,
        "kernels": len(row["kernels"]),
        "nodes": nodes,
        "cpus": cpus,
        "flips": None if row["flips"] is None else round(row["flips"]),
        "flips_what_if": None if row["flips_what_if"] is None else round(row["flips_what_if"]),
        "flips_per_minute": None if row["flips"] is None or seconds <= 0 else 60 * row["flips"] / seconds,
        "recordings_with_flips": row["recordings_with_flips"],
        "labels": sorted(row["labels"] or []),
        "latest": latest,
        "latest_title": title,
        "most_flips": None if row["most_flips"] is None else row["most_flips"][-1],
        "worst": worst,
    }


@dataclass(frozen=True)
class Findings:
    """Findings by kind and period: how many, in how many recordings of how many that were looked at, and what they cost."""

    chosen: Chosen
    every: Every = "week"

    def answer(self, cursor: duckdb.DuckDBPyConnection) -> Rows:
        """A row for each kind and period, by time, the costliest first."""
        parameters = self.chosen.parameters()
        chosen = f"SELECT *, epoch_us({PERIODS[self.every]}) AS period FROM recordings AS r WHERE {CHOSEN}"  # noqa: S608
        periods = f"""
            SELECT period, count(*) AS looked_at, list(seconds) FILTER (WHERE seconds IS NOT NULL) AS seconds
            FROM ({chosen}) GROUP BY period
        """  # noqa: S608  (parts of this module)
        found = f"""
            SELECT
                f.kind,
                c.period,
                sum(f.count)::BIGINT AS count,
                count(DISTINCT f.analysis) AS recordings,
                count(DISTINCT c.machine) AS machines,
                list(f.cost_ms) FILTER (WHERE f.cost_ms IS NOT NULL) AS cost_ms,
                min({RANK}) AS severity,
                list(DISTINCT f.label) AS labels,
                max(row(f.worst_ms, c.analysis, c.title, c.machine)) AS worst
            FROM findings AS f JOIN ({chosen}) AS c USING (analysis)
            GROUP BY f.kind, c.period
        """  # noqa: S608  (parts of this module)
        looked = {row["period"]: row for row in rows_of(cursor, periods, parameters)}
        rows = [_finding(row, looked[row["period"]]) for row in rows_of(cursor, found, parameters)]
        return sorted(rows, key=lambda row: (row["period"] or datetime.min, -row["cost_ms"], row["kind"]))  # noqa: DTZ901


def _finding(row: Mapping[str, Any], looked: Mapping[str, Any]) -> dict[str, Any]:
    cost, seconds = exact_sum(row["cost_ms"]), exact_sum(looked["seconds"])
    worst, analysis, title, machine = row["worst"]
    return {
        **{name: row[name] for name in ("kind", "count", "recordings")},
        "labels": sorted(row["labels"] or []),
        "period": moment_of(row["period"]),
        "machines": row["machines"],
        "looked_at": looked["looked_at"],
        "cost_ms": cost,
        "cost_ms_per_second": cost / seconds if seconds > 0 else None,
        "severity": SEVERITIES[row["severity"]],
        "worst": {"analysis": analysis, "title": title, "machine": machine, "cost_ms": worst},
    }


def weakest_of(labels: Sequence[L]) -> L | None:
    """The label of what several things make together."""
    order = ("observed", "replayed", "inferred", "what-if")
    return max(labels, key=order.index, default=None)

"""The ready questions about machines and findings, and what all questions have in common."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import duckdb

from numalens.fleet.database import Answered, rows_of

Every = Literal["day", "week", "month", "all"]
By = Literal["all", "machine", "kernel", "tag", "incident", "nodes"]

CHOSEN: Final = """
    ($from IS NULL OR r.time >= $from) AND ($to IS NULL OR r.time < $to)
    AND ($machine IS NULL OR r.machine = $machine)
    AND ($kernel IS NULL OR r.kernel = $kernel)
    AND ($tag IS NULL OR list_contains(r.tags, $tag))
"""
SEVERITY: Final = "CASE {} WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END"
PERIODS: Final = {
    "day": "date_trunc('day', r.time)",
    "week": "date_trunc('week', r.time)",
    "month": "date_trunc('month', r.time)",
    "all": "NULL::TIMESTAMP",
}
"""Of UTC; weeks begin on Monday."""
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
    """Of which recordings something is asked. Moments are those of recording, or of upload where no input tells them."""

    begin: datetime | None = None
    end: datetime | None = None
    machine: str | None = None
    kernel: str | None = None
    tag: str | None = None

    def parameters(self) -> dict[str, Any]:
        """As the conditions in `CHOSEN` call them."""
        told = asdict(self)
        begin, end = (_naive(told.pop(name)) for name in ("begin", "end"))
        return {**told, "from": begin, "to": end}


def _naive(moment: datetime | None) -> datetime | None:
    """UTC without saying so, as the files have it."""
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def machines(cursor: duckdb.DuckDBPyConnection, chosen: Chosen) -> Answered:
    """Every machine: its recordings, when it was last seen, the flips of busy nodes, and its worst finding; most flips first.

    `flips` is null where no recording tells of cling; `flips_what_if` are those of kernels that have none, as if they had it.
    """
    return rows_of(
        cursor,
        f"""
        WITH chosen AS (SELECT * FROM recordings AS r WHERE {CHOSEN}),
        flips AS (SELECT analysis, value AS flips, seconds, label, label <> 'what-if' AS did FROM facts WHERE name = 'cling_flips'),
        worst AS (
            SELECT analysis, arg_min(
                {{'kind': kind, 'severity': severity, 'cost_ms': worst_ms, 'label': label}},
                ({SEVERITY.format("severity")}, -worst_ms)
            ) AS worst
            FROM findings GROUP BY analysis
        )
        SELECT
            machine,
            count(*) AS recordings,
            min(time) AS first_seen,
            max(time) AS last_seen,
            arg_max(kernel, time) AS kernel,
            count(DISTINCT kernel) AS kernels,
            arg_max(nodes, time) AS nodes,
            arg_max(cpus, time) AS cpus,
            sum(flips) FILTER (WHERE did)::BIGINT AS flips,
            sum(flips) FILTER (WHERE NOT did)::BIGINT AS flips_what_if,
            60 * sum(flips) FILTER (WHERE did) / sum(flips.seconds) FILTER (WHERE did) AS flips_per_minute,
            count(*) FILTER (WHERE did AND flips > 0) AS recordings_with_flips,
            list(DISTINCT label) FILTER (WHERE did) AS labels,
            arg_max(analysis, time) AS latest,
            arg_max(title, time) AS latest_title,
            arg_max(analysis, (flips, time)) FILTER (WHERE did AND flips > 0) AS most_flips,
            arg_min(
                struct_pack(analysis := analysis, title := title, kind := worst.kind, severity := worst.severity,
                    cost_ms := worst.cost_ms, label := worst.label),
                ({SEVERITY.format("worst.severity")}, -worst.cost_ms)
            ) FILTER (WHERE worst IS NOT NULL) AS worst
        FROM chosen LEFT JOIN flips USING (analysis) LEFT JOIN worst USING (analysis)
        GROUP BY machine
        ORDER BY flips DESC NULLS LAST, recordings DESC, machine
        """,  # noqa: S608  (parts of this module)
        chosen.parameters(),
    )


def findings(cursor: duckdb.DuckDBPyConnection, chosen: Chosen, every: Every = "week") -> Answered:
    """Findings by kind and period: how many, in how many recordings of how many that were looked at, and what they cost."""
    return rows_of(
        cursor,
        f"""
        WITH chosen AS (SELECT *, {PERIODS[every]} AS period FROM recordings AS r WHERE {CHOSEN}),
        looked AS (SELECT period, count(*) AS recordings, sum(seconds) AS seconds FROM chosen GROUP BY period)
        SELECT
            f.kind,
            c.period,
            sum(f.count)::BIGINT AS count,
            count(DISTINCT f.analysis) AS recordings,
            count(DISTINCT c.machine) AS machines,
            any_value(looked.recordings) AS looked_at,
            sum(f.cost_ms) AS cost_ms,
            sum(f.cost_ms) / any_value(looked.seconds) AS cost_ms_per_second,
            arg_min(f.severity, ({SEVERITY.format("f.severity")})) AS severity,
            list(DISTINCT f.label) AS labels,
            arg_max(struct_pack(analysis := c.analysis, title := c.title, machine := c.machine, cost_ms := f.worst_ms), f.worst_ms)
                AS worst
        FROM findings AS f JOIN chosen AS c USING (analysis)
            JOIN looked ON looked.period IS NOT DISTINCT FROM c.period
        GROUP BY f.kind, c.period
        ORDER BY c.period, cost_ms DESC, f.kind
        """,  # noqa: S608  (parts of this module)
        chosen.parameters(),
    )


def choices(cursor: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """What there is to choose from: machines, kernels in their order, tags, and the first and last moment."""
    told = rows_of(
        cursor,
        """
        SELECT
            count(*) AS recordings,
            min(time) AS first_seen,
            max(time) AS last_seen,
            coalesce(list(DISTINCT machine ORDER BY machine), []) AS machines,
            coalesce(list(DISTINCT tag ORDER BY tag), []) AS tags
        FROM recordings LEFT JOIN LATERAL (SELECT unnest(tags) AS tag) ON true
        """,
    )[0]
    kernels = rows_of(
        cursor, "SELECT kernel FROM recordings GROUP BY kernel ORDER BY any_value(kernel_version) NULLS FIRST, kernel"
    )
    count = rows_of(cursor, "SELECT count(*) AS recordings FROM recordings")[0]
    return {
        **told,
        **count,
        "tags": [tag for tag in told["tags"] if tag is not None],
        "kernels": [row["kernel"] for row in kernels],
    }


def weakest_of(labels: Sequence[str]) -> str | None:
    """The label of what several things make together."""
    order = ("observed", "replayed", "inferred", "what-if")
    return max(labels, key=order.index, default=None)

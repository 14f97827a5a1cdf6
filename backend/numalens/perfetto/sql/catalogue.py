"""Catalogue for queries: the engine's own tables, views and functions, the views of NumaLens' modules, and examples."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from numalens.perfetto import rpc
from numalens.perfetto.calls import TraceProcessor
from numalens.perfetto.sql.statements import MAKING, REFUSED_NAMES

TABLES: Final = (
    "select m.name, m.type, p.name, p.type from ("
    " select name, type from sqlite_schema where type in ('table', 'view')"
    " union select 'stats', 'table' where exists (select 1 from pragma_module_list where name = 'stats')"
    ") m join pragma_table_info(m.name) p"
    " where m.name not glob '[_]*' and m.name not glob 'sqlite*' and m.name not glob 'numalens*'"
    " and p.name not glob '[_]*' order by m.name, p.cid"
)
# Functions of any number of arguments build messages of Android's metrics.
FUNCTIONS: Final = (
    "select distinct name from pragma_function_list where not builtin and narg >= 0"
    " and name not glob '[_]*' and name not glob 'experimental*' and name not glob 'internal*' order by name"
)
HIDDEN: Final = MAKING | REFUSED_NAMES.keys()
KNOWN: Final = {
    "args": "Arguments of events, slices and tracks by arg_set_id; extract_arg(arg_set_id, 'key') reads one.",
    "counter": "Values of counters by time; their names are those of counter_track.",
    "cpu": "CPUs; processor is the node.",
    "flow": "Arrows from one slice to another.",
    "ftrace_event": "Every recorded event; its fields are in args.",
    "process": "Processes.",
    "sched": "Slices of tasks on CPUs.",
    "slice": "Spans and instants on tracks.",
    "stats": "Counters of the trace processor while it loaded the trace.",
    "thread": "Threads; utid distinguishes a thread from a later one with the same tid.",
    "thread_state": "States of threads: Running, R runnable, R+ preempted, S and D asleep.",
    "track": "Tracks, with their parents.",
}


def catalogue(engine: TraceProcessor) -> dict[str, Any]:
    """Tables, modules, functions and examples as `SqlSchema` has them."""
    found: dict[str, dict[str, Any]] = {}
    for name, kind, column, column_type in engine.rows(TABLES):
        table = found.setdefault(str(name), _table(str(name), str(kind), KNOWN.get(str(name)), None))
        table["columns"].append({"name": _text(column), "type": _text(column_type)})
    tables = list(found.values())
    for module in modules():
        for view in module.views:
            table = _table(view.name, "ours", view.description, module.name)
            table["columns"] = [{"name": name, "type": kind} for name, kind in view.columns]
            tables.append(table)
    return {
        "tables": tables,
        "modules": [{"name": module.name, "description": module.description} for module in modules()],
        "functions": [str(name) for (name,) in engine.rows(FUNCTIONS) if name not in HIDDEN],
        "examples": [{"title": example.title, "sql": example.sql} for example in EXAMPLES],
    }


def _table(name: str, kind: str, description: str | None, module: str | None) -> dict[str, Any]:
    return {"name": name, "kind": kind, "description": description, "module": module, "columns": []}


def _text(cell: rpc.Cell) -> str:
    return "" if cell is None else str(cell)


@dataclass(frozen=True)
class Example:
    """A question and its SQL."""

    title: str
    sql: str


EXAMPLES: Final = (
    Example(
        "Which threads waited longest for a CPU, and on which node?",
        """INCLUDE PERFETTO MODULE numalens.latency;

SELECT ts, dur / 1e6 AS ms, thread_name, tid, cpu, nid, kind
FROM numalens_wait
ORDER BY dur DESC
LIMIT 50""",
    ),
    Example(
        "What did threads sleep for, and who held them up?",
        """INCLUDE PERFETTO MODULE numalens.off_cpu;

SELECT thread_name, tid, cause, resource, coalesce(holder, waker) AS held_up_by, count() AS sleeps, sum(dur) / 1e6 AS ms
FROM numalens_sleep
WHERE cause != 'timer'
GROUP BY 1, 2, 3, 4, 5
ORDER BY ms DESC
LIMIT 50""",
    ),
    Example(
        "How long do tasks wait on each node?",
        """INCLUDE PERFETTO MODULE numalens.latency;

SELECT nid, kind, waits, total_ns / 1e6 AS total_ms, p50_ns / 1e3 AS p50_us, p99_ns / 1e3 AS p99_us, max_ns / 1e6 AS max_ms
FROM numalens_wait_by_node
ORDER BY nid, kind""",
    ),
    Example(
        "Was one node overloaded while another was idle?",
        """INCLUDE PERFETTO MODULE numalens.nodes;

SELECT full.ts, full.dur, full.nid, full.percent, free.nid AS free_nid, free.percent AS free_percent
FROM numalens_node_busy AS full
JOIN numalens_node_busy AS free USING (ts)
WHERE full.percent > 95 AND free.percent < 50
ORDER BY full.ts""",
    ),
    Example(
        "Which tasks changed nodes most?",
        """INCLUDE PERFETTO MODULE numalens.nodes;

WITH stays AS (
  SELECT utid, nid, lag(nid) OVER (PARTITION BY utid ORDER BY sched.ts) AS before
  FROM sched
  JOIN numalens_cpu_node USING (cpu)
)
SELECT thread.name, thread.tid, count() AS changes
FROM stays
JOIN thread USING (utid)
WHERE nid != before AND thread.tid != 0
GROUP BY utid
ORDER BY changes DESC
LIMIT 50""",
    ),
    Example(
        "Which findings cost most?",
        """INCLUDE PERFETTO MODULE numalens.findings;

SELECT rank, finding, severity, impact_ms, ts, dur, summary
FROM numalens_finding
ORDER BY rank""",
    ),
    Example(
        "How did NUMA balancing attempts end, by node?",
        """INCLUDE PERFETTO MODULE numalens.nodes;

SELECT nid, target_nid, verdict, count() AS attempts
FROM numalens_numa_attempt
GROUP BY nid, target_nid, verdict
ORDER BY attempts DESC""",
    ),
    Example(
        "Which tasks use the CPUs?",
        """SELECT thread.name, thread.tid, count() AS times, sum(dur) / 1e6 AS ms, max(dur) / 1e6 AS longest_ms
FROM sched
JOIN thread USING (utid)
WHERE thread.tid != 0 AND dur > 0
GROUP BY utid
ORDER BY ms DESC
LIMIT 50""",
    ),
    Example(
        "Which events were recorded?",
        """-- A waking with success = 0 was made for the trace processor where only a wake-up was recorded.
SELECT name, count() AS events, min(ts) AS first_ts, max(ts) AS last_ts
FROM ftrace_event
WHERE name != 'sched_waking' OR coalesce(extract_arg(arg_set_id, 'success'), 1) != 0
GROUP BY name
ORDER BY events DESC""",
    ),
)


PACKAGE: Final = "numalens"
SUFFIX: Final = ".sql"

_CREATED: Final = re.compile(
    r"(?P<comment>(?:^--.*\n)+)^CREATE PERFETTO (?:TABLE|VIEW) (?P<name>[a-z][a-z0-9_]*)\(\n(?P<columns>(?:  .*\n)+)\)",
    re.MULTILINE,
)
_COLUMN: Final = re.compile(r"^  (?P<name>[a-z][a-z0-9_]*) (?P<type>[A-Z]+)", re.MULTILINE)


@dataclass(frozen=True)
class View:
    """A view or table of a module."""

    name: str
    description: str
    columns: list[tuple[str, str]]
    """Name and declared type."""


@dataclass(frozen=True)
class Module:
    """A module: its name for the inclusion, its text, and the descriptions in its comments."""

    name: str
    sql: str
    description: str
    views: list[View]


@cache
def modules() -> tuple[Module, ...]:
    """All modules, by name: views over the tracks that our own export writes.

    A module is a file of `modules/numalens/`. Its first comment says what it is about, the comment above a view what the view
    has; views and tables declare their columns.
    """
    folder = files("numalens.perfetto") / "modules" / PACKAGE
    found = [(file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(SUFFIX)]
    return tuple(
        Module(
            name=f"{PACKAGE}.{name.removesuffix(SUFFIX)}",
            sql=sql,
            description=_comment_text(sql.split("\n\n", 1)[0]),
            views=[_view(match) for match in _CREATED.finditer(sql)],
        )
        for name, sql in sorted(found)
    )


def _view(match: re.Match[str]) -> View:
    columns = [(column["name"], column["type"]) for column in _COLUMN.finditer(match["columns"])]
    return View(match["name"], _comment_text(match["comment"]), columns)


def _comment_text(comment: str) -> str:
    return " ".join(line.removeprefix("--").strip() for line in comment.splitlines() if line != "--")

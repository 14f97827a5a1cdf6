"""What can be queried: the engine's own tables, views and functions, the views of our modules, and examples."""

from typing import Any, Final

from numalens.perfetto import rpc
from numalens.perfetto.calls import TraceProcessor
from numalens.perfetto.sql.examples import EXAMPLES
from numalens.perfetto.sql.modules import modules
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
    "cpu": "CPUs; processor says the node.",
    "flow": "Arrows from one slice to another.",
    "ftrace_event": "Every recorded event; its fields are in args.",
    "process": "Processes.",
    "sched": "Who ran on which CPU, and when.",
    "slice": "Spans and instants on tracks.",
    "stats": "What the trace processor counted while it read the trace.",
    "thread": "Threads; utid tells one from a later one with the same tid.",
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

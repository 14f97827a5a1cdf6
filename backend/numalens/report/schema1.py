"""`numalens.report/1` out of `numalens.report/2`: the names that programs written for the first schema read."""

from collections.abc import Mapping
from typing import Any, Final

SCHEMA: Final = "numalens.report/1"
SAME: Final = (
    ("inputs", "window_ns", "topology", "event_counts", "notes", "psi", "utilisation", "residency", "placement"),
    ("wait_heat", "waste", "findings"),
)
"""Parts that both schemas have alike, those in front of and those behind the others."""
VMSTAT_ROWS: Final = {
    "alloc_hit": "numa_alloc_hit",
    "alloc_miss": "numa_alloc_miss",
    "interleave_hit": "numa_interleave_hit",
    "alloc_local": "numa_alloc_local",
}
"""Rows whose names have the subject in front; the others are called as the engine calls them."""


def schema_1(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report by the names of schema 1."""
    first, last = ({name: report[name] for name in names} for names in SAME)
    return {
        "schema": SCHEMA,
        **first,
        "numa": _numa(report["numa_balancing"], _vmstat(report["vmstat"])),
        "cling": report["cling"],
        "ilb": _ilb(report["idle_balancing"]),
        "migrate_on_fault": _migration(report["page_migration"]),
        "latency": _latency(report["latency"]),
        **last,
    }


def ops_tables(balancing: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The Ops table by correct rules and by mmtests'."""
    ops = balancing["ops"]
    known = {"label": ops["label"], "missing": ops["missing"]}
    # mmtests prints no row for a counter that never counted.
    undefined = sorted(name for name, count in ops["mmtests"].items() if count is None)
    detail = {name: count for name, count in ops.items() if name not in ("mmtests", "rows", "label", "missing")}
    mmtests = {name: count or 0 for name, count in ops["mmtests"].items()}
    return {**ops["rows"], **known, "detail": detail}, {**mmtests, "undefined": undefined, **known}


def _numa(balancing: Mapping[str, Any], vmstat: Mapping[str, Any]) -> dict[str, Any]:
    if balancing.get("available") is False:
        return {**dict.fromkeys(("ops", "ops_mmtests", "per_node", "attempts"), balancing), "vmstat": vmstat}
    ops, mmtests = ops_tables(balancing)
    return {
        "ops": ops,
        "ops_mmtests": mmtests,
        "vmstat": vmstat,
        "per_node": balancing["per_node"],
        "attempts": {
            "rules": balancing["rules"]["name"],
            "rules_assumed": balancing["rules_assumed"],
            "counts": balancing["counts"],
            "sources": balancing["sources"],
            "first": balancing["attempts"],
            "more": balancing["attempts_more"],
        },
    }


def _ilb(section: Mapping[str, Any]) -> Mapping[str, Any]:
    """Idle balancing; what probes tell of tasks and of `nohz`, and on whom it does not act, had no place."""
    if section.get("available") is False:
        return section
    sources = {name: by for name, by in section["observation"].items() if name not in ("nr_running", "next_balance")}
    return {name: part for name, part in section.items() if name != "sched_ext"} | {"observation": sources}


def _latency(section: Mapping[str, Any]) -> Mapping[str, Any]:
    """The waits, those of new tasks by the name that they had; unknown ends and causes of preemptions had no place."""
    if section.get("available") is False:
        return section
    new = section["new"]
    groups = {
        name: [{key: value for key, value in row.items() if key != "preempted_causes"} for row in section[name]]
        for name in ("by_node", "by_task", "by_cgroup")
    }
    return {
        **{name: part for name, part in section.items() if name not in ("new", "unfinished", "edges")},
        **groups,
        "unrequested": {"count": new["count"], "wait_ns": new["wait_ns"], "max_ns": new["max_ns"] or 0},
    }


def _vmstat(section: Mapping[str, Any]) -> Mapping[str, Any]:
    """The table of counters that mmtests prints; null where a counter was not read."""
    if section.get("available") is False:
        return section
    table = section["table"]
    return {
        **{VMSTAT_ROWS.get(row["row"], row["row"]): row["value"] for row in table["rows"]},
        "sampled_from_ns": section["sampled_from_ns"],
        "sampled_to_ns": section["sampled_to_ns"],
        "label": table["label"],
        "missing": table["missing"],
    }


def _migration(section: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statistics of auto-migration and their laws, and what tells the same today."""
    if section.get("available") is False:
        return section
    table, metrics, modern = section["table"], section["metrics"], section["modern"]
    return {
        "table": None if table is None else [_row(row) for row in table["rows"]],
        "laws": _laws(table, modern),
        "metrics": {
            "lazy_waste": None if table is None else _last_ratio(table, "lazy_waste"),
            "just_too_late_share": None if metrics is None else metrics["just_too_late"]["share"],
            "fight_index": None if metrics is None else metrics["fight"]["index"],
            "locality": None if metrics is None else metrics["locality"]["faults"],
            "convergence_ns": None if metrics is None else metrics["convergence"]["after_ns"],
        },
        "statistics": table,
        "detail": metrics,
        "modern": modern,
        "what_if": section["what_if"],
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table with what follows from it, side by side."""
    derived = {name: number for name, number in row.items() if name != "counters"}
    return {**row["counters"], **derived}


def _last_ratio(table: Mapping[str, Any], name: str) -> float | None:
    """Of what was counted between the rows; of a single row, since boot."""
    for ratios in (table["window"], table["ratios"]):
        if ratios is not None and ratios[name] is not None:
            number: float = ratios[name]
            return number
    return None


def _laws(table: Mapping[str, Any] | None, modern: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    laws: list[dict[str, Any]] = []
    if table is not None:
        last = table["rows"][-1]
        residuals = {
            "c2": last["cached"],
            "c3": last["references"],
            "c4": last["shared"],
            "c4_true": last["shared"],
            "c5": last["beyond_misplaced"],
            "c6": last["never_cached"],
        }
        for law in table["laws"]:
            name = str(law["law"])
            worst = max((broken["by"] for broken in law["violations"]), default=0)
            laws.append(
                {
                    "name": name,
                    "form": law["form"],
                    # C4 holds to the letter only while no cached page is shared.
                    "holds": law["holds"] == law["rows"] if name.lower() == "c4" else law["violated"] == 0,
                    "residual": residuals.get(name.lower(), worst),
                    "rows": law["rows"],
                    "rows_holding": law["holds"],
                    "violations": law["violations"],
                }
            )
    conserved = [] if modern is None else modern["conserved"]
    named = ({"name": law["law"], **{key: part for key, part in law.items() if key != "law"}} for law in conserved)
    return [*laws, *named]

"""The sections about the NUMA balancers, in the report's names. Everything is the engine's; here it is only named."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from typing_extensions import TypedDict

from numalens.report.shapes import MissingSection, missing

Tell = Callable[..., dict[str, Any]]
Sectioned = dict[str, Any] | MissingSection

SITES: Final = {"wake_affine": "wake_affine", "load_balance": "load_balance", "swap": "numa_swap"}
"""Kinds of annotations that are decisions, and what the report calls the places where they are made."""
VERDICTS: Final = {"clings": "cling", "released": "allow"}
VMSTAT_ROWS: Final = {
    "alloc_hit": "numa_alloc_hit",
    "alloc_miss": "numa_alloc_miss",
    "interleave_hit": "numa_interleave_hit",
    "alloc_local": "numa_alloc_local",
}
"""Rows whose names have the subject in front; the others are called as the engine calls them."""
DEFAULT_DEGREE: Final = 20
"""`kernel.numa_balancing_cling_degree` as the kernel begins with it."""


class MissingCling(MissingSection):
    """The cling section without content, but with the degree that was asked for."""

    degree: int


class Numa(TypedDict):
    """Attempts to place tasks, and the counters of memory."""

    ops: Sectioned
    ops_mmtests: Sectioned
    vmstat: Sectioned
    per_node: Sectioned
    attempts: Sectioned


def numa_sections(tell: Tell, listed: int) -> Numa:
    """The Ops table by correct rules and by mmtests', the counters of `/proc/vmstat`, the per-node table, the attempts."""
    told = tell("balancing", limit=listed)
    counters = vmstat_section(tell("vmstat"))
    if told.get("available") is False:
        reason = missing(told["reason"])
        return {"ops": reason, "ops_mmtests": reason, "vmstat": counters, "per_node": reason, "attempts": reason}
    ops = told["ops"]
    known = {"label": ops["label"], "missing": ops["missing"]}
    undefined = [name for name, count in ops["mmtests"].items() if count is None]
    detail = {name: count for name, count in ops.items() if name not in ("mmtests", "rows", "label", "missing")}
    return {
        "ops": {**ops["rows"], **known, "detail": detail},
        "ops_mmtests": {
            **{name: count or 0 for name, count in ops["mmtests"].items()},
            # mmtests prints no row for a counter that never counted.
            "undefined": undefined,
            **known,
        },
        "vmstat": counters,
        "per_node": told["per_node"],
        "attempts": {
            "rules": told["rules"]["name"],
            "rules_assumed": told["rules_assumed"],
            "counts": told["counts"],
            "sources": told["sources"],
            "first": told["attempts"],
            "more": told["attempts_more"],
        },
    }


def vmstat_section(told: Mapping[str, Any]) -> Sectioned:
    """The table of counters that mmtests prints; null where a counter was not read."""
    if told.get("available") is False:
        return missing(told["reason"])
    table = told["table"]
    rows = {VMSTAT_ROWS.get(row["row"], row["row"]): row["value"] for row in table["rows"]}
    return {
        **rows,
        "sampled_from_ns": told["sampled_from_ns"],
        "sampled_to_ns": told["sampled_to_ns"],
        "label": table["label"],
        "missing": table["missing"],
    }


def cling_section(tell: Tell, degree: int | None, listed: int) -> dict[str, Any] | MissingCling:
    """Groups, their counters over time, flips of busy nodes, and decisions."""
    told = tell("cling", degree=degree, limit=listed)
    if told.get("available") is False:
        return {**missing(told["reason"]), "degree": DEFAULT_DEGREE if degree is None else degree}
    flips: list[dict[str, Any]] = []
    series: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    for group in told["groups"]:
        owner = {"gid": group["gid"], "cgroup": group["cgroup"]}
        flips += [{**owner, **flip} for flip in group["flips"]]
        series += [{**owner, **step} for step in group["series"]]
        groups.append({name: part for name, part in group.items() if name not in ("flips", "series")})
    return {
        "degree": told["degree"],
        "known_by": told["known_by"],
        "timer_period_ns": told["timer_period_ns"],
        "groups": groups,
        "series": sorted(series, key=_time),
        "flips": sorted(flips, key=_time),
        "decisions": [_decision(note) for note in told["decisions"]],
        "decisions_more": told["decisions_more"],
        "annotations": told["annotations"],
        "annotations_more": told["annotations_more"],
        "checked": told["checked"],
        "from_events": told["from_events"],
        "from_everything": told["from_everything"],
        "readings": told["readings"],
        "what_if": told["what_if"],
    }


def _time(row: Mapping[str, Any]) -> int:
    moment: int = row["t_ns"]
    return moment


def _decision(note: Mapping[str, Any]) -> dict[str, Any]:
    by = note["by"]
    over = "busy" if note["outcome"] == "released" else "not busy"
    return {
        "t_ns": note["t_ns"],
        "pid": note["pid"],
        "site": SITES[note["kind"]],
        "src_nid": note["snid"],
        "dst_nid": note["dnid"],
        "verdict": VERDICTS.get(note["outcome"], note["outcome"]),
        "reason": (
            f"node {by['nid']} is {over}: F {by['f']}, T {by['t']}, ratio {by['q']} %, degree {by['degree']} %, "
            f"busiest_nid {by['busiest_nid']}"
        ),
        "function": note["function"],
        "label": note["label"],
        "missing": note["missing"],
    }


def migration_section(tell: Tell) -> Sectioned:
    """The statistics of auto-migration and their laws, and what tells the same today."""
    told = tell("migration")
    if told.get("available") is False:
        return missing(told["reason"])
    table, metrics, modern = told["table"], told["metrics"], told["modern"]
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
        "what_if": told["what_if"],
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

"""The tables of statistics: utilisation, latency and waste by window, and findings by detector."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from numalens.report.compare.gather import SECOND, Gathered
from numalens.report.compare.rows import Absent, Read, Reading, Sheet, Spec
from numalens.report.compare.shapes import Better, Unit
from numalens.report.compare.sheets import NS_PER_MS, REPLAYED, count, number

PERCENTILES: Final = (("p50_ns", "p50"), ("p90_ns", "p90"), ("p99_ns", "p99"), ("max_ns", "Longest"))
WAITS: Final[Sequence[tuple[str, str, str, Unit, Better, float, bool]]] = (
    ("wakeups", "Wake-ups", "wakeups", "", "neither", 1, True),
    ("waited", "Time waited after wake-ups", "wait_ns", "ms", "lower", NS_PER_MS, True),
    ("preempted_waited", "Time waited after preemptions", "preempted_ns", "ms", "lower", NS_PER_MS, True),
    ("p50", "Wake-up latency p50", "p50_ns", "ns", "lower", 1, False),
    ("p99", "Wake-up latency p99", "p99_ns", "ns", "lower", 1, False),
    ("longest", "Longest wait", "max_ns", "ns", "lower", 1, False),
)
"""Rows over windows of waits: name, title, field, unit, direction, what a unit has, whether it is a count."""
CAUSES: Final = {
    "numa_placement": "only other nodes had idle CPUs",
    "balance_delay": "the node had idle CPUs",
    "affinity": "the task was bound",
}


def windowed_sheets(runs: Sequence[Gathered]) -> list[Sheet]:
    """Statistics over windows first, then what the whole window has of latency and waste, then findings."""
    return [
        Sheet("statistics", "Statistics", list(_statistics(runs)), "used"),
        Sheet("latency", "Wake-up latency", list(_latency()), "latency"),
        Sheet("waste", "Idle CPUs while tasks wait", list(_waste()), "wasted"),
        Sheet("findings", "Findings by cost", list(_findings(runs)), "findings"),
    ]


def _statistics(runs: Sequence[Gathered]) -> Iterator[Spec]:
    nids = sorted({node["nid"] for run in runs if run.has("used") for node in run.section("used")["nodes"]})
    for nid in nids:
        yield Spec(f"node_{nid}", f"Node {nid} busy", _node(nid), "%")
    yield Spec("spread", "Busiest less idlest node", _steps("used", "imbalance", "max_min"), "points", "lower")
    for name, title, field, unit, better, per, counted in WAITS:
        yield Spec(name, title, _steps("waits", "windows", field, per, counted), unit, better)
    yield Spec("wasted", "Idle CPUs while tasks wait", _wasted, "ms", "lower")


def _of(section: str, values: Callable[[Mapping[str, Any]], Reading | Absent]) -> Read:
    def read(run: Gathered) -> Reading | Absent:
        answer = run.section(section)
        return values(answer) if run.has(section) else Absent(answer["reason"])

    return read


def _node(nid: int) -> Read:
    def values(answer: Mapping[str, Any]) -> Reading | Absent:
        node = next((node for node in answer["nodes"] if node["nid"] == nid), None)
        return (
            Absent("there is no such node")
            if node is None
            else Reading(node["percent"], answer["label"], answer["missing"])
        )

    return _of("used", values)


def _steps(section: str, steps: str, field: str, per: float = 1, counted: bool = False) -> Read:
    def values(answer: Mapping[str, Any]) -> Reading | Absent:
        if field == "max_min" and len(answer["nodes"]) < 2:  # noqa: PLR2004
            return Absent("there is only one node")
        found = [step[field] / per for step in answer[steps] if step[field] is not None]
        return Reading(found, answer["label"], answer["missing"], answer["step_ns"] / SECOND if counted else None)

    return _of(section, values)


def _wasted(run: Gathered) -> Reading | Absent:
    answer = run.section("wasted")
    if not run.has("wasted"):
        return Absent(answer["reason"])
    series = answer["series"]
    # A last step of other length would count as a quiet one.
    whole = run.recording.length_ns // series["step_ns"]
    found = series["cpu_ns"][: max(1, whole)]
    return Reading([ns / NS_PER_MS for ns in found], answer["label"], answer["missing"], series["step_ns"] / SECOND)


def _latency() -> Iterator[Spec]:
    yield Spec("latency_wakeups", "Wake-ups", count("latency", "wakeups"))
    yield Spec("latency_waited", "Time waited", count("latency", "wait_ns", per=NS_PER_MS), "ms", "lower")
    for field, title in PERCENTILES:
        yield Spec(f"latency_{field}", title, number("latency", field), "ns", "lower")
    yield Spec("latency_preempted", "Preemptions", count("latency", "preempted.count"))
    preempted = count("latency", "preempted.wait_ns", per=NS_PER_MS)
    yield Spec("latency_preempted_waited", "Time waited after them", preempted, "ms", "lower")
    yield Spec("latency_new", "New tasks that waited", count("latency", "new.count"))
    new = count("latency", "new.wait_ns", per=NS_PER_MS)
    yield Spec("latency_new_waited", "Time waited by new tasks", new, "ms", "lower")
    yield Spec("latency_unfinished", "Waits without a known end", count("latency", "unfinished.count"))
    unfinished = count("latency", "unfinished.wait_ns", per=NS_PER_MS)
    yield Spec("latency_unfinished_waited", "Time waited in them, at least", unfinished, "ms", "lower")


def _waste() -> Iterator[Spec]:
    yield Spec("waste_all", "All", count("wasted", "cpu_ns", per=NS_PER_MS), "ms", "lower")
    for cause, title in CAUSES.items():
        yield Spec(f"waste_{cause}", title, _cause(cause), "ms", "lower")


def _cause(wanted: str) -> Read:
    def read(run: Gathered) -> Reading | Absent:
        answer = run.section("wasted")
        if not run.has("wasted"):
            return Absent(answer["reason"])
        parts = [cause["ns"] / NS_PER_MS for cause in answer["causes"] if cause["cause"] == wanted]
        return Reading(parts, answer["label"], answer["missing"], run.recording.seconds or 1.0, add=True)

    return read


def _findings(runs: Sequence[Gathered]) -> Iterator[Spec]:
    """Those that cost time; the others have their place among the findings."""
    for name in found_kinds(runs):
        if any(
            found["id"] == name and found["impact_ms"] > 0
            for run in runs
            if run.has("findings")
            for found in findings_of(run)
        ):
            yield Spec(f"finding_{name}", name, _impact(name), "ms", "lower")


def found_kinds(runs: Sequence[Gathered]) -> list[str]:
    """The detectors that found something anywhere, in the order of the engine's ranking."""
    return list(dict.fromkeys(found["id"] for run in runs if run.has("findings") for found in findings_of(run)))


def findings_of(run: Gathered) -> list[dict[str, Any]]:
    """What was found in a run, worst first."""
    found: list[dict[str, Any]] = run.section("findings").get("findings", [])
    return found


def _impact(name: str) -> Read:
    def read(run: Gathered) -> Reading | Absent:
        if not run.has("findings"):
            return Absent(run.section("findings")["reason"])
        found = [each for each in findings_of(run) if each["id"] == name]
        missing = dict.fromkeys(part for each in found for part in each["missing"])
        label = found[0]["label"] if found else REPLAYED
        return Reading(
            [each["impact_ms"] for each in found], label, list(missing), run.recording.seconds or 1.0, add=True
        )

    return read

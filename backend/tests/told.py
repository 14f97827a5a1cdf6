"""What an engine tells of a window: examples of every section, strategies for any, and an engine that tells them."""

import json
import types
from typing import Any, Literal, Union, cast, get_args, get_origin

from hypothesis import strategies as st
from numalens_native import Bundle
from typing_extensions import get_type_hints, is_typeddict

from tests.told_ilb import ILB
from tests.told_numa import MOMENT, NUMA_SECTIONS, REPLAYED
from tests.told_waits import wait_sections

MISSING = {"available": False, "reason": "no input has sched_switch events"}
NUMBERS = {"p50_ns": 1500, "p90_ns": 20_000, "p99_ns": 2_500_000, "max_ns": 30_000_000, "error_percent": 0}
CAUSES = [{"cause": "busy", "ns": 20_000_000}, {"cause": "idle_other_node", "ns": 10_000_000}]
TOTAL = {"some_us": 1_200_500, "full_us": 0, **REPLAYED}
RESIDUAL = {
    "from_ns": MOMENT + 1,
    "to_ns": MOMENT + 2_000_000_001,
    "samples": 9,
    "sampled_some_us": 1_000_000,
    "replayed_some_us": 1_004_000,
    "error_percent": 0.4,
    "tolerance_percent": 1.0,
    "within": True,
    "pressure_percent": 50.0,
    "sampled_full_us": 0,
    "replayed_full_us": None,
    "check_tolerance_us": 20_000,
    "check_within": True,
}
POINT = {
    "t_ns": MOMENT + 5,
    **{f"{kind}_avg{span}": 1.25 for kind in ("some", "full") for span in (10, 60, 300)},
    "some_total_us": 1_200_500,
    "full_total_us": None,
}
WAIT = {
    "pid": 77,
    "comm": "worker",
    "task": 3,
    "waking_ns": MOMENT + 7,
    "switch_in_ns": MOMENT + 30_000_007,
    "wait_ns": 30_000_000,
    "cpu": 2,
    "from_cpu": 1,
    "nid": 1,
    "waker_pid": None,
    "prio": 120,
    "cgroup": None,
    "causes": CAUSES,
    "antagonists": [{"task": 4, "pid": 78, "comm": "spinner", "ns": 20_000_000}],
    "others": {"tasks": 2, "ns": 5},
}
SUM = {"count": 9, **NUMBERS, "wait_ns": 40_000_000, "causes": CAUSES}
GROUP = {**SUM, "preempted": 2, "preempted_ns": 5}
FINDING = {
    "id": "PSI_SPIKE_HIDDEN",
    **REPLAYED,
    "severity": "high",
    "from_ns": MOMENT + 9,
    "to_ns": MOMENT + 100_000_009,
    "impact_ms": 87.5,
    "nodes": [0],
    "pids": [77],
    "cgroup": None,
    "summary": "CPU pressure was 87 % for 100 ms while avg10 showed 3.",
}
SECTIONS: dict[str, Any] = {
    "psi": {
        "rules": "6.4",
        "rules_source": {"name": "kernel release", **REPLAYED},
        "hz": 250,
        "hz_source": {"name": "ticks", "label": "inferred", "missing": ["CONFIG_HZ"]},
        "system": {"cpu": TOTAL, "memory": MISSING, "io": TOTAL, "irq": {**TOTAL, "some_us": None}},
        "cgroups": {"/a/b": {"cpu": TOTAL, "memory": MISSING, "io": MISSING, "irq": MISSING}},
        "worker_source": {"name": "psi_avgs_work", **REPLAYED},
        "series": {"cpu": [POINT] * 3, "memory": [], "io": [POINT], **REPLAYED},
        "nodes": [{"nid": 0, "cpu_some_ns": 5, "cpu_full_ns": 0, "nonidle_ns": 9, "unknown_ns": 1}],
        "residual": {"cpu": RESIDUAL, "memory": None, "io": {**RESIDUAL, "within": False}},
        "cgroup_residual": {"/a/b": {"cpu": RESIDUAL, "memory": None, "io": None}},
        "averages": {"updates": 4, "worst": 0.004, "skipped": 1, "exact": 3, **REPLAYED},
        "lost_us": {"cpu": 5, "memory": 0, "io": 0},
    },
    "utilisation": {
        "step_ns": 5_000_000_000,
        "nodes": [
            {"nid": 0, "percent": [50, 75], "average": 62, "busy_ns": 6, "idle_ns": 3, "unknown_ns": 1},
            {"nid": 1, "percent": [], "average": 0, "busy_ns": 0, "idle_ns": 0, "unknown_ns": 10},
        ],
        "cpus": [{"cpu": 0, "nid": 0, "busy_ns": 6, "idle_ns": 3, "unknown_ns": 1}],
        "imbalance": [{"from_ns": MOMENT, "max_min": 50.0, "stdev": 25.0, "hhi": None}],
        "depth": {"step_ns": 5_000_000_000, "nodes": [{"nid": 0, "mean": [1.5], "max": [3]}]},
        **REPLAYED,
    },
    "residency": {
        "tasks": [
            {
                "task": 3,
                "pid": 77,
                "comm": "worker",
                "run_ns": 5,
                "wait_ns": 6,
                "nodes": [{"nid": 0, "run_ns": 5}],
                "migrations_node": 2,
                "cpus": 4,
            }
        ],
        "total": 12,
        **REPLAYED,
    },
    "placement": {
        "step_ns": 1_000_000_000,
        "groups": [
            {
                "whose": "group",
                "ngid": 750,
                "cgroup": None,
                "groups": 1,
                "tasks": 4,
                "run_ns": 9,
                "inferred_ns": 2,
                "nodes": [{"nid": 0, "run_ns": 9, "series": [4, 5]}, {"nid": 1, "run_ns": 0, "series": [0, 0]}],
                "label": "inferred",
            }
        ],
        "busy_ns": 9,
        "memory": [
            {
                "whose": "unknown",
                "ngid": None,
                "cgroup": None,
                "processes": 1,
                "nodes": [{"nid": 0, "kb": 40}],
                "label": "inferred",
            }
        ],
        "memory_missing": [],
        **REPLAYED,
    },
    "latency": {
        "wakeups": 1234,
        **NUMBERS,
        "worst": [WAIT] * 4,
        "wait_ns": 40_000_000,
        "preempted": {**SUM, **dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "max_ns")), "worst": [WAIT]},
        "unrequested": {"count": 1, "wait_ns": 7, "max_ns": 7},
        "by_node": [{"nid": 1, **GROUP}],
        "by_task": [{"task": 3, "pid": 77, "comm": "worker", **GROUP}],
        "tasks": 40,
        "by_cgroup": [{"cgroup": "/a/b", **GROUP}],
        "causes": CAUSES,
        **REPLAYED,
    },
    "waste": {
        "cpu_seconds": 1.5,
        "cpu_ns": 1_500_000_000,
        "per_node": [{"nid": 0, "cpu_seconds": 1.5, "cpu_ns": 1_500_000_000, "causes": CAUSES}],
        "causes": CAUSES,
        "affine_cpu_seconds": None,
        "series": {"step_ns": 1_000_000_000, "cpu_ns": [1_500_000_000, 0]},
        **REPLAYED,
    },
    "findings": [FINDING] * 7,
    **NUMA_SECTIONS,
    "ilb": ILB,
    **wait_sections(WAIT, CAUSES),
}


class Engine:
    """Tells the same sections of every window, and keeps what it was asked."""

    def __init__(self, sections: dict[str, Any] = SECTIONS) -> None:
        self.sections = sections
        self.asked: dict[str, tuple[int, int, dict[str, Any]]] = {}

    def analysis(self, section: str, from_ns: int, to_ns: int, options: str = "{}") -> str:
        self.asked[section] = (from_ns, to_ns, json.loads(options))
        return json.dumps(self.sections[section])

    @property
    def bundle(self) -> Bundle:
        """Itself, as what is asked for sections."""
        return cast("Bundle", self)


def engine(sections: dict[str, Any] = SECTIONS) -> Bundle:
    return Engine(sections).bundle


def any_of(shape: Any) -> st.SearchStrategy[Any]:
    """Anything that a shape of the report allows; whole numbers as large as the engine's."""
    leaves: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(0, (1 << 63) - 1),
        float: st.floats(0, 1e12),
        bool: st.booleans(),
        str: st.text(max_size=8),
        type(None): st.none(),
    }
    if shape in leaves:
        return leaves[shape]
    if is_typeddict(shape):
        return st.fixed_dictionaries({name: any_of(hint) for name, hint in get_type_hints(shape).items()})
    origin, arguments = get_origin(shape), get_args(shape)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in {Union, types.UnionType}:
        return st.one_of(*[any_of(each) for each in arguments])
    if origin is list:
        return st.lists(any_of(arguments[0]), max_size=3)
    if origin is dict:
        return st.dictionaries(any_of(arguments[0]), any_of(arguments[1]), max_size=2)
    raise TypeError(shape)

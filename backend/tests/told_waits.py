"""What an engine tells of waits in detail."""

from typing import Any

from tests.told_numa import MOMENT, REPLAYED


def wait_sections(wait: dict[str, Any], causes: list[dict[str, Any]]) -> dict[str, Any]:
    """Examples of the sections about waits, with this wait in them."""
    ends = {"from_ns": MOMENT + 7, "to_ns": MOMENT + 30_000_007}
    idle = {**ends, "count": 2, "idle_ns": 10_000_000}
    inferred = {"label": "inferred", "missing": ["common_flags"]}
    hop = {
        "t_ns": MOMENT + 7,
        "pid": 78,
        "comm": "server",
        "cpu": 1,
        "nid": 0,
        "context": "task",
        "slept_ns": MOMENT + 1,
        "slept_in": "S",
        "woken_ns": MOMENT + 3,
        "ran_ns": MOMENT + 5,
        "wait_ns": 2,
        "preempted_ns": 0,
        **REPLAYED,
    }
    bare = dict.fromkeys(("pid", "comm", "nid", "slept_ns", "slept_in", "woken_ns", "ran_ns", "wait_ns"))
    runner = {**ends, "cpu": 2, "count": 1, "run_ns": 30_000_000, "task": 4, "pid": 78, "comm": "spinner", "tasks": 1}
    return {
        "wait_heat": {
            "step_ns": 1_000_000,
            "columns": 240,
            "wakeups": {"count": 3, "cells": [{"column": 5, "bucket": 24, "count": 3}], "most": 3},
            "preempted": {"count": 0, "cells": [], "most": 0},
            **REPLAYED,
        },
        "waits": {"count": 9, "wait_ns": 40_000_000, "waits": [wait] * 2, **REPLAYED},
        "wait": {
            "wait": wait,
            "began": "waking",
            "numa_group": 1042,
            "segments": [{**ends, "count": 3, "causes": causes}],
            "stretches": [{**ends, "cpu": 2, "nid": 1, "queued": True}],
            "moves": [{"t_ns": MOMENT + 9, "from_cpu": 1, "to_cpu": 2, "by_cpu": 0}],
            "moves_more": 0,
            "runners": [{**runner, "numa_group": None}],
            "idle_nodes": [{"nid": 0, "cpus": 2, "idle_ns": 10_000_000, "any_ns": 9_000_000, "pieces": [idle]}],
            "idle_cpus": [{"cpu": 0, "nid": 0, "idle_ns": 10_000_000, "allowed": None, "pieces": [idle]}],
            "idle_cpus_more": 0,
            "idle_label": "inferred",
            "idle_missing": ["cpus_allowed"],
            "slept_ns": None,
            "slept_in": None,
            "chain": [hop, {**hop, **bare, "t_ns": MOMENT + 3, "context": "interrupt", **inferred}],
            "stop": "interrupt",
            **REPLAYED,
        },
    }

"""The shape of CPU time and memory by numa group and node."""

from typing import Final, Literal

from typing_extensions import TypedDict

from numalens.report.shapes import Label

GROUPS_LISTED: Final = 12
"""Numa groups that get rows of their own; the others share one."""
Whose = Literal["group", "others", "no_group", "unknown"]


class ReportPlacementNode(TypedDict):
    """A group's CPU time on a node, in the window and per step."""

    nid: int
    run_ns: int
    series: list[int]


class ReportPlacementGroup(TypedDict):
    """The CPU time of a numa group, of those that were merged, of tasks in none, or of those of which nobody knows."""

    whose: Whose
    ngid: int | None
    cgroup: str | None
    groups: int
    tasks: int
    run_ns: int
    inferred_ns: int
    nodes: list[ReportPlacementNode]
    label: Label


class ReportPlacementMemoryNode(TypedDict):
    """Resident memory on a node."""

    nid: int
    kb: int


class ReportPlacementMemory(TypedDict):
    """The memory of a numa group's processes."""

    whose: Whose
    ngid: int | None
    cgroup: str | None
    processes: int
    nodes: list[ReportPlacementMemoryNode]
    label: Label


class ReportPlacement(TypedDict):
    """Which numa groups used the CPUs of which nodes, over time, and where their memory lies."""

    from_ns: int
    to_ns: int
    step_ns: int
    groups: list[ReportPlacementGroup]
    busy_ns: int
    memory: list[ReportPlacementMemory] | None
    memory_missing: list[str]
    label: Label
    missing: list[str]

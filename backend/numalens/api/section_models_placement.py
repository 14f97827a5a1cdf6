"""The shapes of CPU time and memory by numa group and node."""

from typing import Literal

from pydantic import Field

from numalens.api.models import Answer
from numalens.api.section_models import Derived, Label, Section


class PlacedOn(Answer):
    """Whose a row is."""

    whose: Literal["group", "others", "no_group", "unknown"] = Field(
        description="A numa group, groups without a row of their own, tasks in none, or tasks of which no event tells."
    )
    ngid: int | None = Field(description="Id of the numa group; null for rows of no single group.")
    cgroup: str | None = Field(description="Its cgroup, where the kernel has groups of cgroups and they were read.")
    label: Label


class PlacementNode(Answer):
    """CPU time on a node."""

    nid: int
    run_ns: int
    series: list[int] = Field(description="CPU-ns in each step.")


class PlacementGroup(PlacedOn):
    """The CPU time of a row."""

    groups: int = Field(description="How many groups the row is of.")
    tasks: int = Field(description="Tasks that ran.")
    run_ns: int
    inferred_ns: int = Field(description="Of it, from before an event told of the group.")
    nodes: list[PlacementNode]


class PlacementMemoryNode(Answer):
    """Resident memory on a node."""

    nid: int
    kb: int


class PlacementMemory(PlacedOn):
    """The memory of a row's processes by their last reading."""

    processes: int
    nodes: list[PlacementMemoryNode]


class PlacementSection(Section, Derived):
    """Which numa groups used the CPUs of which nodes over time. The rows add up to the nodes' busy time."""

    step_ns: int
    groups: list[PlacementGroup]
    busy_ns: int
    memory: list[PlacementMemory] | None = Field(description="null when no memory was sampled.")
    memory_missing: list[str]

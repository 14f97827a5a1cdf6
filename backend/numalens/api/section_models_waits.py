"""The shapes of what the window's waits tell in detail: their map over time, those of a part of it, and one of them opened."""

from typing import Literal

from pydantic import Field

from numalens.api.models import Answer
from numalens.api.section_models import CauseTime, Derived, Label, MomentNs, Section, Wait

AskedIn = Literal["task", "idle", "softirq", "interrupt", "unknown"]


class HeatCell(Answer):
    """The waits that ended in a column and have a length of a bucket."""

    column: int
    bucket: int = Field(
        description="b has the waits of 2^b ns and more and of less than 2^(b+1); 0 also those of 0 ns."
    )
    count: int


class HeatWaits(Answer):
    """The waits of one kind."""

    count: int
    cells: list[HeatCell] = Field(description="Those with a wait, by column and then by bucket.")
    most: int = Field(description="The most in a cell.")


class WaitHeatSection(Section, Derived):
    """How many waits were how long when."""

    step_ns: int = Field(description="Length of a column, from the window's begin on; the last one may be shorter.")
    columns: int
    wakeups: HeatWaits
    preempted: HeatWaits


class WaitsSection(Section, Derived):
    """The longest waits of a length and of a time."""

    count: int = Field(description="How many there are, told or not.")
    wait_ns: int = Field(description="All of them together.")
    waits: list[Wait]


class WaitSegment(Answer):
    """A part of a wait; the next one begins where it ends. Short ones are one where there are many."""

    from_ns: MomentNs
    to_ns: MomentNs
    count: int = Field(description="How many parts it is.")
    causes: list[CauseTime] = Field(description="Adds up to its length.")


class WaitStretch(Answer):
    """Where the task was during a part of its wait."""

    from_ns: MomentNs
    to_ns: MomentNs
    cpu: int
    nid: int | None
    queued: bool = Field(description="On that CPU's queue; else about to come there.")


class WaitMove(Answer):
    """A move of the task to another CPU during its wait."""

    t_ns: MomentNs
    from_cpu: int
    to_cpu: int
    by_cpu: int = Field(description="The CPU that moved it.")


class WaitRunner(Answer):
    """Who ran on the task's CPU meanwhile, cut to the wait. Short stays are one where there are many."""

    from_ns: MomentNs
    to_ns: MomentNs
    cpu: int
    count: int = Field(description="How many stays it is.")
    run_ns: int
    task: int = Field(description="Row of the task table: who ran longest in it.")
    pid: int
    comm: str
    tasks: int = Field(description="How many tasks there are in it.")
    numa_group: int | None = Field(description="Null when it has none or nothing tells.")


class IdleTime(Answer):
    """Idle time. Short pieces are one where there are many."""

    from_ns: MomentNs
    to_ns: MomentNs
    count: int
    idle_ns: int = Field(description="Of a node: of all its CPUs together.")


class IdleCpu(Answer):
    """A CPU that was idle during the wait."""

    cpu: int
    nid: int | None
    idle_ns: int
    allowed: bool | None = Field(description="Whether the task may run there; null when nothing tells.")
    pieces: list[IdleTime]


class IdleNode(Answer):
    """The idle CPUs of a node during the wait."""

    nid: int | None = Field(description="Null for CPUs of which nobody knows the node.")
    cpus: int
    idle_ns: int = Field(description="Of all its CPUs together.")
    any_ns: int = Field(description="How long at least one was idle.")
    pieces: list[IdleTime]


class WakeHop(Derived):
    """One who woke the one before it."""

    t_ns: MomentNs = Field(description="When it asked for the wake-up.")
    pid: int | None = Field(description="Who was on the CPU that asked: in an interrupt a bystander.")
    comm: str | None
    cpu: int
    nid: int | None
    context: AskedIn = Field(description="What that CPU was doing.")
    slept_ns: MomentNs | None = Field(description="When its own sleep began.")
    slept_in: str | None = Field(description="In which state, as the kernel prints it.")
    woken_ns: MomentNs | None = Field(description="When its own wake-up was asked for.")
    ran_ns: MomentNs | None = Field(description="When it got a CPU after that.")
    wait_ns: int | None = Field(description="Its own wait: from woken_ns to ran_ns.")
    preempted_ns: int = Field(description="How long it was off the CPU by preemption until it asked.")


class WaitSection(Section, Derived):
    """One wait, told from its begin to its end."""

    wait: Wait
    began: Literal["waking", "wakeup", "preempted"]
    numa_group: int | None
    segments: list[WaitSegment] = Field(description="What it was spent on, without a hole.")
    stretches: list[WaitStretch]
    moves: list[WaitMove]
    moves_more: int
    runners: list[WaitRunner]
    idle_nodes: list[IdleNode]
    idle_cpus: list[IdleCpu]
    idle_cpus_more: int
    idle_label: Label = Field(description="How well it is known which idle CPUs could have taken the task.")
    idle_missing: list[str]
    slept_ns: MomentNs | None = Field(description="When the sleep that the wait ended began.")
    slept_in: str | None
    chain: list[WakeHop] = Field(description="Who woke it, who woke that one, and so on; times go back.")
    stop: Literal[
        "interrupt", "softirq", "idle", "ran_already", "preempted", "limit", "not_recorded", "lost_events"
    ] = Field(description="Why the chain goes back no further.")

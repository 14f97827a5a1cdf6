"""The shapes of what a window tells of the NUMA balancer: attempts, what became of them, the counters of memory."""

from typing import Literal

from pydantic import Field

from numalens.api.models import Answer
from numalens.api.section_models import Derived, ImbalanceStep, Label, MomentNs, Section


class OpsRows(Answer):
    """The twelve rows of the Ops table; null is a counter that never counted, of which mmtests prints no row."""

    migrate_failed_no_cpu: int | None
    migrate_failed_move_to_idle: int | None
    migrate_failed_swap_task_fail: int | None
    task_migrated_swapped: int | None
    task_migrated_swapped_local_nid: int | None
    task_migrated_swapped_within_group: int | None
    task_migrated_idle_cpu: int | None
    task_migrated_idle_cpu_local_nid: int | None
    task_migrate_retry: int | None
    task_migrate_retry_success: int | None
    task_migrate_retry_failed: int | None
    load_balance_cross_numa: int | None


class OpsFailures(Answer):
    """Attempts that failed, by why."""

    no_cpu: int = Field(description="No CPU was found.")
    move_failed: int = Field(description="The move was tried and failed.")
    move_refused: int = Field(description="The move was refused before it was tried: affinity.")
    swap_raced: int = Field(description="The swap was tried, and a task had gone elsewhere meanwhile.")
    swap_refused: int = Field(description="The swap was refused before it was tried.")
    no_domain: int = Field(description="The task's CPU is in no NUMA domain.")


class Crossings(Answer):
    """How tasks came to another node; `numa` and `lb_cross` add up to `total`."""

    total: int
    numa: int = Field(description="Moved or swapped by the NUMA balancer.")
    lb_cross: int = Field(description="Everything else; below 0 when migrations are missing.")
    wakeup: int = Field(description="Of lb_cross, tasks that a wake-up placed.")
    runnable: int = Field(description="Of lb_cross, tasks that could run: the load balancer, affinity, an exec.")
    asleep: int = Field(description="Of lb_cross, tasks that slept.")
    unknown: int = Field(description="Of lb_cross, tasks of which nobody knows what they did.")
    unexplained: int = Field(description="Of lb_cross, what no recorded migration explains.")


class Ops(Derived):
    """What became of the attempts that began in the window."""

    attempts: int
    unknown: int = Field(description="Attempts whose end is not known.")
    moves: int = Field(description="Moves that were tried.")
    moves_ok: int
    swaps: int = Field(description="Swaps that were tried.")
    swaps_ok: int
    swaps_local: int = Field(description="Swaps inside a node.")
    swaps_within_group: int = Field(description="Swaps inside a numa group.")
    failures: OpsFailures
    retries: int = Field(description="Failures of a task that had failed in the window before.")
    migrations: int = Field(description="Tasks that came to another CPU.")
    crossings: Crossings
    rows: OpsRows = Field(description="As the rows are meant.")
    mmtests: OpsRows = Field(description="As mmtests' monitor counts the same window.")
    mmtests_warnings: int = Field(description="How often that monitor would have warned.")


class NodeAt(Answer):
    """A node when an attempt began."""

    nid: int
    nr_running: int = Field(description="Runnable tasks on its CPUs, running ones included.")
    weight: int = Field(description="Its CPUs.")
    idle_cpus: int
    unknown_cpus: int = Field(description="CPUs of which nothing is known.")
    node_type: list[str] = Field(
        examples=[["has_spare"]], description="What the kernel took it for; several where averages decide."
    )
    label: Label


class Imbalance(Answer):
    """Tasks on both nodes as they would be after a move."""

    src_running: int
    dst_running: int
    imbalance: int = Field(description="By how many the destination would have more.")


class RulesAnswer(Answer):
    """What one kernel version's rules say of a move to a free CPU."""

    rules: str = Field(description="First version with these rules.")
    recorded: bool = Field(description="The traced kernel has them.")
    maymove: Literal["allowed", "denied", "load_test", "unknown"]
    imbalance: int | None = Field(description="What they leave of the imbalance; 0 is allowed.")
    imb_numa_nr: int | None
    label: Label


class Explanation(Derived):
    """What an attempt met when it began."""

    src_nid: int = Field(description="-1 when not known.")
    dst_nid: int = Field(description="-1 when not known.")
    nodes: list[NodeAt]
    imbalance: Imbalance | None = Field(description="Null unless both nodes are known and differ.")
    answers: list[RulesAnswer]
    no_cpu: str | None = Field(
        examples=["dst_overloaded"], description="Why no CPU was found; only of attempts that found none."
    )
    extra_wait_ns: int | None = Field(description="Wait on the destination beyond what was there before, task-ns.")


class Partner(Answer):
    """The other task of a swap."""

    pid: int
    tgid: int
    ngid: int


class Attempt(Answer):
    """An attempt of the NUMA balancer to bring a task to its preferred node."""

    start_ns: MomentNs
    end_ns: MomentNs
    cpu: int = Field(description="CPU of its first event.")
    pid: int
    comm: str
    tgid: int = Field(description="0 when unknown.")
    ngid: int = Field(description="Numa group as printed; 0 for none, -1 when nothing printed it.")
    src_cpu: int = Field(description="-1 when unknown, as all of the following.")
    src_nid: int
    dst_cpu: int
    dst_nid: int
    target_nid: int = Field(description="The preferred node.")
    target_from: str = Field(examples=["two_nodes"], description="How that is known.")
    verdict: str = Field(examples=["moved", "swapped", "no_cpu"])
    failed: bool | None = Field(description="Null when not known.")
    ret: int | None = Field(description="What task_numa_migrate returned, where a probe tells.")
    partner: Partner | None
    partner_comm: str | None
    explanation: Explanation | None


class BalancingRules(Answer):
    """The traced kernel's rules for moves between nodes."""

    name: str = Field(description="First version with these rules.")
    allowance: str
    classifier: str
    sd_imbalance_pct: int


class BusyNode(Answer):
    """A node's row of the per-node table."""

    nid: int
    percent: list[int]
    average: int


class PerNode(Derived):
    """The per-node table: how busy each node was in each step."""

    reading: str = Field(examples=["busy"])
    t0_ns: MomentNs
    step_ns: int
    nodes: list[BusyNode]
    imbalance: list[ImbalanceStep]


class BalancingSection(Section):
    """Attempts of the NUMA balancer and what became of them."""

    ops: Ops
    attempts: list[Attempt] = Field(description="The first of the window.")
    attempts_more: int = Field(description="How many more there are.")
    rules: BalancingRules
    rules_assumed: bool = Field(description="The kernel's version is not known.")
    counts: dict[str, int] = Field(description="How much the recording has of each kind of event.")
    sources: dict[str, bool | str | None] = Field(description="Which kinds of events it has.")
    per_node: PerNode


class VmstatRow(Answer):
    """A row of mmtests' table."""

    row: str = Field(examples=["hint_faults"])
    name: str | None = Field(description="mmtests' name; null for what mmtests has not.")
    value: float | None = Field(description="Null when a counter was not read.")


class VmstatTable(Derived):
    """What the counters counted."""

    rows: list[VmstatRow]


class VmstatSection(Section):
    """The counters of /proc/vmstat between the window's first and last sample."""

    sampled_from_ns: MomentNs
    sampled_to_ns: MomentNs
    table: VmstatTable

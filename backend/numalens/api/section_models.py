"""The shapes of what a window's replay tells: pressure, utilisation, residency, latency, waste, findings.

Moments are decimal strings as everywhere in the API, durations are numbers of the unit that their name ends with. Whatever was
derived says how good it is (`label`) and, when inferred, what a better answer would need (`missing`).
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from numalens.api.models import Answer, NsString

Label = Literal["observed", "replayed", "inferred", "what-if"]
MomentNs = Annotated[NsString, BeforeValidator(lambda moment: str(moment) if isinstance(moment, int) else moment)]
"""The engine tells moments as numbers."""


class MissingPart(Answer):
    """A section, or a part of one, without content."""

    available: Literal[False]
    reason: str = Field(description="One sentence: which input is missing.")


class Part(Answer):
    """Base of a section, or a part of one, that has content."""

    available: Literal[True] = True


class Derived(Answer):
    """Base of what was derived."""

    label: Label
    missing: list[str] = Field(description="What a better answer would need; empty unless inferred.")


class Section(Part):
    """Base of a section."""

    from_ns: MomentNs = Field(description="Begin of the window that it is about.")
    to_ns: MomentNs = Field(description="Its end.")


class CauseTime(Answer):
    """How much of a time has a cause."""

    cause: str = Field(
        examples=["busy", "idle_same_node", "idle_other_node", "idle_exit", "pinned", "numa_placement"],
        description="A name; more may come.",
    )
    ns: int


class PressureSource(Derived):
    """Where a setting of the replay is from."""

    name: str


class PressureTotal(Part, Derived):
    """Replayed pressure in the window, microseconds as the kernel counts them; null where the kernel has no such counter."""

    some_us: int | None
    full_us: int | None


class PressureTotals(Answer):
    """Replayed pressure by resource."""

    cpu: PressureTotal | MissingPart
    memory: PressureTotal | MissingPart
    io: PressureTotal | MissingPart
    irq: PressureTotal | MissingPart


class PressurePoint(Answer):
    """What the pressure file would have shown; averages in percent, null where the kernel has none."""

    t_ns: MomentNs
    some_avg10: float
    some_avg60: float
    some_avg300: float
    full_avg10: float | None
    full_avg60: float | None
    full_avg300: float | None
    some_total_us: int = Field(description="Counts from the window's begin.")
    full_total_us: int | None


class PressureSeries(Answer):
    """Replayed pressure over time, ascending; evenly thinned, first and last point kept. Empty without evidence."""

    cpu: list[PressurePoint]
    memory: list[PressurePoint]
    io: list[PressurePoint]
    label: Label | None = Field(description="Of the averages, which lean on what was before the window.")
    missing: list[str]


class PressureNode(Answer):
    """The clocks of a node's CPUs, added up."""

    nid: int = Field(description="-1 for the CPUs whose node is not known.")
    cpu_some_ns: int = Field(description="A task waited for the CPU.")
    cpu_full_ns: int = Field(description="Tasks were runnable and none ran.")
    nonidle_ns: int = Field(description="There was something to do or to wait for.")
    unknown_ns: int = Field(description="Nobody knows; in none of the others.")


class PressureResidual(Answer):
    """The kernel's own counter between the first and the last sample in the window, against the replay of the same time."""

    from_ns: MomentNs = Field(description="Time of the first sample.")
    to_ns: MomentNs = Field(description="Time of the last sample.")
    samples: int
    sampled_some_us: int
    replayed_some_us: int
    error_percent: float = Field(description="How far the replay is above the samples.")
    tolerance_percent: float = Field(description="What is allowed here: 1, or 2 with gaps or little pressure.")
    within: bool
    pressure_percent: float = Field(description="Sampled stall time per time.")
    sampled_full_us: int | None
    replayed_full_us: int | None
    check_tolerance_us: int = Field(description="2 %, or two jiffies per aggregation when that is more.")
    check_within: bool


class PressureResiduals(Answer):
    """Residuals by resource; null where one of the sides is missing."""

    cpu: PressureResidual | None
    memory: PressureResidual | None
    io: PressureResidual | None


class LostStall(Answer):
    """Stall that aggregations threw away because no CPU had been busy for a jiffy, microseconds by resource."""

    cpu: int
    memory: int
    io: int


class PressureAverages(Derived):
    """Averages predicted from the sampled totals, against those that the kernel printed."""

    updates: int = Field(description="Updates of a line, three averages each, that were predicted.")
    worst: float = Field(description="Largest difference, percentage points.")
    skipped: int = Field(
        description="Updates that could not be predicted: the first, and those across a gap of samples."
    )
    exact: int = Field(description="Of the predicted ones, those with only one possible percentage.")


class PressureSection(Section):
    """Pressure stall information, replayed by the rules of a kernel version, beside the kernel's own samples."""

    rules: str = Field(examples=["6.4"], description="First kernel version of the rules in use.")
    rules_source: PressureSource
    hz: int = Field(description="Jiffies per second.")
    hz_source: PressureSource
    worker_source: PressureSource = Field(description="How the moments of the kernel's own updates are known.")
    system: PressureTotals
    cgroups: dict[str, PressureTotals] | MissingPart = Field(description="By path below the cgroup root.")
    series: PressureSeries
    nodes: list[PressureNode]
    residual: PressureResiduals | None = Field(description="Null without two pressure samples in the window.")
    cgroup_residual: dict[str, PressureResiduals] = Field(description="By path; only where cgroups were sampled.")
    averages: PressureAverages | None
    lost_us: LostStall


class UtilisationNode(Answer):
    """How busy a node's CPUs were together."""

    nid: int
    percent: list[int] = Field(description="Per step from the window's begin; the last step may be shorter.")
    average: int
    busy_ns: int
    idle_ns: int
    unknown_ns: int = Field(description="Nobody can say: events were lost, or the CPU's first one is yet to come.")


class UtilisationCpu(Answer):
    """How a CPU spent the window; the three times add up to it."""

    cpu: int
    nid: int
    busy_ns: int
    idle_ns: int
    unknown_ns: int


class ImbalanceStep(Answer):
    """How unevenly the nodes were used in a step."""

    from_ns: MomentNs
    max_min: float | None = Field(description="Percentage points between the busiest and the idlest node.")
    stdev: float | None = Field(description="Standard deviation of the nodes' percentages.")
    hhi: float | None = Field(description="Sum of the squared shares: 1/nodes when even, 1 when one has all.")


class DepthNode(Answer):
    """Runnable tasks of a node's CPUs, per step."""

    nid: int
    mean: list[float]
    max: list[int]


class Depth(Answer):
    """Runqueue depth over time."""

    step_ns: int
    nodes: list[DepthNode]


class UtilisationSection(Section, Derived):
    """The per-node utilisation table."""

    step_ns: int
    nodes: list[UtilisationNode]
    cpus: list[UtilisationCpu]
    imbalance: list[ImbalanceStep]
    depth: Depth


class ResidencyNode(Answer):
    """A task's time on a node."""

    nid: int
    run_ns: int


class ResidencyTask(Answer):
    """Where a task ran."""

    task: int = Field(description="Row of the task table.")
    pid: int
    comm: str
    run_ns: int
    wait_ns: int
    nodes: list[ResidencyNode]
    migrations_node: int = Field(description="Moves to another node.")
    cpus: int = Field(description="CPUs that it ran on.")


class ResidencySection(Section, Derived):
    """Which tasks ran on which nodes, those that ran longest first."""

    tasks: list[ResidencyTask]
    total: int = Field(description="How many tasks there are, told or not.")


class Antagonist(Answer):
    """A task that ran while another waited for its CPU."""

    task: int
    pid: int
    comm: str
    ns: int


class OtherTasks(Answer):
    """Tasks that ran as well, too many to be named."""

    tasks: int
    ns: int


class Wait(Answer):
    """One wait for a CPU; its causes add up to it."""

    pid: int
    comm: str
    task: int = Field(description="Row of the task table.")
    waking_ns: MomentNs = Field(description="What the wait began with.")
    switch_in_ns: MomentNs
    wait_ns: int
    cpu: int = Field(description="Where it got its CPU.")
    from_cpu: int = Field(description="Where it became runnable.")
    nid: int | None
    waker_pid: int | None
    prio: int = Field(description="As the kernel counts: 120 is nice 0.")
    cgroup: str | None = Field(description="Null when cgroups are not known.")
    causes: list[CauseTime]
    antagonists: list[Antagonist] = Field(description="Who ran on `cpu` meanwhile, the longest first.")
    others: OtherTasks | None


class WaitNumbers(Answer):
    """Nearest-rank percentiles of waits; null when there were none."""

    p50_ns: int | None
    p90_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    error_percent: int = Field(description="How far percentiles may be too high; 0 when they are exact.")


class WaitSum(WaitNumbers):
    """What waits add up to."""

    wait_ns: int = Field(description="All of them together.")
    causes: list[CauseTime] = Field(description="What that time went to.")


class WaitGroup(WaitSum):
    """The waits of one kind that began with a wake-up."""

    count: int
    preempted: int = Field(description="Waits after a preemption, which are in none of the other numbers.")
    preempted_ns: int


class NodeWaits(WaitGroup):
    """The waits that ended on a node."""

    nid: int


class TaskWaits(WaitGroup):
    """The waits of a task."""

    task: int = Field(description="Row of the task table.")
    pid: int
    comm: str


class CgroupWaits(WaitGroup):
    """The waits of a cgroup's tasks."""

    cgroup: str


class PreemptedWaits(WaitSum):
    """Waits that began with a preemption, not with a wake-up; `waking_ns` is that moment."""

    count: int
    worst: list[Wait]


class UnrequestedWaits(Answer):
    """Waits of tasks that became runnable without a recorded request, mostly new ones; they are in nothing else."""

    count: int
    wait_ns: int
    max_ns: int


class LatencySection(Section, Derived, WaitSum):
    """From wake-up to running: percentiles, the worst, and what the time went to."""

    wakeups: int
    worst: list[Wait]
    preempted: PreemptedWaits
    unrequested: UnrequestedWaits
    by_node: list[NodeWaits]
    by_task: list[TaskWaits] = Field(description="Those that waited longest in sum first.")
    tasks: int = Field(description="How many tasks waited, told or not.")
    by_cgroup: list[CgroupWaits] = Field(description="A cgroup's own tasks; empty when cgroups are not known.")


class WasteNode(Answer):
    """Time in which a node's CPUs were idle while tasks waited."""

    nid: int
    cpu_seconds: float
    cpu_ns: int
    causes: list[CauseTime]


class WasteSeries(Answer):
    """Waste over time."""

    step_ns: int
    cpu_ns: list[int]


class WasteSection(Section, Derived):
    """CPU time that was idle beside waiting tasks; each nanosecond has one cause."""

    cpu_seconds: float
    cpu_ns: int
    per_node: list[WasteNode]
    causes: list[CauseTime]
    affine_cpu_seconds: float | None = Field(
        description="Counting only CPUs that the tasks may use; null when unknown."
    )
    series: WasteSeries


class Finding(Derived):
    """Something that cost time."""

    id: str = Field(examples=["PSI_SPIKE_HIDDEN"])
    severity: Literal["high", "medium", "low"]
    from_ns: MomentNs
    to_ns: MomentNs
    impact_ms: float
    nodes: list[int]
    pids: list[int]
    cgroup: str | None
    summary: str = Field(description="One sentence.")


class FindingsSection(Section):
    """What the detectors found, worst first."""

    findings: list[Finding]

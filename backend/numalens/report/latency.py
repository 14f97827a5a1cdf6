"""The shapes of latency."""

from typing_extensions import TypedDict

from numalens.report.shapes import Label, ReportCause


class ReportAntagonist(TypedDict):
    """A task that ran while another waited for its CPU."""

    task: int
    pid: int
    comm: str
    ns: int


class ReportOthers(TypedDict):
    """Tasks that ran as well, too many to be named."""

    tasks: int
    ns: int


class ReportWait(TypedDict):
    """One wait; its causes add up to it."""

    pid: int
    comm: str
    task: int
    waking_ns: int
    switch_in_ns: int
    wait_ns: int
    cpu: int
    from_cpu: int
    nid: int | None
    waker_pid: int | None
    prio: int
    cgroup: str | None
    causes: list[ReportCause]
    antagonists: list[ReportAntagonist]
    others: ReportOthers | None


class ReportWaitNumbers(TypedDict):
    """Nearest-rank percentiles, at most `error_percent` too high; null when there were no waits."""

    p50_ns: int | None
    p90_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    error_percent: int


class ReportWaitGroup(ReportWaitNumbers):
    """The waits of one kind that began with a wake-up, and how many and how long those after a preemption were."""

    count: int
    wait_ns: int
    causes: list[ReportCause]
    preempted: int
    preempted_ns: int


class ReportNodeWaits(ReportWaitGroup):
    """The waits that ended on a node."""

    nid: int


class ReportTaskWaits(ReportWaitGroup):
    """The waits of a task."""

    task: int
    pid: int
    comm: str


class ReportCgroupWaits(ReportWaitGroup):
    """The waits of a cgroup's tasks."""

    cgroup: str


class ReportPreempted(ReportWaitNumbers):
    """Waits that began with a preemption; that moment is their `waking_ns`."""

    count: int
    wait_ns: int
    causes: list[ReportCause]
    worst: list[ReportWait]


class ReportUnrequested(TypedDict):
    """Waits of tasks that became runnable without a recorded request, mostly new ones; they are in nothing else."""

    count: int
    wait_ns: int
    max_ns: int


class ReportLatency(ReportWaitNumbers):
    """From wake-up to running."""

    from_ns: int
    to_ns: int
    wakeups: int
    wait_ns: int
    worst: list[ReportWait]
    preempted: ReportPreempted
    unrequested: ReportUnrequested
    by_node: list[ReportNodeWaits]
    by_task: list[ReportTaskWaits]
    tasks: int
    by_cgroup: list[ReportCgroupWaits]
    causes: list[ReportCause]
    label: Label
    missing: list[str]


class ReportHeatCell(TypedDict):
    """The waits that ended in a column and are 2^bucket ns or longer, and shorter than twice that."""

    column: int
    bucket: int
    count: int


class ReportHeatWaits(TypedDict):
    """The waits of one kind over time and by length; cells without a wait are left out."""

    count: int
    cells: list[ReportHeatCell]
    most: int


class ReportWaitHeat(TypedDict):
    """How many waits were how long when: columns of `step_ns` from `from_ns` on."""

    from_ns: int
    to_ns: int
    step_ns: int
    columns: int
    wakeups: ReportHeatWaits
    preempted: ReportHeatWaits
    label: Label
    missing: list[str]

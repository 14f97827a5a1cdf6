"""The shapes of utilisation, residency and waste."""

from typing_extensions import TypedDict

from numalens.report.shapes import Label, ReportCause


class ReportUtilisationNode(TypedDict):
    """How busy a node's CPUs were together, per step and in the window."""

    nid: int
    percent: list[int]
    average: int
    busy_ns: int
    idle_ns: int
    unknown_ns: int


class ReportUtilisationCpu(TypedDict):
    """How a CPU spent the window."""

    cpu: int
    nid: int
    busy_ns: int
    idle_ns: int
    unknown_ns: int


class ReportImbalance(TypedDict):
    """How unevenly the nodes were used in a step."""

    from_ns: int
    max_min: float | None
    stdev: float | None
    hhi: float | None


class ReportDepthNode(TypedDict):
    """Runnable tasks of a node's CPUs, per step."""

    nid: int
    mean: list[float]
    max: list[int]


class ReportDepth(TypedDict):
    """Runqueue depth over time."""

    step_ns: int
    nodes: list[ReportDepthNode]


class ReportUtilisation(TypedDict):
    """The per-node utilisation table."""

    from_ns: int
    to_ns: int
    step_ns: int
    nodes: list[ReportUtilisationNode]
    cpus: list[ReportUtilisationCpu]
    imbalance: list[ReportImbalance]
    depth: ReportDepth
    label: Label
    missing: list[str]


class ReportResidencyNode(TypedDict):
    """A task's time on a node."""

    nid: int
    run_ns: int


class ReportResidencyTask(TypedDict):
    """Where a task ran."""

    task: int
    pid: int
    comm: str
    run_ns: int
    wait_ns: int
    nodes: list[ReportResidencyNode]
    migrations_node: int
    cpus: int


class ReportResidency(TypedDict):
    """Which tasks ran on which nodes."""

    from_ns: int
    to_ns: int
    tasks: list[ReportResidencyTask]
    total: int
    label: Label
    missing: list[str]


class ReportWasteNode(TypedDict):
    """Idle CPU time beside a node's waiting tasks."""

    nid: int
    cpu_seconds: float
    cpu_ns: int
    causes: list[ReportCause]


class ReportWasteSeries(TypedDict):
    """Waste over time."""

    step_ns: int
    cpu_ns: list[int]


class ReportWaste(TypedDict):
    """CPU time that was idle beside waiting tasks."""

    from_ns: int
    to_ns: int
    cpu_seconds: float
    cpu_ns: int
    per_node: list[ReportWasteNode]
    causes: list[ReportCause]
    affine_cpu_seconds: float | None
    series: ReportWasteSeries
    label: Label
    missing: list[str]

"""The shapes of what a window tells of memory that follows tasks, and of tasks that follow memory."""

from pydantic import Field

from numalens.api.models import Answer
from numalens.api.section_models import Derived, Label, MomentNs, Section


class NodeMoves(Derived):
    """Moves of tasks between nodes."""

    count: int
    per_s: float
    by_how: list[tuple[str, int]] = Field(description="By what the task was then: unknown, waking, runnable, asleep.")
    unseen: int = Field(description="Times that a task was on another node than its last event says.")
    unplaced: int = Field(description="Migrations from or to CPUs of which no node is known.")


class Shorter(Answer):
    """Dwells shorter than an interval."""

    than_ns: int
    count: int
    share: float | None = Field(description="Of all complete dwells; null of none.")


class RemoteRun(Answer):
    """Time on CPUs of nodes that do not hold most of the memory."""

    ns: int
    missing: list[str] = Field(description="Where neither run times nor memory are known, ns is 0.")


class Dwell(Derived):
    """How long tasks stayed on a node between two moves."""

    count: int
    p50_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    sum_ns: int
    violations: list[Shorter] = Field(description="Those that a migration interval would not have allowed.")
    short: Shorter
    short_remote: RemoteRun


class JustTooLate(Derived):
    """Pages that were migrated for a task that left soon after."""

    amortisation_ns: int = Field(description="How long the task must stay for its pages to be worth the way.")
    migrated_pages: int
    pages: int = Field(description="Of these, those that came too late.")
    share: float | None = Field(description="Null when none were migrated.")
    undecided_pages: int = Field(description="The recording ends too soon to tell.")
    batches: int = Field(description="Calls that migrated the late pages.")
    migrate_ns: int = Field(description="Time of these calls, where their begin is recorded.")
    untimed_batches: int
    told_batches: int = Field(description="Calls whose destination an event tells.")


class NodePages(Answer):
    """Pages that came to a node."""

    nid: int
    pages: int
    per_s: float


class MemoryFollowsCpu(Derived):
    """Pages migrated on fault, to the node where the task runs."""

    pages: int
    failed: int
    batches: int
    per_s: float
    nodes: list[NodePages]


class CpuFollowsMemory(Derived):
    """Moves of tasks to the node that holds most of their memory."""

    moves: int
    following: int
    unknown: int = Field(description="Moves of which nobody knows where the memory was.")
    share: float | None
    by: list[tuple[str, int]] = Field(description="How many moves each kind of evidence judged.")


class Fighter(Answer):
    """A process whose tasks go to the memory while its memory goes to the tasks."""

    tgid: int
    windows: int
    active: int = Field(description="Windows in which it moved at all.")
    pages: int
    moves: int
    remote: RemoteRun


class Fight(Derived):
    """Windows of 10 s in which tasks went one way and their pages the other."""

    windows: int
    fighting: int
    index: float | None = Field(description="Their share; null when nothing tells.")
    at_most: float | None = Field(description="The same if every move of unknown memory went to it.")
    processes: list[Fighter]


class Quality(Derived):
    """How good a value is."""


class Locality(Answer):
    """How local memory was."""

    faults: float | None = Field(description="Share of local hinting faults.")
    faults_quality: Quality
    pages: float | None = Field(description="Share of pages on the node where their process ran.")
    pages_quality: Quality


class Convergence(Derived):
    """When placement was settled."""

    after_ns: int | None = Field(description="After the window's begin; null when not in it.")


class Durations(Answer):
    """How long calls that migrate pages took, for one reason."""

    reason: str = Field(description="Empty when nothing tells.")
    batches: int
    timed: int = Field(description="Those whose begin is recorded: the times are theirs.")
    pages: int
    failed: int
    sum_ns: int
    p50_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    error_percent: int = Field(description="How far percentiles may be too high.")


class MovedTask(Answer):
    """A task that moved between nodes, or whose pages did."""

    pid: int
    tgid: int
    task: int | None = Field(description="Row of the task table.")
    moves: int
    short_dwells: int
    by_node: list[tuple[int, int]] = Field(description="Node and time on it, ns.")
    pages: int
    just_too_late_pages: int
    migrate_ns: int
    run_ns: int | None


class MovedTasks(Answer):
    """Tasks, the worst first."""

    count: int
    rows: list[MovedTask]


class MoveSeries(Answer):
    """Counts per step of the window; the last step may be shorter."""

    step_ns: int
    moves: list[int]
    pages: list[int] = Field(description="Migrated on fault.")
    all_pages: list[int] = Field(description="Migrated for any reason.")
    just_too_late: list[int]
    by_node: list[list[int]] = Field(description="`pages` in the order of memory_follows_cpu.nodes.")


class MigrationMetrics(Answer):
    """Whether memory followed the CPUs, or the CPUs the memory."""

    moves: NodeMoves
    dwell: Dwell
    just_too_late: JustTooLate
    memory_follows_cpu: MemoryFollowsCpu
    cpu_follows_memory: CpuFollowsMemory
    fight: Fight
    locality: Locality
    convergence: Convergence
    durations: list[Durations]
    tasks: MovedTasks
    series: MoveSeries


class Equivalent(Derived):
    """What tells today what a statistic of 2010 told."""

    statistic: str = Field(examples=["MP"])
    name: str
    source: str | None = Field(description="Null where nothing tells it.")
    value: int | None
    note: str = Field(description="What is different.")


class Conserved(Derived):
    """A law of today's numbers."""

    law: str
    left: int | None
    right: int | None
    residual: int | None = Field(description="right - left")
    slack: int = Field(description="What may be between them without breaking it.")
    rule: str = Field(examples=["equal", "at_least"])
    holds: bool | None = Field(description="Null when a side is not known.")


class Modern(Answer):
    """Today's equivalents of the statistics of 2010, and what they conserve."""

    samples_ns: tuple[MomentNs, MomentNs] | None = Field(description="The samples of /proc/vmstat that were compared.")
    equivalents: list[Equivalent]
    conserved: list[Conserved]


class AutomigRow(Answer):
    """A row of the statistics and what follows from it."""

    t_ns: MomentNs | None
    counters: dict[str, int] = Field(description="The eleven counters since boot.")
    cached: int = Field(description="Entries in the migration cache.")
    references: int
    shared: int = Field(description="References beyond each entry's first.")
    beyond_misplaced: int
    never_cached: int


class LawViolation(Answer):
    """A row that breaks a law."""

    row: int
    t_ns: MomentNs | None
    what: str
    by: int


class LawCheck(Answer):
    """A law and the rows."""

    law: str = Field(examples=["C1"])
    form: str
    holds: int = Field(description="Rows in which it holds to the letter.")
    skewed: int = Field(description="Rows that break it only by being read while they changed.")
    rows: int = Field(description="Rows that were checked.")
    violated: int
    violations: list[LawViolation]


class Leak(Answer):
    """Shared references that stay."""

    from_ns: MomentNs | None
    to_ns: MomentNs | None
    entries: int


class AutomigTable(Derived):
    """The statistics of auto-migration, judged."""

    rows: list[AutomigRow]
    laws: list[LawCheck]
    ratios: dict[str, float | None] | None = Field(description="Of the last row's counts since boot.")
    window: dict[str, float | None] | None = Field(description="Of what was counted between first and last row.")
    leak: Leak | None


class RefusedMove(Answer):
    """A move that a migration interval would have refused."""

    t_ns: MomentNs
    pid: int
    task: int
    from_nid: int
    to_nid: int
    after_ns: int = Field(description="Since the task's last move that would have been allowed.")
    label: Label


class IntervalWhatIf(Derived):
    """What a migration interval would have refused."""

    interval_s: int
    moves: int
    first: int = Field(description="First refusals of their tasks: up to there the history is the real one.")
    later: int
    refused: list[RefusedMove]


class MigrationSection(Section):
    """Memory that follows tasks and tasks that follow memory; what was not recorded or sampled is null."""

    metrics: MigrationMetrics | None = Field(description="Null without a recording.")
    modern: Modern | None
    table: AutomigTable | None = Field(description="Null unless the statistics of auto-migration were sampled.")
    what_if: IntervalWhatIf | None
    amortisation_ns: int | None

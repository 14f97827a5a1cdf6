"""The shapes of a comparison. Times are ns of each recording's own clock."""

from typing import Any, Final, Literal

from typing_extensions import TypedDict

from numalens.report.build import Label, MissingSection

SCHEMA: Final = "numalens.comparison/1"

Better = Literal["higher", "lower", "neither"]
Kind = Literal[
    "recording",
    "topology",
    "topology_assumed",
    "events",
    "probes",
    "samples",
    "length",
    "short",
    "lost",
    "hz",
    "clock",
    "kernel",
    "same",
]
Severity = Literal["warning", "note"]
Unit = Literal["", "/s", "ns", "ms", "cpu_s", "%", "points", "cost"]


class ComparedNode(TypedDict):
    """A NUMA node and its CPUs."""

    nid: int
    cpus: list[int]


class ComparedAnalysis(TypedDict):
    """What one of the analyses is, so far as that matters for comparing it."""

    key: str
    id: str | None
    title: str
    side: int
    inputs: list[str]
    kernel: str | None
    cpus: int
    nodes: list[ComparedNode]
    topology_source: str
    clock: str | None
    hz: int | None
    hz_label: Label | None
    window_ns: list[int]
    length_ns: int
    events: int
    lost_events: int
    lost_marks: int
    degree: int | None
    rules: str | None


class Side(TypedDict):
    """One of the things that are compared: a kernel, a setting; one run of it or several."""

    key: str
    name: str
    analyses: list[int]


class Warned(TypedDict):
    """Why the analyses are not alike, and what that does to the numbers."""

    kind: Kind
    severity: Severity
    sentence: str
    analyses: list[int]


class Samples(TypedDict):
    """What the values of the statistics are."""

    by: Literal["windows", "runs"]
    step_ns: int
    sentence: str


class UtilisationRow(TypedDict):
    """A node's row in the per-node table."""

    nid: int
    percent: list[int]
    average: int


class ComparedUtilisation(TypedDict):
    """The per-node table of one analysis."""

    nodes: list[UtilisationRow]
    label: Label
    missing: list[str]


class ComparedHistogram(TypedDict):
    """Wake-up waits of one analysis by their length, in the bins that all share."""

    counts: list[int]
    percent: list[float]
    at_most_percent: list[float]
    wakeups: int
    label: Label
    missing: list[str]


class LatencyBins(TypedDict):
    """The bins: `edges_ns` are upper edges of all but the last; the first bin begins at 0."""

    edges_ns: list[int]
    analyses: list[ComparedHistogram | MissingSection]


class Cell(TypedDict):
    """A side of a row, as the engine's `compare_rows` tells it, with how good it is; `reason` says why it has no value."""

    total: float | None
    mean: float | None
    summary: dict[str, Any] | None
    percent: float | None
    t_test: dict[str, Any] | None
    intervals: dict[str, Any] | None
    cell_2020: str | None
    cell_2024: str | None
    change_mean: int | None
    change_median: int | None
    label: Label | None
    missing: list[str]
    reason: str | None


class Row(TypedDict):
    """A row of a table. `counted` rows have totals, and their means are rates per second."""

    name: str
    title: str
    unit: Unit
    better: Better
    counted: bool
    mean: Literal["harmonic", "arithmetic"]
    sides: list[Cell]


class Table(TypedDict):
    """A table; `absent` says for each side why all of it is missing there, null where it is not."""

    name: str
    title: str
    rows: list[Row]
    absent: list[str | None]


class FindingHere(TypedDict):
    """The costliest finding of a kind on one side."""

    analysis: int
    from_ns: int
    to_ns: int
    impact_ms: float
    summary: str
    nodes: list[int]
    pids: list[int]


class FindingSide(TypedDict):
    """What a detector found on one side; `worst` is null where it found nothing."""

    count: int
    worst: FindingHere | None


class FindingKind(TypedDict):
    """A detector's findings by side; `only` are the sides that have it where not all have."""

    id: str
    severity: Literal["high", "medium", "low"]
    label: Label
    sides: list[FindingSide]
    only: list[int] | None


class ComparedFindings(TypedDict):
    """Findings by detector, those of some sides only first; `absent` as in a table."""

    kinds: list[FindingKind]
    absent: list[str | None]


class Comparison(TypedDict):
    """The whole comparison."""

    schema: Literal["numalens.comparison/1"]
    base: int
    sides: list[Side]
    analyses: list[ComparedAnalysis]
    warnings: list[Warned]
    step_ns: int
    samples: Samples
    utilisation: list[ComparedUtilisation | MissingSection]
    latency: LatencyBins
    tables: list[Table]
    findings: ComparedFindings

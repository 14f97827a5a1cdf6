"""The shapes of a comparison, as the API answers it and `numalens compare --json` writes it.

Times are ns of each recording's own clock. Those that are moments are numbers in the report and decimal strings in the API.
"""

from typing import Annotated, Final, Literal

from pydantic import Field, PlainSerializer, WithJsonSchema
from typing_extensions import TypedDict

from numalens.report.build import Label, Unavailable

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
Unit = Literal["", "/s", "ns", "ms", "cpu_s", "%", "points", "cost", "s", "us", "MiB/s", "Mop/s"]
MomentNs = Annotated[
    int,
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+$", "maxLength": 20, "examples": ["172800000000000"]}),
]


class Derived(TypedDict):
    """Base of a part that was derived, and has content."""

    available: Literal[True]
    label: Label
    missing: Annotated[list[str], Field(description="Inputs that a better answer needs; empty if not inferred.")]


class ComparedNode(TypedDict):
    """A NUMA node and its CPUs."""

    nid: int
    cpus: list[int]


class ComparedAnalysis(TypedDict):
    """Properties of an analysis that matter for comparing it."""

    key: Annotated[str, Field(examples=["A", "B2"], description="Name used in sentences.")]
    id: Annotated[str | None, WithJsonSchema({"type": "string"})]
    """Null on the command line, which compares files."""
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
    window_ns: list[MomentNs]
    length_ns: Annotated[int, Field(description="Recorded part of the window.")]
    events: int
    lost_events: int
    lost_marks: int
    degree: Annotated[int | None, Field(description="Degree of cling in percent; null if not known.")]
    rules: Annotated[str | None, Field(description="First kernel version with the NUMA balancer's rules.")]


class ComparedSide(TypedDict):
    """One compared side: a kernel, a setting; one or several runs."""

    key: str
    name: str
    analyses: Annotated[list[int], Field(description="Positions in `analyses`.")]


class ComparedWarning(TypedDict):
    """Reason for which the analyses differ, and the effect on the numbers."""

    kind: Annotated[
        Kind,
        WithJsonSchema({"type": "string"}),
        Field(examples=["topology", "events", "length", "lost", "hz"], description="A name; more may come."),
    ]
    severity: Severity
    sentence: str
    analyses: list[int]


class ComparedSamples(TypedDict):
    """Kind of the statistics' values."""

    by: Literal["windows", "runs"]
    step_ns: int
    sentence: str


class ComparedRow(TypedDict):
    """A node's row of the per-node table."""

    nid: int
    percent: list[int | None]
    average: int | None


class ComparedUtilisation(Derived):
    """The per-node table of one analysis, from the start of its window."""

    nodes: list[ComparedRow]


class ComparedHistogram(Derived):
    """Wakeup waits of one analysis by length."""

    counts: Annotated[list[int], Field(description="One more than there are edges.")]
    percent: Annotated[list[float], Field(description="Share of all waits; empty without waits.")]
    at_most_percent: Annotated[list[float], Field(description="Cumulative share of all waits; empty without waits.")]
    wakeups: int


class LatencyBins(TypedDict):
    """Wakeup waits by length, all in the same bins."""

    edges_ns: Annotated[list[int], Field(description="Upper edges of all bins but the last; the first begins at 0.")]
    analyses: list[ComparedHistogram | Unavailable]


class Spread(TypedDict):
    """Distribution of a side's values."""

    n: int
    mean: float
    harmonic_mean: float | None
    min: float
    first_quartile: float
    median: float
    third_quartile: float
    max: float
    sample_deviation: Annotated[float | None, Field(description="Divided by n - 1; null for one value.")]
    population_deviation: Annotated[float, Field(description="Divided by n.")]
    coefficient_of_variation: Annotated[float, Field(description="Sample deviation in percent of the mean.")]


class TTest(TypedDict):
    """mmtests' rule of 2020: a two-sided t test; t and p are null when nothing spreads."""

    t: float | None
    df: int
    p: float | None
    significant: Annotated[bool, Field(description="p is below 0.10.")]


class Intervals(TypedDict):
    """mmtests' rule of 2024: intervals of 95 % around the means do not overlap."""

    base: Annotated[float, Field(description="Half width of the base's interval.")]
    new: Annotated[float, Field(description="Half width of this side's interval.")]
    cidiff: Annotated[float, Field(description="Difference of the means, in units of both half widths together.")]
    significant: bool


class ComparedCell(TypedDict):
    """A side of a row; the differences are from the base's side, where they are null."""

    total: Annotated[float | None, Field(description="Of counts.")]
    mean: Annotated[float | None, Field(description="For counts, the rate per second. Null if not known.")]
    summary: Spread | None
    percent: Annotated[
        float | None,
        Field(description="Positive is better, or larger where neither direction is better; null without a ratio."),
    ]
    t_test: TTest | None
    intervals: Intervals | None
    cell_2020: Annotated[
        str | None, Field(examples=["* -24.28%*"], description="As mmtests prints it, by its rule of 2020.")
    ]
    cell_2024: str | None
    change_mean: Annotated[int | None, Field(description="In whole percents, positive is more.")]
    change_median: int | None
    label: Label | None
    missing: list[str]
    reason: Annotated[str | None, Field(description="Reason for a missing value of this side or of one of its runs.")]


class ComparedTableRow(TypedDict):
    """A row of a table."""

    name: str
    title: str
    unit: Annotated[
        Unit,
        WithJsonSchema({"type": "string"}),
        Field(examples=["", "ns", "ms", "%", "points"], description="For counts, the value of the total."),
    ]
    better: Better
    counted: Annotated[bool, Field(description="The row has totals, and its means are rates per second.")]
    mean: Literal["harmonic", "arithmetic"]
    sides: list[ComparedCell]


class ComparedTable(TypedDict):
    """A table; rows that no side has anything of are left out."""

    name: Annotated[str, Field(examples=["statistics", "ops", "vmstat", "psi", "latency"])]
    title: str
    rows: list[ComparedTableRow]
    absent: Annotated[list[str | None], Field(description="By side: reason for which all data is missing there.")]


class FindingHere(TypedDict):
    """The costliest finding of a kind on one side."""

    analysis: int
    from_ns: MomentNs
    to_ns: MomentNs
    impact_ms: float
    summary: str
    nodes: list[int]
    pids: list[int]


class FindingSide(TypedDict):
    """Findings on one side."""

    count: int
    worst: FindingHere | None


class FindingKind(TypedDict):
    """A detector's findings by side."""

    id: str
    severity: Literal["high", "medium", "low"]
    label: Label
    sides: list[FindingSide]
    only: Annotated[list[int] | None, Field(description="Sides that have it, if not all have it.")]


class ComparedFindings(TypedDict):
    """Findings by detector, those of some sides only first."""

    kinds: list[FindingKind]
    absent: list[str | None]


class ComparedExample(TypedDict):
    """The first moment at which a decision had an outcome."""

    analysis: int
    t_ns: MomentNs
    pid: int | None
    comm: str | None
    cpu: int | None


class DecisionChange(TypedDict):
    """Difference of a side from the base."""

    difference: Annotated[float, Field(description="Points of percent; of a kind, decisions per second.")]
    p: Annotated[
        float | None,
        Field(description="Probability by chance, corrected for the number of tests; null with too few decisions."),
    ]
    significant: Annotated[bool, Field(description="The change is beyond noise.")]


class ComparedDecisionCell(TypedDict):
    """Decisions of one side."""

    count: int
    value: Annotated[
        float | None,
        Field(description="Share of the kind, percent; of a kind, decisions per second. Null if not known."),
    ]
    example: ComparedExample | None
    change: DecisionChange | None


class ComparedOutcome(TypedDict):
    """An outcome of a kind of decision on all sides."""

    id: str
    title: str
    rule: Annotated[str, Field(examples=["W5"], description="Numbered rules of docs/algorithms.")]
    kernel: Annotated[str, Field(description="Kernel functions.")]
    sides: list[ComparedDecisionCell]


class ComparedDecisionKind(ComparedOutcome):
    """A kind of decision: how often, and its outcomes, changes beyond noise first."""

    outcomes: list[ComparedOutcome]
    label: Label
    missing: list[str]


class ComparedDecisions(TypedDict):
    """Distributions of decisions side by side."""

    sentence: Annotated[str, Field(description="Meaning of a change beyond noise.")]
    kinds: list[ComparedDecisionKind]
    missing: Annotated[list[list[str]], Field(description="By side: reasons for which other kinds are not known.")]


class ComparisonAnswer(TypedDict):
    """Two or more analyses side by side, `numalens.comparison/1`."""

    base: Annotated[int, Field(description="Side that the others are compared with.")]
    sides: list[ComparedSide]
    analyses: list[ComparedAnalysis]
    warnings: Annotated[
        list[ComparedWarning], Field(description="Reasons why they are not comparable, the most serious first.")
    ]
    step_ns: Annotated[int, Field(description="Step of the per-node tables.")]
    samples: ComparedSamples
    utilisation: list[ComparedUtilisation | Unavailable]
    latency: LatencyBins
    tables: list[ComparedTable]
    findings: ComparedFindings
    decisions: Annotated[ComparedDecisions | None, Field(description="Null unless requested.")]


class Comparison(ComparisonAnswer):
    """The same with the name of its schema, as the command line writes it."""

    schema: Literal["numalens.comparison/1"]

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
Unit = Literal["", "/s", "ns", "ms", "cpu_s", "%", "points", "cost"]
MomentNs = Annotated[
    int,
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+$", "maxLength": 20, "examples": ["172800000000000"]}),
]


class Derived(TypedDict):
    """Base of a part that was derived, and has content."""

    available: Literal[True]
    label: Label
    missing: Annotated[list[str], Field(description="What a better answer would need; empty unless inferred.")]


class ComparedNode(TypedDict):
    """A NUMA node and its CPUs."""

    nid: int
    cpus: list[int]


class ComparedAnalysis(TypedDict):
    """What one of the analyses is, so far as that matters for comparing it."""

    key: Annotated[str, Field(examples=["A", "B2"], description="How sentences call it.")]
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
    degree: Annotated[int | None, Field(description="Cling's degree, percent; null where cling is not known.")]
    rules: Annotated[str | None, Field(description="First kernel version with the NUMA balancer's rules.")]


class ComparedSide(TypedDict):
    """One of the things that are compared: a kernel, a setting; one run of it or several."""

    key: str
    name: str
    analyses: Annotated[list[int], Field(description="Positions in `analyses`.")]


class ComparedWarning(TypedDict):
    """Why the analyses are not alike, and what that does to the numbers."""

    kind: Annotated[
        Kind,
        WithJsonSchema({"type": "string"}),
        Field(examples=["topology", "events", "length", "lost", "hz"], description="A name; more may come."),
    ]
    severity: Severity
    sentence: str
    analyses: list[int]


class ComparedSamples(TypedDict):
    """What the values of the statistics are."""

    by: Literal["windows", "runs"]
    step_ns: int
    sentence: str


class ComparedRow(TypedDict):
    """A node's row of the per-node table."""

    nid: int
    percent: list[int | None]
    average: int | None


class ComparedUtilisation(Derived):
    """The per-node table of one analysis, from its window's begin."""

    nodes: list[ComparedRow]


class ComparedHistogram(Derived):
    """Wake-up waits of one analysis by length."""

    counts: Annotated[list[int], Field(description="One more than there are edges.")]
    percent: Annotated[list[float], Field(description="Of all; empty without any.")]
    at_most_percent: Annotated[list[float], Field(description="In the bin or below it, of all; empty without any.")]
    wakeups: int


class LatencyBins(TypedDict):
    """Wake-up waits by length, all in the same bins."""

    edges_ns: Annotated[list[int], Field(description="Upper edges of all bins but the last; the first begins at 0.")]
    analyses: list[ComparedHistogram | Unavailable]


class Spread(TypedDict):
    """What the values of a side are together."""

    n: int
    mean: float
    harmonic_mean: float | None
    min: float
    first_quartile: float
    median: float
    third_quartile: float
    max: float
    sample_deviation: Annotated[float | None, Field(description="Divided by n - 1; null of one value.")]
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

    base: Annotated[float, Field(description="Half of the base's interval.")]
    new: Annotated[float, Field(description="Half of this side's.")]
    cidiff: Annotated[float, Field(description="Difference of the means in both halves together.")]
    significant: bool


class ComparedCell(TypedDict):
    """A side of a row; the differences are from the base's side, where they are null."""

    total: Annotated[float | None, Field(description="Of counts.")]
    mean: Annotated[float | None, Field(description="Of counts the rate per second. Null where nothing is known.")]
    summary: Spread | None
    percent: Annotated[
        float | None,
        Field(description="Positive is better, or more where neither is better; null where there is no ratio."),
    ]
    t_test: TTest | None
    intervals: Intervals | None
    cell_2020: Annotated[
        str | None, Field(examples=["* -24.28%*"], description="As mmtests prints it, by the rule of 2020.")
    ]
    cell_2024: str | None
    change_mean: Annotated[int | None, Field(description="In whole percents, positive is more.")]
    change_median: int | None
    label: Label | None
    missing: list[str]
    reason: Annotated[str | None, Field(description="Why a value, or that of one of its runs, is missing.")]


class ComparedTableRow(TypedDict):
    """A row of a table."""

    name: str
    title: str
    unit: Annotated[
        Unit,
        WithJsonSchema({"type": "string"}),
        Field(examples=["", "ns", "ms", "%", "points"], description="Of counted rows that of the total."),
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
    absent: Annotated[list[str | None], Field(description="By side: why all of it is missing there.")]


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
    """What a detector found on one side."""

    count: int
    worst: FindingHere | None


class FindingKind(TypedDict):
    """A detector's findings by side."""

    id: str
    severity: Literal["high", "medium", "low"]
    label: Label
    sides: list[FindingSide]
    only: Annotated[list[int] | None, Field(description="The sides that have it, where not all have.")]


class ComparedFindings(TypedDict):
    """Findings by detector, those of some sides only first."""

    kinds: list[FindingKind]
    absent: list[str | None]


class ComparisonAnswer(TypedDict):
    """Two or more analyses side by side, `numalens.comparison/1`."""

    base: Annotated[int, Field(description="Side that the others are compared with.")]
    sides: list[ComparedSide]
    analyses: list[ComparedAnalysis]
    warnings: Annotated[list[ComparedWarning], Field(description="Why they are not like with like, the gravest first.")]
    step_ns: Annotated[int, Field(description="Step of the per-node tables.")]
    samples: ComparedSamples
    utilisation: list[ComparedUtilisation | Unavailable]
    latency: LatencyBins
    tables: list[ComparedTable]
    findings: ComparedFindings


class Comparison(ComparisonAnswer):
    """The same with the name of its schema, as the command line writes it."""

    schema: Literal["numalens.comparison/1"]

"""The shapes of a comparison, as the API answers it and `numalens compare --json` writes it. Tables and decisions are the engine's.

Times are ns of each recording's own clock. Those that are moments are numbers in the report and decimal strings in the API.
"""

from typing import Annotated, Any, Final, Literal

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
MomentNs = Annotated[
    int,
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+$", "maxLength": 20, "examples": ["172800000000000"]}),
]


Shape = dict[str, Any]
"""A part whose shape the engine declares."""
ENGINES: Final = "x-engine"
"""Key of a schema that refers to a shape of the engine by name."""
ComparedTable = Annotated[Shape, WithJsonSchema({ENGINES: "ComparedTable"})]
ComparedDecisions = Annotated[Shape, WithJsonSchema({ENGINES: "ComparedDecisions"})]


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

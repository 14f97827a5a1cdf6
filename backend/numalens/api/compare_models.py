"""The shapes of a comparison of analyses; moments are decimal strings, as everywhere."""

from typing import Literal

from pydantic import Field

from numalens.api.models import Answer, MomentNs
from numalens.report.build import Label


class Unavailable(Answer):
    """A section, or a part of one, without content."""

    available: Literal[False]
    reason: str = Field(description="One sentence: which input is missing.")


class Part(Answer):
    """Base of a part that has content."""

    available: Literal[True] = True


class Derived(Answer):
    """Base of what was derived."""

    label: Label
    missing: list[str] = Field(description="What a better answer would need; empty unless inferred.")


class ComparedNode(Answer):
    """A NUMA node and its CPUs."""

    nid: int
    cpus: list[int]


class ComparedAnalysis(Answer):
    """What one of the analyses is, so far as that matters for comparing it."""

    key: str = Field(examples=["A", "B2"], description="How sentences call it.")
    id: str
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
    length_ns: int = Field(description="Recorded part of the window.")
    events: int
    lost_events: int
    lost_marks: int
    degree: int | None = Field(description="Cling's degree, percent; null where cling is not known.")
    rules: str | None = Field(description="First kernel version with the NUMA balancer's rules.")


class ComparedSide(Answer):
    """One of the things that are compared: a kernel, a setting; one run of it or several."""

    key: str
    name: str
    analyses: list[int] = Field(description="Positions in `analyses`.")


class ComparedWarning(Answer):
    """Why the analyses are not alike, and what that does to the numbers."""

    kind: str = Field(examples=["topology", "events", "length", "lost", "hz"], description="A name; more may come.")
    severity: Literal["warning", "note"]
    sentence: str
    analyses: list[int]


class ComparedSamples(Answer):
    """What the values of the statistics are."""

    by: Literal["windows", "runs"]
    step_ns: int
    sentence: str


class ComparedRow(Answer):
    """A node's row of the per-node table."""

    nid: int
    percent: list[int]
    average: int


class ComparedUtilisation(Part, Derived):
    """The per-node table of one analysis, from its window's begin."""

    nodes: list[ComparedRow]


class ComparedHistogram(Part, Derived):
    """Wake-up waits of one analysis by length."""

    counts: list[int] = Field(description="One more than there are edges.")
    percent: list[float] = Field(description="Of all; empty without any.")
    at_most_percent: list[float] = Field(description="In the bin or below it, of all; empty without any.")
    wakeups: int


class LatencyBins(Answer):
    """Wake-up waits by length, all in the same bins."""

    edges_ns: list[int] = Field(description="Upper edges of all bins but the last; the first begins at 0.")
    analyses: list[ComparedHistogram | Unavailable]


class Spread(Answer):
    """What the values of a side are together."""

    n: int
    mean: float
    harmonic_mean: float | None
    min: float
    first_quartile: float
    median: float
    third_quartile: float
    max: float
    sample_deviation: float | None = Field(description="Divided by n - 1; null of one value.")
    population_deviation: float = Field(description="Divided by n.")
    coefficient_of_variation: float = Field(description="Sample deviation in percent of the mean.")


class TTest(Answer):
    """mmtests' rule of 2020: a two-sided t test; t and p are null when nothing spreads."""

    t: float | None
    df: int
    p: float | None
    significant: bool = Field(description="p is below 0.10.")


class Intervals(Answer):
    """mmtests' rule of 2024: intervals of 95 % around the means do not overlap."""

    base: float = Field(description="Half of the base's interval.")
    new: float = Field(description="Half of this side's.")
    cidiff: float = Field(description="Difference of the means in both halves together.")
    significant: bool


class ComparedCell(Answer):
    """A side of a row; the differences are from the base's side, where they are null."""

    total: float | None = Field(description="Of counts.")
    mean: float | None = Field(description="Of counts the rate per second. Null where nothing is known.")
    summary: Spread | None
    percent: float | None = Field(
        description="Positive is better, or more where neither is better; null where there is no ratio."
    )
    t_test: TTest | None
    intervals: Intervals | None
    cell_2020: str | None = Field(examples=["* -24.28%*"], description="As mmtests prints it, by the rule of 2020.")
    cell_2024: str | None
    change_mean: int | None = Field(description="In whole percents, positive is more.")
    change_median: int | None
    label: Label | None
    missing: list[str]
    reason: str | None = Field(description="Why a value, or that of one of its runs, is missing.")


class ComparedTableRow(Answer):
    """A row of a table."""

    name: str
    title: str
    unit: str = Field(examples=["", "ns", "ms", "%", "points"], description="Of counted rows that of the total.")
    better: Literal["higher", "lower", "neither"]
    counted: bool = Field(description="The row has totals, and its means are rates per second.")
    mean: Literal["harmonic", "arithmetic"]
    sides: list[ComparedCell]


class ComparedTable(Answer):
    """A table; rows that no side has anything of are left out."""

    name: str = Field(examples=["statistics", "ops", "vmstat", "psi", "latency"])
    title: str
    rows: list[ComparedTableRow]
    absent: list[str | None] = Field(description="By side: why all of it is missing there.")


class FindingHere(Answer):
    """The costliest finding of a kind on one side."""

    analysis: int
    from_ns: MomentNs
    to_ns: MomentNs
    impact_ms: float
    summary: str
    nodes: list[int]
    pids: list[int]


class FindingSide(Answer):
    """What a detector found on one side."""

    count: int
    worst: FindingHere | None


class FindingKind(Answer):
    """A detector's findings by side."""

    id: str
    severity: Literal["high", "medium", "low"]
    label: Label
    sides: list[FindingSide]
    only: list[int] | None = Field(description="The sides that have it, where not all have.")


class ComparedFindings(Answer):
    """Findings by detector, those of some sides only first."""

    kinds: list[FindingKind]
    absent: list[str | None]


class ComparisonAnswer(Answer):
    """Two or more analyses side by side, `numalens.comparison/1`."""

    base: int = Field(description="Side that the others are compared with.")
    sides: list[ComparedSide]
    analyses: list[ComparedAnalysis]
    warnings: list[ComparedWarning] = Field(description="Why they are not like with like, the gravest first.")
    step_ns: int = Field(description="Step of the per-node tables.")
    samples: ComparedSamples
    utilisation: list[ComparedUtilisation | Unavailable]
    latency: LatencyBins
    tables: list[ComparedTable]
    findings: ComparedFindings

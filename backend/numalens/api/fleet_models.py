"""The shapes of questions over all analyses. Moments are of the wall clock, UTC."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from numalens.api.models import Answer, Wish
from numalens.api.sql_models import MOST_SHOWN, MOST_SQL, Cell
from numalens.report.compare.shapes import Better
from numalens.report.shapes import Label


def _in_utc(moment: object) -> object:
    return moment.replace(tzinfo=UTC) if isinstance(moment, datetime) and moment.tzinfo is None else moment


Moment = Annotated[datetime, BeforeValidator(_in_utc)]
Severity = Literal["high", "medium", "low"]


class FleetMetric(Answer):
    """Something that can be followed over time."""

    name: str
    title: str
    unit: str
    better: Better


class FleetOverview(Answer):
    """What there is to choose from."""

    recordings: int = Field(description="Analyses with a summary.")
    pending: int = Field(description="Summaries that are still to be made.")
    first_seen: Moment | None
    last_seen: Moment | None
    machines: list[str]
    kernels: list[str] = Field(description="In the order of their versions.")
    tags: list[str]
    metrics: list[FleetMetric]


class WorstFinding(Answer):
    """The costliest finding of the gravest kind, and where it is."""

    analysis: str
    title: str
    kind: str
    severity: Severity
    cost_ms: float
    label: Label


class FleetMachine(Answer):
    """A machine: its name is that of an input, or of a tag `machine:NAME`; without either it is called by its size."""

    machine: str
    recordings: int
    first_seen: Moment
    last_seen: Moment
    kernel: str = Field(description="Of the latest recording.")
    kernels: int = Field(description="How many it has been recorded with.")
    nodes: int | None
    cpus: int | None
    flips: int | None = Field(
        description="Flips of busy nodes under NUMA cling; null where no recording tells of them."
    )
    flips_what_if: int | None = Field(description="Those of kernels that have no cling, as if they had it.")
    flips_per_minute: float | None
    recordings_with_flips: int
    label: Label | None = Field(description="The weakest label of the flips.")
    latest: str = Field(description="Id of the latest recording.")
    latest_title: str
    most_flips: str | None = Field(description="Id of the recording with most flips.")
    worst: WorstFinding | None


class FleetMachines(Answer):
    """The machines of a stretch of time, those with most flips first."""

    machines: list[FleetMachine]


class FleetPoint(Answer):
    """A metric of a group in a period."""

    group: str
    period: Moment | None = Field(description="The period's begin; null: all of the time.")
    value: float | None = Field(
        description="Of all recordings together. A percentile is the upper edge of its bin: at most this, and more than "
        "`value_least`."
    )
    value_least: float | None
    recordings: int = Field(description="That have the number.")
    looked_at: int = Field(description="All of the group in the period.")
    least: float | None = Field(description="Of the recordings, each by itself.")
    most: float | None
    latest: str | None = Field(description="Id of the latest recording that has the number.")
    label: Label | None


class FleetSeries(Answer):
    """A metric over time."""

    metric: FleetMetric
    points: list[FleetPoint]


class UpgradeSide(Answer):
    """The recordings of one kernel."""

    kernel: str
    recordings: int
    machines: int
    first_seen: Moment
    last_seen: Moment
    analyses: list[str] = Field(description="Ids of the latest of them, few enough to be compared.")


class UpgradeSpread(Answer):
    """The recordings' values of a side."""

    recordings: int
    mean: float
    median: float
    least: float
    most: float


class UpgradeRow(Answer):
    """A metric on both sides, each recording one value."""

    metric: str
    title: str
    unit: str
    better: Better
    label: Label | None
    sides: list[UpgradeSpread]
    percent: float | None = Field(description="Positive is better; where neither is, positive is more.")
    significant_2020: bool | None = Field(
        description="By the rule of February 2020; null with fewer than two recordings on a side."
    )
    significant_2024: bool | None = Field(description="By that of November 2024, likewise.")


class FleetUpgrade(Answer):
    """Before and after a change of kernels, on the machines that had both."""

    machines: list[str]
    sides: list[UpgradeSide]
    rows: list[UpgradeRow]


class FindingPlace(Answer):
    """Where the costliest finding of a kind is."""

    analysis: str
    title: str
    machine: str
    cost_ms: float


class FleetFinding(Answer):
    """The findings of a kind in a period."""

    kind: str
    period: Moment | None
    count: int
    recordings: int
    machines: int
    looked_at: int = Field(description="Recordings of the period, with or without it.")
    cost_ms: float
    cost_ms_per_second: float | None = Field(description="Per second of all these recordings.")
    severity: Severity = Field(description="The gravest.")
    label: Label | None = Field(description="The weakest.")
    worst: FindingPlace


class FleetFindings(Answer):
    """Findings by kind and period, by time, the costliest first."""

    findings: list[FleetFinding]


class FleetSelect(Wish):
    """A query over the summaries."""

    sql: Annotated[str, StringConstraints(min_length=1, max_length=MOST_SQL)] = Field(
        description="One SELECT of DuckDB's SQL over `recordings`, `facts`, `waits`, `nodes`, `distances` and `findings`.",
        examples=["SELECT kernel, count(*) FROM recordings GROUP BY kernel"],
    )
    limit: Annotated[int, Field(ge=1, le=MOST_SHOWN)] = 1000


class SelectColumn(Answer):
    """A column of an answer."""

    name: str
    kind: Literal["integer", "real", "text"]


class FleetRows(Answer):
    """The rows of a query."""

    columns: list[SelectColumn]
    rows: list[list[Cell]] = Field(
        description="Null; a decimal string in `integer` columns; a number in `real` columns, or `inf`, `-inf`, `nan` as a "
        "string; all else as text."
    )
    truncated: bool

"""Questions over all analyses, by their summaries. Only owners may ask. Here are only checks and shapes."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BeforeValidator, Field, StringConstraints
from typing_extensions import override

from numalens.api.access import OwnerOnly
from numalens.api.models import MOST_SHOWN, MOST_SQL, Answer, Cell, Wish
from numalens.api.parts import Host, Part
from numalens.api.services import Services, services_of
from numalens.errors import SentenceError
from numalens.extras import require
from numalens.fleet.database import Entry, FleetError
from numalens.fleet.executor import Fleet, FleetExecutor, QueryLimits, Question
from numalens.fleet.merge import MergedFiles
from numalens.fleet.over_time import METRICS, Series
from numalens.fleet.questions import By, Choices, Chosen, Every, Findings, Machines, weakest_of
from numalens.fleet.upgrade import Upgrade
from numalens.jobs.summaries import SummaryMaker
from numalens.report.build import Label
from numalens.report.compare.shapes import Better
from numalens.store.folder import MERGED
from numalens.store.summaries import Summaries
from numalens.store.summary_file import FILE


class FleetPart(Part):
    """Summaries of all analyses, and queries over them."""

    def __init__(self, host: Host) -> None:
        settings, folder, ready = host.settings, host.folder, host.analyses.ready
        self.fleet = Fleet(Summaries(folder.root / "summaries", folder.kept, FILE), MergedFiles(folder.root / MERGED))
        limits = QueryLimits(settings.sql_seconds, settings.fleet_memory_bytes, settings.confine)
        self.executor = FleetExecutor(self.fleet, limits)
        self.summaries = SummaryMaker(
            settings,
            folder.bundle,
            lambda: [row.id for row in ready()],
            lambda: self.fleet.merge([Entry.of(row) for row in ready()]),
        )

    @override
    def gauges(self) -> Mapping[str, int]:
        return {"summaries_pending": self.summaries.pending}

    @override
    async def added(self, analysis_id: str) -> None:
        await self.summaries.add(analysis_id)

    @override
    def forget(self, analysis_id: str) -> None:
        self.fleet.remove(analysis_id)

    @asynccontextmanager
    @override
    async def running(self) -> AsyncIterator[None]:
        self.summaries.start()
        try:
            yield
        finally:
            await self.summaries.stop()
            self.fleet.forget()


make = FleetPart


def _in_utc(moment: object) -> object:
    return moment.replace(tzinfo=UTC) if isinstance(moment, datetime) and moment.tzinfo is None else moment


Moment = Annotated[datetime, BeforeValidator(_in_utc)]
Severity = Literal["high", "medium", "low"]


class FleetMetric(Answer):
    """A metric that can be shown over time."""

    name: str
    title: str
    unit: str
    better: Better


class FleetOverview(Answer):
    """Choices for queries."""

    recordings: int = Field(description="Analyses with a summary.")
    pending: int = Field(description="Summaries still to be computed.")
    first_seen: Moment | None
    last_seen: Moment | None
    machines: list[str]
    kernels: list[str] = Field(description="Sorted by version.")
    tags: list[str]
    metrics: list[FleetMetric]


class WorstFinding(Answer):
    """The most expensive finding of the most severe kind, and its place."""

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
    kernels: int = Field(description="Number of kernels it was recorded with.")
    nodes: int | None
    cpus: int | None
    flips: int | None = Field(description="Flips of busy nodes under NUMA cling; null if not recorded.")
    flips_what_if: int | None = Field(description="Of these, flips of kernels without cling, as a what-if.")
    flips_per_minute: float | None
    recordings_with_flips: int
    label: Label | None = Field(description="The weakest label of the flips.")
    latest: str = Field(description="Id of the latest recording.")
    latest_title: str
    most_flips: str | None = Field(description="Id of the recording with the most flips.")
    worst: WorstFinding | None


class FleetMachines(Answer):
    """The machines of a time range, those with most flips first."""

    machines: list[FleetMachine]


class FleetPoint(Answer):
    """A metric of a group in a period."""

    group: str
    period: Moment | None = Field(description="Start of the period; null: no limit.")
    value: float | None = Field(
        description="Of all recordings together. A percentile is the upper edge of its bin: at most this, and more than "
        "`value_least`."
    )
    value_least: float | None
    recordings: int = Field(description="Recordings with this value.")
    looked_at: int = Field(description="All recordings of the group in the period.")
    least: float | None = Field(description="Values of the single recordings.")
    most: float | None
    latest: str | None = Field(description="Id of the latest recording with this value.")
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
    analyses: list[str] = Field(description="Ids of the latest ones, few enough to compare.")


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
    percent: float | None = Field(description="Positive is better, or larger where neither direction is better.")
    significant_2020: bool | None = Field(
        description="By the rule of February 2020; null with fewer than two recordings on a side."
    )
    significant_2024: bool | None = Field(
        description="By the rule of November 2024; null with fewer than two recordings on a side."
    )


class FleetUpgrade(Answer):
    """Before and after a kernel upgrade, on the machines that had both kernels."""

    machines: list[str]
    sides: list[UpgradeSide]
    rows: list[UpgradeRow]


class FindingPlace(Answer):
    """Place of the most expensive finding of a kind."""

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
    cost_ms_per_second: float | None = Field(description="Per second of recorded time.")
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
        description="Null; a decimal string in `integer` columns; a number in `real` columns, "
        "or `inf`, `-inf`, `nan` as a string; other types as text."
    )
    truncated: bool


EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)


def _installed() -> None:
    require("Fleet", "fleet")


router = APIRouter(prefix="/fleet", tags=["fleet"], dependencies=[OwnerOnly, Depends(_installed)])

Begin = Annotated[
    datetime | None,
    Query(alias="from", description="Only recordings made at or after this time (upload time if no input has one)."),
]
End = Annotated[datetime | None, Query(alias="to", description="Only recordings made before this time.")]
Name = Annotated[str | None, Query(max_length=200)]


def chosen_of(
    begin: Begin = None, end: End = None, machine: Name = None, kernel: Name = None, tag: Name = None
) -> Chosen:
    """The recordings that a query covers. Raises 422 for an interval that is empty or no time of a recording."""
    first, last = _moment("from", begin), _moment("to", end)
    if first is not None and last is not None and first >= last:
        raise SentenceError(422, "The interval is empty: from is not before to.")
    return Chosen(first, last, machine, kernel, tag)


def _moment(name: str, moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    utc = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not EARLIEST <= utc <= LATEST:
        raise SentenceError(422, f"The query parameter {name} is not within the years 1970 to 2200.")
    return utc


ChosenOf = Annotated[Chosen, Depends(chosen_of)]


def entries_of(services: Services) -> list[Entry]:
    """The analyses with their present titles, tags and incidents. Deleted ones are left out."""
    return [Entry.of(row) for row in services.analyses.ready()]


async def _answer(request: Request, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
    services = services_of(request)
    entries = await asyncio.to_thread(entries_of, services)
    try:
        return await services.part(FleetPart).executor.answer(question, entries)
    except FleetError as error:
        raise SentenceError(422, str(error)) from error


@router.get("")
async def get_fleet(request: Request) -> FleetOverview:
    """Choices for queries. Missing summaries are computed in the background."""
    summaries = services_of(request).part(FleetPart).summaries
    summaries.look()
    answer = await _answer(request, Choices())
    metrics = [_metric(name) for name in METRICS]
    return FleetOverview(**answer, pending=summaries.pending, metrics=metrics)


@router.get("/machines")
async def get_fleet_machines(request: Request, chosen: ChosenOf) -> FleetMachines:
    """The machines with their recordings, flips of busy nodes and worst findings."""
    answer = await _answer(request, Machines(chosen))
    return FleetMachines.model_validate({"machines": [_labelled(row) for row in answer]})


@router.get("/metric")
async def get_fleet_metric(
    request: Request,
    chosen: ChosenOf,
    metric: Annotated[str, Query(max_length=64, examples=["wakeup_p99"])],
    by: Annotated[By, Query(description="Grouping key (a recording with several tags appears in each).")] = "all",
    every: Annotated[Every, Query(description="Length of a period, UTC; weeks start on Monday.")] = "week",
) -> FleetSeries:
    """A metric by groups over time: of all recordings of a period together, and the least and most of each by itself.

    What-if values are left out.
    """
    if metric not in METRICS:
        raise SentenceError(422, f"There is no metric {metric!r}; the fleet's overview has their names.")
    answer = await _answer(request, Series(metric, by, every, chosen))
    return FleetSeries.model_validate({"metric": _metric(metric), "points": answer})


@router.get("/upgrade")
async def get_fleet_upgrade(
    request: Request, chosen: ChosenOf, before: Name = None, after: Name = None
) -> FleetUpgrade:
    """Every metric before and after a kernel upgrade, on the machines that had both kernels; each recording is one value.

    Without names these are the newest kernel and the one before it. 422: there are no two kernels, or no machine had both.
    """
    return FleetUpgrade.model_validate(await _answer(request, Upgrade(chosen, before, after)))


@router.get("/findings")
async def get_fleet_findings(request: Request, chosen: ChosenOf, every: Every = "week") -> FleetFindings:
    """Findings by kind and period."""
    answer = await _answer(request, Findings(chosen, every))
    return FleetFindings.model_validate({"findings": [_labelled(row) for row in answer]})


@router.post("/sql")
async def query_fleet(request: Request, wanted: FleetSelect) -> FleetRows:
    """The rows of one SELECT over the summaries, in a separate process without access to other data.

    422: no SELECT, refused, or longer than this server allows (NUMALENS_SQL_SECONDS, NUMALENS_FLEET_MEMORY_BYTES).
    """
    services = services_of(request)
    entries = await asyncio.to_thread(entries_of, services)
    try:
        answer = await services.part(FleetPart).executor.select(entries, wanted.sql, wanted.limit)
    except FleetError as error:
        raise SentenceError(422, str(error)) from error
    return FleetRows.model_validate(answer)


def _metric(name: str) -> FleetMetric:
    metric = METRICS[name]
    return FleetMetric(name=name, title=metric.title, unit=metric.unit, better=metric.better)


def _labelled(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "label": weakest_of(row["labels"] or [])}

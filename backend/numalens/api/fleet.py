"""Questions over all analyses, by their summaries. Only owners may ask. Here are only checks and shapes."""

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request

from numalens.api import fleet_models as models
from numalens.api.access import OwnerOnly
from numalens.api.services import Services, services_of
from numalens.errors import SentenceError
from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetError
from numalens.fleet.executor import Question
from numalens.fleet.metrics import METRICS
from numalens.fleet.over_time import Series
from numalens.fleet.questions import By, Choices, Chosen, Every, Findings, Machines, weakest_of
from numalens.fleet.upgrade import Upgrade

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)

router = APIRouter(prefix="/fleet", tags=["fleet"], dependencies=[OwnerOnly])

Begin = Annotated[
    datetime | None,
    Query(alias="from", description="Recordings from this moment on (of recording; of upload where no input has it)."),
]
End = Annotated[datetime | None, Query(alias="to", description="Recordings before this moment.")]
Name = Annotated[str | None, Query(max_length=200)]


def chosen_of(
    begin: Begin = None, end: End = None, machine: Name = None, kernel: Name = None, tag: Name = None
) -> Chosen:
    """The recordings that a question is about. Raises 422 for an interval that is empty or no time of a recording."""
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
    """The analyses as they are filed now. One that was deleted is not among them, whatever summaries there are."""
    return [Entry.of(row) for row in services.analyses.ready()]


async def _answer(request: Request, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
    services = services_of(request)
    entries = await asyncio.to_thread(entries_of, services)
    try:
        return await services.fleet_executor.answer(question, entries)
    except FleetError as error:
        raise SentenceError(422, str(error)) from error


@router.get("")
async def get_fleet(request: Request) -> models.FleetOverview:
    """What there is to choose from. Summaries that are missing are made meanwhile."""
    summaries = services_of(request).summaries
    summaries.look()
    answer = await _answer(request, Choices())
    metrics = [_metric(name) for name in METRICS]
    return models.FleetOverview(**answer, pending=summaries.pending, metrics=metrics)


@router.get("/machines")
async def get_fleet_machines(request: Request, chosen: ChosenOf) -> models.FleetMachines:
    """The machines with their recordings, flips of busy nodes and worst findings."""
    answer = await _answer(request, Machines(chosen))
    return models.FleetMachines.model_validate({"machines": [_labelled(row) for row in answer]})


@router.get("/metric")
async def get_fleet_metric(
    request: Request,
    chosen: ChosenOf,
    metric: Annotated[str, Query(max_length=64, examples=["wakeup_p99"])],
    by: Annotated[By, Query(description="What makes a group; a recording with several tags is in several.")] = "all",
    every: Annotated[Every, Query(description="Length of a period, UTC; weeks begin on Monday.")] = "week",
) -> models.FleetSeries:
    """A metric by groups over time: of all recordings of a period together, and the least and most of each by itself.

    What a kernel would have done (`what-if`) is left out.
    """
    if metric not in METRICS:
        raise SentenceError(422, f"There is no metric {metric!r}; the fleet's overview has their names.")
    answer = await _answer(request, Series(metric, by, every, chosen))
    return models.FleetSeries.model_validate({"metric": _metric(metric), "points": answer})


@router.get("/upgrade")
async def get_fleet_upgrade(
    request: Request, chosen: ChosenOf, before: Name = None, after: Name = None
) -> models.FleetUpgrade:
    """Every metric before and after a change of kernels, on the machines that had both, each recording one value.

    Without names these are the newest kernel and the one before it. 422: there are no two kernels, or no machine had both.
    """
    return models.FleetUpgrade.model_validate(await _answer(request, Upgrade(chosen, before, after)))


@router.get("/findings")
async def get_fleet_findings(request: Request, chosen: ChosenOf, every: Every = "week") -> models.FleetFindings:
    """Findings by kind and period."""
    answer = await _answer(request, Findings(chosen, every))
    return models.FleetFindings.model_validate({"findings": [_labelled(row) for row in answer]})


@router.post("/sql")
async def query_fleet(request: Request, wanted: models.FleetSelect) -> models.FleetRows:
    """The rows of one SELECT over the summaries, in a process of its own that reaches nothing else.

    422: no SELECT, refused, or longer than this server allows (NUMALENS_SQL_SECONDS, NUMALENS_FLEET_MEMORY_BYTES).
    """
    services = services_of(request)
    entries = await asyncio.to_thread(entries_of, services)
    try:
        answer = await services.fleet_executor.select(entries, wanted.sql, wanted.limit)
    except FleetError as error:
        raise SentenceError(422, str(error)) from error
    return models.FleetRows.model_validate(answer)


def _metric(name: str) -> models.FleetMetric:
    metric = METRICS[name]
    return models.FleetMetric(name=name, title=metric.title, unit=metric.unit, better=metric.better)


def _labelled(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "label": weakest_of(row["labels"] or [])}

"""Analyses: created from uploads, listed, renamed, deleted; import progress comes as server-sent events."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Final, cast

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, status
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from numalens.api import models
from numalens.api.access import (
    AnalysisId,
    Asker,
    MemberOf,
    OwnerOf,
    Reader,
    ReaderOf,
    UploaderOf,
    budgets_of,
    own_upload,
)
from numalens.api.bundles import OpenBundle, OtherVersionError
from numalens.api.section_schemas import answered, report_schema
from numalens.api.services import Services, services_of
from numalens.errors import AwayError, FullError, SentenceError
from numalens.jobs.protocol import Step
from numalens.report.identity import wall_offset
from numalens.store import schema
from numalens.store.analyses import has_files
from numalens.store.options import Cut, ReadOptions
from numalens.store.schema import EVERYTHING

RETRY_S: Final = 1.0
"""Time for which a watcher of progress waits for an unavailable database."""

router = APIRouter(tags=["analyses"])


@router.post("/analyses", status_code=status.HTTP_201_CREATED)
async def create_analysis(request: Request, who: UploaderOf, wanted: models.CreateAnalysis) -> models.Analysis:
    """Makes one analysis of finished uploads and queues it for reading.

    404: no such upload. 409: an upload is not finished or already used. 413: more files than `max_files`.
    """
    services = services_of(request)
    cap = services.settings.max_files
    if len(wanted.uploads) > cap:
        raise SentenceError(
            413, f"An analysis may have at most {cap} files (NUMALENS_MAX_FILES).", cap="max_files", limit=cap
        )
    options = ReadOptions(tolerant=wanted.tolerant)
    row = await asyncio.to_thread(_create, services, who, wanted, options)
    services.jobs.submit(row.id)
    return _own(row, None)


@router.get("/analyses")
def list_analyses(request: Request, who: MemberOf) -> models.AnalysisList:
    """The analyses that the user owns or may read, newest first; all of them for an administrator."""
    services = services_of(request)
    rows = services.analyses.all(who.sees_only)
    return models.AnalysisList(analyses=[_listed(services, who, row) for row in rows])


@router.get("/analyses/{analysis_id}")
def get_analysis(request: Request, who: ReaderOf) -> models.AnalysisDetail:
    """One analysis, with what its page opens on once it is ready."""
    services = services_of(request)
    row = services.analyses.get(who.analysis_id)
    shown = dict(_shown(row, who, services.board.step(row.id)))
    timeline = None
    if row.input_summaries is not None:
        try:
            timeline = _timeline(ready_bundle(services, row.id))
        except OtherVersionError as error:
            if row.status == "ready":
                failure = models.InputFailure(sentence=error.sentence, again=has_files(row))
                shown |= {"status": "failed", "error": failure}
    return models.AnalysisDetail(**shown, timeline=timeline)


@router.patch("/analyses/{analysis_id}", dependencies=[OwnerOf])
def change_analysis(request: Request, analysis_id: AnalysisId, change: models.ChangeAnalysis) -> models.Analysis:
    """Changes the title, description, tags or incident of an analysis, or marks it to be kept."""
    services = services_of(request)
    changes = change.model_dump(exclude_none=True)
    if "incident" in changes:
        changes["incident"] = changes["incident"] or None
    row = services.analyses.change(analysis_id, changes)
    return _own(row, services.board.step(row.id))


@router.post("/analyses/{analysis_id}/reread", status_code=status.HTTP_202_ACCEPTED, dependencies=[OwnerOf])
async def reread_analysis(
    request: Request, who: MemberOf, analysis_id: AnalysisId, wanted: models.RereadAnalysis
) -> models.Analysis:
    """Queues another import of the stored files and the added ones, with other options.

    The current result stays in use until the import has succeeded. 404: no such upload. 409: an import is running, the
    files are not kept here, or an upload is not finished or already used. 422: an offset for an unknown input.
    """
    services = services_of(request)
    for upload_id in wanted.uploads:
        await asyncio.to_thread(own_upload, services, who, upload_id)
    offsets = None if wanted.offsets is None else {name: int(shift) for name, shift in wanted.offsets.items()}
    row = await asyncio.to_thread(
        services.analyses.reread, analysis_id, wanted.tolerant, offsets, wanted.uploads, services.settings.max_files
    )
    services.jobs.submit(row.id)
    return _own(row, None)


@router.post("/analyses/{analysis_id}/copies", status_code=status.HTTP_201_CREATED, dependencies=[OwnerOf])
async def create_copy(
    request: Request, who: MemberOf, analysis_id: AnalysisId, wanted: models.CreateCopy
) -> models.Analysis:
    """Queues a redacted copy: a separate analysis with a time range, chosen tasks, or pseudonyms.

    The copy contains nothing that was left out: it is replayed from the remaining data. 409: not ready, or without its files.
    """
    services = services_of(request)
    cut = Cut(
        source=analysis_id,
        from_ns=None if wanted.from_ns is None else int(wanted.from_ns),
        to_ns=None if wanted.to_ns is None else int(wanted.to_ns),
        tasks=wanted.tasks,
        pseudonyms=wanted.pseudonyms,
    )
    row = await asyncio.to_thread(services.analyses.create_copy, cut, wanted.title, who.person_id)
    services.jobs.submit(row.id)
    return _own(row, None)


@router.delete("/analyses/{analysis_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOf])
async def delete_analysis(request: Request, analysis_id: AnalysisId) -> None:
    """Deletes an analysis for good: its files (unless another analysis has the same), its bundle and its links."""
    services = services_of(request)
    await services.jobs.cancel(analysis_id)
    try:
        await asyncio.to_thread(services.analyses.delete, analysis_id)
    finally:
        await asyncio.to_thread(services.forget, analysis_id)


@router.get(
    "/analyses/{analysis_id}/report",
    response_class=Response,
    responses=answered("The report; times are numbers.", report_schema()),
)
async def get_report(request: Request, who: ReaderOf) -> Response:
    """The analysis as `numalens.report/1`, the same as `numalens analyze --json` writes. 409 until it is ready."""
    bundle = await asyncio.to_thread(ready_bundle, services_of(request), who.analysis_id)
    report = await to_thread.run_sync(bundle.engine.report, limiter=budgets_of(request).answers)
    return Response(report, media_type="application/json")


def _create(services: Services, who: Asker, wanted: models.CreateAnalysis, options: ReadOptions) -> schema.Analysis:
    for upload_id in wanted.uploads:
        own_upload(services, who, upload_id)
    return services.analyses.create(
        wanted.uploads, wanted.title, options, made_by=who.only_made_by, owner_id=who.person_id
    )


def _listed(services: Services, who: Asker, row: schema.Analysis) -> models.Analysis:
    step = services.board.step(row.id)
    mine = next((member for member in row.members if member.person_id == who.person_id), None)
    if who.admin or (mine is not None and mine.role == "owner"):
        return _shown(row, Reader(row.id, "owner", frozenset(EVERYTHING), who.person), step)
    return _shown(row, Reader(row.id, "view", frozenset(() if mine is None else mine.may), who.person), step)


def ready_bundle(services: Services, analysis_id: str) -> OpenBundle:
    """The bundle of an analysis that was read.

    Raises 404 when there is no such analysis, 409 when it was never read, OtherVersionError when it must be read again.

    While its files are imported again, the bundle of the previous import is in use.
    """
    # Asking the database takes longer than most windows do.
    opened = services.bundles.opened(analysis_id)
    if opened is not None:
        return opened
    row = services.analyses.get(analysis_id)
    if row.input_summaries is None:
        if row.status == "failed":
            raise SentenceError(409, "The import of this analysis failed, so it has no data.")
        raise SentenceError(409, "This analysis is still being imported; try again when it is ready.")
    try:
        return services.bundles.get(analysis_id, row.generation)
    except SentenceError as error:
        now = services.analyses.get(analysis_id)
        if error.status != 404 or now.generation == row.generation:  # noqa: PLR2004
            raise
        # It was read again in this very moment.
        return services.bundles.get(analysis_id, now.generation)


def _own(row: schema.Analysis, step: Step | None) -> models.Analysis:
    """An analysis as its owner is shown it after a change."""
    return _shown(row, Reader(row.id, "owner", frozenset(EVERYTHING)), step)


def _shown(row: schema.Analysis, who: Reader, step: Step | None) -> models.Analysis:
    """An analysis as shown to a client that may view it; holders of a link do not see its users."""
    options = ReadOptions.of(row.wanted or row.options)
    return models.Analysis(
        id=row.id,
        title=row.title,
        status=cast("models.Status", row.status),
        created_at=row.created_at,
        sample=row.sample,
        description=row.description,
        # Only owners see how they file things.
        tags=row.tags if who.access == "owner" else [],
        incident=row.incident if who.access == "owner" else None,
        keep=row.keep,
        access=who.access,
        may=sorted(who.may),
        owners=[] if who.linked else [member.person.name for member in row.members if member.role == "owner"],
        handed_over=any(member.person_id == who.person_id and member.handed_to is not None for member in row.members),
        error=None if row.error is None else models.InputFailure(**row.error),
        progress=None if step is None else models.Progress.model_validate(step),
        tolerant=options.tolerant,
        offsets={name: str(shift) for name, shift in options.offsets.items()},
        rereadable=has_files(row),
        inputs=_inputs(row),
    )


def _inputs(row: schema.Analysis) -> list[models.AnalysisInput]:
    """Imported inputs, in order; the files themselves before the import."""
    if row.input_summaries is not None:
        return [_read_input(entry) for entry in row.input_summaries]
    return [models.AnalysisInput(name=entry.name, bytes=entry.bytes) for entry in row.inputs]


def _read_input(entry: Mapping[str, Any]) -> models.AnalysisInput:
    known = _known(entry)
    resolution = known.get("resolution_ns", known.get("stamp_resolution_ns"))
    skipped = len(known.get("skipped", ())) + int(known.get("skipped_more", 0))
    alignment = _known(known["alignment"]) if "alignment" in known else None
    found = {**known, "resolution_ns": resolution, "skipped_count": skipped, "alignment": alignment}
    return models.AnalysisInput.model_validate(found)


def _known(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of a manifest without null values, for which the shapes of the API have defaults."""
    return {name: value for name, value in entry.items() if value is not None}


def _timeline(bundle: OpenBundle) -> models.TimelineInfo:
    manifest = bundle.manifest
    topology = manifest["topology"]
    offset = wall_offset(bundle.engine, manifest)
    return models.TimelineInfo.model_validate(
        {
            **manifest,
            "nodes": topology["nodes"],
            "llcs": topology["sharing"]["llcs"],
            "topology_source": topology["source"],
            "wall_offset_ns": None if offset is None else str(offset),
        }
    )


async def _existing(request: Request, who: ReaderOf) -> Reader:
    """The reader of an analysis that exists: once events are sent, nothing can be refused."""
    await asyncio.to_thread(services_of(request).analyses.get, who.analysis_id)
    return who


@router.get(
    "/analyses/{analysis_id}/progress",
    response_class=EventSourceResponse,
    responses={
        200: {
            "description": "`progress` events with a ProgressEvent, then one `ready` or `failed` with the Analysis.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        "default": {
            "description": "An error with its message.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
        },
    },
)
async def watch_progress(
    request: Request, who: Annotated[Reader, Depends(_existing)]
) -> AsyncIterator[ServerSentEvent]:
    """Sends every change until the analysis is ready or failed."""
    services = services_of(request)
    with services.board.watch(who.analysis_id) as changed:
        while not services.board.closed:
            changed.clear()
            try:
                row = await asyncio.to_thread(services.analyses.get, who.analysis_id)
            except (AwayError, FullError):
                await asyncio.sleep(RETRY_S)
                continue
            except SentenceError:
                return
            step = services.board.step(row.id)
            now = _shown(row, who, step)
            if now.status in {"ready", "failed"}:
                yield ServerSentEvent(raw_data=now.model_dump_json(), event=now.status)
                return
            event = models.ProgressEvent(
                status=now.status,
                stage=step.stage if step else None,
                done=step.done if step else 0,
                total=step.total if step else 0,
                sentence=step.sentence if step else None,
            )
            yield ServerSentEvent(raw_data=event.model_dump_json(), event="progress")
            await changed.wait()

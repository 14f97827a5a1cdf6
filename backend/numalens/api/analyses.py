"""Analyses: made of uploads, listed, renamed, deleted."""

import asyncio

from fastapi import APIRouter, Request, status
from starlette.responses import Response

from numalens.api import models, present
from numalens.api.access import AnalysisId, Asker, MemberOf, OwnerOf, ReaderOf, UploaderOf, own_upload, viewer_of
from numalens.api.bundles import OpenBundle
from numalens.api.section_schemas import answered, report_schema
from numalens.api.services import Services, services_of
from numalens.errors import SentenceError
from numalens.store import schema
from numalens.store.options import Cut, ReadOptions

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
    return present.analysis(row, "owner", None)


@router.get("/analyses")
def list_analyses(request: Request, who: MemberOf) -> models.AnalysisList:
    """The analyses that the asker owns or may read, newest first; all of them for an administrator."""
    services = services_of(request)
    rows = services.analyses.all(who.sees_only)
    return models.AnalysisList(analyses=[_listed(services, who, row) for row in rows])


@router.get("/analyses/{analysis_id}")
def get_analysis(request: Request, who: ReaderOf) -> models.AnalysisDetail:
    """One analysis, with what its page opens on once it is ready."""
    services = services_of(request)
    row = services.analyses.get(who.analysis_id)
    manifest = ready_bundle(services, row.id).manifest if row.input_summaries is not None else None
    return present.detail(row, who.access, services.board.step(row.id), manifest, who.may, **viewer_of(who))


@router.patch("/analyses/{analysis_id}", dependencies=[OwnerOf])
def change_analysis(request: Request, analysis_id: AnalysisId, change: models.ChangeAnalysis) -> models.Analysis:
    """Gives an analysis another title, description, tags or incident, or has it kept."""
    services = services_of(request)
    changes = change.model_dump(exclude_none=True)
    if "incident" in changes:
        changes["incident"] = changes["incident"] or None
    row = services.analyses.change(analysis_id, changes)
    return present.analysis(row, "owner", services.board.step(row.id))


@router.post("/analyses/{analysis_id}/reread", status_code=status.HTTP_202_ACCEPTED, dependencies=[OwnerOf])
async def reread_analysis(request: Request, analysis_id: AnalysisId, wanted: models.RereadAnalysis) -> models.Analysis:
    """Queues the stored files for another reading, with other options; what is there now stays in use until it has succeeded.

    409: it is being read, or its files are not kept here. 422: an offset for an input that it does not have.
    """
    services = services_of(request)
    offsets = None if wanted.offsets is None else {name: int(shift) for name, shift in wanted.offsets.items()}
    row = await asyncio.to_thread(services.analyses.reread, analysis_id, wanted.tolerant, offsets)
    services.jobs.submit(row.id)
    return present.analysis(row, "owner", None)


@router.post("/analyses/{analysis_id}/copies", status_code=status.HTTP_201_CREATED, dependencies=[OwnerOf])
async def create_copy(
    request: Request, who: MemberOf, analysis_id: AnalysisId, wanted: models.CreateCopy
) -> models.Analysis:
    """Queues a copy for others: an analysis of its own that has a stretch, chosen tasks, or pseudonyms only.

    Nothing of what was left out is in it: it is replayed anew from what is left. 409: not ready, or without its files.
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
    return present.analysis(row, "owner", None)


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
    responses=answered("The report; its moments are numbers.", report_schema()),
)
def get_report(request: Request, who: ReaderOf) -> Response:
    """The analysis as `numalens.report/2`, the same as `numalens analyze --json` writes. 409 until it is ready."""
    bundle = ready_bundle(services_of(request), who.analysis_id)
    return Response(bundle.engine.report(), media_type="application/json")


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
        return present.analysis(row, "owner", step, person_id=who.person_id)
    may = () if mine is None else present.allowed_reader(mine)
    return present.analysis(row, "view", step, may, person_id=who.person_id)


def ready_bundle(services: Services, analysis_id: str) -> OpenBundle:
    """The bundle of an analysis that was read. Raises 404 when there is no such analysis, 409 when it was never read.

    While its files are read again, the bundle of the reading before is in use.
    """
    # Asking the database takes longer than most windows do.
    opened = services.bundles.opened(analysis_id)
    if opened is not None:
        return opened
    row = services.analyses.get(analysis_id)
    if row.input_summaries is None:
        if row.status == "failed":
            raise SentenceError(409, "This analysis could not be read, so there is nothing to look into.")
        raise SentenceError(409, "This analysis is still being read; try again when it is ready.")
    try:
        return services.bundles.get(analysis_id, row.generation)
    except SentenceError as error:
        now = services.analyses.get(analysis_id)
        if error.status != 404 or now.generation == row.generation:  # noqa: PLR2004
            raise
        # It was read again in this very moment.
        return services.bundles.get(analysis_id, now.generation)

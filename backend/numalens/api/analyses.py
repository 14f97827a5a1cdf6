"""Analyses: made of uploads, listed, renamed, deleted."""

import asyncio

from fastapi import APIRouter, Request, status

from numalens.api import models, present
from numalens.api.access import AnalysisId, OwnerOnly, ReaderOf
from numalens.api.services import Services, services_of
from numalens.errors import SentenceError
from numalens.report import Report, build_report
from numalens.store.schema import Analysis

router = APIRouter(tags=["analyses"])


@router.post("/analyses", status_code=status.HTTP_201_CREATED, dependencies=[OwnerOnly])
async def create_analysis(request: Request, wanted: models.CreateAnalysis) -> models.Analysis:
    """Makes one analysis of finished uploads and queues it for reading.

    404: no such upload. 409: an upload is not finished or already used. 413: more files than `max_files`.
    """
    services = services_of(request)
    cap = services.settings.max_files
    if len(wanted.uploads) > cap:
        raise SentenceError(
            413, f"An analysis may have at most {cap} files (NUMALENS_MAX_FILES).", cap="max_files", limit=cap
        )
    row = await asyncio.to_thread(services.analyses.create, wanted.uploads, wanted.title)
    services.jobs.submit(row.id)
    return present.analysis(row, "owner", None)


@router.get("/analyses", dependencies=[OwnerOnly])
def list_analyses(request: Request) -> models.AnalysisList:
    """All analyses, newest first."""
    services = services_of(request)
    rows = services.analyses.all()
    return models.AnalysisList(analyses=[present.analysis(row, "owner", services.board.step(row.id)) for row in rows])


@router.get("/analyses/{analysis_id}")
def get_analysis(request: Request, who: ReaderOf) -> models.AnalysisDetail:
    """One analysis, with what its page opens on once it is ready."""
    services = services_of(request)
    row = services.analyses.get(who.analysis_id)
    manifest = services.bundles.get(row.id).manifest if row.status == "ready" else None
    return present.detail(row, who.access, services.board.step(row.id), manifest)


@router.patch("/analyses/{analysis_id}", dependencies=[OwnerOnly])
def change_analysis(request: Request, analysis_id: AnalysisId, change: models.ChangeAnalysis) -> models.Analysis:
    """Gives an analysis another title."""
    services = services_of(request)
    row = services.analyses.rename(analysis_id, change.title)
    return present.analysis(row, "owner", services.board.step(row.id))


@router.delete("/analyses/{analysis_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOnly])
async def delete_analysis(request: Request, analysis_id: AnalysisId) -> None:
    """Deletes an analysis for good: its files (unless another analysis has the same), its bundle and its links."""
    services = services_of(request)
    await services.jobs.cancel(analysis_id)
    await asyncio.to_thread(services.analyses.delete, analysis_id)
    services.bundles.forget(analysis_id)


@router.get("/analyses/{analysis_id}/report")
def get_report(request: Request, who: ReaderOf) -> Report:
    """The analysis as `numalens.report/1`, the same as `numalens analyze --json` writes. 409 until it is ready."""
    return build_report(ready_manifest(services_of(request), who.analysis_id))


def ready_manifest(services: Services, analysis_id: str) -> dict[str, object]:
    """The manifest of a ready analysis. Raises 404 when there is no such analysis, 409 when it is not ready."""
    require_ready(services.analyses.get(analysis_id))
    return services.bundles.get(analysis_id).manifest


def require_ready(row: Analysis) -> None:
    """Raises 409 when an analysis cannot be looked into."""
    if row.status == "failed":
        raise SentenceError(409, "This analysis could not be read, so there is nothing to look into.")
    if row.status != "ready":
        raise SentenceError(409, "This analysis is still being read; try again when it is ready.")

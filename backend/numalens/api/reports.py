"""Reports: written by owners, read by whoever may look at the analysis."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, status

from numalens.api import models, present, report_models
from numalens.api.access import AnalysisId, OwnerOf, ReaderOf
from numalens.api.services import services_of

router = APIRouter(tags=["reports"])

ReportId = Annotated[str, Path(description="Id of a report.", max_length=64)]
Number = Annotated[int, Path(description="Number of a revision.", ge=1, lt=1 << 31)]
STALE: Final = {
    "model": models.ErrorBody,
    "description": "Somebody saved meanwhile. The words are kept as the revision `error.kept`; readers see `error.revision`.",
    "content": {
        "application/json": {
            "example": {
                "error": {
                    "sentence": "Somebody saved this report meanwhile: readers see revision 4, yours is kept as revision 5.",
                    "revision": 4,
                    "kept": 5,
                }
            }
        }
    },
}


@router.get("/analyses/{analysis_id}/reports")
def list_written_reports(request: Request, who: ReaderOf) -> report_models.ReportList:
    """The reports about an analysis, without their words."""
    rows = services_of(request).reports.of(who.analysis_id)
    return report_models.ReportList(reports=[present.listed_report(row) for row in rows])


@router.post("/analyses/{analysis_id}/reports", status_code=status.HTTP_201_CREATED, dependencies=[OwnerOf])
def create_written_report(
    request: Request, analysis_id: AnalysisId, wanted: report_models.CreateReport
) -> report_models.WrittenReport:
    """Keeps a new report. 409: the analysis has too many."""
    return present.report(services_of(request).reports.create(analysis_id, wanted.title, wanted.text))


@router.get("/analyses/{analysis_id}/reports/{report_id}")
def get_written_report(request: Request, who: ReaderOf, report_id: ReportId) -> report_models.WrittenReport:
    """A report as readers see it."""
    return present.report(services_of(request).reports.get(who.analysis_id, report_id))


@router.patch(
    "/analyses/{analysis_id}/reports/{report_id}", dependencies=[OwnerOf], responses={status.HTTP_409_CONFLICT: STALE}
)
def save_written_report(
    request: Request, analysis_id: AnalysisId, report_id: ReportId, wanted: report_models.SaveReport
) -> report_models.WrittenReport:
    """Keeps other words as the next revision.

    409: somebody else saved since `revision`. The words are not lost: they are kept as a revision of their own.
    """
    saved = services_of(request).reports.save(analysis_id, report_id, wanted.title, wanted.text, base=wanted.revision)
    return present.report(saved)


@router.delete(
    "/analyses/{analysis_id}/reports/{report_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOf]
)
def delete_written_report(request: Request, analysis_id: AnalysisId, report_id: ReportId) -> None:
    """Removes a report with all that was ever saved of it."""
    services_of(request).reports.delete(analysis_id, report_id)


@router.get("/analyses/{analysis_id}/reports/{report_id}/revisions", dependencies=[OwnerOf])
def list_revisions(request: Request, analysis_id: AnalysisId, report_id: ReportId) -> report_models.RevisionList:
    """What is kept of a report. Readers with a link see none of it: what was taken out is not for them."""
    rows = services_of(request).reports.revisions(analysis_id, report_id)
    return report_models.RevisionList(revisions=[present.listed_revision(row) for row in rows])


@router.get("/analyses/{analysis_id}/reports/{report_id}/revisions/{number}", dependencies=[OwnerOf])
def get_revision(
    request: Request, analysis_id: AnalysisId, report_id: ReportId, number: Number
) -> report_models.Revision:
    """A report as it was saved once."""
    return present.revision(services_of(request).reports.revision(analysis_id, report_id, number))

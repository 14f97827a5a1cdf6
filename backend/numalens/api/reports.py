"""Reports: written by owners, read by all viewers of the analysis."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, status
from pydantic import AfterValidator, Field, StringConstraints

from numalens.api import models
from numalens.api.access import AnalysisId, OwnerOf, ReaderOf
from numalens.api.models import Answer, Title, Wish
from numalens.api.services import services_of
from numalens.store import schema
from numalens.store.reports import Kept

MOST_TEXT: Final = 200_000
EXAMPLE: Final = (
    "Between 16.5 s and 22.6 s the cgroup was throttled.\n\n"
    "```numalens timeline\n/a/k5gkx3vhw2d6ymbt?v=2&w=16500000000~22600000000\n```\n"
)


def _no_nul(text: str) -> str:
    # Not every database keeps one, and Markdown has none.
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")


Text = Annotated[
    str,
    StringConstraints(max_length=MOST_TEXT),
    AfterValidator(_no_nul),
    Field(
        description="Markdown. A fenced block `numalens timeline` (or `finding`, `table`, `sql`) with the address of a view "
        "is drawn as that view.",
        examples=[EXAMPLE],
    ),
]
ReportTitle = Annotated[Title, AfterValidator(_no_nul), Field(examples=["Checkout stalled on 3 May"])]
RevisionNumber = Annotated[int, Field(ge=1, lt=1 << 31, examples=[3])]


class CreateReport(Wish):
    """A report to be kept."""

    title: ReportTitle
    text: Text = ""


class SaveReport(Wish):
    """New text of a report."""

    title: ReportTitle
    text: Text
    revision: RevisionNumber = Field(description="Revision on which this text is based.")


class ListedReport(Answer):
    """A report without its text."""

    id: str = Field(examples=["r4gkx3vhw2d6ymbt"])
    title: str
    revision: int = Field(description="Number of the published revision.", examples=[3])
    created_at: datetime
    changed_at: datetime


class WrittenReport(ListedReport):
    """A report as readers see it."""

    text: str = Field(description="Markdown.", examples=[EXAMPLE])


class ReportList(Answer):
    """The reports of an analysis, oldest first."""

    reports: list[ListedReport]


class ListedRevision(Answer):
    """A saved revision of a report, without its text."""

    number: int
    title: str
    aside: bool = Field(description="Saved on an outdated base; never published.")
    saved_at: datetime
    length: int = Field(description="Characters of the text.")


class Revision(ListedRevision):
    """A saved revision of a report."""

    text: str


class RevisionList(Answer):
    """Revisions of a report, newest first."""

    revisions: list[ListedRevision]


router = APIRouter(tags=["reports"])

ReportId = Annotated[str, Path(description="Id of a report.", max_length=64)]
Number = Annotated[int, Path(description="Number of a revision.", ge=1, lt=1 << 31)]
STALE: Final = {
    "model": models.ErrorBody,
    "description": "Another user saved first. Your text is kept as revision `error.kept`; readers see `error.revision`.",
    "content": {
        "application/json": {
            "example": {
                "error": {
                    "sentence": "Another user saved this report first: readers see revision 4, yours is kept as revision 5.",
                    "revision": 4,
                    "kept": 5,
                }
            }
        }
    },
}


@router.get("/analyses/{analysis_id}/reports")
def list_written_reports(request: Request, who: ReaderOf) -> ReportList:
    """The reports about an analysis, without their texts."""
    rows = services_of(request).reports.of(who.analysis_id)
    return ReportList(reports=[_listed(row) for row in rows])


@router.post("/analyses/{analysis_id}/reports", status_code=status.HTTP_201_CREATED, dependencies=[OwnerOf])
def create_written_report(request: Request, analysis_id: AnalysisId, wanted: CreateReport) -> WrittenReport:
    """Keeps a new report. 409: the analysis has too many."""
    return _shown(services_of(request).reports.create(analysis_id, wanted.title, wanted.text))


@router.get("/analyses/{analysis_id}/reports/{report_id}")
def get_written_report(request: Request, who: ReaderOf, report_id: ReportId) -> WrittenReport:
    """A report as readers see it."""
    return _shown(services_of(request).reports.get(who.analysis_id, report_id))


@router.patch(
    "/analyses/{analysis_id}/reports/{report_id}", dependencies=[OwnerOf], responses={status.HTTP_409_CONFLICT: STALE}
)
def save_written_report(
    request: Request, analysis_id: AnalysisId, report_id: ReportId, wanted: SaveReport
) -> WrittenReport:
    """Saves new text as the next revision.

    409: another user saved since `revision`. The text is not lost: it is kept as a separate revision.
    """
    saved = services_of(request).reports.save(analysis_id, report_id, wanted.title, wanted.text, base=wanted.revision)
    return _shown(saved)


@router.delete(
    "/analyses/{analysis_id}/reports/{report_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOf]
)
def delete_written_report(request: Request, analysis_id: AnalysisId, report_id: ReportId) -> None:
    """Removes a report with all its revisions."""
    services_of(request).reports.delete(analysis_id, report_id)


@router.get("/analyses/{analysis_id}/reports/{report_id}/revisions", dependencies=[OwnerOf])
def list_revisions(request: Request, analysis_id: AnalysisId, report_id: ReportId) -> RevisionList:
    """Revisions of a report. Readers with a link see none: removed text is not for them."""
    rows = services_of(request).reports.revisions(analysis_id, report_id)
    return RevisionList(revisions=[_listed_revision(row) for row in rows])


@router.get("/analyses/{analysis_id}/reports/{report_id}/revisions/{number}", dependencies=[OwnerOf])
def get_revision(request: Request, analysis_id: AnalysisId, report_id: ReportId, number: Number) -> Revision:
    """A saved revision of a report."""
    return _revision(services_of(request).reports.revision(analysis_id, report_id, number))


def _shown(kept: Kept) -> WrittenReport:
    """A report with its text."""
    return WrittenReport(**dict(_listed(kept)), text=kept.words.text)


def _listed(kept: Kept) -> ListedReport:
    """A report without its text."""
    return ListedReport(
        id=kept.report.id,
        title=kept.words.title,
        revision=kept.words.number,
        created_at=kept.report.created_at,
        changed_at=kept.words.created_at,
    )


def _revision(row: schema.ReportRevision) -> Revision:
    """A revision with its text."""
    return Revision(**dict(_listed_revision(row)), text=row.text)


def _listed_revision(row: schema.ReportRevision) -> ListedRevision:
    """A revision without its text."""
    return ListedRevision(
        number=row.number, title=row.title, aside=row.aside, saved_at=row.created_at, length=len(row.text)
    )

"""Reports about analyses, and all their saved revisions."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from numalens.errors import SentenceError, not_found
from numalens.store.database import RowStore
from numalens.store.names import new_id, now
from numalens.store.schema import Report, ReportRevision, require_analysis

MOST: Final = 100
"""Most reports of one analysis."""
MOST_REVISIONS: Final = 200
"""Revisions of a report that are kept; the oldest go first, the present one never."""


@dataclass(frozen=True)
class Kept:
    """A report and the words that readers see."""

    report: Report
    words: ReportRevision


class ReportStore(RowStore):
    """The reports of one data folder."""

    def of(self, analysis_id: str) -> list[Kept]:
        """The reports of an analysis, oldest first. Raises 404 when there is no such analysis."""
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            query = (
                select(Report, ReportRevision)
                .join(ReportRevision, _present())
                .where(Report.analysis_id == analysis_id)
                .order_by(Report.created_at, Report.id)
            )
            return [Kept(report, words) for report, words in session.execute(query)]

    def get(self, analysis_id: str, report_id: str) -> Kept:
        """A report as readers see it. Raises 404 when there is none."""
        with self._database.session() as session:
            return _of(session, analysis_id, report_id)

    def create(self, analysis_id: str, title: str, text: str) -> Kept:
        """Keeps a new report. Raises 404 when there is no such analysis, 409 when it has too many."""
        at = now()
        report = Report(id=new_id(), analysis_id=analysis_id, revision=1, given=1, created_at=at)
        words = ReportRevision(report_id=report.id, number=1, title=title, text=text, aside=False, created_at=at)
        with self._database.session() as session:
            require_analysis(session, analysis_id)
            count = session.scalar(select(func.count()).where(Report.analysis_id == analysis_id)) or 0
            if count >= MOST:
                raise SentenceError(409, f"An analysis has at most {MOST:,} reports.", cap="reports", limit=MOST)
            session.add(report)
            session.flush()
            session.add(words)
        return Kept(report, words)

    def save(self, analysis_id: str, report_id: str, title: str, text: str, base: int) -> Kept:
        """Keeps other words of a report as its next revision.

        Raises 404, and 409 when `base` is no longer the published revision. Then the text is still kept, as a separate revision
        whose number is the error's `kept`, and readers still see the published one, its `revision`.
        """
        with self._database.session() as session:
            # Taking a number first lets the second of two who save at once wait for the first, in every database.
            session.execute(update(Report).where(Report.id == report_id).values(given=Report.given + 1))
            kept = _of(session, analysis_id, report_id)
            report = kept.report
            aside = report.revision != base
            twin = _twin(session, report, title, text) if aside else None
            if twin is None:
                words = ReportRevision(
                    report_id=report_id, number=report.given, title=title, text=text, aside=aside, created_at=now()
                )
                session.add(words)
                if not aside:
                    report.revision = words.number
                session.flush()
            else:
                words = twin
            dropped = _drop_oldest(session, report)
        if dropped:
            self._database.scrub()
        if aside:
            raise SentenceError(
                409,
                f"Another user saved this report first: readers see revision {report.revision}, yours is kept as revision "
                f"{words.number}.",
                revision=report.revision,
                kept=words.number,
            )
        return Kept(report, words)

    def revisions(self, analysis_id: str, report_id: str) -> list[ReportRevision]:
        """Revisions of a report, newest first. Raises 404 when there is none."""
        with self._database.session() as session:
            _of(session, analysis_id, report_id)
            query = select(ReportRevision).where(ReportRevision.report_id == report_id)
            return list(session.scalars(query.order_by(ReportRevision.number.desc())))

    def revision(self, analysis_id: str, report_id: str, number: int) -> ReportRevision:
        """One of them. Raises 404 when there is none."""
        with self._database.session() as session:
            _of(session, analysis_id, report_id)
            found = session.get(ReportRevision, (report_id, number))
            if found is None:
                raise not_found("revision")
            return found

    def delete(self, analysis_id: str, report_id: str) -> None:
        """Removes a report with all its revisions. Raises 404 when there is none."""
        with self._database.session() as session:
            session.delete(_of(session, analysis_id, report_id).report)
        self._database.scrub()


def _present() -> ColumnElement[bool]:
    return (ReportRevision.report_id == Report.id) & (ReportRevision.number == Report.revision)


def _of(session: Session, analysis_id: str, report_id: str) -> Kept:
    query = select(Report, ReportRevision).join(ReportRevision, _present())
    found = session.execute(query.where(Report.id == report_id, Report.analysis_id == analysis_id)).first()
    if found is None:
        raise not_found("report")
    return Kept(found[0], found[1])


def _twin(session: Session, report: Report, title: str, text: str) -> ReportRevision | None:
    """The same words, kept aside before: who presses twice leaves one revision."""
    query = select(ReportRevision).where(
        ReportRevision.report_id == report.id,
        ReportRevision.aside,
        ReportRevision.title == title,
        ReportRevision.text == text,
    )
    return session.scalars(query).first()


def _drop_oldest(session: Session, report: Report) -> bool:
    """Removes revisions beyond the limit; returns whether there were any."""
    query = (
        select(ReportRevision.number)
        .where(ReportRevision.report_id == report.id, ReportRevision.number != report.revision)
        .order_by(ReportRevision.number.desc())
        .offset(MOST_REVISIONS - 1)
    )
    old = list(session.scalars(query))
    if old:
        session.execute(
            delete(ReportRevision).where(ReportRevision.report_id == report.id, ReportRevision.number.in_(old))
        )
    return bool(old)

"""Rows that other rows belong to."""

from sqlalchemy.orm import Session

from numalens.errors import not_found
from numalens.store.schema import Analysis


def require_analysis(session: Session, analysis_id: str) -> None:
    """Raises 404 when there is no such analysis."""
    if session.get(Analysis, analysis_id) is None:
        raise not_found("analysis")

"""The report `numalens.report/2`: analysis of a bundle, for programs."""

from numalens.report.build import (
    MAX_HZ,
    MAX_STEPS,
    SCHEMA,
    ReportOptions,
    Rules,
    answer_once,
    ask,
    build_report,
    fits,
    kept_findings,
    kept_identity,
    window_of,
)

__all__ = [
    "MAX_HZ",
    "MAX_STEPS",
    "SCHEMA",
    "ReportOptions",
    "Rules",
    "answer_once",
    "ask",
    "build_report",
    "fits",
    "kept_findings",
    "kept_identity",
    "window_of",
]

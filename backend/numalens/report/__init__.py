"""The report `numalens.report/1`: what a bundle tells, for programs."""

from numalens.report.build import SCHEMA, Report, ask, build_report
from numalens.report.kept import keep_findings, kept_findings
from numalens.report.options import MAX_HZ, MAX_STEPS, ReportOptions, Rules, fits, window_of
from numalens.report.placement import GROUPS_LISTED

__all__ = [
    "GROUPS_LISTED",
    "MAX_HZ",
    "MAX_STEPS",
    "SCHEMA",
    "Report",
    "ReportOptions",
    "Rules",
    "ask",
    "build_report",
    "fits",
    "keep_findings",
    "kept_findings",
    "window_of",
]

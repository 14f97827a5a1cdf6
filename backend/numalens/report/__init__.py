"""The report `numalens.report/1`: what a bundle tells, for programs."""

from numalens.report.build import SCHEMA, Report, ask, build_report
from numalens.report.options import MAX_HZ, MAX_STEPS, ReportOptions, Rules, fits, window_of

__all__ = [
    "MAX_HZ",
    "MAX_STEPS",
    "SCHEMA",
    "Report",
    "ReportOptions",
    "Rules",
    "ask",
    "build_report",
    "fits",
    "window_of",
]

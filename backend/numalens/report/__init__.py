"""The report `numalens.report/1`: analysis of a bundle, for programs.

The engine writes the whole report (`backend/engine/engine/src/report.rs`) and describes it by JSON schemas, which the
OpenAPI document takes over; none of its shapes is declared here. `build.py` asks for the report or for a single
section and has their options. It also computes the findings of a whole recording once, when it has been read, and
keeps them in its bundle.

`compare/` has the comparison `numalens.comparison/1`: `gather.py` asks each recording, also for the
figures that the engine compares. `warnings.py` says how alike the
recordings are, `build.py` has the whole. `check.py` checks one comparison against thresholds, and `check_formats.py`
writes the result for builds. No replay here.
"""

from numalens.report.build import (
    MAX_HZ,
    MAX_STEPS,
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

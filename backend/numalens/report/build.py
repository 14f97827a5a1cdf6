"""The report and single sections, out of the engine's JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from numalens_native import Bundle

from numalens.report.options import DEFAULTS, ReportOptions

SCHEMA: Final = "numalens.report/2"


def build_report(
    engine: Bundle, from_ns: int | None = None, to_ns: int | None = None, options: ReportOptions = DEFAULTS
) -> dict[str, Any]:
    """The report of a bundle, schema 2; `from_ns` and `to_ns` replace the edges of the common window."""
    report: dict[str, Any] = json.loads(engine.report(from_ns, to_ns, json.dumps(asdict(options))))
    return report


def ask(
    engine: Bundle, section: str, window: tuple[int, int], options: Mapping[str, str | int | None]
) -> dict[str, Any]:
    """A section's answer, with the window that it is about. Options that are None are left to the engine."""
    given = {name: value for name, value in options.items() if value is not None}
    answer: dict[str, Any] = json.loads(engine.analysis(section, *window, json.dumps(given)))
    return answer

"""The report and single sections, out of the engine's JSON, and the options that they take."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from numalens_native import Bundle

SCHEMA: Final = "numalens.report/2"
MAX_HZ: Final = 10_000
MAX_STEPS: Final = 8192
"""Steps that a window may have: more than a screen has columns of pixels."""
Rules = Literal["4.20", "5.7", "5.14", "5.17", "6.4"]
"""The kernel versions that changed how pressure is counted."""


@dataclass(frozen=True)
class ReportOptions:
    """Options of the replays; None leaves the choice to the recording, or to the engine."""

    degree: int | None = None
    """Cling's, in percent; 20 where the recording does not tell."""
    psi_rules: Rules | None = None
    """Pressure by the rules of another kernel version."""
    hz: int | None = None
    """Jiffies per second."""
    step_ns: int | None = None
    """Step of the utilisation table."""


DEFAULTS: Final = ReportOptions()


def window_of(manifest: Mapping[str, Any], from_ns: int | None, to_ns: int | None) -> tuple[int, int]:
    """The window that is asked about: the one that all CPUs' buffers have in common, with the edges that are given."""
    first, last = manifest["window_ns"]
    return first if from_ns is None else from_ns, last if to_ns is None else to_ns


def fits(window: tuple[int, int], step_ns: int | None) -> bool:
    """Whether a window has no more than MAX_STEPS steps of this length."""
    return step_ns is None or window[1] - window[0] <= step_ns * MAX_STEPS


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

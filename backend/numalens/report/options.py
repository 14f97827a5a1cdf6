"""What a report may be asked for besides its window."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

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

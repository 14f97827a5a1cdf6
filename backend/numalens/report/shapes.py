"""The shapes that several sections have in common, and that of findings.

Times are ns of the trace's own clock; durations are ns unless the name says otherwise.
"""

from collections.abc import Mapping
from typing import Literal

from typing_extensions import TypedDict, TypeIs

Label = Literal["observed", "replayed", "inferred", "what-if"]


class MissingSection(TypedDict):
    """A section without content."""

    available: Literal[False]
    reason: str


def missing(reason: str) -> MissingSection:
    """A section without content, and why."""
    return {"available": False, "reason": reason}


def is_missing(part: Mapping[str, object]) -> TypeIs[MissingSection]:
    """Tells whether a section, or a part of one, is without content."""
    return part.get("available") is False


class ReportCause(TypedDict):
    """How much of a time has a cause."""

    cause: str
    ns: int


class ReportSource(TypedDict):
    """Where a setting of the replay is from."""

    name: str
    label: Label
    missing: list[str]


class ReportFinding(TypedDict):
    """Something that cost time."""

    id: str
    label: Label
    missing: list[str]
    severity: Literal["high", "medium", "low"]
    from_ns: int
    to_ns: int
    impact_ms: float
    nodes: list[int]
    pids: list[int]
    cgroup: str | None
    summary: str

"""What sections have in common. Times are ns of the trace's own clock; durations are ns unless the name says otherwise."""

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
    """Whether a section, or a part of one, is without content."""
    return part.get("available") is False

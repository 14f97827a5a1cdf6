"""The section about the nohz idle load balancer, in the report's names. Everything is the engine's."""

from typing import Any

from numalens.report.numa import Sectioned, Tell
from numalens.report.shapes import missing


def ilb_section(tell: Tell, listed: int) -> Sectioned:
    """Kicks and what became of them, idle time by seconds, blocked ticks, stale `next_balance`, events.

    The version of the balancer is the traced kernel's.
    """
    told: dict[str, Any] = tell("ilb", limit=listed)
    if told.get("available") is False:
        return missing(told["reason"])
    # The page draws the mask; a report of a long recording would be little else.
    return {name: part for name, part in told.items() if name not in ("idle_mask", "thinned")}

"""Pressure as it was sampled: how far the kernel's own counters went in a window."""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Literal

from numalens_native import Bundle
from typing_extensions import TypedDict


class SampledTotal(TypedDict):
    """Microseconds of pressure between the first and the last sample; null where the kernel has no such counter."""

    some_us: int | None
    full_us: int | None
    label: Literal["observed"]


SampledPressure = dict[str, SampledTotal]
"""Per resource: cpu, memory, io, irq."""


@dataclass
class _Counter:
    """The first and the last value of one input's counters for one resource."""

    first: dict[str, Any]
    last: dict[str, Any]
    samples: int = 1

    def total(self, name: str) -> int | None:
        """How far a counter went; None when it was not sampled, or was set back (the machine was started anew)."""
        first, last = self.first[name], self.last[name]
        return None if first is None or last is None or last < first else int(last - first)


class _Lines:
    """Puts the pieces of an NDJSON export together again, and keeps no more of it than one line."""

    def __init__(self) -> None:
        self.counters: defaultdict[str, dict[int, _Counter]] = defaultdict(dict)
        self._rest = b""

    def piece(self, piece: bytes) -> None:
        """Takes the next bytes."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._row(json.loads(line))

    def _row(self, row: dict[str, Any]) -> None:
        if row["cgroup"] != "":
            return
        counters = self.counters[row["resource"]]
        counter = counters.get(row["input"])
        if counter is None:
            counters[row["input"]] = _Counter(row, row)
        else:
            counter.last = row
            counter.samples += 1


def sampled_pressure(engine: Bundle, window: tuple[int, int]) -> SampledPressure:
    """The machine's pressure totals, last minus first sample inside the window (edges included), per resource.

    When several inputs sampled the same resource, the one with the most samples counts. Empty when no resource has two
    samples with totals.
    """
    first, last = window
    lines = _Lines()
    engine.export_samples("psi", "ndjson", lines.piece, first, last + 1)
    found: SampledPressure = {}
    for resource, counters in sorted(lines.counters.items()):
        counter = max(counters.values(), key=lambda each: each.samples)
        some, full = counter.total("some_total_us"), counter.total("full_total_us")
        if counter.samples > 1 and (some is not None or full is not None):
            found[resource] = {"some_us": some, "full_us": full, "label": "observed"}
    return found

"""What the trace processor counted while it read a trace, as sentences."""

from collections import Counter
from typing import Final

from numalens.perfetto import queries
from numalens.perfetto.calls import TraceProcessor

LOSSES: Final = frozenset({"ftrace_cpu_has_data_loss"})
"""Stats that say a CPU lost events."""
PRINTS: Final = frozenset({"systrace_parse_failure"})
SHOWN: Final = 64


def stat_notes(engine: TraceProcessor, *, errors_only: bool = False, lossy: list[int] | None = None) -> list[str]:
    """One sentence for each count that is no mere information, or that is an error; `lossy` gets the CPUs that lost events."""
    totals: Counter[tuple[str, str]] = Counter()
    per_cpu: dict[str, list[str]] = {}
    for name, index, value, severity in engine.rows(queries.STATS):
        if errors_only and severity != "error":
            continue
        count = value if isinstance(value, int) else 0
        totals[str(name), str(severity)] += count
        if isinstance(index, int):
            per_cpu.setdefault(str(name), []).append(f"{index}: {count}")
            if name in LOSSES and lossy is not None:
                lossy.append(index)
    return [_note(name, severity, value, per_cpu.get(name)) for (name, severity), value in totals.items()]


def _note(name: str, severity: str, value: int, by_index: list[str] | None) -> str:
    where = f" (by index {', '.join(by_index[:SHOWN])})" if by_index else ""
    more = "; lines of print events that are no Android marks count here, and are kept" if name in PRINTS else ""
    return f"The trace processor counted {name} = {value:,}{where}, of the kind {severity}{more}."

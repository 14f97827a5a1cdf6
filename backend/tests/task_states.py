"""How long each task was in which state: as the trace processor has it, and as the replay and the recorded switches have it.

Both count closed stretches only. Between the two stand these rules, each told with what it comes to:

- *first*: who was on a CPU before its first switch is told by that switch; the trace processor begins with it.
- *open*: what goes on at the recording's end has no length there; the replay tells a stay and a wait up to the end.
- *woken*: who is woken while it waits after a preemption goes on waiting; the trace processor ends `R+` and begins `R`.
- *disturbed*: where a switch is missing or events are lost, the replay says that it does not know, and the trace processor
  draws on. Tasks on both sides of a switch that contradicts the one before, those that leave a CPU they did not come to or
  come to one while they run on another, those of a CPU with losses, and those whose wait losses split. Also tasks with events
  of one stamp on two CPUs, whose order nothing tells.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import ipc

from numalens.perfetto.engine import Engine
from tests.exported import Exported, table

LETTERS: Final = {1: "S", 2: "D", 4: "T", 8: "t", 16: "X", 32: "Z", 64: "P", 128: "I"}
"""The kernel's since Linux 4.14 (include/linux/sched.h TASK_REPORT)."""
PREEMPTED: Final = 256
RESUMED: Final = 4
"""How a wait began (lower four bits of `from` in waits.arrow): behind a gap of lost events."""
AT_THE_END, LOST = 1, 2
"""How a wait ended (upper four bits): with the recording, or at lost events."""
Sums = dict[tuple[int, str], int]
"""ns by task and state."""


@dataclass
class Rule:
    """Stretches that only one side has."""

    stretches: int = 0
    ns: int = 0

    def add(self, ns: int) -> None:
        self.stretches += 1
        self.ns += ns


@dataclass
class States:
    """Ours, made comparable."""

    sums: Counter[tuple[int, str]] = field(default_factory=Counter)
    first: Rule = field(default_factory=Rule)
    open: Rule = field(default_factory=Rule)
    woken: Rule = field(default_factory=Rule)
    disturbed: set[int] = field(default_factory=set)


def theirs(engine: Engine) -> Sums:
    """The trace processor's."""
    rows = engine.rows(
        "select tid, state, sum(dur) from thread_state join thread using (utid) where dur > 0 and tid != 0 group by 1, 2"
    )
    return {(tid, str(state)): ns for tid, state, ns in rows if isinstance(tid, int) and isinstance(ns, int)}


def ours(exported: Exported) -> States:
    """The replay's stays on CPUs and waits, and the sleeps between a switch and the next of these."""
    found = States()
    switches = _Switches(exported, found)
    pid_of = {row[0]: row[1] for row in _columns(exported.folder / "tasks.arrow", "task", "pid")}
    begins: dict[int, list[int]] = defaultdict(list)
    requests = _requests(exported)
    origin = int(exported.manifest["origin_ns"])
    for since, until, task in _columns(exported.folder / "timeline" / "slices.arrow", "start", "end", "task"):
        pid, start, end = pid_of[task], since + origin, until + origin
        begins[pid].append(start)
        if (start, pid) not in switches.came:
            found.first.add(end - start)
        elif (end, pid) not in switches.left:
            found.open.add(end - start)
        else:
            found.sums[pid, "Running"] += end - start
    _add_waits(exported, found, switches, pid_of, begins, requests)
    for pid, times in switches.leaves.items():
        begins[pid].sort()
        for ts, letter in times:
            ends = [end for end in (_next(begins[pid], ts), _next(requests[pid], ts)) if end is not None]
            if ends:
                found.sums[pid, letter] += min(ends) - ts
    found.sums = Counter({key: ns for key, ns in found.sums.items() if ns and key[0] != 0})
    found.disturbed |= _tied(exported)
    found.disturbed.discard(0)
    return found


def _add_waits(
    exported: Exported,
    found: States,
    switches: "_Switches",
    pid_of: dict[int, int],
    begins: dict[int, list[int]],
    requests: dict[int, list[int]],
) -> None:
    """Adds the replay's waits, and when each began."""
    for start, end, task, kinds in _columns(
        exported.folder / "waits" / "waits.arrow", "start_ns", "end_ns", "task", "from"
    ):
        pid, woken = pid_of[task], start
        begins[pid].append(start)
        if kinds >> 4 == AT_THE_END:
            found.open.add(end - start)
            continue
        if switches.lost and (kinds >> 4 == LOST or kinds & 15 == RESUMED):
            found.disturbed.add(pid)
        if switches.left.get((start, pid), 0) & PREEMPTED:
            woken = min(_next(requests[pid], start) or end, end)
            found.sums[pid, "R+"] += woken - start
            if woken < end:
                found.woken.add(end - woken)
        found.sums[pid, "R"] += end - woken


class _Switches:
    """What the recorded switches say."""

    def __init__(self, exported: Exported, found: States) -> None:
        self.left: dict[tuple[int, int], int] = {}
        """The state in which a task left, by time and task."""
        self.came: set[tuple[int, int]] = set()
        self.leaves: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """When each task went to sleep, and how."""
        self._last: dict[int, int] = {}
        self._runs_on: dict[int, int | None] = {}
        self.lost = {cpu for file in (exported.folder / "lost").glob("*.arrow") for (cpu,) in _columns(file, "cpu")}
        columns = table(exported.bundle, "sched_switch").to_pydict()
        names = ("ts_ns", "cpu", "prev_pid", "prev_state", "next_pid")
        for ts, cpu, prev, state, following in zip(*(columns[name] for name in names), strict=True):
            self.left[ts, prev] = state
            self.came.add((ts, following))
            if letter := LETTERS.get(state & (PREEMPTED - 1)):
                self.leaves[prev].append((ts, letter))
            found.disturbed |= self._disturbed(cpu, prev, following)

    def _disturbed(self, cpu: int, prev: int, following: int) -> set[int]:
        """The tasks of which a switch cannot be all the truth."""
        found = {prev, following} if cpu in self.lost else set()
        if (before := self._last.get(cpu, prev)) != prev:
            found |= {before, prev}
        self._last[cpu] = following
        # A task's first switch may be from a CPU; later ones are from where it came to.
        if self._runs_on.get(prev, cpu) != cpu:
            found.add(prev)
        self._runs_on[prev] = None
        if self._runs_on.get(following) is not None:
            found.add(following)
        self._runs_on[following] = cpu
        return found


def differing(found: States, other: Sums) -> dict[int, int]:
    """Tasks of which a state's sums differ, with the ns by which they do."""
    apart: Counter[int] = Counter()
    for key in found.sums.keys() | other.keys():
        apart[key[0]] += abs(found.sums.get(key, 0) - other.get(key, 0))
    return {pid: ns for pid, ns in apart.items() if ns}


def by_state(sums: Sums) -> dict[str, int]:
    """ns by state, of all tasks."""
    total: Counter[str] = Counter()
    for (_, state), ns in sums.items():
        total[state] += ns
    return dict(sorted(total.items()))


def _requests(exported: Exported) -> dict[int, list[int]]:
    """When each task was woken, be it asked for or done."""
    found: dict[int, list[int]] = defaultdict(list)
    for event in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
        if event in exported.manifest["event_counts"]:
            columns = table(exported.bundle, event)
            for ts, pid in zip(columns["ts_ns"].to_pylist(), columns["pid"].to_pylist(), strict=True):
                found[pid].append(ts)
    for times in found.values():
        times.sort()
    return found


def _tied(exported: Exported) -> set[int]:
    """Tasks with scheduler events of one stamp on two CPUs."""
    met: dict[tuple[int, int], int] = {}
    found: set[int] = set()
    for event, names in _ABOUT.items():
        if event not in exported.manifest["event_counts"]:
            continue
        columns = table(exported.bundle, event)
        stamps, cpus = columns["ts_ns"].to_pylist(), columns["cpu"].to_pylist()
        for name in names:
            for ts, cpu, pid in zip(stamps, cpus, columns[name].to_pylist(), strict=True):
                if met.setdefault((ts, pid), cpu) != cpu:
                    found.add(pid)
    return found


_ABOUT: Final = {
    "sched_switch": ("prev_pid", "next_pid"),
    **dict.fromkeys(("sched_waking", "sched_wakeup", "sched_wakeup_new"), ("pid",)),
}


def _next(times: list[int], after: int) -> int | None:
    """The first of ascending times that is not before `after`."""
    at = bisect_left(times, after)
    return times[at] if at < len(times) else None


def _columns(path: Path, *names: str) -> list[tuple[int, ...]]:
    with pa.memory_map(str(path)) as file:
        columns = ipc.open_file(file).read_all()
        return list(zip(*(columns[name].to_pylist() for name in names), strict=True))

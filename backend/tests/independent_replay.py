"""Waits found another way: in the text of `trace-cmd report -t`, line by line, with nothing of the replay's code.

It follows what the kernel prints where (kernel/sched/core.c): `try_to_wake_up` prints `sched_waking` and, once the task is on a
queue, `sched_wakeup`; `wake_up_new_task` prints `sched_wakeup_new`; `__schedule` prints `sched_switch`, with a state of `R` or
`R+` for a task that stays runnable; `set_task_cpu` prints `sched_migrate_task`. What a wait is: docs/algorithms/common.md, K7.

Switches that the recording lacks are not guessed at: `Waits.disturbed` has the tasks by which it shows that one is missing.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

LINE: Final = re.compile(r"^.*-(\d+) +\[(\d+)\](?: +\S+)? +(\d+)\.(\d+): +(\w+): *(.*)$")
DROPPED: Final = re.compile(r"^(?:\S+: *)?CPU:(\d+) \[(?:(?:\d+ )?EVENTS DROPPED|LOST (?:\d+ )?EVENTS)\]")
# As the kernel prints them and as trace-cmd's plugin does.
SWITCH: Final = (
    re.compile(r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)"),
    re.compile(r":(\d+) \[-?\d+\] (\S+) ==> .*:(\d+) \[-?\d+\]"),
)
WAKEUP: Final = (re.compile(r"pid=(\d+) .*target_cpu=(\d+)"), re.compile(r":(\d+) \[-?\d+\](?: success=1)? CPU:(\d+)"))
MIGRATE: Final = (re.compile(r"pid=(\d+) .*dest_cpu=(\d+)"),)
BORN_OR_GONE: Final = (re.compile(r"child_pid=(\d+)"), re.compile(r"pid=(\d+) prio="))
SEEN: Final = re.compile(r"irq_|softirq_|hrtimer_|sched_waking|sched_wakeup")
"""Events between which and the switch of their CPU no other can come: whom they name (`common_pid`) runs there."""

Kind = Literal["woken", "preempted", "new", "unfinished"]
KINDS: Final[tuple[Kind, ...]] = ("woken", "preempted", "new", "unfinished")
KIND_OF: Final[dict[str, Kind]] = {"waking": "woken", "wakeup": "woken", "preempted": "preempted", "new": "new"}


class Wait(NamedTuple):
    """A task is runnable and does not run; times in ns of the recording's clock."""

    pid: int
    begin: int
    end: int
    began: str
    ended: str


class Event(NamedTuple):
    ts: int
    cpu: int
    pid: int
    """Whom the CPU ran (`common_pid`)."""
    name: str
    text: str


@dataclass
class Task:
    """What is known of a task: nothing, or that it sleeps, runs on a CPU or waits in a CPU's queue."""

    state: Literal["unknown", "asleep", "runs", "waits"] = "unknown"
    cpu: int | None = None
    """Where it runs or is queued; a task that was woken and is on no queue yet has none."""
    since: int = 0
    began: str = ""
    woken: bool = False
    """Whether it was woken since it ran."""


@dataclass
class Sum:
    """Waits added up, ns."""

    count: int = 0
    ns: int = 0
    longest: int = 0

    def add(self, ns: int) -> None:
        self.count += 1
        self.ns += ns
        self.longest = max(self.longest, ns)


@dataclass
class Waits:
    """All waits of a recording."""

    first_ns: int
    last_ns: int
    waits: list[Wait] = field(default_factory=list)
    disturbed: Counter[int] = field(default_factory=Counter)
    """Tasks of which a switch is missing, and how often that shows."""

    def sums(self, begin: int, end: int) -> tuple[dict[Kind, Sum], dict[tuple[int, Kind], Sum]]:
        """The waits of a window by kind, and by task and kind.

        Of a wait that crosses an edge the part inside counts: in its kind where the task gets its CPU by the window's end.
        """
        kinds: dict[Kind, Sum] = {kind: Sum() for kind in KINDS}
        tasks: dict[tuple[int, Kind], Sum] = defaultdict(Sum)
        for wait in self.waits:
            inside = min(wait.end, end) - max(wait.begin, begin)
            if inside > 0 or (inside == 0 and wait.begin == wait.end):
                ended = wait.ended == "ran" and wait.end <= end
                kind = KIND_OF.get(wait.began, "unfinished") if ended else "unfinished"
                kinds[kind].add(inside)
                tasks[wait.pid, kind].add(inside)
        return kinds, dict(tasks)


def replay(lines: Iterable[str]) -> Waits:
    """The waits that a text tells of."""
    events = _events(lines)
    replayed = _Replay(events)
    for event in events:
        replayed.event(event)
    return replayed.finish()


def _events(lines: Iterable[str]) -> list[Event]:
    """The events; where events of a CPU are lost a `gap` behind its last one before, and a `gap_end` before its next one."""
    events: list[Event] = []
    behind: dict[int, list[Event]] = defaultdict(list)
    last: dict[int, int] = {}
    lost: set[int] = set()
    for line in lines:
        if mark := DROPPED.match(line):
            lost.add(int(mark[1]))
        elif found := LINE.match(line):
            ts, cpu = int(found[3]) * 10**9 + int(found[4].ljust(9, "0")), int(found[2])
            if cpu in lost:
                lost.remove(cpu)
                before = last.get(cpu)
                since = ts if before is None else events[before].ts
                behind[len(events) - 1 if before is None else before].append(Event(since, cpu, 0, "gap", ""))
                behind[len(events) - 1].append(Event(ts, cpu, 0, "gap_end", ""))
            last[cpu] = len(events)
            events.append(Event(ts, cpu, int(found[1]), found[5], found[6]))
    in_order = behind[-1]
    for at, event in enumerate(events):
        in_order += event, *behind.get(at, ())
    # A tracer that loses events prints some too late.
    return sorted(in_order, key=lambda event: event.ts)


class _Replay:
    def __init__(self, events: list[Event]) -> None:
        self.found = Waits(events[0].ts, events[-1].ts)
        self.tasks: defaultdict[int, Task] = defaultdict(Task)
        self.current: dict[int, int | None] = {}
        # The task that the first switch of a CPU takes off it was there from the beginning.
        for event in events:
            if event.name == "sched_switch" and event.cpu not in self.current:
                prev = int(_fields(SWITCH, event)[0])
                self.current[event.cpu] = prev
                self.tasks[prev] = Task("runs", event.cpu)

    def event(self, event: Event) -> None:
        runs = self.current.get(event.cpu)
        if runs is not None and runs != event.pid and SEEN.match(event.name):
            self.found.disturbed.update((runs, event.pid))
        match event.name:
            case "sched_switch":
                prev, state, following = _fields(SWITCH, event)
                self.switch(event, int(prev), state, int(following))
            case "sched_waking" | "sched_wakeup" | "sched_wakeup_new":
                self.wake(event)
            case "sched_migrate_task":
                pid, cpu = map(int, _fields(MIGRATE, event))
                if self.tasks[pid].state == "waits" and self.tasks[pid].cpu is not None:
                    self.tasks[pid].cpu = cpu
            case "sched_process_fork" | "sched_process_free":
                pid = int(_fields(BORN_OR_GONE, event)[0])
                self.end(pid, event.ts, "gone")
                self.tasks.pop(pid, None)
            case "gap":
                self.lose(event)
            case "gap_end":
                self.split(event.ts)

    def wake(self, event: Event) -> None:
        """A wait begins, unless the task runs or waits already."""
        if " success=0" in event.text:
            return
        pid, target = map(int, _fields(WAKEUP, event))
        began = event.name.removeprefix("sched_").removeprefix("wakeup_")
        # The target of a request is where the task was; it is in no queue.
        cpu = None if began == "waking" else target
        task = self.tasks[pid]
        if began == "waking" and task.state == "waits" and task.woken:
            # Who was woken is TASK_RUNNING, and is woken again only if it ran and slept, unseen (`ttwu_state_match`).
            self.found.disturbed[pid] += 1
            task = Task()
        if task.state in {"unknown", "asleep"}:
            self.tasks[pid] = Task("waits", cpu, event.ts, began, woken=True)
        elif task.state == "waits":
            task.cpu, task.woken = task.cpu if cpu is None else cpu, True

    def switch(self, event: Event, prev: int, state: str, following: int) -> None:
        was, left = self.current.get(event.cpu), self.tasks[prev]
        if was is not None and was != prev:
            self.found.disturbed.update((was, prev))
            self.tasks[was] = Task()
        if left.state == "waits" or (left.state == "runs" and left.cpu != event.cpu):
            self.found.disturbed[prev] += 1
        if self.tasks[following].state == "runs":
            self.found.disturbed[following] += 1
        stays = state.startswith("R")
        self.tasks[prev] = Task("waits", event.cpu, event.ts, "preempted") if stays else Task("asleep")
        self.end(following, event.ts, "ran")
        self.tasks[following] = Task("runs", event.cpu)
        self.current[event.cpu] = following

    def end(self, pid: int, ts: int, ended: str) -> None:
        """If the task waits, that is over. One that gets its CPU by the very event behind a gap has not waited there."""
        task = self.tasks[pid]
        if pid and task.state == "waits" and (task.began, task.since) != ("resumed", ts):
            self.found.waits.append(Wait(pid, task.since, ts, task.began, ended))

    def lose(self, gap: Event) -> None:
        was = self.current.get(gap.cpu)
        if was is not None:
            self.tasks[was] = Task()
        self.current[gap.cpu] = None
        self.split(gap.ts, gap.cpu)

    def split(self, ts: int, lost: int | None = None) -> None:
        """Any task may have run where events are lost. Who is queued on another CPU goes on waiting, the others are unknown."""
        for pid, task in self.tasks.items():
            if task.state == "waits":
                self.end(pid, ts, "lost_events")
                known = task.cpu is not None and task.cpu != lost
                self.tasks[pid] = Task("waits", task.cpu, ts, "resumed", task.woken) if known else Task()

    def finish(self) -> Waits:
        for pid in list(self.tasks):
            self.end(pid, self.found.last_ns, "recording_end")
        # The idle task of every CPU has this pid.
        del self.found.disturbed[0]
        return self.found


def _fields(forms: Iterable[re.Pattern[str]], event: Event) -> tuple[str, ...]:
    for form in forms:
        if found := form.search(event.text):
            return found.groups()
    raise ValueError(f"not in the form that the kernel or trace-cmd prints: {event}")

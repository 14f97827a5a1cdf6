"""Generates a version 6 trace.dat of a machine that nobody has at hand, 384 CPUs on 16 nodes, and its `numactl -H`.

Formats and names are those of a small fixture; the events are made up CPU by CPU from fixed seeds, the same bytes on every
machine: tasks that run, sleep, wake each other and wait, some of them stuck on a node that the NUMA balancer would not choose.
"""

from __future__ import annotations

import random
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from generate import PAGE, fixture, header

if TYPE_CHECKING:
    from collections.abc import Iterator

EVENTS = 384 * 8000
"""Three million events in all: what the page does grows with lanes and pixels, not with these."""
TASKS_PER_CPU = 6
START_NS = 1_000_000_000_000
OPTION_CLOCK, OPTION_UNAME, OPTION_CPUS, OPTION_VERSION = 4, 5, 8, 9
LONGEST_DELTA = (1 << 27) - 1
TIME_EXTEND = 30
SLEEPS, RUNS = 1, 0
PREEMPTED, STUCK = 0.3, 0.004
"""How likely a stay ends before its task wanted, and a task fails to reach another node."""

COMMON = (("common_type", 0), ("common_flags", 2), ("common_preempt_count", 3), ("common_pid", 4))
SWITCH = struct.Struct("<HBBi16siiq16sii")
WAKE = struct.Struct("<HBBi16siii")
STICK = struct.Struct("<HBBi" + "i" * 10)
LAYOUTS = {
    "sched_switch": ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"),
    "sched_waking": ("comm", "pid", "prio", "target_cpu"),
    "sched_wakeup": ("comm", "pid", "prio", "target_cpu"),
    "sched_stick_numa": tuple(
        f"{side}_{what}" for side in ("src", "dst") for what in ("pid", "tgid", "ngid", "cpu", "nid")
    ),
}
SIZES = {"sched_switch": SWITCH, "sched_waking": WAKE, "sched_wakeup": WAKE, "sched_stick_numa": STICK}


def event_ids(data: bytes) -> dict[str, int]:
    """Numbers of the events that are made up; their fields must stand where the structures above have them."""
    ids = {}
    for name, fields in LAYOUTS.items():
        found = re.search(rb"name: %b\nID: (\d+)\nformat:\n(.*?)\nprint fmt" % name.encode(), data, re.DOTALL)
        if not found:
            raise ValueError(f"the fixture has no {name}")
        places = re.findall(rb"field:[^;]*?(\w+)(?:\[\d+\])?;\toffset:(\d+);\tsize:(\d+)", found[2])
        names = tuple(field.decode() for field, _, _ in places)
        end = int(places[-1][1]) + int(places[-1][2])
        if names != (*(name for name, _ in COMMON), *fields) or end != SIZES[name].size:
            raise ValueError(f"the fixture's {name} has another layout")
        ids[name] = int(found[1])
    return ids


class Task:
    """A task that never leaves its CPU."""

    def __init__(self, cpu: int, place: int) -> None:
        self.pid = 10_000 + cpu * TASKS_PER_CPU + place
        self.comm = f"{('serve', 'batch', 'mix')[place % 3]}-{place}".encode()
        self.group = 10_000 + place


class Idle:
    """What a CPU runs when nobody wants it."""

    pid, comm, group = 0, b"swapper", 0


Event = tuple[int, bytes]


@dataclass(frozen=True)
class Machine:
    """How many CPUs there are, on how many nodes."""

    cpus: int
    nodes: int

    @property
    def per_node(self) -> int:
        """CPUs of a node."""
        return self.cpus // self.nodes


WIDE, NARROW = Machine(384, 16), Machine(8, 2)


def events_of(cpu: int, machine: Machine, ids: dict[str, int]) -> Iterator[Event]:
    """One CPU's events: ns after the start, and the bytes."""
    dice = random.Random(cpu)  # noqa: S311 (not a secret)
    idle = Idle()
    nodes, node = machine.nodes, cpu // machine.per_node
    # Some nodes are busier than others, and all of them breathe.
    load = 0.35 + 0.6 * (node * 7 % nodes) / nodes
    asleep: list[Task | Idle] = [Task(cpu, place) for place in range(TASKS_PER_CPU)]
    queue: list[Task | Idle] = []
    running: Task | Idle = idle
    now, made = dice.randrange(1_000_000), 0

    def wake(waker: Task | Idle) -> Iterator[Event]:
        nonlocal now
        task = asleep.pop(dice.randrange(len(asleep)))
        queue.append(task)
        for name in ("sched_waking", "sched_wakeup"):
            yield now, WAKE.pack(ids[name], 0, 0, waker.pid, task.comm, task.pid, 120, cpu)
            now += 900

    while made < EVENTS // machine.cpus:
        if running is idle or (asleep and dice.random() < load):
            now += int(dice.expovariate(1) * 2_400_000 * (1 - load if running is idle else 0.1)) + 2_000
            if asleep:
                yield from wake(running)
                made += 2
        now += int(dice.expovariate(1) * 1_400_000) + 3_000 if running is not idle else 2_000
        stays = running is not idle and queue and dice.random() < PREEMPTED
        following = queue.pop(0) if queue else idle
        if following is running:
            continue
        state = RUNS if running is idle or stays else SLEEPS
        yield (
            now,
            SWITCH.pack(
                ids["sched_switch"],
                0,
                0,
                running.pid,
                running.comm,
                running.pid,
                120,
                state,
                following.comm,
                following.pid,
                120,
            ),
        )
        made += 1
        if running is not idle:
            (queue if stays else asleep).append(running)
        running = following
        if running is not idle and dice.random() < STUCK:
            other = (node + dice.randrange(1, nodes)) % nodes
            there = other * machine.per_node + dice.randrange(machine.per_node)
            own = (running.pid, running.pid, running.group, cpu, node)
            now += 800
            yield (
                now,
                STICK.pack(ids["sched_stick_numa"], 0, 0, running.pid, *own, 0, 0, 0, there if made % 3 else -1, other),
            )
            made += 1


def pages_of(events: Iterator[Event]) -> Iterator[bytes]:
    """Ring-buffer pages: the time of the first event, the size that is used, entries that count from there."""
    page, stamp, last = bytearray(), 0, 0

    def closed() -> bytes:
        return struct.pack("<QQ", START_NS + stamp, len(page)) + bytes(page).ljust(PAGE - 16, b"\0")

    for at, body in events:
        if page and len(page) + len(body) + 12 > PAGE - 16:
            yield closed()
            page.clear()
        if not page:
            stamp = last = at
        delta, last = at - last, at
        if delta > LONGEST_DELTA:
            page += struct.pack("<II", (delta & LONGEST_DELTA) << 5 | TIME_EXTEND, delta >> 27)
            delta = 0
        page += struct.pack("<I", delta << 5 | len(body) // 4) + body
    if page:
        yield closed()


def head_of(data: bytes, cpus: int) -> tuple[bytes, bytes]:
    """What stands before the number of CPUs, and the options that are kept."""
    r = header(data)
    head = data[: r.at]
    r.number(4)
    r.text()
    options = bytearray()
    while kind := r.number(2):
        body = r.take(r.number(4))
        if kind in (OPTION_CLOCK, OPTION_UNAME, OPTION_VERSION):
            options += struct.pack("<HI", kind, len(body)) + body
    options += struct.pack("<HIIH", OPTION_CPUS, 4, cpus, 0)
    return head, bytes(options)


def obtain(cache: Path, machine: Machine) -> tuple[Path, Path]:
    """The cached recording of such a machine and its topology, made if they are not there."""
    target = cache / f"wide-{machine.cpus}.v6.dat"
    topology = target.with_suffix(".numactl-H.txt")
    if not (target.exists() and topology.exists()):
        wide(target, machine)
    return target, topology


def wide(target: Path, machine: Machine) -> Path:
    """Writes the recording and returns the path of its topology."""
    data = fixture()
    ids = event_ids(data)
    print(f"Generating {EVENTS / 1e6:.1f} M events of {machine.cpus} CPUs in {target.name} ...", file=sys.stderr)
    head, options = head_of(data, machine.cpus)
    head += struct.pack("<I", machine.cpus) + b"options  \0" + options + b"flyrecord\0"
    first = -(-(len(head) + 16 * machine.cpus) // PAGE) * PAGE
    part = target.with_suffix(".part")
    table, at = bytearray(), first
    with part.open("wb") as out:
        out.seek(first)
        for cpu in range(machine.cpus):
            pages = b"".join(pages_of(events_of(cpu, machine, ids)))
            out.write(pages)
            table += struct.pack("<QQ", at, len(pages))
            at += len(pages)
        out.seek(0)
        out.write(head + table)
    part.rename(target)
    topology = target.with_suffix(".numactl-H.txt")
    topology.write_text(numactl(machine))
    return topology


def numactl(machine: Machine) -> str:
    """The machine as `numactl -H` prints it: sockets of eight nodes."""
    nodes, per_node = machine.nodes, machine.per_node
    lines = [f"available: {nodes} nodes (0-{nodes - 1})"]
    for node in range(nodes):
        cpus = " ".join(str(cpu) for cpu in range(node * per_node, (node + 1) * per_node))
        lines += [f"node {node} cpus: {cpus}", f"node {node} size: 96000 MB", f"node {node} free: 48000 MB"]
    lines += ["node distances:", "node   " + "  ".join(f"{n:2}" for n in range(nodes))]
    for a in range(nodes):
        row = (10 if a == b else 12 if a // 8 == b // 8 else 32 for b in range(nodes))
        lines.append(f"{a:4}:  " + "  ".join(str(d) for d in row))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(wide(Path(sys.argv[1]), WIDE))

"""Writes Perfetto traces out of a recording's events.

Field numbers are those of Perfetto's `trace_packet.proto` and `ftrace/*.proto`. Run as a program it makes the files of
`samples/fixtures/perfetto/` anew.
"""

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numalens_native as native
import pyarrow as pa
from pyarrow import ipc
from typing_extensions import override

from numalens.jobs.trace_processor_dump import DumpFile
from numalens.perfetto.importer import convert
from numalens.perfetto.rpc import bytes_field, number_field, varint
from tests.recordings import FIXTURES, NUMA, ROOT, SMALL, counts

# The compiled module outlives the tests' process: compiling takes seconds.
os.environ.setdefault("NUMALENS_CACHE", str(ROOT / "target" / "numalens-cache"))

PERFETTO: Final = FIXTURES / "perfetto"
TC_SMALL: Final = PERFETTO / "tc-small.pftrace"
COMPACT: Final = PERFETTO / "tc-small.compact.pftrace"
CLING: Final = PERFETTO / "cling-2x4-small.part.pftrace"

EVENTS_OF_A_BUNDLE: Final = 1000
SEQUENCE: Final = 10
BOOTTIME: Final = 6
MONOTONIC: Final = 3
REALTIME: Final = 1

KNOWN: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "print": (3, ("ip", "buf")),
    "sched_switch": (4, ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio")),
    "sched_wakeup": (17, ("comm", "pid", "prio", "", "target_cpu")),
    "sched_waking": (20, ("comm", "pid", "prio", "", "target_cpu")),
    "softirq_entry": (24, ("vec",)),
    "softirq_exit": (25, ("vec",)),
    "softirq_raise": (26, ("vec",)),
    "irq_handler_entry": (36, ("irq", "name")),
    "irq_handler_exit": (37, ("irq", "ret")),
    "cgroup_attach_task": (67, ("dst_root", "dst_id", "pid", "comm", "", "dst_level", "dst_path")),
    "mm_compaction_kcompactd_sleep": (107, ("nid",)),
    "sched_wakeup_new": (114, ("comm", "pid", "prio", "", "target_cpu")),
    "sched_process_exec": (237, ("filename", "pid", "old_pid")),
    "sched_process_exit": (238, ("comm", "pid", "", "prio")),
    "sched_process_fork": (239, ("parent_comm", "parent_pid", "child_comm", "child_pid")),
    "sched_process_free": (240, ("comm", "pid", "prio")),
    "sched_process_wait": (242, ("comm", "pid", "prio")),
    "sched_migrate_task": (491, ("comm", "pid", "prio", "orig_cpu", "dest_cpu")),
}
"""Events with a message of their own: its field in `FtraceEvent`, and its fields from 1 on; empty where the kernel has none."""
GENERIC: Final = 327
REAL: Final = 1_795_224_266_735_183_798
COMMON: Final = frozenset({"ts_ns", "cpu", "buffer", "common_flags", "common_preempt_count", "common_pid"})


@dataclass(frozen=True)
class Event:
    """An event of a recording."""

    ts: int
    cpu: int
    tid: int
    name: str
    args: Mapping[str, int | str]
    """By column name."""


@dataclass
class Trace:
    """A trace in the making."""

    packets: list[bytes] = field(default_factory=list)

    def packet(self, content: bytes) -> None:
        self.packets.append(bytes_field(1, content + number_field(SEQUENCE, 1)))

    def encode(self) -> bytes:
        return b"".join(self.packets)


def recorded(path: Path, names: Iterable[str], out: Path) -> list[Event]:
    """The events of a recording, ascending by time."""
    native.ingest([(path.name, str(path))], str(out))
    bundle = native.Bundle(str(out))
    found: list[Event] = []
    for name in names:
        pieces: list[bytes] = []
        bundle.export_events(name, "arrow", pieces.append, None, None)
        for row in ipc.open_stream(pa.py_buffer(b"".join(pieces))).read_all().to_pylist():
            args = {key: value for key, value in row.items() if key not in COMMON}
            found.append(Event(row["ts_ns"], row["cpu"], row["common_pid"], name, args))
    return sorted(found, key=lambda event: event.ts)


def head(trace: Trace, release: str, first: int, real: int) -> None:
    """What a recorder writes first: the machine, the clocks."""
    names = ((1, "Linux"), (2, "#1 SMP"), (3, release), (4, "x86_64"))
    trace.packet(bytes_field(45, bytes_field(1, b"".join(bytes_field(n, text.encode()) for n, text in names))))
    clocks(trace, first, (MONOTONIC, first - 500), (REALTIME, real))


def clocks(trace: Trace, at: int, *others: tuple[int, int]) -> None:
    """What other clocks say at a moment of the trace's own."""
    snapshot = b"".join(
        bytes_field(1, number_field(1, clock) + number_field(2, answer)) for clock, answer in ((BOOTTIME, at), *others)
    )
    trace.packet(bytes_field(6, snapshot + number_field(2, BOOTTIME)))


def processes(trace: Trace, names: Mapping[int, str]) -> None:
    """The process tree: each thread as a process of its own."""
    tree = b""
    for pid, name in names.items():
        tree += bytes_field(1, number_field(1, pid) + number_field(2, 1) + bytes_field(3, name.encode()))
        tree += bytes_field(2, number_field(1, pid) + bytes_field(2, name.encode()) + number_field(3, pid))
    trace.packet(bytes_field(2, tree))


def bundles(trace: Trace, events: Iterable[Event], *, flags: bool = False, lost_on: int | None = None) -> None:
    """The events, bundled by CPU; the bundles of CPU `lost_on` say that events before them were lost."""
    for cpu, part in _by_cpu(events):
        content = number_field(3, 1) if cpu == lost_on else b""
        content += b"".join(bytes_field(2, encode_event(event, flags=flags)) for event in part)
        trace.packet(bytes_field(1, number_field(1, cpu) + content))


def _by_cpu(events: Iterable[Event]) -> Iterator[tuple[int, list[Event]]]:
    waiting: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        waiting[event.cpu].append(event)
        if len(waiting[event.cpu]) == EVENTS_OF_A_BUNDLE:
            yield event.cpu, waiting.pop(event.cpu)
    yield from waiting.items()


def encode_event(event: Event, *, flags: bool = False) -> bytes:
    """An `FtraceEvent`; `flags` adds `common_flags`, which the trace processor of today makes a row without a name of."""
    common = number_field(1, event.ts) + number_field(2, event.tid) + (number_field(5, 1) if flags else b"")
    known = KNOWN.get(event.name)
    if known is None:
        content = bytes_field(1, event.name.encode())
        for key, value in event.args.items():
            named = bytes_field(1, key.removeprefix("arg_").encode())
            number = 4 if isinstance(value, int) and -(1 << 63) <= value < 1 << 63 else 5
            content += bytes_field(
                2, named + (number_field(number, value) if isinstance(value, int) else _text(3, value))
            )
        return common + bytes_field(GENERIC, content)
    number, keys = known
    content = b""
    for place, key in enumerate(keys, 1):
        if key:
            value = event.args[key]
            content += number_field(place, value) if isinstance(value, int) else _text(place, value)
    return common + bytes_field(number, content)


def _text(number: int, value: str) -> bytes:
    return bytes_field(number, value.encode())


def compact(trace: Trace, events: Iterable[Event]) -> None:
    """Switches and wakings in the compact form: lists by field, times as differences, names by index."""
    for cpu, part in _by_cpu(events):
        switches = [event for event in part if event.name == "sched_switch"]
        wakings = [event for event in part if event.name == "sched_waking"]
        table: dict[str, int] = {}
        lists = (
            (1, _deltas(event.ts for event in switches)),
            (2, [event.args["prev_state"] for event in switches]),
            (3, [event.args["next_pid"] for event in switches]),
            (4, [event.args["next_prio"] for event in switches]),
            (6, [table.setdefault(str(event.args["next_comm"]), len(table)) for event in switches]),
            (7, _deltas(event.ts for event in wakings)),
            (8, [event.args["pid"] for event in wakings]),
            (9, [event.args["target_cpu"] for event in wakings]),
            (10, [event.args["prio"] for event in wakings]),
            (11, [table.setdefault(str(event.args["comm"]), len(table)) for event in wakings]),
        )
        content = b"".join(bytes_field(number, b"".join(map(_varint, values))) for number, values in lists)
        content += b"".join(_text(5, text) for text in table)
        trace.packet(bytes_field(1, number_field(1, cpu) + bytes_field(4, content)))


def _varint(value: Any) -> bytes:
    return varint(int(value))


def _deltas(stamps: Iterable[int]) -> list[int]:
    found: list[int] = []
    before = 0
    for stamp in stamps:
        found.append(stamp - before)
        before = stamp
    return found


def small(out: Path) -> tuple[bytes, list[Event]]:
    """All events of tc-small as a trace."""
    events = recorded(SMALL, counts("tc-small"), out)
    trace = Trace()
    head(trace, "6.18.44", events[0].ts, REAL)
    processes(trace, _names(events))
    bundles(trace, events)
    return trace.encode(), events


def small_compact(events: list[Event]) -> bytes:
    """The switches and wakings of tc-small in the compact form."""
    trace = Trace()
    head(trace, "6.18.44", events[0].ts, REAL)
    compact(trace, [event for event in events if event.name in {"sched_switch", "sched_waking"}])
    return trace.encode()


def cling(out: Path) -> tuple[bytes, list[Event]]:
    """Of cling-2x4-small: every NUMA decision, and the beginning of the rest. CPU 3 loses events in the middle."""
    whole = dict.fromkeys(("sched_move_numa", "sched_swap_numa", "sched_stick_numa", "cgroup_attach_task"), 1000)
    most = {**whole, "print": 60, "sched_switch": 300, "sched_waking": 100, "mm_migrate_pages": 50}
    most |= {"sched_process_fork": 98, "sched_migrate_task": 100}
    taken: list[Event] = []
    for event in recorded(NUMA, most, out):
        if most[event.name]:
            most[event.name] -= 1
            taken.append(event)
    trace = Trace()
    head(trace, "6.1.192-cling", taken[0].ts, REAL)
    half = len(taken) // 2
    bundles(trace, taken[:half])
    bundles(trace, taken[half:], lost_on=3)
    return trace.encode(), taken


def _names(events: list[Event]) -> dict[int, str]:
    switches = (event for event in events if event.name == "sched_switch" and event.args["next_pid"])
    return {int(event.args["next_pid"]): str(event.args["next_comm"]) for event in switches}


class Capture:
    """A RowWriter that keeps the calls but for the trace, which is there anyway."""

    def __init__(self) -> None:
        self.calls: list[tuple[bytes, bytes]] = []

    def trace(self, chunk: bytes) -> None:
        """Not kept."""

    def table(self, plan: str) -> None:
        self.calls.append((b"P", plan.encode()))

    def rows(self, part: bytes) -> None:
        self.calls.append((b"R", part))

    def finish(self, info: str) -> None:
        self.calls.append((b"F", info.encode()))


def answers_of(path: Path, out: Path) -> bytes:
    """The file of answers that a trace comes to, as the reader's own tests take it: without the trace."""

    class WithoutTrace(DumpFile):
        @override
        def trace(self, chunk: bytes) -> None:
            """Not kept."""

    with WithoutTrace(out, path.name, None) as file:
        convert(path, file, lambda _done, _total: None)
    return out.read_bytes()


def main() -> None:
    """Writes the fixtures."""
    PERFETTO.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as out:
        data, events = small(Path(out) / "small")
        TC_SMALL.write_bytes(data)
        COMPACT.write_bytes(small_compact(events))
        CLING.write_bytes(cling(Path(out) / "cling")[0])
        for path in (TC_SMALL, COMPACT, CLING):
            with pa.CompressedOutputStream(str(path.with_suffix(".answers.zst")), "zstd") as file:
                file.write(answers_of(path, Path(out) / path.stem))


if __name__ == "__main__":
    main()

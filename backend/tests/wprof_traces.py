"""Writes what wprof writes into Perfetto traces: slices of threads, by the packets of its `src/emit.c` and `src/protobuf.c`."""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from numalens.perfetto.rpc import bytes_field, number_field, varint
from tests.perfetto_traces import Event, encode_event

IDLE: Final = 2_000_000_000
"""`TRACK_PID_IDLE`."""
BEGIN: Final = 1
END: Final = 2
INSTANT: Final = 3
CATEGORIES: Final = {"ONCPU": 1, "HARDIRQ": 3, "WAKER": 12, "WAKEE": 13}
Value = int | float | str


@dataclass(frozen=True)
class Task:
    """A thread as wprof names it."""

    tid: int
    pid: int
    comm: str

    def track(self) -> int:
        return self.tid * 10 + (2 if self.pid == IDLE else 1)


def idle(cpu: int) -> Task:
    """The idle task of a CPU: threads of one process, numbered downwards for no thread may be 0."""
    return Task(-cpu - 1, IDLE, f"swapper/{cpu}")


@dataclass
class Wprof:
    """A trace in the making; `interned` writes names once and then their numbers, as wprof does unless it is told not to."""

    interned: bool = True
    packets: list[bytes] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        categories = b"".join(_entry(1, number, name) for name, number in CATEGORIES.items())
        start = number_field(9, INSTANT) + bytes_field(23, b"START")
        self._packet(number_field(8, 0) + number_field(13, 1) + bytes_field(12, categories) + bytes_field(11, start))

    def encode(self) -> bytes:
        return b"".join(self.packets)

    def switch(
        self, ts: int, cpu: int, before: Task, after: Task, *, end: Mapping[str, Value], begin: Mapping[str, Value]
    ) -> None:
        """One task leaves a CPU and another comes on it (`emit_switch`)."""
        where: dict[str, Value] = {"cpu": cpu, "numa_node": 0}
        self.event(ts, before, END, "ONCPU", None, {**where, **end, "switch_to": after.comm})
        self.event(ts, after, BEGIN, "ONCPU", after.comm, {**where, **begin, "switch_from": before.comm})

    def event(
        self, ts: int, task: Task, kind: int, category: str, name: str | None, notes: Mapping[str, Value]
    ) -> None:
        """A point of a slice on a thread's track, or an instant."""
        self._describe(task)
        new: list[bytes] = []
        content = number_field(9, kind) + number_field(11, task.track() & (1 << 64) - 1)
        if self.interned:
            content += number_field(3, CATEGORIES[category])
            content += number_field(10, self._name(name, new)) if name is not None else b""
        else:
            content += bytes_field(22, category.encode())
            content += bytes_field(23, name.encode()) if name is not None else b""
        for key, value in notes.items():
            named = number_field(1, self._name(key, new)) if self.interned else bytes_field(10, key.encode())
            if isinstance(value, int):
                named += number_field(4, value)
            elif isinstance(value, float):
                named += varint(5 << 3 | 1) + struct.pack("<d", value)
            elif self.interned:
                named += number_field(17, self._name(value, new))
            else:
                named += bytes_field(6, value.encode())
            content += bytes_field(4, named)
        self._packet(number_field(8, ts) + (bytes_field(12, b"".join(new)) if new else b"") + bytes_field(11, content))

    def events(self, cpu: int, events: Iterable[Event]) -> None:
        """Events of a CPU as `wprof -e sched` writes them besides."""
        content = b"".join(bytes_field(2, encode_event(event)) for event in events)
        self._packet(bytes_field(1, number_field(1, cpu) + content))

    def _name(self, name: str, new: list[bytes]) -> int:
        if name not in self.names:
            self.names[name] = 100 + len(self.names)
            new += [_entry(number, self.names[name], name) for number in (2, 3, 29)]
        return self.names[name]

    def _describe(self, task: Task) -> None:
        if task.tid in self.known:
            return
        self.known.add(task.tid)
        process = "IDLE" if task.pid == IDLE else task.comm
        whole = number_field(1, task.pid) + bytes_field(6, process.encode())
        self._packet(bytes_field(60, number_field(1, task.pid * 10 + 2) + bytes_field(3, whole)))
        thread = number_field(1, task.pid) + number_field(2, task.tid & (1 << 64) - 1)
        thread += bytes_field(5, task.comm.encode())
        self._packet(bytes_field(60, number_field(1, task.track() & (1 << 64) - 1) + bytes_field(4, thread)))

    def _packet(self, content: bytes) -> None:
        self.packets.append(bytes_field(1, content + number_field(10, 0x42)))


def _entry(field_number: int, number: int, name: str) -> bytes:
    """An interned text; 29 is of values, which are bytes like the others on the wire."""
    return bytes_field(field_number, number_field(1, number) + bytes_field(2, name.encode()))

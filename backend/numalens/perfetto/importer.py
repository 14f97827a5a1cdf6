"""A Perfetto trace as event rows: asks the trace processor for each event type, and hands the answers on undecoded.

The answers are decoded by the Rust crate `numalens-perfetto-rows` behind a RowWriter; nothing here touches a row.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from numalens.perfetto import queries, rpc
from numalens.perfetto.calls import CHUNK_BYTES, stat_notes
from numalens.perfetto.engine import NARROW_BYTES, Engine
from numalens.perfetto.errors import PerfettoError

Progress = Callable[[int, int], None]
"""Receives the finished and total bytes of work; an exception it raises stops the import."""

EVENT_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:,=@/-]{0,127}", re.ASCII)
"""Names of tracepoints, and of perf's events: `cpu/mem-loads,ldlat=30/P`."""
MOST_EVENT_TYPES: Final = 4096
MOST_ARGUMENTS: Final = 256
MOST_NOTES: Final = 200
CLOCK_NAMES: Final = {"BOOTTIME": "boot", "MONOTONIC": "mono", "MONOTONIC_RAW": "mono_raw", "TAI": "tai"}
"""The trace processor's clocks by the names of tracefs `trace_clock`."""
CLOCK_IDS: Final = {3: "MONOTONIC", 5: "MONOTONIC_RAW", 6: "BOOTTIME"}
"""Perfetto's `BuiltinClock`."""
KIND_OF: Final = {"int": "int", "uint": "uint", "pointer": "uint", "bool": "bool"}
CLOCK_PAIRS: Final = 1000


class RowWriter(Protocol):
    """Destination of the rows."""

    def trace(self, chunk: bytes) -> None:
        """The next bytes of the trace itself, in which the writer finds the places of lost events."""

    def table(self, plan: str) -> None:
        """A new table begins; `plan` is JSON: `kind` `threads`, or `events` with `event`, `rows` and `columns`."""

    def rows(self, part: bytes) -> None:
        """Rows of the table: an encoded `QueryResult`, or a part of one."""

    def finish(self, info: str) -> None:
        """All tables are there; `info` is JSON: what the trace says about itself."""


@dataclass(frozen=True)
class Limits:
    """Limits of the trace processor."""

    memory_bytes: int = NARROW_BYTES
    """Most memory of its instance."""
    seconds: float | None = None
    """Longest time of one call: one piece of the trace, or one query."""
    wide: bool = False
    """Take the module with 64-bit memory."""


@dataclass
class _Info:
    """The summary at the end; the names are those of the Rust side."""

    clock: str | None = None
    kernel: str | None = None
    cpus: int = 0
    clock_pairs: list[tuple[int, int]] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    lossy_cpus: list[int] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(sentence)


@dataclass(frozen=True)
class _Event:
    name: str
    rows: int


def convert(trace: Path, writer: RowWriter, progress: Progress, limits: Limits | None = None) -> None:
    """Reads the trace file and writes its events and what it says about itself. Raises PerfettoError, OSError."""
    limits = limits or Limits()
    with Engine(memory_bytes=limits.memory_bytes, seconds=limits.seconds, wide=limits.wide) as engine:
        convert_with(engine, trace, writer, progress)


def convert_with(engine: Engine, trace: Path, writer: RowWriter, progress: Progress) -> None:
    """As `convert`, with an engine that has no trace yet; the caller may ask it further questions afterwards."""
    work = _Work(engine, writer, progress, trace.stat().st_size)
    work.load(trace)
    work.write()


class _Work:
    """One import. Loading counts for one half of the progress, writing for the other."""

    def __init__(self, engine: Engine, writer: RowWriter, progress: Progress, size: int) -> None:
        self._engine = engine
        self._writer = writer
        self._progress = progress
        self._size = max(size, 1)
        self._info = _Info()
        self._set_0 = _ArgumentSet0()
        self._wprof = False

    def load(self, trace: Path) -> None:
        done = 0
        with trace.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                self._writer.trace(chunk)
                self._engine.append(chunk)
                done += len(chunk)
                self._progress(min(done, self._size), 2 * self._size)
        self._engine.finalize()

    def write(self) -> None:
        self._describe()
        events, made = self._events()
        self._set_0.find(self._engine, events)
        self._writer.table(json.dumps({"kind": "threads"}))
        self._engine.query(queries.WPROF_THREADS if self._wprof else queries.THREADS, self._writer.rows)
        self._writer.table(json.dumps({"kind": "processes"}))
        self._engine.query(queries.PROCESSES, self._writer.rows)
        total, done = sum(event.rows for event in events), 0
        for event in events:
            if event.name in made:
                switch = event.name == "sched_switch"
                known = queries.SWITCH_COLUMNS if switch else queries.WAKE_COLUMNS
                columns = [{"key": key, "kind": "text" if key.endswith("comm") else "int"} for key in known]
                self._table(event, columns, queries.switch_rows() if switch else queries.wake_rows(event.name))
            else:
                columns, foreign = self._columns(event)
                keys = [column["key"] for column in columns]
                self._table(event, columns, queries.event_rows(event.name, keys, without_set_0=foreign))
            done += event.rows
            self._progress(self._size + self._size * done // total, 2 * self._size)
        self._writer.finish(json.dumps(vars(self._info)))

    def _table(self, event: _Event, columns: list[dict[str, str]], sql: str) -> None:
        plan = {"kind": "events", "event": event.name, "rows": event.rows, "columns": columns}
        self._writer.table(json.dumps(plan))
        self._engine.query(sql, self._writer.rows)

    def _events(self) -> tuple[list[_Event], set[str]]:
        """The event types to write, and those that are made of `sched` or of wprof's slices; makes `numalens_event`."""
        found = self._engine.rows(queries.RAW_EVENTS)
        count = sum(_number(rows) for _, rows in found)
        named = [_Event(str(name), _number(rows)) for name, rows in found if name is not None]
        events = [event for event in named if EVENT_NAME.fullmatch(event.name)][:MOST_EVENT_TYPES]
        left_out = sum(event.rows for event in named) - sum(event.rows for event in events)
        if left_out:
            self._info.note(f"{left_out:,} events have invalid names, or too many different ones, and are left out.")
        unnamed = count - sum(event.rows for event in named)
        made = _number(self._engine.rows(queries.MADE_WAKINGS)[0][0])
        if made:
            events = [
                event if event.name != "sched_waking" else _Event(event.name, event.rows - made) for event in events
            ]
            events = [event for event in events if event.rows]
            self._info.note(
                f"{made:,} sched_waking with success = 0 are left out: an export of NumaLens made them from wakeups."
            )
        if unnamed:
            # The trace processor makes such a row for each field of an event that it does not know.
            self._info.facts["rows without an event"] = str(unnamed)
        slices = _number(self._engine.rows(queries.SCHED_ROWS)[0][0])
        unswitched = all(event.name != "sched_switch" for event in events)
        self._wprof = unswitched and not slices and _number(self._engine.rows(queries.WPROF_ROWS)[0][0]) > 0
        switches = unswitched and (slices > 0 or self._wprof)
        last_id = self._engine.rows(queries.LAST_ID)
        dense = not last_id or last_id[0][0] == count - 1
        if dense and not (unnamed or left_out or switches or made):
            self._engine.rows(queries.plain_events())
        else:
            names = [event.name for event in events]
            self._engine.rows(queries.ranked_events(names, switches=switches, made=made > 0, wprof=self._wprof))
        of_runs: list[_Event] = []
        if switches:
            found = self._engine.rows(queries.MADE_EVENTS)
            of_runs = [_Event(str(name), _number(rows)) for name, rows in found]
            events = [*events, *of_runs]
        if self._wprof:
            self._info.note(
                "This is a recording of wprof without scheduler events (wprof -e sched): switches and wakings are "
                "made from its slices. Slices have no priorities (all tasks count as nice 0), nor whether a blocked "
                "task was interruptible (all count as interruptible). Where no slice is, the CPU counts as idle."
            )
        elif switches:
            self._info.note(
                "The trace has no sched_switch events: they are made from the trace processor's table of run times. "
                "The first switch of each CPU is missing, a thread has only its last name, and a "
                "task without a switch from it counts as running until the next one."
            )
        if not sum(event.rows for event in events):
            raise _nothing(self._info.notes)
        return events, {event.name for event in of_runs}

    def _columns(self, event: _Event) -> tuple[list[dict[str, str]], bool]:
        """The arguments of an event with their kinds, and whether it has rows of the argument set 0 of another."""
        kinds = _argument_kinds(self._engine, event)
        own, foreign = event.name in self._set_0.owners, event.name in self._set_0.others
        if own:
            for key, kind in self._set_0.kinds.items():
                kinds.setdefault(key, set()).add(kind)
        if len(kinds) > MOST_ARGUMENTS:
            self._info.note(f"{event.name} has {len(kinds)} arguments; the first {MOST_ARGUMENTS} are read.")
        chosen = list(kinds.items())[:MOST_ARGUMENTS]
        return [{"key": key, "kind": _kind(of)} for key, of in chosen], foreign

    def _describe(self) -> None:
        """Metadata of the trace."""
        info = self._info
        metadata = {str(name): value for name, value in self._engine.rows(queries.METADATA)}
        info.facts["trace processor"] = self._engine.version()
        for name in ("system_machine", "trace_type", "tracing_started_ns"):
            if metadata.get(name) is not None:
                info.facts[name] = str(metadata[name])
        info.kernel = _kernel(metadata)
        info.cpus = _number(self._engine.rows(queries.CPUS)[0][0])
        if _number(self._engine.rows(queries.MACHINES)[0][0]) > 1:
            info.note("The trace has several machines; CPUs with the same number appear as one.")
        self._clocks(metadata)
        self._stats()

    def _clocks(self, metadata: dict[str, rpc.Cell]) -> None:
        info = self._info
        snapshots = self._engine.rows(queries.CLOCKS)
        name = CLOCK_IDS.get(_number(metadata.get("trace_time_clock_id")))
        if any(clock == name for _, clock, _ in snapshots):
            info.clock = CLOCK_NAMES.get(name or "")
        else:
            info.note("The trace has no clock snapshot: the clock of its timestamps is not known.")
        pairs = [(_number(ts), _number(value)) for ts, clock, value in snapshots if clock == "REALTIME"]
        info.clock_pairs = pairs[:: max(1, -(-len(pairs) // CLOCK_PAIRS))]
        for clock, tracefs in CLOCK_NAMES.items():
            offsets = [_number(value) - _number(ts) for ts, found, value in snapshots if found == clock]
            if offsets and clock != name:
                info.facts[f"{tracefs} minus trace clock, ns"] = str(offsets[0])

    def _stats(self) -> None:
        """One sentence for each count of the trace processor that is more than information."""
        for sentence in stat_notes(self._engine, lossy=self._info.lossy_cpus):
            self._info.note(sentence)


class _ArgumentSet0:
    """Owner of the argument set 0.

    The trace processor also writes 0 for events without arguments, and 0 is also the number of the first set. So set 0 belongs
    to an event if its other sets have the same arguments, or if a known one is among them. An event without such evidence owns
    it only if no other event does.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.owners: set[str] = set()
        self.others: set[str] = set()

    def find(self, engine: Engine, events: list[_Event]) -> None:
        """Decides for all events that have rows of set 0."""
        self.kinds = {str(key): str(kind) for key, kind in engine.rows(queries.SET_0)}
        users = {str(name) for name, _ in engine.rows(queries.SET_0_USERS)}
        open_ones: set[str] = set()
        for event in events:
            if event.name not in users:
                continue
            keys = set(_argument_kinds(engine, event))
            known = KNOWN_ARGUMENTS.get(event.name)
            if not keys and known is None:
                open_ones.add(event.name)
            elif keys == set(self.kinds) or (not keys and known is not None and known & set(self.kinds)):
                self.owners.add(event.name)
            else:
                self.others.add(event.name)
        (self.others if self.owners else self.owners).update(open_ones)


def _argument_kinds(engine: Engine, event: _Event) -> dict[str, set[str]]:
    """The arguments of an event in their order, and the kinds of value that each was seen with; without those of set 0."""
    kinds: dict[str, set[str]] = {}
    for key, kind in engine.rows(queries.argument_kinds(event.name, event.rows)):
        kinds.setdefault(str(key), set()).add(str(kind))
    return kinds


KNOWN_ARGUMENTS: Final[dict[str, frozenset[str]]] = {
    "sched_switch": frozenset(queries.SWITCH_COLUMNS),
    **dict.fromkeys(("sched_waking", "sched_wakeup", "sched_wakeup_new"), frozenset({"target_cpu"})),
    **dict.fromkeys(("softirq_raise", "softirq_entry", "softirq_exit"), frozenset({"vec"})),
    "print": frozenset({"buf"}),
    "cpu_idle": frozenset({"state"}),
    "sched_migrate_task": frozenset({"orig_cpu"}),
}
"""An argument that distinguishes sets of the event, for events that are frequent and may come first."""


def _kind(of: set[str]) -> str:
    """One kind for all the kinds of value that an argument was seen with."""
    kinds = {KIND_OF.get(kind, "text") for kind in of}
    return kinds.pop() if len(kinds) == 1 else "text" if "text" in kinds else "int"


def _kernel(metadata: dict[str, Any]) -> str | None:
    if " or later" in str(metadata.get("system_release")):
        # An export of ours where no recording has the kernel.
        return None
    parts = [str(metadata[name]) for name in ("system_release", "system_version") if metadata.get(name)]
    return " ".join(parts) or None


def _number(cell: object) -> int:
    """A number of a result; 0 for other values."""
    return cell if isinstance(cell, int) else 0


def _nothing(notes: list[str]) -> PerfettoError:
    sentence = " ".join(["The trace has no readable ftrace events and no readable run times.", *notes[:3]])
    return PerfettoError(sentence)

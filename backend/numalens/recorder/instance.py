"""A tracing instance of our own: its buffers, its clock, its events."""

import errno
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numalens.recorder.events import SLEEP_STACKS, Event
from numalens.recorder.files import read_text
from numalens.recorder.tracefs import CannotRecordError, not_permitted
from numalens.recorder.watchdog import (
    SYNTHETIC,
    WAKEUP_SUFFIX,
    remove_instance,
    remove_probes,
    remove_wakeup,
    wakeup_of,
)

PREFIX: Final = "numalens-"
SMALLEST_BUFFER_KB: Final = 64
_OURS: Final = re.compile(re.escape(PREFIX) + rf"(\d+)({WAKEUP_SUFFIX})?")
_SYNTHETIC: Final = re.compile(rf"^{SYNTHETIC}(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class CpuStats:
    """Kernel counters of one CPU's buffer: events read or still to be read, events lost, its `stats` file."""

    cpu: int
    events: int
    overrun: int
    commit_overrun: int
    dropped: int
    text: str
    # Of the trace's clock, ns, and what the buffer holds; 0 when the kernel does not say.
    oldest_ns: int = 0
    now_ns: int = 0
    bytes: int = 0

    @property
    def lost(self) -> int:
        """Events that happened and are not in the recording."""
        return self.overrun + self.commit_overrun + self.dropped


def parse_stats(cpu: int, text: str) -> CpuStats:
    """Reads `per_cpu/cpuN/stats`: a name, a colon and a number a line."""
    numbers: dict[str, int] = {}
    texts: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        texts[name.strip()] = value.strip()
        if value.strip().isdigit():
            numbers[name.strip()] = int(value)

    def nanoseconds(name: str) -> int:
        # Seconds with six digits, but plain numbers where the clock counts no time (tracing_stats_read in kernel/trace/trace.c).
        seconds, point, micros = texts.get(name, "").partition(".")
        return (int(seconds) * 1_000_000 + int(micros)) * 1000 if point and micros.isdigit() else 0

    return CpuStats(
        cpu,
        numbers.get("read events", 0) + numbers.get("entries", 0),
        numbers.get("overrun", 0),
        numbers.get("commit overrun", 0),
        numbers.get("dropped events", 0),
        text,
        nanoseconds("oldest event ts"),
        nanoseconds("now ts"),
        numbers.get("bytes", 0),
    )


class Instance:
    """A folder below `instances/`. Nothing in it affects other users' tracing."""

    def __init__(self, tracefs: Path, pid: int, suffix: str = "") -> None:
        self.name = f"{PREFIX}{pid}{suffix}"
        self.path = tracefs / "instances" / self.name
        self.notes: list[str] = []
        self._ours = False

    def create(self) -> None:
        """Makes the instance, not yet tracing. Raises CannotRecordError."""
        try:
            if self.path.is_dir():
                # Left by a recorder that had our process number before us. The kernel refuses if it is in use.
                self.path.rmdir()
            self.path.mkdir()
            self._ours = True
            self.write("tracing_on", "0")
        except OSError as error:
            if error.errno in {errno.EBUSY, errno.EEXIST}:
                raise CannotRecordError(f"{self.path} is in use by another recorder; try again") from error
            raise CannotRecordError(not_permitted(error)) from error

    def write(self, file: str, value: str) -> None:
        """Writes one of the instance's files."""
        descriptor = os.open(self.path / file, os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(descriptor, value.encode())
        finally:
            os.close(descriptor)

    def read(self, file: str) -> str:
        """One of the instance's files."""
        return (self.path / file).read_text(encoding="utf-8", errors="replace")

    def set_clock(self, clock: str) -> None:
        """Chooses the clock of the stamps, which empties the buffers."""
        try:
            self.write("trace_clock", clock)
        except OSError:
            self.notes.append(f"the kernel has no trace clock {clock!r}; its default clock was used")

    def set_buffer(self, kilobytes: int) -> int:
        """Sizes every CPU's buffer, smaller when there is not enough memory; returns the size in KiB."""
        size = kilobytes
        while True:
            try:
                self.write("buffer_size_kb", str(size))
            except OSError:
                if size // 2 < SMALLEST_BUFFER_KB:
                    raise
                size //= 2
            else:
                break
        if size < kilobytes:
            self.notes.append(f"the kernel gave {size} KiB of buffer per CPU instead of {kilobytes}: memory is short")
        return size

    def enable(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Switches events on; returns those that the kernel took."""
        taken: list[Event] = []
        for event in events:
            folder = f"events/{event.system}/{event.name}"
            chosen = self._filter(folder, event)
            if event.filters and chosen is None:
                self.notes.append(f"{event.full_name} was left out: the kernel rejects its filter")
                continue
            try:
                self.write(f"{folder}/enable", "1")
            except OSError as error:
                self.notes.append(f"{event.full_name} was left out: {error.strerror}")
                continue
            taken.append(event if chosen is None else Event(event.system, event.name, (chosen,)))
        return tuple(taken)

    def record_stacks(self) -> None:
        """Records the kernel stack of each task that goes to sleep."""
        try:
            self.write("events/sched/sched_switch/trigger", SLEEP_STACKS)
        except OSError as error:
            self.notes.append(f"the stacks of sleeping tasks were left out: {error.strerror}")

    def _filter(self, folder: str, event: Event) -> str | None:
        for text in event.filters:
            with suppress(OSError):
                self.write(f"{folder}/filter", text)
                return text
        return None

    def stats(self) -> tuple[CpuStats, ...]:
        """The counters of all CPUs' buffers."""
        found = [
            parse_stats(int(path.name.removeprefix("cpu")), (path / "stats").read_text(encoding="ascii"))
            for path in (self.path / "per_cpu").glob("cpu[0-9]*")
        ]
        return tuple(sorted(found, key=lambda stats: stats.cpu))

    def remove(self) -> bool:
        """Switches everything off and removes the instance; true when nothing of ours is left."""
        if self._ours and remove_instance(self.path):
            self._ours = False
        return not self._ours


def sweep(tracefs: Path) -> None:
    """Removes instances of recorders that died together with their watchdog.

    Removes abandoned instances. The kernel refuses while one is read, so one of an invisible living recorder stays.
    """
    instances = tracefs / "instances"
    events = read_text(str(tracefs / "synthetic_events")) or ""
    dead = {name[1] for path in instances.glob(f"{PREFIX}*") if (name := _OURS.fullmatch(path.name))}
    dead = {pid for pid in dead | set(_SYNTHETIC.findall(events)) if not Path(f"/proc/{pid}").exists()}
    for pid in dead:
        own = instances / f"{PREFIX}{pid}"
        remove_wakeup(wakeup_of(own), pid, 0.0)
        with suppress(OSError):
            own.rmdir()
    if dead:
        remove_probes(tracefs)

"""Interface of a session to its recording backend, and the backend for tracefs."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from typing_extensions import override

from numalens import __version__
from numalens.recorder.events import Event
from numalens.recorder.facts import uname
from numalens.recorder.files import pids, read_text
from numalens.recorder.instance import CpuStats, Instance
from numalens.recorder.pages import PageReader
from numalens.recorder.trace_dat import Description, Part, page_layout, trace_dat

# The clock of the samples' stamps, and one for all CPUs.
CLOCK: Final = "mono"
LONGEST_WAIT_S: Final = 0.1
LONGEST_WAIT_LIGHT_S: Final = 0.5
MOST_NAMES: Final = 65536


@dataclass(frozen=True)
class Plan:
    """Plan for recording events."""

    events: tuple[Event, ...]
    buffer_kb: int
    light: bool
    spool: Path
    sleep_stacks: bool = False


class Marker:
    """The instance's `trace_marker`."""

    def __init__(self, instance: Instance) -> None:
        self._descriptor = os.open(instance.path / "trace_marker", os.O_WRONLY)

    def write(self, line: bytes) -> None:
        """Writes one line; the kernel refuses while tracing is off, which does not stop the recording."""
        with suppress(OSError):
            os.write(self._descriptor, line)

    def close(self) -> None:
        """Closes the file, without which the instance cannot be removed."""
        os.close(self._descriptor)


class Tracer(ABC):
    """A way to record events. `close` ends everything, whatever happened before."""

    via: ClassVar[str]

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.events = plan.events
        self.buffer_kb = plan.buffer_kb
        self._instance = instance
        self._plan = plan
        self._marker: Marker | None = None
        self._stats: tuple[CpuStats, ...] = ()

    @abstractmethod
    def start(self) -> None:
        """Begins to record."""

    @abstractmethod
    def spooled(self) -> int:
        """Bytes on the disk so far."""

    @abstractmethod
    def trouble(self) -> str | None:
        """Reason for which recording has stopped."""

    @abstractmethod
    def stop(self) -> None:
        """Ends the recording and takes what the kernel still has."""

    @abstractmethod
    def trace(self) -> list[Part]:
        """The trace.dat."""

    def mark(self, line: bytes) -> None:
        """Writes a line into the trace."""
        if self._marker is not None:
            self._marker.write(line)

    def stats(self) -> Sequence[CpuStats]:
        """The kernel's counters, after the end."""
        return self._stats

    def close(self) -> None:
        """Gives everything back to the kernel; first what keeps the instance busy."""
        if self._marker is not None:
            self._marker.close()
            self._marker = None


class TracefsTracer(Tracer):
    """Own buffers, own pages, own file: works wherever tracefs does, also where the function tracer is locked."""

    via = "tracefs"

    def __init__(self, tracefs: Path, instance: Instance, plan: Plan) -> None:
        super().__init__(instance, plan)
        self._tracefs = tracefs
        self._reader: PageReader | None = None

    @override
    def start(self) -> None:
        """Sets the instance up and switches it on."""
        instance, plan = self._instance, self._plan
        instance.set_clock(CLOCK)
        self.buffer_kb = instance.set_buffer(plan.buffer_kb)
        self.events = instance.enable(plan.events)
        page = page_layout(self._header_page()).page_size
        wait = LONGEST_WAIT_LIGHT_S if plan.light else LONGEST_WAIT_S
        if plan.sleep_stacks:
            instance.record_stacks()
        self._reader = PageReader(instance.path, plan.spool, page, self.buffer_kb * 1024, wait)
        self._marker = Marker(instance)
        instance.write("tracing_on", "1")
        self._reader.start()

    @override
    def spooled(self) -> int:
        """Bytes in the spool files."""
        return 0 if self._reader is None else self._reader.bytes

    @override
    def trouble(self) -> str | None:
        """A write that failed."""
        error = None if self._reader is None else self._reader.error
        return None if error is None else f"the pages of the trace could not be written: {error.strerror}"

    @override
    def stop(self) -> None:
        """Switches tracing off and takes the last pages."""
        self._instance.write("tracing_on", "0")
        if self._reader is not None:
            self._reader.stop()
        self._stats = self._instance.stats()

    @override
    def trace(self) -> list[Part]:
        """The trace.dat: description first, then the spooled pages."""
        spools = [] if self._reader is None else self._reader.spools
        pages = {spool.cpu: Part(spool.bytes, path=spool.path) for spool in spools}
        return trace_dat(self._description(), pages)

    @override
    def close(self) -> None:
        """Closes what keeps the instance busy."""
        if self._reader is not None:
            self._reader.close()
            self._reader.spools.clear()
        super().close()

    def _header_page(self) -> bytes:
        own = self._instance.path / "events" / "header_page"
        return (own if own.exists() else self._tracefs / "events" / "header_page").read_bytes()

    def _description(self) -> Description:
        events = self._tracefs / "events"
        systems: dict[str, list[bytes]] = {}
        for event in self.events:
            systems.setdefault(event.system, []).append((events / event.system / event.name / "format").read_bytes())
        return Description(
            header_page=self._header_page(),
            header_event=(events / "header_event").read_bytes(),
            ftrace_formats=[path.read_bytes() for path in sorted((events / "ftrace").glob("*/format"))],
            event_formats=systems,
            kallsyms=kallsyms(read_text("/proc/kallsyms") or ""),
            printk_formats=(read_text(str(self._tracefs / "printk_formats")) or "").encode(),
            saved_cmdlines=names(read_text(str(self._tracefs / "saved_cmdlines")) or "").encode(),
            trace_clock=self._instance.read("trace_clock").encode(),
            uname=uname(),
            recorder=f"numalens record {__version__}",
            cpu_stats=[f"CPU: {stats.cpu}\n{stats.text}" for stats in self._stats],
        )


def kallsyms(text: str) -> bytes:
    """The kernel's symbols; nothing when it shows no addresses (kernel.kptr_restrict)."""
    # Per-CPU variables count from 0 on x86 before 6.15, and they come first: functions show.
    shown = re.search(r"^0*[1-9a-f][0-9a-f]* [tT] ", text, re.MULTILINE)
    return text.encode() if shown else b""


def names(saved: str, proc: str = "/proc") -> str:
    """The kernel's saved task names, and those of living tasks that it did not save."""
    lines = saved.splitlines()
    known = {line.partition(" ")[0] for line in lines}
    for pid in pids(proc):
        if len(lines) >= MOST_NAMES:
            break
        for tid in pids(f"{proc}/{pid}/task"):
            if str(tid) not in known and (comm := read_text(f"{proc}/{pid}/task/{tid}/comm")):
                # A line end in a name would begin the line of another task.
                lines.append(f"{tid} {comm.rstrip().replace(chr(10), ' ')}")
    return "".join(f"{line}\n" for line in lines)

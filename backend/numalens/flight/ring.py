"""A ring that the kernel overwrites: as large as it must be for so many seconds, and cut out as a trace.dat."""

import mmap
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typing_extensions import override

from numalens.recorder.instance import CpuStats, Instance
from numalens.recorder.pages import SHORTEST_WAIT_S, PageReader
from numalens.recorder.trace_dat import PageLayout, Part, page_layout, trace_dat
from numalens.recorder.tracers import CLOCK, Marker, Plan, TracefsTracer

FIRST_KB: Final = 1024
# A ring grows for what it holds too little, and some for a rate that varies, but not for one burst to any size.
MARGIN: Final = 1.3
STEEPEST: Final = 4.0
# Bits of a page's `commit` that say that events before it are missing (RB_MISSED_EVENTS, RB_MISSED_STORED).
MISSED: Final = 3 << 30
# Types of a record in a page (include/linux/ring_buffer.h).
PADDING: Final = 29
TIME_EXTEND: Final = 30
TIME_STAMP: Final = 31
_ORDER: Final = "<" if sys.byteorder == "little" else ">"
_DELTA_BITS: Final = 27


@dataclass(frozen=True)
class Held:
    """Contents of a ring: start (mono, ns), and KiB of all CPUs."""

    since_ns: int
    kb: int
    overwritten: bool


class Ring(TracefsTracer):
    """Events go into overwriting buffers; `cut` takes their contents while tracing is paused, `resume` continues."""

    def __init__(self, tracefs: Path, instance: Instance, plan: Plan, seconds: float, most_kb: int) -> None:
        super().__init__(tracefs, instance, plan)
        self._seconds = seconds
        self._most_kb = most_kb
        self._sizes: dict[int, int] = {}
        self._overrun: dict[int, int] = {}
        self._armed_ns = 0
        self._before: dict[int, CpuStats] = {}
        self._pages: dict[int, Part] = {}
        self.lost = 0

    @override
    def start(self) -> None:
        """Sets the instance up and switches it on."""
        instance = self._instance
        instance.set_clock(CLOCK)
        instance.write("options/overwrite", "1")
        size = instance.set_buffer(min(FIRST_KB, self._plan.buffer_kb))
        self.events = instance.enable(self._plan.events)
        self._sizes = {stats.cpu: size for stats in instance.stats()}
        self._marker = Marker(instance)
        self._arm()

    def _arm(self) -> None:
        self._before = {stats.cpu: stats for stats in self._instance.stats()}
        self._armed_ns = next((stats.now_ns for stats in self._before.values()), 0)
        self._instance.write("tracing_on", "1")

    @property
    def capped(self) -> bool:
        """Returns whether the ring has reached its limit."""
        return sum(self._sizes.values()) >= self._most_kb

    def held(self) -> Held:
        """The ring's contents over all CPUs; for a CPU without losses, everything since it was armed."""
        return self._held(self._instance.stats())

    def _held(self, all_stats: Sequence[CpuStats]) -> Held:
        oldest = [stats.oldest_ns for stats in all_stats if self._overwritten(stats)]
        return Held(max([self._armed_ns, *oldest]), sum(self._sizes.values()), bool(oldest))

    def _overwritten(self, stats: CpuStats) -> bool:
        before = self._before.get(stats.cpu)
        return stats.overrun > (0 if before is None else before.overrun)

    def grow(self) -> None:
        """Gives CPUs whose ring holds too little more room, as far as the limit for all allows."""
        for stats in self._instance.stats():
            overrun, self._overrun[stats.cpu] = self._overrun.get(stats.cpu, 0), stats.overrun
            if stats.overrun == overrun:
                # Not full since it grew.
                continue
            held = (stats.now_ns - stats.oldest_ns) / 1e9
            if held >= self._seconds:
                continue
            size = self._sizes.get(stats.cpu, FIRST_KB)
            room = self._most_kb - sum(self._sizes.values())
            wanted = min(int(size * min(STEEPEST, MARGIN * self._seconds / max(held, 1e-3))), size + room)
            if wanted > size:
                with suppress(OSError):
                    # Memory may be short; what there is continues.
                    self._instance.write(f"per_cpu/cpu{stats.cpu}/buffer_size_kb", str(wanted))
                    self._sizes[stats.cpu] = wanted
        self.buffer_kb = max(self._sizes.values(), default=0)

    def cut(self, from_ns: int) -> Held:
        """Takes what the ring holds since a time (mono, ns) and empties it; tracing is off until `resume`."""
        self._instance.write("tracing_on", "0")
        # Read before the pages are: emptied buffers have no oldest event.
        before = self._instance.stats()
        held = self._held(before)
        layout = page_layout(self._header_page())
        reader = PageReader(self._instance.path, self._plan.spool, layout.page_size, FIRST_KB, SHORTEST_WAIT_S)
        try:
            reader.stop()
        finally:
            reader.close()
        if reader.error is not None:
            raise reader.error
        self._stats = before
        self.lost = sum(
            stats.commit_overrun + stats.dropped - (0 if old is None else old.commit_overrun + old.dropped)
            for stats in before
            for old in [self._before.get(stats.cpu)]
        )
        since = max(from_ns, held.since_ns)
        self._pages = {
            spool.cpu: cut_pages(spool.path, spool.bytes, layout, since) for spool in reader.spools if spool.bytes
        }
        return Held(since, held.kb, held.overwritten)

    def resume(self) -> None:
        """Traces again, into the emptied ring."""
        self._arm()

    @override
    def trace(self) -> list[Part]:
        """The trace.dat of the last cut."""
        return trace_dat(self._description(), self._pages)

    def forget(self) -> None:
        """Deletes the pages of the last cut."""
        self._pages.clear()
        for path in self._plan.spool.glob("cpu*.pages"):
            path.unlink(missing_ok=True)


def cut_pages(path: Path, size: int, layout: PageLayout, since_ns: int) -> Part:
    """The part of a CPU's spooled pages from a time on.

    Pages that end before it are left out. From the page that contains it, earlier events are removed. The page is then
    marked as the first one, since no available event is missing before it.
    """
    page, count = layout.page_size, size // layout.page_size
    with path.open("r+b") as file, mmap.mmap(file.fileno(), size) as data:
        first, end = 0, count
        # The last page that begins at or before the time; the stamps of pages rise.
        while end - first > 1:
            middle = (first + end) // 2
            (stamp,) = struct.unpack_from(_ORDER + "Q", data, middle * page)
            first, end = (middle, end) if stamp <= since_ns else (first, middle)
        at = first * page
        data[at : at + page] = cut_page(data[at : at + page], layout, since_ns)
    return Part(size - first * page, path=path, offset=first * page)


def cut_page(page: bytes, layout: PageLayout, since_ns: int) -> bytes:
    """A page without its events before a time, and without the mark of missing ones."""
    size = "Q" if layout.long_size == struct.calcsize("Q") else "I"
    stamp, commit = struct.unpack_from(f"{_ORDER}Q{size}", page)
    begin = 8 + layout.long_size
    used = commit & ~MISSED & 0xFFFFFFFF
    at, end = begin, begin + used
    while at < end:
        length, time_ns = _record(page, at, stamp)
        if length == 0 or time_ns >= since_ns:
            break
        at, stamp = at + length, time_ns
    kept = page[at:end]
    return (struct.pack(f"{_ORDER}Q{size}", stamp, len(kept)) + kept).ljust(len(page), b"\0")


def _record(page: bytes, at: int, stamp: int) -> tuple[int, int]:
    """The length of a record with its header, 0 at the end of what is used, and its time."""
    (word,) = struct.unpack_from(_ORDER + "I", page, at)
    if sys.byteorder == "little":
        kind, delta = word & 31, word >> 5
    else:
        kind, delta = word >> _DELTA_BITS, word & ((1 << _DELTA_BITS) - 1)
    if 0 < kind < PADDING:
        return 4 + 4 * kind, stamp + delta
    if at + 8 > len(page):
        return 0, stamp
    (more,) = struct.unpack_from(_ORDER + "I", page, at + 4)
    if kind == TIME_EXTEND:
        return 8, stamp + (more << _DELTA_BITS) + delta
    if kind == TIME_STAMP:
        # 59 bits; the upper ones are those of the page's own stamp.
        return 8, (stamp >> 59 << 59) | (more << _DELTA_BITS) | delta
    if kind == PADDING and delta == 0:
        return 0, stamp
    return 4 + more, stamp + delta

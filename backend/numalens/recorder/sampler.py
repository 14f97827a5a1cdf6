"""Takes samples at their times and writes them as JSON lines; every instant is also marked in the trace."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TextIO

from numalens.recorder.files import unicode
from numalens.recorder.pages import ahead

PERIOD_S: Final = 0.1
Line = dict[str, object]


@dataclass(frozen=True)
class Instant:
    """The moment of a sample on three clocks; `edge` at the first and the last one of a recording."""

    idx: int
    mono_ns: int
    real_ns: int
    boot_ns: int
    edge: bool = False

    def marker(self) -> bytes:
        """The line of the trace that ties the trace's clock to this instant."""
        return f"psi_sample idx={self.idx} mono_ns={self.mono_ns} real_ns={self.real_ns}\n".encode()


class Source(Protocol):
    """Something that is sampled into one file of JSON lines."""

    @property
    def file(self) -> str:
        """Name of the file in the bundle."""

    @property
    def every_s(self) -> float:
        """Distance of samples, 0 for one at every instant; the first and the last instant always have one."""

    def take(self, at: Instant) -> Iterable[Line]:
        """The lines of one sample, without stamps."""


def now(idx: int, *, edge: bool = False) -> Instant:
    """The current instant."""
    return Instant(
        idx,
        time.clock_gettime_ns(time.CLOCK_MONOTONIC),
        time.clock_gettime_ns(time.CLOCK_REALTIME),
        time.clock_gettime_ns(time.CLOCK_BOOTTIME),
        edge,
    )


class Sink(Protocol):
    """Destination of one source's samples."""

    def put(self, at: Instant, text: str) -> None:
        """Takes the lines of one sample."""

    def close(self) -> None:
        """No more samples come."""


class FileSink:
    """A file that grows, flushed after every sample."""

    def __init__(self, path: Path) -> None:
        self._file: TextIO = path.open("w", encoding="utf-8")

    def put(self, at: Instant, text: str) -> None:
        """Appends the lines."""
        del at
        self._file.write(text)
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


class Files:
    """A file of its own for each source."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sink(self, source: Source, *, quick: bool) -> Sink:
        """The file of a source."""
        del quick
        return FileSink(self._folder / source.file)


class Sinks(Protocol):
    """Gives every source its sink."""

    def sink(self, source: Source, *, quick: bool) -> Sink:
        """The sink of a source; `quick` ones have all they know in every sample, others only at edges."""


class Writer:
    """One source and where its samples go."""

    def __init__(self, source: Source, sink: Sink) -> None:
        self._source = source
        self._sink = sink
        self._next_ns = 0

    def take(self, at: Instant) -> None:
        """Takes a sample if it is time for one."""
        if at.mono_ns < self._next_ns and not at.edge:
            return
        every_ns = int(self._source.every_s * 1e9)
        # A quarter of the base period earlier is on time: the instants come at whole periods, give or take.
        self._next_ns = at.mono_ns + every_ns - int(PERIOD_S * 0.25e9)
        texts: list[str] = []
        for line in self._source.take(at):
            stamped: Line = {"idx": at.idx, "mono_ns": at.mono_ns, "real_ns": at.real_ns, "boot_ns": at.boot_ns}
            stamped |= line
            stamped["mono_end_ns"] = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            # Names of folders, as of cgroups, may be any bytes.
            texts.append(unicode(json.dumps(stamped, ensure_ascii=False, separators=(",", ":"))) + "\n")
        self._sink.put(at, "".join(texts))

    def close(self) -> None:
        """Ends its sink."""
        self._sink.close()


class Sampler:
    """Two threads: the quick sources keep the time, the slow ones get the instants that they have time for."""

    def __init__(
        self,
        sinks: Sinks,
        quick: Sequence[Source],
        slow: Sequence[Source],
        mark: Callable[[bytes], None],
        edge_every_s: float | None = None,
    ) -> None:
        self.error: OSError | None = None
        self.samples = 0
        self._mark = mark
        self._quick = [Writer(source, sinks.sink(source, quick=True)) for source in quick]
        self._slow = [Writer(source, sinks.sink(source, quick=False)) for source in slow]
        self._stop = threading.Event()
        self._edge_every_s = edge_every_s
        self._edge_wanted = False
        self._edge = 0
        self._tick = threading.Event()
        self._last = -1
        self._done = -1
        self._order: Instant | None = None
        self._ordered = threading.Condition()
        self._threads = [
            threading.Thread(target=self._guarded, args=(run,), name=run.__name__)
            for run in (self._run_quick, self._run_slow)
        ]

    def start(self) -> None:
        """Takes the first sample and continues."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Takes the last sample and ends."""
        self._stop.set()
        self._tick.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        for writer in (*self._quick, *self._slow):
            writer.close()

    def edge(self, patience_s: float = 10.0) -> None:
        """Takes a whole sample now and waits until all sources have it; for so long when the machine lets us wait."""
        end = time.monotonic() + patience_s
        with self._ordered:
            self._edge_wanted = True
            self._tick.set()
            while (self._edge_wanted or self._done < self._edge) and not self._stop.is_set() and time.monotonic() < end:
                self._ordered.wait(PERIOD_S)

    def _guarded(self, run: Callable[[], None]) -> None:
        try:
            run()
        except OSError as error:
            self.error = error
        finally:
            with self._ordered:
                self._stop.set()
                self._tick.set()
                self._ordered.notify_all()

    def _run_quick(self) -> None:
        ahead()
        begin = time.monotonic()
        edge_s = begin
        while True:
            last = self._stop.is_set()
            self._tick.clear()
            due = self._edge_every_s is not None and time.monotonic() >= edge_s + self._edge_every_s
            with self._ordered:
                at = now(self.samples, edge=last or self._edge_wanted or due or self.samples == 0)
                if at.edge:
                    self._edge, self._edge_wanted, edge_s = at.idx, False, time.monotonic()
            self._mark(at.marker())
            for writer in self._quick:
                writer.take(at)
            with self._ordered:
                # An edge that was not taken yet is worth more than what came after it.
                if last or self._order is None or not self._order.edge or self._order.idx <= self._done:
                    self._order = at
                if last:
                    self._last = at.idx
                self.samples += 1
                self._ordered.notify_all()
            if last:
                return
            # On a fixed grid, so that one late sample does not make all others late.
            passed = time.monotonic() - begin
            self._tick.wait(PERIOD_S - passed % PERIOD_S)

    def _run_slow(self) -> None:
        while True:
            with self._ordered:
                while not (self._order is not None and self._order.idx > self._done):
                    if self._stop.is_set() and not self._threads[0].is_alive():
                        return
                    self._ordered.wait(PERIOD_S)
                at = self._order
            for writer in self._slow:
                writer.take(at)
            with self._ordered:
                self._done = at.idx
                self._ordered.notify_all()
                if at.idx == self._last:
                    return

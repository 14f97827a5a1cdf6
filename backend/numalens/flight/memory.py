"""Samples of the last while, kept in memory."""

import threading
from collections import deque
from pathlib import Path
from typing import Final

from numalens.recorder.sampler import Instant, Sink, Source

# Of one source; a machine with very many threads or cgroups keeps a shorter while.
MOST_BYTES: Final = 64 << 20
# One span is dropped at the end of another: until then twice the time is kept.
STRETCHES: Final = 2


class MemorySink:
    """The samples of one source, oldest go first."""

    def __init__(self, file: str, keep_s: float, *, quick: bool) -> None:
        self.file = file
        self.quick = quick
        self._keep_ns = int(STRETCHES * keep_s * 1e9)
        self._bytes = 0
        self._samples: deque[tuple[Instant, bytes]] = deque()
        self._lock = threading.Lock()

    def put(self, at: Instant, text: str) -> None:
        """Takes a sample and drops what is too old or too much."""
        data = text.encode()
        with self._lock:
            self._samples.append((at, data))
            self._bytes += len(data)
            while self._samples and (
                self._samples[0][0].mono_ns < at.mono_ns - self._keep_ns or self._bytes > MOST_BYTES
            ):
                self._bytes -= len(self._samples.popleft()[1])

    def close(self) -> None:
        """Nothing is open."""

    def since(self, mono_ns: int) -> list[bytes]:
        """The samples from the last whole one at or before a time."""
        with self._lock:
            samples = list(self._samples)
        first = 0
        for index, (at, _) in enumerate(samples):
            if at.mono_ns > mono_ns:
                break
            if at.edge or self.quick:
                first = index
        return [data for _, data in samples[first:]]

    def __len__(self) -> int:
        """Bytes."""
        return self._bytes


class Memory:
    """The sinks of all sources."""

    def __init__(self, keep_s: float) -> None:
        self._keep_s = keep_s
        self._sinks: list[MemorySink] = []

    def sink(self, source: Source, *, quick: bool) -> Sink:
        """The memory of a source."""
        sink = MemorySink(source.file, self._keep_s, quick=quick)
        self._sinks.append(sink)
        return sink

    def write(self, folder: Path, since_ns: int) -> None:
        """A file for each source with its samples since a time (mono, ns)."""
        for sink in self._sinks:
            with (folder / sink.file).open("wb") as file:
                file.writelines(sink.since(since_ns))

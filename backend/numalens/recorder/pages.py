"""Moves the kernel's ring-buffer pages into spool files, one per CPU, whole pages as they are."""

import fcntl
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

PIPE_BYTES: Final = 1 << 20
CPUS_PER_THREAD: Final = 64
MOST_THREADS: Final = 4
SHORTEST_WAIT_S: Final = 0.005
# linux/splice.h: SPLICE_F_MOVE and SPLICE_F_NONBLOCK
SPLICE_FLAGS: Final = 1 | 2


class CpuSpool:
    """One CPU's buffer and the file that its pages go to."""

    def __init__(self, instance: Path, cpu: int, folder: Path, page_size: int) -> None:
        self.cpu = cpu
        self.path = folder / f"cpu{cpu}.pages"
        self.bytes = 0
        self._page_size = page_size
        self._splice = True
        self._source = os.open(instance / "per_cpu" / f"cpu{cpu}" / "trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
        self._target = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def drain(self, pipe: tuple[int, int]) -> int:
        """Takes all full pages; returns their bytes."""
        before = self.bytes
        while self._splice:
            try:
                moved = os.splice(self._source, pipe[1], PIPE_BYTES, flags=SPLICE_FLAGS)
            except BlockingIOError:
                return self.bytes - before
            except OSError:
                self._splice = False
                break
            if moved == 0:
                return self.bytes - before
            self._store(pipe[0], moved)
        # A kernel that cannot splice these files gives every page by read, also the one that is being filled;
        # taking that one early costs a little room in the file, no events.
        self.copy()
        return self.bytes - before

    def copy(self) -> None:
        """Takes all pages, the one that is not full yet included."""
        while True:
            try:
                page = os.read(self._source, self._page_size)
            except BlockingIOError:
                return
            if not page:
                return
            view = memoryview(page.ljust(self._page_size, b"\0"))
            while view:
                view = view[os.write(self._target, view) :]
            self.bytes += self._page_size

    def close(self) -> None:
        """Gives the kernel's file back, without which the instance cannot be removed."""
        os.close(self._source)
        os.close(self._target)

    def _store(self, pipe: int, count: int) -> None:
        left = count
        while left:
            left -= os.splice(pipe, self._target, left)
        self.bytes += count


class PageReader:
    """Drains all CPUs from a few threads, as often as the fastest buffer needs it."""

    def __init__(self, instance: Path, folder: Path, page_size: int, buffer_bytes: int, longest_wait_s: float) -> None:
        cpus = sorted(int(path.name.removeprefix("cpu")) for path in (instance / "per_cpu").glob("cpu[0-9]*"))
        self.spools: list[CpuSpool] = []
        self.error: OSError | None = None
        self._buffer_bytes = buffer_bytes
        self._longest_wait_s = longest_wait_s
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        try:
            for cpu in cpus:
                self.spools.append(CpuSpool(instance, cpu, folder, page_size))
        except OSError:
            self.close()
            raise

    @property
    def bytes(self) -> int:
        """Size of all spool files."""
        return sum(spool.bytes for spool in self.spools)

    def start(self) -> None:
        """Begins to read."""
        count = min(MOST_THREADS, -(-len(self.spools) // CPUS_PER_THREAD))
        for index in range(count):
            thread = threading.Thread(target=self._run, args=(self.spools[index::count],), name=f"pages-{index}")
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Takes all remaining pages; tracing must be off."""
        self._end_threads()
        if self.error is None:
            try:
                for spool in self.spools:
                    spool.copy()
            except OSError as error:
                self.error = error

    def close(self) -> None:
        """Ends the threads and gives all files back."""
        self._end_threads()
        for spool in self.spools:
            with suppress(OSError):
                spool.close()

    def _end_threads(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _run(self, spools: list[CpuSpool]) -> None:
        ahead()
        pipe = os.pipe2(os.O_CLOEXEC)
        wait = SHORTEST_WAIT_S
        try:
            with suppress(OSError):
                fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            while not self._stop.is_set():
                began = time.monotonic()
                most = max(spool.drain(pipe) for spool in spools)
                # Half a buffer between two visits is the aim: twice the rate that was seen must still fit.
                if most > self._buffer_bytes // 4:
                    wait = max(SHORTEST_WAIT_S, wait / 2)
                elif most < self._buffer_bytes // 8:
                    wait = min(self._longest_wait_s, wait * 1.5)
                self._stop.wait(max(0.0, wait - (time.monotonic() - began)))
        except OSError as error:
            self.error = error
        finally:
            os.close(pipe[0])
            os.close(pipe[1])


def ahead() -> None:
    """Lets the calling thread run before ordinary tasks, so that the load that is recorded cannot keep it out."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)

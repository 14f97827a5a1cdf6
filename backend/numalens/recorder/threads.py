"""Where every thread may run, and how it is scheduled: all threads at the edges of a recording, new ones in between."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from numalens.recorder.files import pids, read_text
from numalens.recorder.sampler import Instant, Line

MOST_THREADS: Final = 16384
MOST_CREATED: Final = 4096
# Numbers start here again when they have reached kernel.pid_max (RESERVED_PIDS in kernel/pid.c).
RESERVED_PIDS: Final = 300


class Threads:
    """`Cpus_allowed_list` and `stat` of threads, those of the kernel too.

    The kernel numbers threads upwards (alloc_pid in kernel/pid.c) and shows the newest number in `/proc/loadavg`: new
    threads are those with the numbers since the sample before, and nobody has to look through the old ones.
    """

    def __init__(self, proc: str = "/proc") -> None:
        self.notes: set[str] = set()
        self._proc = proc
        self._newest: int | None = None

    def take(self, at: Instant) -> Iterator[Line]:
        """One line a thread, `pid` being the process; threads that end meanwhile have none."""
        before, self._newest = self._newest, self._newest_thread()
        folders, most = (self._every(), MOST_THREADS) if at.edge else (self._created(before), MOST_CREATED)
        for folder in islice(folders, most):
            if line := _sample(folder):
                yield line
        if next(folders, None) is not None:
            kind = "threads" if at.edge else "new threads"
            self.notes.add(f"there were more than {most:,} {kind} at once: the CPUs of the others were not sampled")

    def _every(self) -> Iterator[str]:
        for pid in pids(self._proc):
            for tid in pids(f"{self._proc}/{pid}/task"):
                yield f"{self._proc}/{pid}/task/{tid}"

    def _created(self, before: int | None) -> Iterator[str]:
        newest = self._newest
        if before is None or newest is None:
            return
        tids: Iterable[int] = range(before + 1, newest + 1)
        if newest < before:
            tids = chain(range(before + 1, self._end()), range(RESERVED_PIDS, newest + 1))
        # Threads can be looked up as if they were processes, though no listing of /proc has them (proc(5)).
        yield from (f"{self._proc}/{tid}/task/{tid}" for tid in tids)

    def _newest_thread(self) -> int | None:
        last = (read_text(f"{self._proc}/loadavg") or "").split()[-1:]
        return int(last[0]) if last and last[0].isdigit() else None

    def _end(self) -> int:
        return int(read_text(f"{self._proc}/sys/kernel/pid_max") or 0)


def _sample(folder: str) -> Line | None:
    status = read_text(f"{folder}/status")
    stat = read_text(f"{folder}/stat")
    if not status or not stat:
        return None
    tid, _, rest = stat.partition(" (")
    comm = rest[: rest.rfind(")")]
    pid, cpus = _field(status, "Tgid"), _field(status, "Cpus_allowed_list")
    return {"pid": int(pid), "tid": int(tid), "comm": comm, "stat": stat, "cpus_allowed": cpus}


def _field(status: str, name: str) -> str:
    """A line of `status` (proc_pid_status(5)), whose names of tasks have no line feed of their own."""
    return status.partition(f"\n{name}:\t")[2].partition("\n")[0]

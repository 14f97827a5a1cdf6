"""NUMA placement of the threads of the busiest processes, and affinity of all threads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from numalens.recorder.files import pids, read_text
from numalens.recorder.sampler import Instant, Line

PROCESSES: Final = 8
THREADS: Final = 32
MOST_LOOKED_AT: Final = 8192
# The busiest processes are read every 2 s. Looking through all of them to choose costs more: every 10 s is often enough.
ROUNDS_PER_READING: Final = 2
ROUNDS_PER_CHOICE: Final = 10


@dataclass(frozen=True)
class Process:
    """A process according to its `stat` file (proc_pid_stat(5))."""

    pid: int
    comm: str
    threads: int
    cpu_ticks: int


def parse_stat(text: str) -> Process | None:
    """The first line of `/proc/PID/stat`; the name in parentheses may itself hold parentheses and blanks."""
    begin, end = text.find("("), text.rfind(")")
    fields = text[end + 1 :].split()
    try:
        # Field 3 (state) is fields[0]: utime is field 14, stime 15, num_threads 20.
        return Process(int(text[:begin]), text[begin + 1 : end], int(fields[17]), int(fields[11]) + int(fields[12]))
    except (ValueError, IndexError):
        return None


class Tasks:
    """Threads of the multi-threaded processes that used most CPU time, and their memory by node when wanted.

    Then the CPUs, policy and priority of all threads at the edges, and of new ones.
    """

    file = "tasks.jsonl"
    every_s = 1.0

    def __init__(self, *, numa_maps: bool, proc: str = "/proc") -> None:
        self._numa_maps = numa_maps
        self._proc = proc
        self._round = 0
        self._ticks: dict[int, int] = {}
        self._chosen: list[Process] = []
        self._every_thread = Threads(proc)
        self.notes = self._every_thread.notes

    def take(self, at: Instant) -> Iterable[Line]:
        """One line a thread; those with `sched` come first, by which the file is recognised."""
        if self._round % ROUNDS_PER_CHOICE == 0 or at.edge:
            self._chosen = self._choose()
        if self._round % ROUNDS_PER_READING == 0 or at.edge:
            for process in self._chosen:
                yield from self._threads(process)
        self._round += 1
        yield from self._every_thread.take(at)

    def _choose(self) -> list[Process]:
        ticks: dict[int, int] = {}
        used: list[tuple[int, Process]] = []
        for pid in pids(self._proc)[:MOST_LOOKED_AT]:
            process = parse_stat(read_text(f"{self._proc}/{pid}/stat") or "")
            if process is not None and process.threads > 1:
                ticks[pid] = process.cpu_ticks
                used.append((process.cpu_ticks - self._ticks.get(pid, 0), process))
        self._ticks = ticks
        used.sort(key=lambda found: -found[0])
        return [process for _, process in used[:PROCESSES]]

    def _threads(self, process: Process) -> Iterator[Line]:
        folder = f"{self._proc}/{process.pid}"
        for index, tid in enumerate(pids(f"{folder}/task")[:THREADS]):
            sched = read_text(f"{folder}/task/{tid}/sched")
            stat = read_text(f"{folder}/task/{tid}/stat")
            if stat is None:
                continue
            line: Line = {"pid": process.pid, "tid": tid, "comm": process.comm, "sched": sched or "", "stat": stat}
            if index == 0:
                line["cgroup"] = read_text(f"{folder}/cgroup") or ""
                if self._numa_maps:
                    line["numa_maps"] = read_text(f"{folder}/numa_maps") or ""
            yield line


MOST_THREADS: Final = 16384
MOST_CREATED: Final = 4096
# Numbers start here again when they have reached kernel.pid_max (RESERVED_PIDS in kernel/pid.c).
RESERVED_PIDS: Final = 300


class Threads:
    """`Cpus_allowed_list` and `stat` of threads, those of the kernel too.

    The kernel numbers threads upwards (alloc_pid in kernel/pid.c) and shows the newest number in `/proc/loadavg`: new threads
    are those with the numbers since the previous sample, without a search through the old ones.
    """

    def __init__(self, proc: str = "/proc") -> None:
        self.notes: set[str] = set()
        self._proc = proc
        self._newest: int | None = None

    def take(self, at: Instant) -> Iterator[Line]:
        """One line a thread, `pid` being the process; threads that end in between have none."""
        before, self._newest = self._newest, self._newest_thread()
        folders, most = (self._every(), MOST_THREADS) if at.edge else (self._created(before), MOST_CREATED)
        for folder in islice(folders, most):
            if line := _sample(folder):
                yield line
        if next(folders, None) is not None:
            kind = "threads" if at.edge else "new threads"
            self.notes.add(f"there were more than {most:,} {kind}; affinity of the remaining ones was not sampled")

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

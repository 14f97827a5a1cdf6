"""What the kernel says about NUMA placement of the threads of the busiest processes, and where any thread may run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from numalens.recorder.files import pids, read_text
from numalens.recorder.sampler import Instant, Line
from numalens.recorder.threads import Threads

PROCESSES: Final = 8
THREADS: Final = 32
MOST_LOOKED_AT: Final = 8192
# The busiest processes are read every 2 s. Looking through all of them to choose costs more: every 10 s is often enough.
ROUNDS_PER_READING: Final = 2
ROUNDS_PER_CHOICE: Final = 10


@dataclass(frozen=True)
class Process:
    """A process as its `stat` file tells it (proc_pid_stat(5))."""

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

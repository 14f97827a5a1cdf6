"""Which task is in which cgroup, and what the cgroups' own files say."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from numalens.recorder.files import pids, read_text
from numalens.recorder.sampler import Instant, Line, now

STAT_FILES: Final = (
    "cpu.stat",
    "cpu.max",
    "cpu.weight",
    "cpu.pressure",
    "memory.pressure",
    "io.pressure",
    "irq.pressure",
    "memory.current",
    "memory.numa_stat",
)
MOST_CGROUPS: Final = 200
MOST_CGROUPS_LIGHT: Final = 50
MOST_PROCESSES: Final = 8192
MOST_NEW_PROCESSES: Final = 256
# Looking for new groups costs a walk through the tree; every tenth sample is often enough.
ROUNDS_PER_WALK: Final = 10
CLING_DEGREE: Final = "/proc/sys/kernel/numa_balancing_cling_degree"


def mounts(mountinfo: str) -> tuple[Path | None, Path | None]:
    """Where cgroup v2 is mounted, and version 1's cpu controller (cgroups(7), proc_pid_mountinfo(5))."""
    second: Path | None = None
    first: Path | None = None
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        place, kind = left.split(" ")[4:5], right.split(" ")
        if not place:
            continue
        if kind[0] == "cgroup2" and second is None:
            second = Path(place[0])
        elif kind[0] == "cgroup" and "cpu" in kind[-1].split(",") and first is None:
            first = Path(place[0])
    return second, first


def groups(root: Path, most: int) -> tuple[list[Path], bool]:
    """The cgroups below `root`, upper ones first, and whether there are more than `most`."""
    found = [root]
    for group in found:
        with suppress(OSError), os.scandir(group) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir(follow_symlinks=False):
                    if len(found) >= most:
                        return found, True
                    found.append(group / entry.name)
    return found, False


class Cgroups:
    """Files of the cgroups every second; memberships at the first and the last sample, and of new processes between.

    What happens between two samples is in the events cgroup_attach_task and sched_process_fork.
    """

    file = "cgroup.jsonl"
    every_s = 1.0

    def __init__(self, root: Path | None, most: int, proc: Path = Path("/proc")) -> None:
        self.notes: set[str] = set()
        self._root = root
        self._most = most
        self._proc = str(proc)
        self._groups: list[Path] = []
        self._round = 0
        self._known: set[int] = set()

    def take(self, at: Instant) -> Iterable[Line]:
        """One line."""
        if self._root is not None and (at.edge or self._round % ROUNDS_PER_WALK == 0):
            self._groups, cut = groups(self._root, self._most)
            if cut:
                self.notes.add(f"there are more cgroups than the {self._most} upper ones that were sampled")
        self._round += 1
        files = STAT_FILES + (("cgroup.threads",) if at.edge else ())
        contents: dict[str, str] = {}
        for group in self._groups:
            for name in files:
                path = f"{group}/{name}"
                if text := read_text(path):
                    contents[path] = text
        contents.update(self._memberships(every=at.edge))
        ids: dict[str, int] = {}
        if at.edge:
            for group in self._groups:
                with suppress(OSError):
                    # The kernel calls a cgroup by the inode of its folder, as in cgroup_attach_task's dst_id.
                    ids[str(group)] = group.stat().st_ino
        yield {"files": contents, "ids": ids} if ids else {"files": contents}

    def _memberships(self, *, every: bool) -> Iterator[tuple[str, str]]:
        there = pids(self._proc)
        wanted = there if every else [pid for pid in there if pid not in self._known]
        most = MOST_PROCESSES if every else MOST_NEW_PROCESSES
        if len(wanted) > most:
            self.notes.add(f"the cgroups of at most {most} processes were read in one sample")
        self._known = set(there)
        for pid in wanted[:most]:
            path = f"{self._proc}/{pid}/cgroup"
            if text := read_text(path):
                yield path, text


class NumaGroups:
    """`cpu.numa_group` of the cgroups, which kernels with NUMA cling have."""

    file = "numa_group.jsonl"
    every_s = 0.25

    def __init__(self, roots: Iterable[Path], most: int) -> None:
        self._files = [
            str(group / "cpu.numa_group")
            for root in roots
            for group in groups(root, most)[0]
            if (group / "cpu.numa_group").exists()
        ]

    def __bool__(self) -> bool:
        return bool(self._files)

    def take(self, at: Instant) -> Iterable[Line]:
        """One line with the time around each reading."""
        del at
        found: list[Line] = []
        for path in self._files:
            before = now(0).mono_ns
            text = read_text(path)
            if text is not None:
                found.append({"path": path, "t0_ns": before, "t1_ns": now(0).mono_ns, "text": text})
        yield {"groups": found, "cling_degree": read_text(CLING_DEGREE) or ""}

"""Samples of the whole system (PSI, counters of memory and CPUs) and of cgroups: files, and cgroups of tasks."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numalens.recorder.files import pids, read_descriptor, read_text
from numalens.recorder.sampler import Instant, Line, now

PRESSURE: Final = Path("/proc/pressure")
RESOURCES: Final = ("cpu", "memory", "io", "irq")


class Pressure:
    """`/proc/pressure`, verbatim. The files stay open: the kernel creates their text for every read."""

    file = "psi.jsonl"
    every_s = 0.0

    def __init__(self, folder: Path = PRESSURE) -> None:
        self._files: dict[str, int] = {}
        for resource in RESOURCES:
            with suppress(OSError):
                descriptor = os.open(folder / resource, os.O_RDONLY)
                try:
                    read_descriptor(descriptor)
                except OSError:
                    # With psi=0 on the kernel's command line some kernels have the files and refuse to read them.
                    os.close(descriptor)
                else:
                    self._files[resource] = descriptor

    def __bool__(self) -> bool:
        return bool(self._files)

    def take(self, at: Instant) -> Iterable[Line]:
        """One line with every resource that the kernel has."""
        del at
        yield {resource: read_descriptor(descriptor) for resource, descriptor in self._files.items()}

    def close(self) -> None:
        """Closes the files."""
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()


class System:
    """`/proc/vmstat` and its neighbours, verbatim, and each node's vmstat where there are several nodes."""

    file = "vmstat.jsonl"
    every_s = 1.0

    def __init__(self, proc: Path = Path("/proc"), nodes: Path = Path("/sys/devices/system/node")) -> None:
        self._proc = str(proc)
        found = sorted(nodes.glob("node[0-9]*/vmstat"), key=lambda path: int(path.parent.name.removeprefix("node")))
        self._nodes = [str(path) for path in found] if len(found) > 1 else []

    def take(self, at: Instant) -> Iterable[Line]:
        """One line."""
        del at
        line: Line = {}
        for name in ("vmstat", "stat", "schedstat", "loadavg"):
            text = read_text(f"{self._proc}/{name}") or ""
            if name == "stat":
                # The line of single interrupts is long and unused.
                text = "".join(row for row in text.splitlines(keepends=True) if not row.startswith("intr "))
            line[name] = text
        if self._nodes:
            line["node_vmstat"] = {path: read_text(path) or "" for path in self._nodes}
        yield line


class SchedExt:
    """State, scheduler and counters below `/sys/kernel/sched_ext`, verbatim."""

    file = "sched-ext.jsonl"
    every_s = 0.0

    def __init__(self, root: Path = Path("/sys/kernel/sched_ext")) -> None:
        self._root = root

    def __bool__(self) -> bool:
        return (self._root / "state").exists()

    def take(self, at: Instant) -> Iterable[Line]:
        """One line. Directories of schedulers come and go."""
        del at
        paths = [self._root / name for name in _SCHED_EXT_FILES]
        paths += [path for name in ("ops", "events") for path in sorted(self._root.glob(f"*/{name}"))]
        texts = {str(path): read_text(str(path)) for path in paths}
        yield {"files": {path: text for path, text in texts.items() if text is not None}}


# `scx_global_attrs`, kernel/sched/ext.c.
_SCHED_EXT_FILES: Final = ("state", "switch_all", "nr_rejected", "hotplug_seq", "enable_seq")


V2_FILES: Final = frozenset(
    {
        "cpu.stat",
        "cpu.max",
        "cpu.max.burst",
        "cpu.weight",
        "cpu.idle",
        "cpuset.cpus.effective",
        "cpuset.cpus.isolated",
        "cpuset.cpus.partition",
        "cpu.pressure",
        "memory.pressure",
        "io.pressure",
        "irq.pressure",
        "memory.current",
        "memory.numa_stat",
    }
)
# Version 1, controllers cpu and cpuset (Documentation/scheduler/sched-bwc.rst, admin-guide/cgroup-v1/cpusets.rst).
V1_FILES: Final = frozenset(
    {
        "cpu.stat",
        "cpu.cfs_quota_us",
        "cpu.cfs_period_us",
        "cpu.cfs_burst_us",
        "cpu.rt_period_us",
        "cpu.rt_runtime_us",
        "cpu.shares",
        "cpu.idle",
        "cpuset.cpus",
        "cpuset.effective_cpus",
        "cpuset.sched_load_balance",
    }
)
MOST_CGROUPS: Final = 200
MOST_CGROUPS_LIGHT: Final = 50
MOST_PROCESSES: Final = 8192
MOST_NEW_PROCESSES: Final = 256
# Looking for files of groups that got another controller costs a walk through the tree: every tenth sample has one.
ROUNDS_PER_WALK: Final = 10
CLING_DEGREE: Final = "/proc/sys/kernel/numa_balancing_cling_degree"


@dataclass(frozen=True)
class Mounts:
    """Mount points of version 2, and of version 1's controllers cpu and cpuset, which may be the same."""

    unified: Path | None = None
    cpu: Path | None = None
    cpuset: Path | None = None

    @property
    def v1(self) -> tuple[Path, ...]:
        """The places of version 1."""
        return tuple(dict.fromkeys(place for place in (self.cpu, self.cpuset) if place is not None))


def mounts(mountinfo: str) -> Mounts:
    """Mount points of cgroups (cgroups(7), proc_pid_mountinfo(5))."""
    found: dict[str, Path] = {}
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        place, kind = left.split(" ")[4:5], right.split(" ")
        if not place:
            continue
        if kind[0] == "cgroup2":
            found.setdefault("unified", Path(place[0]))
        elif kind[0] == "cgroup":
            for controller in {"cpu", "cpuset"} & set(kind[-1].split(",")):
                found.setdefault(controller, Path(place[0]))
    return Mounts(**found)


def groups(root: Path, most: int) -> tuple[dict[Path, set[str]], bool]:
    """The cgroups below `root` with the names of their files, upper ones first, and whether there are more than `most`."""
    found: dict[Path, set[str]] = {root: set()}
    waiting = [root]
    cut = False
    for group in waiting:
        with suppress(OSError), os.scandir(group) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if not entry.is_dir(follow_symlinks=False):
                    found[group].add(entry.name)
                elif len(waiting) < most:
                    waiting.append(group / entry.name)
                    found[waiting[-1]] = set()
                else:
                    cut = True
    return found, cut


def _identity(group: Path) -> tuple[int, int]:
    """The inode of a group's folder, and its links, which count the folders in it (kernfs_refresh_inode)."""
    with suppress(OSError):
        stat = group.stat()
        return stat.st_ino, stat.st_nlink
    return 0, 0


class Cgroups:
    """Files of the cgroups every second; memberships at the first and the last sample, and of new processes between.

    What happens between two samples is in the events cgroup_attach_task and sched_process_fork.
    """

    file = "cgroup.jsonl"
    every_s = 1.0

    def __init__(self, places: Mounts, most: int, proc: Path = Path("/proc")) -> None:
        self.notes: set[str] = set()
        self._roots = [(root, V1_FILES) for root in places.v1]
        if places.unified is not None:
            self._roots.append((places.unified, V2_FILES))
        self._most = most
        self._proc = str(proc)
        self._files: list[str] = []
        self._threads: list[str] = []
        self._identities: dict[Path, tuple[int, int]] = {}
        self._ids: dict[str, int] = {}
        self._round = 0
        self._known: set[int] = set()

    def take(self, at: Instant) -> Iterable[Line]:
        """One line."""
        walk = at.edge or self._round % ROUNDS_PER_WALK == 0 or self._changed()
        if walk:
            self._walk()
        self._round += 1
        files = self._files + (self._threads if at.edge else [])
        contents = {path: text for path in files if (text := read_text(path))}
        contents.update(self._memberships(every=at.edge))
        yield {"files": contents, "ids": self._ids} if walk and self._ids else {"files": contents}

    def _changed(self) -> bool:
        """Returns whether groups came or went."""
        return any(identity != _identity(group) for group, identity in self._identities.items())

    def _walk(self) -> None:
        """Looks for groups, and for the files that each has: most have few of those that are wanted."""
        self._files, self._threads, self._identities, self._ids = [], [], {}, {}
        for root, wanted in self._roots:
            found, cut = groups(root, self._most)
            if cut:
                self.notes.add(f"only the {self._most} topmost cgroups were sampled")
            for group, names in found.items():
                self._files += [f"{group}/{name}" for name in sorted(wanted & names)]
                self._identities[group] = inode, _ = _identity(group)
                if inode and wanted is V2_FILES:
                    self._threads.append(f"{group}/cgroup.threads")
                    # The kernel calls a cgroup by the inode of its folder, as in cgroup_attach_task's dst_id.
                    # Hierarchies of version 1 use the same numbers for groups of theirs.
                    self._ids[str(group)] = inode

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
            for group, names in groups(root, most)[0].items()
            if "cpu.numa_group" in names
        ]

    def __bool__(self) -> bool:
        return bool(self._files)

    def take(self, at: Instant) -> Iterable[Line]:
        """One line with the time around each sample."""
        del at
        found: list[Line] = []
        for path in self._files:
            before = now(0).mono_ns
            text = read_text(path)
            if text is not None:
                found.append({"path": path, "t0_ns": before, "t1_ns": now(0).mono_ns, "text": text})
        yield {"groups": found, "cling_degree": read_text(CLING_DEGREE) or ""}

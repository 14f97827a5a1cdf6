"""The machine that a scenario runs on: its cgroups of either version, and what its kernel counts."""

import os
import platform
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from model import Machine

CGROUPS: Final = Path("/sys/fs/cgroup")
TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def version_of(release: str) -> tuple[int, ...]:
    """The numbers that a kernel's release begins with."""
    found = re.match(r"\d+(?:\.\d+)+", release)
    return tuple(map(int, found[0].split("."))) if found else ()


def this_machine(*, guest: bool) -> Machine:
    """What this program runs on."""
    nodes = len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1
    return Machine(os.cpu_count() or 1, nodes, guest, version_of(platform.release()) or (0, 0))


class Groups:
    """The cgroups of a scenario; of version 1 one in each controller's tree."""

    def __init__(self, wanted: list[dict[str, Any]]) -> None:
        self.unified = (CGROUPS / "cgroup.controllers").exists()
        self._wanted = wanted
        self._made: list[Path] = []

    def make(self) -> None:
        """Makes them with their limits. Raises OSError when the kernel refuses one."""
        if self.unified:
            for controller in ("cpu", "cpuset", "memory", "io"):
                with suppress(OSError):
                    (CGROUPS / "cgroup.subtree_control").write_text(f"+{controller}", encoding="ascii")
        for group in self._wanted:
            for name, text in self._limits(group):
                path = CGROUPS / name
                if not path.parent.exists():
                    path.parent.mkdir()
                    self._made.append(path.parent)
                path.write_text(text, encoding="ascii")

    def _limits(self, group: dict[str, Any]) -> list[tuple[str, str]]:
        """Files and their texts, in the order in which the kernel takes them."""
        name, found = group["name"], []
        quota, weight, memory = group["quota_us"], group["weight"], group["memory_mb"]
        if self.unified:
            keys = {"mems": "cpuset.mems", "cpus": "cpuset.cpus", "partition": "cpuset.cpus.partition"}
            found = [(f"{name}/{file}", str(group[key])) for key, file in keys.items() if group[key] is not None]
            if quota is not None:
                found.append((f"{name}/cpu.max", f"{quota[0]} {quota[1]}"))
            if weight is not None:
                found.append((f"{name}/cpu.weight", str(weight)))
            if memory is not None:
                found.append((f"{name}/memory.max", str(memory << 20)))
            return found
        if group["cpus"] is not None:
            mems = group["mems"] or (CGROUPS / "cpuset/cpuset.mems").read_text(encoding="ascii").strip()
            found = [(f"cpuset/{name}/cpuset.mems", mems), (f"cpuset/{name}/cpuset.cpus", group["cpus"])]
        if quota is not None:
            found += [(f"cpu/{name}/cpu.cfs_period_us", str(quota[1])), (f"cpu/{name}/cpu.cfs_quota_us", str(quota[0]))]
        if weight is not None:
            # cpu.weight 100 is cpu.shares 1024 (sched_weight_from_cgroup, kernel/sched/core.c).
            found.append((f"cpu/{name}/cpu.shares", str(max(2, weight * 1024 // 100))))
        if memory is not None:
            found.append((f"memory/{name}/memory.limit_in_bytes", str(memory << 20)))
        return found

    def enter(self, name: str) -> None:
        """Puts the calling process into a group."""
        for folder in self._made:
            if folder.name == name:
                (folder / "cgroup.procs").write_text("0", encoding="ascii")

    def throttling(self) -> dict[str, dict[str, int]]:
        """The kernel's count of throttling, by group: ns, periods, throttled periods."""
        found = {}
        for folder in self._made:
            with suppress(OSError):
                stat = dict(line.split() for line in (folder / "cpu.stat").read_text(encoding="ascii").splitlines())
                found[folder.name] = {
                    "throttled_ns": int(stat.get("throttled_time", 0)) or 1000 * int(stat.get("throttled_usec", 0)),
                    "nr_throttled": int(stat.get("nr_throttled", 0)),
                    "nr_periods": int(stat.get("nr_periods", 0)),
                }
        return found

    def remove(self) -> None:
        """Takes them away; their processes have ended."""
        for folder in reversed(self._made):
            partition = folder / "cpuset.cpus.partition"
            with suppress(OSError):
                if partition.exists():
                    partition.write_text("member", encoding="ascii")
            with suppress(OSError):
                folder.rmdir()


def idle_ns() -> dict[int, int]:
    """Idle time of each CPU, with waiting for I/O (proc_stat(5))."""
    lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    rows = [line.split() for line in lines if re.match(r"cpu\d", line)]
    return {int(row[0][3:]): (int(row[4]) + int(row[5])) * TICK_NS for row in rows}


def forked() -> int:
    """Processes and threads made since boot."""
    found = re.search(r"^processes (\d+)", Path("/proc/stat").read_text(encoding="ascii"), re.MULTILINE)
    return int(found[1]) if found else 0


def pressure_us() -> dict[str, int]:
    """The `some` totals of /proc/pressure."""
    found = {}
    for resource in ("cpu", "memory", "io"):
        with suppress(OSError):
            text = (Path("/proc/pressure") / resource).read_text(encoding="ascii")
            found[resource] = int(text.splitlines()[0].rpartition("=")[2])
    return found


def scheduled(above: int) -> dict[int, tuple[str, int, int]]:
    """Name, CPU time and run delay in ns of the processes whose numbers are above this (proc_pid_schedstat(5))."""
    found = {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):  # noqa: PTH208 - quick, many are passed over
        if pid > above:
            with suppress(OSError):
                run, wait, _ = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()
                comm = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").rstrip("\n")
                found[pid] = (comm, int(run), int(wait))
    return found

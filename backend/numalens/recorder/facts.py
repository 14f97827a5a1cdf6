"""Facts that are read once: the machine's topology, the scheduler's settings, the kernel."""

import gzip
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from numalens.recorder.files import read_text, unicode

_NODE_FILES: Final = ("cpulist", "distance")
_CPU_FILES: Final = (
    *("core_id", "physical_package_id", "thread_siblings_list"),
    *("core_cpus_list", "cluster_cpus_list", "die_cpus_list"),
)
_CACHE_FILES: Final = ("level", "type", "shared_cpu_list")
_SETTINGS: Final = (
    "proc/sys/kernel/numa_balancing*",
    "proc/sys/kernel/sched_*",
    "sys/devices/system/cpu/isolated",
    "sys/devices/system/cpu/nohz_full",
    "sys/devices/system/cpu/offline",
    "sys/devices/system/cpu/online",
    "sys/kernel/debug/sched/*",
    "sys/kernel/debug/sched/llc_balancing/*",
    "sys/kernel/debug/sched/numa_balancing/*",
    "sys/kernel/debug/sched_features",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/kernel/mm/numa/demotion_enabled",
    "sys/kernel/mm/mempolicy/weighted_interleave/*",
    "sys/devices/virtual/memory_tiering/memory_tier*/nodelist",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
)
_CONFIG: Final = re.compile(
    r"^CONFIG_(HZ|HZ_\d+|NO_HZ\w*|PREEMPT\w*|NUMA\w*|PSI\w*|SCHED_CACHE|SCHEDSTATS|SCHED_DEBUG|FAIR_GROUP_SCHED|RT_GROUP_SCHED|CFS_BANDWIDTH|CPUSETS|HOTPLUG_CPU)=.*$",
    re.MULTILINE,
)
# Only parameters that change scheduling, memory placement or clocks: the rest of the line may hold secrets.
_PARAMETERS: Final = (
    "psi",
    "numa",
    "sched",
    "isolcpus",
    "nohz",
    "rcu_nocb",
    "cgroup",
    "systemd.unified_cgroup_hierarchy",
    "mitigations",
    "preempt",
    "threadirqs",
    "irqaffinity",
    "tsc",
    "clocksource",
    "trace_clock",
    "idle",
    "intel_idle",
    "processor.max_cstate",
    "intel_pstate",
    "amd_pstate",
    "cpuidle",
    "nosmt",
    "maxcpus",
    "nr_cpus",
    "transparent_hugepage",
    "hugepages",
    "movable_node",
    "kernelcore",
    "skew_tick",
    "noautogroup",
    "nosoftlockup",
)


def topology(root: Path = Path("/")) -> str | None:
    """Nodes, distances, cores and caches as `path: value` lines; None on a kernel without NUMA nodes in sysfs."""
    nodes = root / "sys/devices/system/node"
    cpus = root / "sys/devices/system/cpu"
    places = [nodes / "online", cpus / "online", cpus / "possible"]
    for name in _NODE_FILES:
        places += [folder / name for folder in _numbered(nodes, "node")]
    for name in _CPU_FILES:
        places += [folder / "topology" / name for folder in _numbered(cpus, "cpu")]
    caches = [index for folder in _numbered(cpus, "cpu") for index in _numbered(folder / "cache", "index")]
    places += [index / name for index in caches for name in _CACHE_FILES]
    lines = list(_lines(root, places))
    return "".join(lines) if any("/cpulist: " in line for line in lines) else None


def settings(root: Path = Path("/")) -> str:
    """The scheduler's settings as `path: value` lines, as far as this kernel has them and debugfs is mounted."""
    places = [
        place
        for pattern in _SETTINGS
        for place in sorted(root.glob(pattern))
        if place.is_file() and place.name != "debug"
    ]
    return "".join(_lines(root, places))


def kernel_config(root: Path = Path("/"), release: str | None = None) -> dict[str, str]:
    """Build options of the kernel about scheduling; empty when not known."""
    text = ""
    try:
        with gzip.open(root / "proc/config.gz", "rt", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        text = read_text(str(root / f"boot/config-{release or os.uname().release}")) or ""
    found = (line[0].partition("=") for line in _CONFIG.finditer(text))
    return {name: value for name, _, value in found}


def hz(config: dict[str, str]) -> str | None:
    """The lines of the kernel's configuration with the tick's rate; None when not known."""
    lines = [f"{name}={value}\n" for name, value in config.items() if re.fullmatch(r"CONFIG_HZ(_\d+)?", name)]
    return "".join(lines) or None


def parameters(root: Path = Path("/")) -> list[str]:
    """Words of the kernel's command line that bear on scheduling, memory placement or clocks."""
    words = (read_text(str(root / "proc/cmdline")) or "").split()
    return [word for word in words if word.startswith(_PARAMETERS)]


def uname() -> str:
    """As `uname -snrvm` prints it."""
    name = os.uname()
    return unicode(f"{name.sysname} {name.nodename} {name.release} {name.version} {name.machine}")


def _numbered(folder: Path, prefix: str) -> list[Path]:
    found = [path for path in folder.glob(f"{prefix}[0-9]*") if path.name.removeprefix(prefix).isdigit()]
    return sorted(found, key=lambda path: int(path.name.removeprefix(prefix)))


def _lines(root: Path, places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        text = read_text(str(place))
        if text is not None:
            yield f"/{place.relative_to(root)}: {' '.join(text.split())}\n"

"""Sources that are sampled during a recording, and facts that are read once and kept with the trace."""

from dataclasses import dataclass
from pathlib import Path

from numalens.recorder import facts
from numalens.recorder.cgroups import (
    MOST_CGROUPS,
    MOST_CGROUPS_LIGHT,
    Cgroups,
    NumaGroups,
    Pressure,
    SchedExt,
    System,
    mounts,
)
from numalens.recorder.files import read_text
from numalens.recorder.sampler import Source
from numalens.recorder.tasks import Tasks


@dataclass(frozen=True)
class Sources:
    """The sources of a sampler; `noted` are the sets that the sources themselves add to."""

    quick: list[Source]
    slow: list[Source]
    noted: list[set[str]]

    def notes(self) -> list[str]:
        """Notes of the sources so far."""
        return sorted(set().union(*self.noted))


def sources(pressure: Pressure, *, light: bool, numa_maps: bool) -> Sources:
    """All sources of this machine; without PSI (an empty `pressure`) there is a note instead."""
    places = mounts(read_text("/proc/self/mountinfo") or "")
    most = MOST_CGROUPS_LIGHT if light else MOST_CGROUPS
    cgroups = Cgroups(places, most)
    found = Sources([System()], [cgroups], [cgroups.notes])
    if sched_ext := SchedExt():
        found.quick.append(sched_ext)
    if pressure:
        found.quick.insert(0, pressure)
    else:
        found.noted.append({"this kernel has no PSI (/proc/pressure; boot with psi=1 to have it): recorded without"})
    if not light:
        tasks = Tasks(numa_maps=numa_maps)
        found.slow.append(tasks)
        found.noted.append(tasks.notes)
    groups = NumaGroups([root for root in (places.unified, places.cpu) if root is not None], most)
    if groups:
        found.slow.append(groups)
    return found


def write_facts(folder: Path) -> list[str]:
    """Writes kernel, topology, settings and tick rate into a folder; returns notes about missing ones."""
    texts = {
        "uname.txt": facts.uname() + "\n",
        "topology.txt": facts.topology(),
        "sched-settings.txt": facts.settings(),
        "hz.txt": facts.hz(facts.kernel_config()),
    }
    for name, text in texts.items():
        if text:
            (folder / name).write_text(text, encoding="utf-8")
    return [] if texts["topology.txt"] else ["this kernel has no NUMA nodes in sysfs: recorded without topology"]

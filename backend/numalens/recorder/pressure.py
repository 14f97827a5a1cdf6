"""What is read of the whole system: PSI, and the counters of memory and CPUs."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from numalens.recorder.files import read_descriptor, read_text
from numalens.recorder.sampler import Instant, Line

PRESSURE: Final = Path("/proc/pressure")
RESOURCES: Final = ("cpu", "memory", "io", "irq")


class Pressure:
    """`/proc/pressure`, verbatim. The files stay open: the kernel makes their text anew for every reading."""

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
            line[name] = "".join(_without_interrupts(text)) if name == "stat" else text
        if self._nodes:
            line["node_vmstat"] = {path: read_text(path) or "" for path in self._nodes}
        yield line


def _without_interrupts(text: str) -> Iterator[str]:
    """The line of single interrupts is long and nobody's question."""
    return (line for line in text.splitlines(keepends=True) if not line.startswith("intr "))

"""Access of a process that reads untrusted files: those files, its own output, and the programs' code.

Three layers of the Linux kernel, each if the host has it (docs/adr/0027): separate namespaces for processes and network,
Landlock for files, network and signals, a seccomp filter for system calls. A hostile recording that takes over such a process
finds no network, no other analysis, no database and no way to start a program.

`python -m numalens.sandbox.confine` prints the layers that this host has.
"""

import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import numalens_native as native

from numalens.sandbox.limits import die_with_parent
from numalens.sandbox.namespaces import enter_namespaces

Confine = Literal["auto", "require", "off"]
"""Confinement of a process that reads untrusted files: as far as the host can, or required (otherwise it ends), or never."""
LAYERS: Final = ("landlock", "seccomp", "namespaces")
SYSTEM: Final = (
    "/usr",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
    "/proc/self",
    "/proc/meminfo",
    "/sys/fs/cgroup",
)
"""Files that interpreters and libraries read."""
PROBE: Final = (sys.executable, "-P", "-m", "numalens.sandbox.confine")
PROBE_S: Final = 60.0

log = logging.getLogger(__name__)


class ConfinementError(Exception):
    """The host lacks what was required; the text is one sentence."""


def confine(how: Confine, *, read: list[str], write: list[str], program: str | None = None) -> list[str]:
    """Confines this process for good, before it has another thread. Returns the layers in force.

    It continues as another process if there are namespaces. `read` and `write` are files and folders; `program` may be started.
    Raises ConfinementError when a required layer is missing, OSError when the kernel has a layer and refuses it.
    """
    if how == "off":
        return []
    namespaces = ["namespaces"] if enter_namespaces() else []
    # What is confined can no longer do so itself.
    die_with_parent()
    own = [str(Path(__file__).parents[1]), str(Path(native.__file__ or "").parent)]
    code = [*SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, *own]
    programs = [] if program is None else [program]
    layers = native.confine(read=[*code, *programs, *read], write=write, programs=program is not None) + namespaces
    if how == "require":
        check_required(layers)
    return layers


def check_required(layers: Sequence[str]) -> None:
    """Raises ConfinementError unless all layers are there."""
    if missing := [layer for layer in LAYERS if layer not in layers]:
        raise ConfinementError(
            "This server imports nothing without confinement (NUMALENS_CONFINE=require), but its host lacks"
            f" {' and '.join(missing)}; run `numalens doctor` for fixes."
        )


def confinement_of(how: Confine) -> str:
    """Confinement of processes that read recordings on this host: `ok`, or one sentence."""
    if how == "off":
        return "Processes that read recordings are not confined (NUMALENS_CONFINE=off)."
    if missing := [layer for layer in LAYERS if layer not in host_layers()]:
        return (
            f"Processes that read recordings are confined without {' and '.join(missing)}, which this host does not have;"
            " run `numalens doctor` for fixes."
        )
    return "ok"


@cache
def host_layers() -> tuple[str, ...]:
    """The layers that this host has, found out once by a process that confines itself."""
    done = subprocess.run(PROBE, capture_output=True, text=True, check=False, timeout=PROBE_S)  # noqa: S603
    if done.returncode != 0:
        log.warning("confinement: %s", done.stderr.strip().rpartition("\n")[2])
        return ()
    return tuple(json.loads(done.stdout))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(confine("auto", read=[], write=[])))

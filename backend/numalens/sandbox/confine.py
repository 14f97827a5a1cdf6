"""What a process that reads somebody's files can reach: those files, its own output, and the programs' code.

Two layers of the Linux kernel, each where the host has it (docs/adr/0027): Landlock for files, network and signals, a seccomp
filter for system calls. Whoever takes over such a process with a hostile recording finds no network, no other analysis, no
database and no way to start a program.
"""

import sys
from pathlib import Path
from typing import Final, Literal

import numalens_native as native

Confine = Literal["auto", "require", "off"]
"""How a process that reads somebody's files is confined: as far as the host can, or required (else it ends), or never."""
LAYERS: Final = ("landlock", "seccomp")
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
"""What interpreters and libraries read."""


class ConfinementError(Exception):
    """The host lacks what was required; the text is one sentence."""


def confine(how: Confine, *, read: list[str], write: list[str], program: str | None = None) -> list[str]:
    """Confines this thread, and those that it starts, for good: call it before there are others. Returns the layers in force.

    `read` and `write` are files and folders; `program` may be started. Raises ConfinementError when not all layers that are
    required are there, OSError when the kernel has a layer and refuses it.
    """
    if how == "off":
        return []
    code = [*SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, *_own_code()]
    programs = [] if program is None else [program]
    layers = native.confine(read=[*code, *programs, *read], write=write, programs=program is not None)
    missing = [layer for layer in LAYERS if layer not in layers]
    if how == "require" and missing:
        raise ConfinementError(
            f"This server reads nothing without confinement (NUMALENS_CONFINE=require), and its host has no {missing[0]}."
        )
    return layers


def _own_code() -> list[str]:
    """The folders of our own modules."""
    return [str(Path(__file__).parents[1]), str(Path(native.__file__ or "").parent)]

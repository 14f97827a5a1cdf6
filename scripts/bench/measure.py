"""CPU time and peak memory of one child process, and medians over several runs."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """What one run took: seconds of wall clock and of CPU (user + system), peak resident memory in bytes."""

    wall_s: float
    cpu_s: float
    peak_bytes: int


class Failed(Exception):
    """A measured program ended with an error; the message is its own last words."""


def measure(command: list[str], *, env: dict[str, str] | None = None) -> Usage:
    """Runs a program to its end, without its output. Peak memory is the kernel's `ru_maxrss` of that process.

    Mapped file pages that are resident count as memory, as they do for every peer.
    """
    started = time.monotonic()
    with Path(os.devnull).open("wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
        errors = child.stderr.read() if child.stderr else b""
        _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - started
    code = os.waitstatus_to_exitcode(status)
    child.returncode = code
    if code != 0:
        words = errors.decode(errors="replace").strip().splitlines()
        raise Failed(f"{Path(command[0]).name} ended with status {code}: {words[-1] if words else 'no message'}")
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def spread(values: list[float], form: str = "{:.2f}") -> str:
    """`median (min-max)`."""
    return f"{form.format(statistics.median(values))} ({form.format(min(values))}-{form.format(max(values))})"


def percentile(values: list[float], share: float) -> float:
    """Nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]

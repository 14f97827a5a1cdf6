"""CPU time and peak memory of one child process, and medians over several runs."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """What one run took: seconds of wall clock and of CPU (user + system), peak resident memory in bytes."""

    wall_s: float
    cpu_s: float
    peak_bytes: int


class Failed(Exception):
    """A measured program ended with an error; the message is its own last words."""


def measure(command: list[str]) -> Usage:
    """Runs a program to its end, without its output, and returns what it took.

    The kernel counts into a child's peak memory (`ru_maxrss`) what its parent held when it forked, so a bare
    interpreter of about 10 MB starts the program. Mapped file pages that are resident count, as for every peer.
    """
    bare = [sys.executable, "-I", "-S", str(Path(__file__).resolve()), *command]
    done = subprocess.run(bare, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        last = words[-1] if words else "no message"
        raise Failed(f"{Path(command[0]).name} ended with status {done.returncode}: {last}")
    return Usage(**json.loads(done.stdout))


def child(command: list[str]) -> int:
    """The bare interpreter's part: runs the program, prints its usage as JSON, returns its exit status."""
    started = time.monotonic()
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps(asdict(Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))))
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def spread(values: list[float], form: str = "{:.2f}") -> str:
    """`median (min-max)`."""
    return f"{form.format(statistics.median(values))} ({form.format(min(values))}-{form.format(max(values))})"


def percentile(values: list[float], share: float) -> float:
    """Nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


if __name__ == "__main__":
    sys.exit(child(sys.argv[1:]))

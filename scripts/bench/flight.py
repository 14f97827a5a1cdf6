"""Measures what a flight recorder costs hackbench, as the ratio of runs with it and without it, in pairs."""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Usage, measure, spread

if TYPE_CHECKING:
    from collections.abc import Iterator

# Some 2 s on two CPUs: 160 tasks that do nothing but wake each other.
LOAD = ("hackbench", "-g", "4", "-l", "600")
SECONDS = 30
LIMIT = 1.03


@contextmanager
def recorder(out: str) -> Iterator[list[float]]:
    """A flight recorder that has begun; afterwards the list has its CPU seconds, with start and end."""
    numalens = str(Path(sys.executable).with_name("numalens"))
    command = [numalens, "record", "--flight", "--psi", "off", "--seconds", str(SECONDS), "--out", out]
    used: list[float] = []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline() if process.stderr is not None else ""
        if not line.startswith("flight recorder"):
            raise OSError(line.strip())
        yield used
    finally:
        process.terminate()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        used.append(usage.ru_utime + usage.ru_stime)


def flight(pairs: int) -> None:
    """Prints medians over pairs, each in an order of its own."""
    if shutil.which(LOAD[0]) is None or os.geteuid() != 0:
        print("flight recorder    not measured: needs root and hackbench (package rt-tests)")
        return
    runs: list[tuple[Usage, Usage]] = []
    own: list[float] = []
    with tempfile.TemporaryDirectory() as out:
        for _ in range(pairs):
            first = random.choice((True, False))  # noqa: S311 - an order, no secret
            before = None if first else measure(list(LOAD))
            try:
                with recorder(out) as used:
                    with_it = measure(list(LOAD))
            except OSError as error:
                print(f"flight recorder    not measured: {error}")
                return
            own += used
            runs.append((with_it, before or measure(list(LOAD))))
    cpu = [with_it.cpu_s / without.cpu_s for with_it, without in runs]
    wall = [with_it.wall_s / without.wall_s for with_it, without in runs]
    verdict = "within" if statistics.median(cpu) <= LIMIT else "ABOVE"
    print(
        f"flight recorder    {' '.join(LOAD)}, {pairs} pairs: CPU time {spread(cpu, '{:.3f}')} x without,"
        f" wall time {spread(wall, '{:.3f}')} x; {verdict} the limit of {LIMIT:g};"
        f" the recorder itself {spread(own)} CPU s with its start"
    )

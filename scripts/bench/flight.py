"""Measures what a flight recorder costs hackbench, as the ratio of runs with it and without it, in pairs.

`flight.py BATCH.json OUT` is what runs in a guest, whose time is instructions (`scripts/scenarios/guest.py`): other work on this
machine does not show there, and neither do caches.
"""

from __future__ import annotations

import json
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
LOOPS = 600
SECONDS = 30
LIMIT = 1.03
# Of triggers that watch single wake-ups; that long takes none of hackbench.
WAKEUP = ("--wakeup", "10000")


@contextmanager
def recorder(out: str, watch: tuple[str, ...]) -> Iterator[list[float]]:
    """A flight recorder that has begun; afterwards the list has its CPU seconds, with start and end."""
    command = [sys.executable, "-m", "numalens", "record", "--flight", "--psi", "off", *watch]
    command += ["--seconds", str(SECONDS), "--out", out]
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
    """Prints medians over pairs, without and with triggers for single wake-ups."""
    for watch in ((), WAKEUP):
        compared(pairs, LOOPS, watch)


def compared(pairs: int, loops: int, watch: tuple[str, ...]) -> None:
    """Prints medians over pairs, each in an order of its own."""
    name = " ".join(("flight recorder", *watch))
    if shutil.which("hackbench") is None or os.geteuid() != 0:
        print(f"{name}    not measured: needs root and hackbench (package rt-tests)")
        return
    load = ["hackbench", "-g", "4", "-l", str(loops)]
    runs: list[tuple[Usage, Usage]] = []
    own: list[float] = []
    with tempfile.TemporaryDirectory() as out:
        for _ in range(pairs):
            first = random.choice((True, False))  # noqa: S311 - an order, no secret
            before = None if first else measure(load)
            try:
                with recorder(out, watch) as used:
                    with_it = measure(load)
            except OSError as error:
                print(f"{name}    not measured: {error}")
                return
            own += used
            runs.append((with_it, before or measure(load)))
    cpu = [with_it.cpu_s / without.cpu_s for with_it, without in runs]
    wall = [with_it.wall_s / without.wall_s for with_it, without in runs]
    verdict = "within" if statistics.median(cpu) <= LIMIT else "ABOVE"
    print(
        f"{name}    {' '.join(load)}, {pairs} pairs: CPU time {spread(cpu, '{:.3f}')} x without,"
        f" wall time {spread(wall, '{:.3f}')} x; {verdict} the limit of {LIMIT:g};"
        f" the recorder itself {spread(own)} CPU s with its start",
        flush=True,
    )


if __name__ == "__main__":
    wanted = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for each in ((), WAKEUP):
        compared(wanted["pairs"], wanted["loops"], each)

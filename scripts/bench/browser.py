"""The engine as a page has it, WebAssembly, against the native one on the same recording, in turn."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from generate import generate
from measure import measure, spread

HERE = Path(__file__).resolve().parent
ENGINE = HERE.parents[1] / "frontend" / "src" / "api" / "local" / "engine.bin"
PAGE = HERE.parents[1] / "backend" / "numalens" / "page" / "numalens.html"
MB = 1e6
SMALL_EVENTS = 150_000
"""Events of a generated recording of 10 MB."""


def browser(path: Path, scratch: Path, rounds: int) -> None:
    """CPU time against a native reading, which has its interpreter's start in it, and memory against the file.

    The module's time has in it what V8 compiles on the way. Its memory never shrinks, so that its size is its peak.
    """
    if not ENGINE.exists():
        print("in a page          its engine was not built: not measured")
        return
    ratios, times, memory = [], [], []
    bundle = scratch / "native"
    for _ in range(rounds):
        shutil.rmtree(bundle, ignore_errors=True)
        native = measure([sys.executable, str(HERE / "once.py"), "ingest", str(path), str(bundle)])
        command = ["node", str(HERE / "browser_once.mjs"), str(path)]
        took = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        times.append(took["cpu_s"])
        ratios.append(took["cpu_s"] / native.cpu_s)
        memory.append(took["memory_bytes"] / took["size"])
    print(
        f"in a page          {spread(times)} CPU s, {spread(ratios)} x native (at most 3 is wanted); memory"
        f" {spread(memory)} of the file (at most 2.5 is wanted); the module is {ENGINE.stat().st_size / MB:.2f} MB"
    )
    first_lanes(scratch, rounds)


def first_lanes(scratch: Path, rounds: int) -> None:
    """From a choice of a file to painted lanes, in the page as one file in Chromium, without a server or a network."""
    if not PAGE.exists():
        print("first lanes        the page as one file was not built: not measured")
        return
    path = scratch / "small.v6.dat"
    generate(path, SMALL_EVENTS)
    command = ["node", str(HERE / "browser_page.mjs"), PAGE.as_uri(), str(path), str(rounds)]
    took = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"first lanes        {spread(took)} s of {path.stat().st_size / MB:.1f} MB by file:// in Chromium"
        " (at most 2 is wanted)"
    )

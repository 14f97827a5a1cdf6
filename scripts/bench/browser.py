"""The engine as a page has it, WebAssembly, against the native one on the same recording, in turn."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from measure import measure, spread

HERE = Path(__file__).resolve().parent
ENGINE = HERE.parents[1] / "frontend" / "src" / "api" / "local" / "engine.bin"
MB = 1e6


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
        native = measure([sys.executable, str(HERE / "ingest_once.py"), str(path), str(bundle)])
        command = ["node", str(HERE / "browser_once.mjs"), str(path)]
        took = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        times.append(took["cpu_s"])
        ratios.append(took["cpu_s"] / native.cpu_s)
        memory.append(took["memory_bytes"] / took["size"])
    print(
        f"in a page          {spread(times)} CPU s, {spread(ratios)} x native (at most 3 is wanted); memory"
        f" {spread(memory)} of the file (at most 2.5 is wanted); the module is {ENGINE.stat().st_size / MB:.2f} MB"
    )

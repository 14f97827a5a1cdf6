"""Real answers of the engine over a recording of the repository, made once for all tests of a process."""

import atexit
import json
import shutil
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Final

import numalens_native

from numalens.jobs.reading import read_inputs
from numalens.report import ask, build_report
from tests.recordings import FIXTURES, LSCPU, NUMA

MISSING: Final = {"available": False, "reason": "no input has sched_switch events"}
PSI: Final = FIXTURES / "samples" / "cling-2x4-small.psi.jsonl.zst"


@cache
def engine() -> numalens_native.Bundle:
    """The two-node recording with its pressure samples, read into a folder that goes with the process."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    inputs = [(path.name, str(path)) for path in (NUMA, PSI, LSCPU)]
    read_inputs(inputs, folder / "bundle", folder / "scratch")
    return numalens_native.Bundle(str(folder / "bundle"))


def section(name: str, **options: Any) -> dict[str, Any]:
    """A section of the whole recording, to be changed at will."""
    return deepcopy(_section(name, json.dumps(options)))


def report() -> dict[str, Any]:
    """The report of the whole recording, to be changed at will."""
    return deepcopy(_report())


@cache
def _section(name: str, options: str) -> dict[str, Any]:
    first, last = json.loads(engine().manifest())["window_ns"]
    return ask(engine(), name, (first, last), json.loads(options))


@cache
def _report() -> dict[str, Any]:
    return build_report(engine())

"""Provokes stalls while a flight recorder runs, as root: what it wrote of each is a scenario's recording.

`flight.py BATCH.json OUT` is what runs in a guest; natively the generator calls `fly_all`.
"""

import json
import queue
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from catalogue import Scenario
from machine import Groups
from model import Truth
from play import ENDED, STARTED, Director, prepare_disk

# Causes that make tasks wait: what a flight recorder is for.
STALLS: Final = (
    *("affinity", "cpuset", "overload", "kthreads", "throttle", "realtime", "deadline", "priority", "weights"),
    *("roaming", "forks", "io", "memory", "softirq"),
)
DURATION_S: Final = 4.0
BEFORE_S: Final = 5.0
# The loads are measured to their end: what is written must reach as far.
AFTER_S: Final = DURATION_S
# A kernel trigger has so long before it is queried.
PATIENCE_S: Final = 2.5
# A guest's clock runs ahead while it waits for this machine: only the end of the boot limits it.
LONGEST_S: Final = 86400.0
OPTIONS: Final = ("--seconds", BEFORE_S, "--after", AFTER_S, "--gap", 0, "--keep", 1000)
TRIGGERS: Final = ("--psi", "cpu=150,memory=100,io=150", "--wakeup", 100)


def _read(name: str, stream: IO[str], lines: "queue.Queue[tuple[str, str]]") -> None:
    for line in stream:
        lines.put((name, line.rstrip("\n")))
    if name == "err":
        lines.put(("end", ""))


class Recorder:
    """A running `numalens record --flight`."""

    def __init__(self, out: Path) -> None:
        self._command = [sys.executable, "-m", "numalens"]
        command = [*self._command, "record", "--flight", "--out", out, *OPTIONS, *TRIGGERS]
        begun = self._start(command)
        if begun is None:
            # This kernel has no triggers for single wake-ups.
            begun = self._start(command[: -len(TRIGGERS) // 2])
        if begun is None:
            raise RuntimeError("the flight recorder did not begin")

    def _start(self, command: list[Any]) -> str | None:
        self._lines: queue.Queue[tuple[str, str]] = queue.Queue()
        self._process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for name, stream in (("out", self._process.stdout), ("err", self._process.stderr)):
            threading.Thread(target=_read, args=(name, stream, self._lines), daemon=True).start()
        try:
            return self.wait("err", "flight recorder", LONGEST_S)
        except RuntimeError as error:
            print(error, flush=True)
            return None

    def wait(self, stream: str, begin: str, seconds: float) -> str | None:
        """The next line of a stream that begins so; None when there is none in time. Raises RuntimeError at its end."""
        end = time.monotonic() + seconds
        said = ""
        while (left := end - time.monotonic()) > 0:
            try:
                name, line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if name == "end":
                raise RuntimeError(f"the flight recorder ended: {said}")
            said = line
            if name == stream and line.startswith(begin):
                return line
        return None

    def snap(self) -> None:
        """Asks for a bundle."""
        subprocess.Popen([*self._command, "snap", "--pid", str(self._process.pid)], stdout=subprocess.DEVNULL)

    def settle(self) -> None:
        """Waits until nothing is being written: what fired before is nobody's."""
        while self.wait("err", "triggered by", 0.5):
            self.wait("out", "/", LONGEST_S)

    def end(self) -> None:
        """Ends it."""
        self._process.terminate()
        self._process.wait(LONGEST_S)


def play(recorder: Recorder, plan: dict[str, Any], out: Path) -> None:
    """Provokes one stall: its bundle and `facts.json` in the folder. Raises RuntimeError, or OSError of the kernel."""
    out.mkdir(parents=True, exist_ok=True)
    prepare_disk(out)
    facts = out / "facts.json"
    groups = Groups(plan["groups"])
    bundle = None
    try:
        groups.make()
        # What was provoked before, and what writing it cost, must have left the ring.
        recorder.settle()
        time.sleep(BEFORE_S + AFTER_S)
        recorder.settle()
        director = Director(plan, groups, facts)
        try:
            director.order(STARTED)
            if recorder.wait("err", "triggered by", PATIENCE_S) is None:
                recorder.snap()
            bundle = recorder.wait("out", "/", LONGEST_S)
            director.order(ENDED)
        finally:
            status = director.end()
    finally:
        groups.remove()
    if status or bundle is None:
        raise RuntimeError("nothing was written" if not status else f"the loads ended with status {status}")
    found = json.loads(facts.read_text(encoding="utf-8"))
    facts.write_text(json.dumps({**found, "notes": []}, indent=1), encoding="utf-8")
    Path(bundle).rename(out / "bundle.tar.gz")


def trigger_of(folder: Path) -> str:
    """What fired, by the bundle's own description."""
    with tarfile.open(folder / "bundle.tar.gz") as archive:
        member = next(one for one in archive.getmembers() if one.name.endswith("/record.json"))
        reader = archive.extractfile(member)
        return str(json.loads(reader.read())["flight"]["trigger"]) if reader is not None else ""


def planned(scenario: Scenario) -> Scenario:
    """The scenario as it is played here: loads that begin when the recorder runs and stay until it has written."""
    cause = scenario.cause
    cause.plan = replace(cause.plan, duration_s=DURATION_S, early=False, outlive=True, sides=True)
    return scenario


def must_name(cause: str, truth: Truth, stalled_us: dict[str, int]) -> Truth:
    """The truth of a recording that was made for its stall: of a resource its pressure must be said."""
    if cause != "io":
        return truth
    least = {"resource": "io", "least_us": stalled_us.get("io", 0) * 0.5}
    return replace(truth, must_say=[*truth.must_say, {"why": "tasks stalled on the disk", "pressure": least}])


def fly_all(batch: dict[str, dict[str, Any]], root: Path, done: Path | None = None) -> None:
    """One recorder for all; each scenario's folder below `root`, and a copy in `done`."""
    out = root / ".flight"
    out.mkdir(parents=True, exist_ok=True)
    recorder = Recorder(out)
    try:
        for name, plan in batch.items():
            begin = time.monotonic()
            try:
                play(recorder, plan, root / name)
                print(f"played {name} in {time.monotonic() - begin:.0f} s: {trigger_of(root / name)}", flush=True)
            except (OSError, RuntimeError) as error:
                traceback.print_exc()
                print(f"FAILED {name}: {error}", flush=True)
                continue
            if done is not None:
                shutil.copytree(root / name, done / name, dirs_exist_ok=True)
                shutil.rmtree(root / name)
    finally:
        recorder.end()
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    fly_all(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path("/tmp/flight"), Path(sys.argv[2]))

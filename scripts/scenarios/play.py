"""Plays scenarios on this machine, as root: makes the cgroups and loads, records, measures, cleans up.

`play.py BATCH.json OUT` is what runs in a guest; natively the generator calls `play`.
"""

import json
import os
import select
import shutil
import signal
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from numalens.recorder import session
from numalens.recorder.session import Request

import loads
from machine import Groups, forked, idle_ns, pressure_us, scheduled
from model import Facts
from sched_ext import loaded

STARTED: Final = b"!"
ENDED: Final = b"."


class Snapshot:
    """The kernel's counters at one time."""

    def __init__(self, groups: Groups) -> None:
        self.at_ns = time.monotonic_ns()
        self.idle, self.tasks = idle_ns(), scheduled(os.getpid())
        self.groups, self.pressure, self.forked = groups.throttling(), pressure_us(), forked()

    def since(self, before: "Snapshot", wanted: set[str]) -> Facts:
        """What was counted in between, of the tasks with these names."""
        run: dict[str, int] = {}
        wait: dict[str, int] = {}
        for pid, (comm, ran, waited) in self.tasks.items():
            if comm in wanted:
                _, ran_before, waited_before = before.tasks.get(pid, ("", 0, 0))
                run[comm] = run.get(comm, 0) + ran - ran_before
                wait[comm] = wait.get(comm, 0) + waited - waited_before
        groups = {
            name: {key: count - before.groups.get(name, {}).get(key, 0) for key, count in counts.items()}
            for name, counts in self.groups.items()
        }
        return Facts(
            elapsed_ns=self.at_ns - before.at_ns,
            idle_ns={cpu: ns - before.idle.get(cpu, 0) for cpu, ns in self.idle.items()},
            run_ns=run,
            wait_ns=wait,
            groups=groups,
            pressure_us={name: total - before.pressure.get(name, 0) for name, total in self.pressure.items()},
            forked=self.forked - before.forked,
            lost=0,
        )


class Director:
    """A process of its own that runs the loads and does the actions while its parent records."""

    def __init__(self, plan: dict[str, Any], groups: Groups, facts: Path) -> None:
        self._plan, self._groups, self._facts = plan, groups, facts
        self._recorder = os.getpid()
        self._children: list[int] = []
        self._orders, self._send = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(self._send)
            try:
                self._direct()
            except BaseException:  # noqa: BLE001 - a forked child must end here
                traceback.print_exc()
                os._exit(1)
            finally:
                self._kill()
            os._exit(0)
        os.close(self._orders)

    def order(self, word: bytes) -> None:
        """To the director: recording has begun, or ended."""
        with suppress(BrokenPipeError):
            os.write(self._send, word)

    def end(self) -> int:
        """To the director: end. The exit status."""
        os.close(self._send)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _direct(self) -> None:
        # The director must not starve behind what it directs; a real-time one would be a cause of its own.
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        plan = self._plan
        if plan["early"]:
            self._start()
        if os.read(self._orders, 1) != STARTED:
            return
        if not plan["early"]:
            self._start()
        begin = time.monotonic()
        before = Snapshot(self._groups)
        for action in plan["actions"]:
            time.sleep(max(0.0, begin + action["at_s"] - time.monotonic()))
            self._act(action)
        # Samples of the end are taken a little before the recorder's own.
        time.sleep(max(0.0, begin + plan["duration_s"] - 0.35 - time.monotonic()))
        wanted = {load["comm"] for load in plan["loads"]}
        facts = Snapshot(self._groups).since(before, wanted)
        if missing := wanted - set(facts.run_ns):
            # Ended, or still on their way into a cgroup: this is not what was planned.
            raise RuntimeError(f"no load is called {', '.join(sorted(missing))}")
        if not plan["outlive"]:
            self._kill()
        self._facts.write_text(json.dumps(asdict(facts), indent=1), encoding="utf-8")
        select.select([self._orders], [], [], 120.0)

    def _start(self) -> None:
        for load in self._plan["loads"]:
            pid = os.fork()
            if not pid:
                try:
                    os.setpriority(os.PRIO_PROCESS, 0, 0)
                    signal.signal(signal.SIGTERM, signal.SIG_DFL)
                    loads.become(load, self._groups.enter)
                finally:
                    traceback.print_exc()
                    os._exit(1)
            self._children.append(pid)
        time.sleep(0.05)

    def _act(self, action: dict[str, Any]) -> None:
        if action["path"]:
            Path(action["path"]).write_text(action["text"], encoding="ascii")
        if action["stop_recorder_s"]:
            os.kill(self._recorder, signal.SIGSTOP)
            time.sleep(action["stop_recorder_s"])
            os.kill(self._recorder, signal.SIGCONT)

    def _kill(self) -> None:
        for pid in self._children:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self._children.clear()


def play(plan: dict[str, Any], out: Path) -> None:
    """Records one scenario: a bundle and `facts.json` in the folder. Raises RuntimeError, or OSError of the kernel."""
    out.mkdir(parents=True, exist_ok=True)
    prepare_disk(out)
    old = {path: Path(path).read_text(encoding="ascii") for path in plan["settings"]}
    groups = Groups(plan["groups"])
    facts = out / "facts.json"
    try:
        for path, text in plan["settings"].items():
            Path(path).write_text(text, encoding="ascii")
        groups.make()
        director = Director(plan, groups, facts)
        try:
            if plan["early"]:
                time.sleep(0.5)
            with loaded(plan["bpf"]):
                outcome = session.record(_request(plan, out), _Progress(director))
        finally:
            status = director.end()
        if status:
            raise RuntimeError(f"the loads ended with status {status}")
        found = json.loads(facts.read_text(encoding="utf-8"))
        facts.write_text(
            json.dumps({**found, "lost": outcome.lost, "notes": outcome.notes}, indent=1), encoding="utf-8"
        )
        outcome.bundle.rename(out / "bundle.tar.gz")
    finally:
        groups.remove()
        for path, text in old.items():
            Path(path).write_text(text, encoding="ascii")
        for action in plan["actions"]:
            if action["path"].endswith("/online"):
                Path(action["path"]).write_text("1", encoding="ascii")


class _Progress:
    """Sees from the recorder's progress that it records, and that it packs: then the loads may end."""

    def __init__(self, director: Director) -> None:
        self._director = director
        self._said: set[str] = set()

    def __call__(self, what: str, _done: int, _total: int) -> None:
        if what not in self._said:
            self._said.add(what)
            self._director.order(STARTED if what == "recording" else ENDED)


def _request(plan: dict[str, Any], out: Path) -> Request:
    # The first progress comes a little after the start.
    return Request(
        out,
        plan["duration_s"] + 0.3,
        via="tracefs",
        buffer_kb=plan["buffer_kb"],
        max_mb=400,
        probes=tuple(plan["probes"]),
    )


def prepare_disk(out: Path) -> None:
    """What the readers read: a disk of the guest, or a file of this machine."""
    if Path("/dev/vda").exists() and os.environ.get("SCENARIO_GUEST"):
        os.environ["SCENARIO_DISK"] = "/dev/vda"
        return
    path = out.parent / "disk.bin"
    os.environ["SCENARIO_DISK"] = str(path)
    if not path.exists():
        with path.open("wb") as file:
            for _ in range(64):
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())


def main(batch: Path, out: Path) -> None:
    """Plays the scenarios of a batch one after the other, and copies what each gives to `out`."""
    for name, plan in json.loads(batch.read_text(encoding="utf-8")).items():
        folder, begin = Path("/tmp") / name, time.monotonic()
        try:
            play(plan, folder)
            shutil.copytree(folder, out / name, dirs_exist_ok=True)
            print(f"played {name} in {time.monotonic() - begin:.0f} s", flush=True)
        except Exception as error:  # noqa: BLE001 - the others are played all the same
            traceback.print_exc()
            print(f"FAILED {name}: {error}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""The way through trace-cmd: its recorders, its compression, in an instance of ours."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from typing_extensions import override

from numalens.recorder.instance import Instance
from numalens.recorder.trace_dat import Part
from numalens.recorder.tracers import CLOCK, Marker, Plan, Tracer

PROBE_S: Final = 20.0
START_S: Final = 30.0
END_S: Final = 120.0


def probe(instance: Instance, spool: Path, started: Callable[[int], None]) -> str | None:
    """Reason for which trace-cmd does not work here, in its own words; None when it recorded something.

    Some kernels refuse the function tracer's files, and trace-cmd gives up on those even when it shall only record events.
    """
    if shutil.which("trace-cmd") is None:
        return "it is not installed"
    file = spool / "probe.dat"
    command = ["trace-cmd", "record", "-B", instance.name, "-e", "sched:sched_switch", "-o", file.name, "true"]
    log = spool / "probe.log"
    try:
        process = _start(command, spool, log)
        started(process.pid)
        try:
            status = process.wait(PROBE_S)
        except subprocess.TimeoutExpired:
            _kill(process)
            return f"no end within {PROBE_S:g} seconds"
        if status != 0 or not file.exists():
            return (
                " ".join(log.read_text(encoding="utf-8", errors="replace").split()) or f"it ended with status {status}"
            )
        return None
    finally:
        # What trace-cmd has set in it goes with it.
        instance.remove()
        instance.create()
        for left in spool.glob("probe*"):
            left.unlink(missing_ok=True)


class TraceCmdTracer(Tracer):
    """A running `trace-cmd record`. The instance is made by us, so that its counters are there after trace-cmd's end."""

    via = "trace-cmd"

    def __init__(self, instance: Instance, plan: Plan, started: Callable[[int], None]) -> None:
        super().__init__(instance, plan)
        self._started = started
        self._file = plan.spool / "trace.dat"
        self._log = plan.spool / "trace-cmd.log"
        self._process: subprocess.Popen[bytes] | None = None

    @override
    def start(self) -> None:
        """Starts trace-cmd and waits until it traces."""
        plan, instance = self._plan, self._instance
        instance.set_clock(CLOCK)
        self.buffer_kb = instance.set_buffer(plan.buffer_kb)
        # Whether the kernel takes an event and its filter is tried before trace-cmd is started, which stops at a refusal.
        self.events = instance.enable(plan.events)
        instance.write("events/enable", "0")
        command = ["trace-cmd", "record", "-B", instance.name, "-C", CLOCK, "-b", str(self.buffer_kb)]
        for event in self.events:
            command += ["-e", event.full_name]
            for text in event.filters:
                command += ["-f", text]
        command += ["-o", self._file.name]
        self._process = _start(command, plan.spool, self._log)
        self._started(self._process.pid)
        end = time.monotonic() + START_S
        while not self._tracing():
            if self._process.poll() is not None or time.monotonic() > end:
                msg = f"trace-cmd did not begin to record: {self._words()}"
                raise RuntimeError(msg)
            time.sleep(0.02)
        if plan.sleep_stacks:
            # trace-cmd removes triggers when it starts.
            instance.record_stacks()
        self._marker = Marker(instance)

    @override
    def spooled(self) -> int:
        """Bytes in trace-cmd's files."""
        return sum(path.stat().st_size for path in self._plan.spool.glob("trace.dat*"))

    @override
    def trouble(self) -> str | None:
        """trace-cmd ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            return f"trace-cmd ended early: {self._words()}"
        return None

    @override
    def stop(self) -> None:
        """Ends trace-cmd as Ctrl-C does and waits for its file."""
        if self._process is None:
            return
        # Counted before trace-cmd takes the rest, since it resets the counters; without tracing they only move from
        # "entries" to "read events".
        self._instance.write("tracing_on", "0")
        self._stats = self._instance.stats()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            _kill(self._process)
        if not self._file.exists():
            msg = f"trace-cmd wrote no file: {self._words()}"
            raise RuntimeError(msg)

    @override
    def trace(self) -> list[Part]:
        """trace-cmd's file as it is."""
        return [Part(self._file.stat().st_size, path=self._file)]

    @override
    def close(self) -> None:
        """Ends trace-cmd if it still runs."""
        super().close()
        if self._process is not None and self._process.poll() is None:
            _kill(self._process)

    def _tracing(self) -> bool:
        try:
            enabled = self._instance.read("set_event").split()
            return len(enabled) >= len(self.events) and self._instance.read("tracing_on").strip() == "1"
        except OSError:
            return False

    def _words(self) -> str:
        with suppress(OSError):
            return " ".join(self._log.read_text(encoding="utf-8", errors="replace").split()[-40:]) or "no message"
        return "no message"


def _start(command: list[str], folder: Path, log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(  # noqa: S603  (our own arguments, no shell)
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=folder,
            # Ctrl-C in the terminal is for us, who end it when the last samples are taken.
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

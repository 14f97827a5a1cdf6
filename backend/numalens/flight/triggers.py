"""Triggers of a flight recorder: the kernel's own PSI triggers, and slow wakeups."""

import errno
import os
import re
import select
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from numalens.recorder.cgroups import PRESSURE
from numalens.recorder.files import read_text
from numalens.recorder.instance import Instance
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.watchdog import SYNTHETIC, WAKEUP_SUFFIX, append, remove_wakeup

# The usual window of one second, and the one that the kernel lets processes have without CAP_SYS_RESOURCE since 6.4.
WINDOWS_US: Final = (1_000_000, 2_000_000)
WAKEUP_KB: Final = 64
# Of the histogram that holds when each task was woken: it forgets no task by itself and is emptied now and then.
TASKS: Final = 16384
CHUNK: Final = 1 << 16
# What is read at a time: tasks that wake each other may write lines as fast as they are read.
MOST_TEXT: Final = 1 << 20


class Trigger(Protocol):
    """An event that the kernel reports by making a file ready."""

    mask: int

    def fileno(self) -> int:
        """The file to poll."""

    def reason(self) -> str | None:
        """Reason of the trigger, in a few words; None when it was a false alarm."""

    def refresh(self) -> None:
        """Called regularly to keep the trigger working for hours."""

    def close(self) -> None:
        """Removes the trigger."""


@dataclass(frozen=True)
class Threshold:
    """Stalls of a resource within one second."""

    resource: str
    kind: str
    stall_ms: float

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.kind} {self.resource} pressure of {self.stall_ms:g} ms in a second"


class PsiTrigger:
    """A threshold that the kernel watches (Documentation/accounting/psi.rst, "Monitoring for pressure thresholds")."""

    mask = select.POLLPRI

    def __init__(self, threshold: Threshold) -> None:
        self.threshold = threshold
        self._file = os.open(PRESSURE / threshold.resource, os.O_RDWR | os.O_NONBLOCK)
        try:
            for window_us in WINDOWS_US:
                stall_us = int(threshold.stall_ms * window_us / 1000)
                try:
                    os.write(self._file, f"{threshold.kind} {stall_us} {window_us}\0".encode())
                    break
                except OSError as error:
                    if error.errno != errno.EINVAL or window_us == WINDOWS_US[-1]:
                        raise
        except OSError:
            os.close(self._file)
            raise

    def fileno(self) -> int:
        """The pressure file."""
        return self._file

    def reason(self) -> str | None:
        """Reason; the kernel reports at most once in a window."""
        return self.threshold.text

    def refresh(self) -> None:
        """The kernel's trigger lasts as long as the file is open."""

    def close(self) -> None:
        """Closing the file removes the trigger."""
        os.close(self._file)


_NO_PSI: Final = {errno.ENOENT, errno.EOPNOTSUPP}


def psi_triggers(thresholds: Sequence[Threshold], *, required: bool) -> tuple[list[PsiTrigger], list[str]]:
    """Triggers and notes about those that are not possible; these raise CannotRecordError when the user requested them."""
    found: list[PsiTrigger] = []
    notes: list[str] = []
    for threshold in thresholds:
        try:
            found.append(PsiTrigger(threshold))
        except OSError as error:
            why = "this kernel has no PSI, or psi=0" if error.errno in _NO_PSI else error.strerror
            sentence = f"no trigger for {threshold.text}: {why}"
            if required:
                for trigger in found:
                    trigger.close()
                raise CannotRecordError(sentence) from error
            notes.append(sentence)
    return found, notes


class WakeupTrigger:
    """Wakeups slower than a limit: the kernel measures each from sched_waking to sched_switch in histogram triggers.

    They create a synthetic event (Documentation/trace/histogram.rst), which is recorded when it exceeds the limit. All this is
    in a second instance: histogram triggers that measure time make the records of their instance longer.
    """

    mask = select.POLLIN

    def __init__(self, tracefs: Path, pid: int, limit_ms: float) -> None:
        self._tracefs = tracefs
        self._pid = str(pid)
        self._event = f"{SYNTHETIC}{pid}"
        self._instance = Instance(tracefs, pid, WAKEUP_SUFFIX)
        refusal = wakeup_refusal(tracefs)
        if refusal is not None:
            raise CannotRecordError(refusal)
        self._file = -1
        try:
            self._make(limit_ms)
        except OSError as error:
            self.close()
            said = (read_text(str(self._instance.path / "error_log")) or "").strip().splitlines()
            detail = said[-2].strip() if len(said) > 1 else error.strerror
            raise CannotRecordError(f"the kernel does not take the triggers for slow wakeups: {detail}") from error

    def _make(self, limit_ms: float) -> None:
        append(self._tracefs / "synthetic_events", f"{self._event} u64 us; pid_t pid; char comm[16]")
        instance = self._instance
        instance.create()
        instance.write("buffer_size_kb", str(WAKEUP_KB))
        event = f"events/synthetic/{self._event}"
        instance.write(f"{event}/filter", f"us >= {int(limit_ms * 1000)}")
        instance.write(f"{event}/enable", "1")
        self._waking = f"hist:keys=pid:woken=common_timestamp.usecs:size={TASKS}"
        append(instance.path / "events/sched/sched_waking/trigger", self._waking)
        append(
            instance.path / "events/sched/sched_switch/trigger",
            f"hist:keys=next_pid:us=common_timestamp.usecs-$woken:size={TASKS}"
            f":onmatch(sched.sched_waking).trace({self._event},$us,next_pid,next_comm) if next_pid != 0",
        )
        instance.write("tracing_on", "1")
        self._file = os.open(instance.path / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)

    def fileno(self) -> int:
        """The instance's trace_pipe."""
        return self._file

    def reason(self) -> str | None:
        """The slowest of the wakeups that were recorded since the last look."""
        text = b""
        with suppress(BlockingIOError):
            while len(text) < MOST_TEXT and (part := os.read(self._file, CHUNK)):
                text += part
        return slowest_wakeup(text.decode("utf-8", "replace"))

    def refresh(self) -> None:
        """Empties the histograms, which are full of tasks that have ended."""
        for event, key in (("sched_switch", "next_pid"), ("sched_waking", "pid")):
            file = self._instance.path / "events/sched" / event / "trigger"
            for line in (read_text(str(file)) or "").splitlines():
                if line.startswith(f"hist:keys={key}:"):
                    with suppress(OSError):
                        append(file, line.partition("[")[0].strip() + ":clear")

    def close(self) -> None:
        """Removes triggers, instance and event."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        remove_wakeup(self._instance.path, self._pid)


_WAKEUP: Final = re.compile(rf": {SYNTHETIC}\d+: us=(\d+) pid=(\d+) comm=(.*)$", re.MULTILINE)


def slowest_wakeup(text: str) -> str | None:
    """The slowest wakeup among the lines of a trace_pipe."""
    found = max(_WAKEUP.finditer(text), key=lambda line: int(line[1]), default=None)
    if found is None:
        return None
    return f"wakeup of {found[3].strip()} ({found[2]}) took {int(found[1]) / 1000:.1f} ms"


def wakeup_refusal(tracefs: Path) -> str | None:
    """Reason for which this kernel cannot watch wakeups; None when it can."""
    missing = [
        option
        for option, there in (
            ("CONFIG_SYNTH_EVENTS", (tracefs / "synthetic_events").exists()),
            ("CONFIG_HIST_TRIGGERS", (tracefs / "events/sched/sched_switch/hist").exists()),
        )
        if not there
    ]
    if not missing:
        return None
    return (
        f"this kernel cannot watch single wakeups ({' and '.join(missing)} off); leave "
        f"out --wakeup: the CPU PSI trigger also detects waiting tasks"
    )

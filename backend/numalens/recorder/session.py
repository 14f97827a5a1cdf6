"""One recording, from the first check to the bundle on the disk."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Final, Literal

from numalens import __version__
from numalens.recorder import facts
from numalens.recorder.bundle import SUFFIX, bundle_name, pack
from numalens.recorder.cgroups import Pressure
from numalens.recorder.events import Choice, choose
from numalens.recorder.files import read_text, unicode
from numalens.recorder.instance import SMALLEST_BUFFER_KB, CpuStats, Instance, sweep
from numalens.recorder.probes import install, probes
from numalens.recorder.sampler import Files, Instant, Sampler, now
from numalens.recorder.sources import sources, write_facts
from numalens.recorder.trace_cmd import TraceCmdTracer, probe
from numalens.recorder.trace_dat import Part
from numalens.recorder.tracefs import CannotRecordError, Tracefs, open_tracefs
from numalens.recorder.tracers import CLOCK, Plan, TracefsTracer, Tracer
from numalens.recorder.watchdog import Guard, Spool, remove_probes

SCHEMA: Final = "numalens.record/1"
DEFAULT_MAX_MB: Final = 2000
Via = Literal["auto", "trace-cmd", "tracefs"]


@dataclass(frozen=True)
class Request:
    """Request for a recording."""

    out: Path = Path()
    duration_s: float | None = None
    light: bool = False
    via: Via = "auto"
    buffer_kb: int | None = None
    events: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    max_mb: int = DEFAULT_MAX_MB
    numa_maps: bool = False
    probes: tuple[str, ...] = ()
    why: str | None = None
    """Filter of the tasks whose system calls and faults are recorded; empty for all, None for none."""


@dataclass
class Outcome:
    """Result of a recording."""

    bundle: Path
    seconds: float
    via: str
    events: int
    lost: int
    samples: int
    psi: bool
    command_status: int | None
    notes: list[str] = field(default_factory=list)


def describe(
    request: Request, outcome: Outcome, tracer: Tracer, missing: Sequence[str], span: tuple[Instant, Instant]
) -> str:
    """The text of `record.json`."""
    begin, end = span
    description = {
        "schema": SCHEMA,
        "recorder": f"numalens {__version__}",
        "kernel": facts.uname(),
        "via": tracer.via,
        "light": request.light,
        "clock": CLOCK,
        "begin": stamps(begin),
        "end": stamps(end),
        "buffer_kb": tracer.buffer_kb,
        "events": {event.full_name: list(event.filters) for event in tracer.events},
        "missing_events": list(missing),
        "recorded_events": outcome.events,
        "lost_events": outcome.lost,
        "cpus": [_counted(cpu) for cpu in tracer.stats()],
        "psi": outcome.psi,
        "command": None if not request.command else {"arguments": request.command, "status": outcome.command_status},
        "kernel_parameters": facts.parameters(),
        "kernel_config": facts.kernel_config(),
        "schedstats": (read_text("/proc/sys/kernel/sched_schedstats") or "").strip() or None,
        "notes": outcome.notes,
    }
    return unicode(json.dumps(description, indent=2, ensure_ascii=False) + "\n")


def stamps(at: Instant) -> dict[str, int]:
    """A moment as `record.json` has it."""
    return {"mono_ns": at.mono_ns, "real_ns": at.real_ns, "boot_ns": at.boot_ns}


def _counted(cpu: CpuStats) -> dict[str, int]:
    return {
        "cpu": cpu.cpu,
        "events": cpu.events,
        "overrun": cpu.overrun,
        "commit_overrun": cpu.commit_overrun,
        "dropped": cpu.dropped,
    }


COMMAND_END_S: Final = 5.0


class Ending:
    """The request to end: by a signal, by the command's end, or by the clock."""

    def __init__(self) -> None:
        self.wanted = threading.Event()
        self._signalled = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._signalled:
            # The second Ctrl-C: packing is given up, too.
            raise KeyboardInterrupt(number)
        self._signalled = True
        self.wanted.set()

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Treats SIGINT, SIGTERM and SIGHUP as a request to end, once."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._on_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Command:
    """The user's command; none when there are no arguments."""

    def __init__(self, arguments: Sequence[str], ending: Ending) -> None:
        self.arguments = tuple(arguments)
        self.status: int | None = None
        self.ended_by_us = False
        self._ending = ending
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it; its end is a request to end."""
        if not self.arguments:
            return
        # Our standard output has the bundle's path and nothing else.
        self._process = process = subprocess.Popen(self.arguments, stdout=sys.stderr.fileno())  # noqa: S603

        def wait() -> None:
            process.wait()
            self._ending.wanted.set()

        threading.Thread(target=wait, name="command", daemon=True).start()

    def end(self) -> None:
        """Ends it if the recording ended before it, and takes its status."""
        process = self._process
        if process is None or self.status is not None:
            return
        # Ctrl-C in a terminal reaches the command, too, which then ends by itself.
        for step, patience in ((None, COMMAND_END_S / 5), (process.terminate, COMMAND_END_S), (process.kill, None)):
            if step is not None:
                self.ended_by_us = True
                step()
            with suppress(subprocess.TimeoutExpired):
                self.status = process.wait(patience)
                return


DEFAULT_DURATION_S: Final = 10.0
BUFFER_KB: Final = 16384
BUFFER_LIGHT_KB: Final = 8192
ALL_BUFFERS_KB: Final = 1 << 20
# Room on the disk that is left to others, and what the samples may take until they are looked at again.
FREE_BYTES: Final = 256 << 20
CHECK_S: Final = 0.2
Show = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Place:
    """Resources of the machine for a recording; all are released at the end. `out` is only shown, `folder` is used."""

    out: Path
    folder: Path
    spool: Path
    tracefs: Tracefs
    choice: Choice
    instance: Instance
    guard: Guard


@contextmanager
def prepared(request: Request, syscalls: bool = True) -> Iterator[Place]:
    """Folders, an instance, probes and their watchdog.

    Raises CannotRecordError, UnknownEventError, UnknownProbeError, or OSError of the folder.
    """
    probed = probes(request.probes)
    with ExitStack() as stack:
        tracefs = open_tracefs()
        stack.callback(tracefs.unmount)
        choice = choose(tracefs.events, light=request.light, more=request.events, syscalls=syscalls, why=request.why)
        request.out.mkdir(parents=True, exist_ok=True)
        out = request.out.resolve()
        room(out)
        spool = Spool(out)
        stack.callback(spool.remove)
        sweep(tracefs.root)
        instance = Instance(tracefs.root, os.getpid())
        guard = stack.enter_context(Guard(instance.path, spool, tracefs.root if tracefs.mounted_here else None))
        stack.callback(_dismiss, guard, instance, tracefs.root)
        instance.create()
        if probed:
            events, lacking = install(tracefs.root, probed)
            choice = replace(choice, events=(*choice.events, *events))
            if lacking:
                instance.notes.append(
                    f"not probed, as this kernel inlines them or rejects the probe: {', '.join(lacking)}"
                )
        yield Place(out, spool.folder, spool.path, tracefs, choice, instance, guard)


def record(request: Request, show: Show) -> Outcome:
    """Records, packs and cleans up. Raises what `prepared` does."""
    ending = Ending()
    with ending.signals(), prepared(request) as place:
        return _Session(request, show, ending, place).run()


def _dismiss(guard: Guard, instance: Instance, tracefs: Path) -> None:
    if instance.remove():
        remove_probes(tracefs)
        guard.dismiss()


def room(out: Path) -> None:
    """Raises CannotRecordError when there is little room in a folder."""
    free = shutil.disk_usage(out).free
    if free < 2 * FREE_BYTES:
        raise CannotRecordError(
            f"only {free >> 20} MiB are free in {out} and recording needs {2 * FREE_BYTES >> 20}; choose another folder with --out"
        )


class _Session:
    """The parts of one recording while it runs."""

    def __init__(self, request: Request, show: Show, ending: Ending, place: Place) -> None:
        self._request = request
        self._show = show
        self._ending = ending
        self._place = place
        self._instance = place.instance
        self._spool = place.spool
        self._side = place.spool / "side"
        self._notes: list[str] = []
        self._command = Command(request.command, ending)

    def run(self) -> Outcome:
        """Everything between the preparations and the cleaning up."""
        self._side.mkdir()
        self._notes += write_facts(self._side)
        with ExitStack() as stack:
            tracer = self._tracer()
            stack.callback(tracer.close)
            stack.callback(self._command.end)
            pressure = Pressure()
            stack.callback(pressure.close)
            sampled = sources(pressure, light=self._request.light, numa_maps=self._request.numa_maps)
            sampler = Sampler(Files(self._side), sampled.quick, sampled.slow, tracer.mark)
            stack.callback(sampler.stop)
            tracer.start()
            begin = now(0)
            sampler.start()
            self._wait(tracer, sampler)
            sampler.stop()
            tracer.stop()
            end = now(0)
            self._command.end()
            self._notes += [*self._instance.notes, *sampled.notes()]
            if self._command.ended_by_us:
                self._notes.append("the command was stopped with the recording")
            outcome = self._outcome(tracer, sampler, (begin, end), psi=bool(pressure))
            description = describe(self._request, outcome, tracer, self._place.choice.missing, (begin, end))
            (self._side / "record.json").write_text(description, encoding="utf-8")
            entries = [("trace.dat", tracer.trace())]
            # Tracing is over; nothing of it stays while the bundle is packed.
            tracer.close()
            self._instance.remove()
            entries += [
                (path.name, [Part(size, path=path)])
                for path in sorted(self._side.iterdir())
                if (size := path.stat().st_size)
            ]
            target = self._place.folder / outcome.bundle.name
            pack(target, self._spool, entries, lambda done, total: self._show("packing", done, total))
            return outcome

    def _tracer(self) -> Tracer:
        request = self._request
        cpus = len(list((self._place.tracefs.root / "per_cpu").glob("cpu[0-9]*")))
        plan = Plan(
            self._place.choice.events,
            request.buffer_kb or default_buffer_kb(cpus, available_kb(), light=request.light),
            request.light,
            self._spool,
            sleep_stacks=not request.light,
        )
        reason: str | None = None
        if request.via != "tracefs":
            reason = probe(self._instance, self._spool, self._place.guard.helper)
            if reason is not None and request.via == "trace-cmd":
                raise CannotRecordError(
                    f"trace-cmd does not work here ({reason}); leave --via out to record straight through tracefs"
                )
        if request.via == "tracefs" or reason is not None:
            if reason is not None and shutil.which("trace-cmd") is not None:
                self._notes.append(f"trace-cmd does not work here ({reason}); recorded straight through tracefs")
            return TracefsTracer(self._place.tracefs.root, self._instance, plan)
        return TraceCmdTracer(self._instance, plan, self._place.guard.helper)

    def _wait(self, tracer: Tracer, sampler: Sampler) -> None:
        """Waits for the end: of the command, of the duration, by a signal, or by a full disk."""
        request = self._request
        limit = request.duration_s
        if limit is None and not request.command:
            limit = DEFAULT_DURATION_S
        self._command.start()
        begin = time.monotonic()
        while not self._ending.wanted.wait(_pause(begin, limit)):
            passed = time.monotonic() - begin
            self._show("recording", int(passed), int(limit or 0))
            if limit is not None and passed >= limit:
                break
            trouble = tracer.trouble() or self._full(tracer.spooled()) or _trouble(sampler)
            if trouble is not None:
                self._notes.append(f"stopped early: {trouble}")
                break
        self._ending.wanted.set()

    def _full(self, spooled: int) -> str | None:
        if spooled >= self._request.max_mb * 1_000_000:
            return f"the trace has reached {self._request.max_mb} MB (--max-mb)"
        # The bundle is packed next to the spooled pages.
        if shutil.disk_usage(self._spool).free < spooled + FREE_BYTES:
            return "the disk is nearly full"
        return None

    def _outcome(self, tracer: Tracer, sampler: Sampler, span: tuple[Instant, Instant], *, psi: bool) -> Outcome:
        begin, end = span
        stats = tracer.stats()
        lost = sum(cpu.lost for cpu in stats)
        if lost:
            self._notes.append(f"the kernel lost {lost:,} events; record with a larger --buffer-kb, or with --light")
        return Outcome(
            self._place.out / free_name(self._place.folder, bundle_name(os.uname().nodename, begin.real_ns)),
            (end.mono_ns - begin.mono_ns) / 1e9,
            tracer.via,
            sum(cpu.events for cpu in stats),
            lost,
            sampler.samples,
            psi,
            self._command.status,
            self._notes,
        )


def default_buffer_kb(cpus: int, memory_kb: int, *, light: bool) -> int:
    """KiB of buffer for each CPU: all together at most an eighth of the free memory and 1 GiB."""
    wanted = BUFFER_LIGHT_KB if light else BUFFER_KB
    return max(SMALLEST_BUFFER_KB, min(wanted, min(memory_kb // 8, ALL_BUFFERS_KB) // max(1, cpus)))


def available_kb() -> int:
    """Memory that the kernel could give, in KiB (proc_meminfo(5))."""
    for line in (read_text("/proc/meminfo") or "").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1])
    return BUFFER_KB


def _pause(begin: float, limit: float | None) -> float:
    return CHECK_S if limit is None else max(0.0, min(CHECK_S, begin + limit - time.monotonic()))


def _trouble(sampler: Sampler) -> str | None:
    return None if sampler.error is None else f"the samples could not be written: {sampler.error.strerror}"


def free_name(folder: Path, name: str) -> str:
    """The name of a bundle that no file in the folder has yet."""
    number = 1
    while True:
        found = f"{name}{SUFFIX}" if number == 1 else f"{name}-{number}{SUFFIX}"
        if not os.path.lexists(folder / found):
            return found
        number += 1

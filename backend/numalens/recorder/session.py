"""One recording, from the first check to the bundle on the disk."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from numalens.recorder import facts
from numalens.recorder.bundle import SUFFIX, bundle_name, pack
from numalens.recorder.cgroups import MOST_CGROUPS, MOST_CGROUPS_LIGHT, Cgroups, NumaGroups, mounts
from numalens.recorder.ending import Command, Ending
from numalens.recorder.events import Choice, choose
from numalens.recorder.files import read_text
from numalens.recorder.guard import Guard
from numalens.recorder.instance import SMALLEST_BUFFER_KB, Instance, sweep
from numalens.recorder.outcome import Outcome, Request, describe
from numalens.recorder.pressure import Pressure, System
from numalens.recorder.sampler import Instant, Sampler, Source, now
from numalens.recorder.tasks import Tasks
from numalens.recorder.trace_cmd import TraceCmdTracer, probe
from numalens.recorder.trace_dat import Part
from numalens.recorder.tracefs import CannotRecordError, Tracefs, open_tracefs
from numalens.recorder.tracers import Plan, TracefsTracer, Tracer

DEFAULT_DURATION_S: Final = 10.0
BUFFER_KB: Final = 16384
BUFFER_LIGHT_KB: Final = 8192
ALL_BUFFERS_KB: Final = 1 << 20
# Room on the disk that is left to others, and what the samples may take until they are looked at again.
FREE_BYTES: Final = 256 << 20
CHECK_S: Final = 0.2
Show = Callable[[str, int, int], None]


def record(request: Request, show: Show) -> Outcome:
    """Records, packs and cleans up. Raises CannotRecordError, UnknownEventError, or OSError of the output folder."""
    with ExitStack() as stack:
        ending = Ending()
        stack.enter_context(ending.signals())
        tracefs = open_tracefs()
        stack.callback(tracefs.unmount)
        choice = choose(tracefs.events, light=request.light, more=request.events)
        request.out.mkdir(parents=True, exist_ok=True)
        out = request.out.resolve()
        _room(out)
        spool = Path(tempfile.mkdtemp(prefix=".numalens-", suffix=".part", dir=out))
        stack.callback(shutil.rmtree, spool, ignore_errors=True)
        sweep(tracefs.root)
        instance = Instance(tracefs.root, os.getpid())
        guard = stack.enter_context(Guard(instance.path, spool, tracefs.root if tracefs.mounted_here else None))
        stack.callback(_dismiss, guard, instance)
        instance.create()
        session = _Session(request, show, ending, tracefs, choice, instance, guard, spool)
        return session.run(out)


def _dismiss(guard: Guard, instance: Instance) -> None:
    if instance.remove():
        guard.dismiss()


def _room(out: Path) -> None:
    free = shutil.disk_usage(out).free
    if free < 2 * FREE_BYTES:
        raise CannotRecordError(
            f"only {free >> 20} MiB are free in {out} and recording needs {2 * FREE_BYTES >> 20}; choose another folder with --out"
        )


class _Session:
    """The parts of one recording while it goes on."""

    def __init__(
        self,
        request: Request,
        show: Show,
        ending: Ending,
        tracefs: Tracefs,
        choice: Choice,
        instance: Instance,
        guard: Guard,
        spool: Path,
    ) -> None:
        self._request = request
        self._show = show
        self._ending = ending
        self._tracefs = tracefs
        self._choice = choice
        self._instance = instance
        self._guard = guard
        self._spool = spool
        self._side = spool / "side"
        self._notes: list[str] = []
        self._command = Command(request.command, ending)

    def run(self, out: Path) -> Outcome:
        """Everything between the preparations and the cleaning up."""
        self._side.mkdir()
        self._write_facts()
        with ExitStack() as stack:
            tracer = self._tracer()
            stack.callback(tracer.close)
            stack.callback(self._command.end)
            pressure = Pressure()
            stack.callback(pressure.close)
            sampler, notes = self._sampler(tracer, pressure)
            stack.callback(sampler.stop)
            tracer.start()
            begin = now(0)
            sampler.start()
            self._wait(tracer, sampler)
            sampler.stop()
            tracer.stop()
            end = now(0)
            self._command.end()
            self._notes += [*self._instance.notes, *sorted(set().union(*notes))]
            if self._command.ended_by_us:
                self._notes.append("the command was ended with the recording")
            outcome = self._outcome(out, tracer, sampler, (begin, end), psi=bool(pressure))
            description = describe(self._request, outcome, tracer, self._choice.missing, (begin, end))
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
            pack(outcome.bundle, self._spool, entries, lambda done, total: self._show("packing", done, total))
            return outcome

    def _tracer(self) -> Tracer:
        request = self._request
        cpus = len(list((self._tracefs.root / "per_cpu").glob("cpu[0-9]*")))
        plan = Plan(
            self._choice.events,
            request.buffer_kb or default_buffer_kb(cpus, available_kb(), light=request.light),
            request.light,
            self._spool,
        )
        reason: str | None = None
        if request.via != "tracefs":
            reason = probe(self._instance, self._spool, self._guard.helper)
            if reason is not None and request.via == "trace-cmd":
                raise CannotRecordError(
                    f"trace-cmd does not work here ({reason}); leave --via out to record straight through tracefs"
                )
        if request.via == "tracefs" or reason is not None:
            if reason is not None and shutil.which("trace-cmd") is not None:
                self._notes.append(f"trace-cmd does not work here ({reason}); recorded straight through tracefs")
            return TracefsTracer(self._tracefs.root, self._instance, plan)
        return TraceCmdTracer(self._instance, plan, self._guard.helper)

    def _sampler(self, tracer: Tracer, pressure: Pressure) -> tuple[Sampler, list[set[str]]]:
        light = self._request.light
        places = mounts(read_text("/proc/self/mountinfo") or "")
        most = MOST_CGROUPS_LIGHT if light else MOST_CGROUPS
        cgroups = Cgroups(places, most)
        quick: list[Source] = [System()]
        if pressure:
            quick.insert(0, pressure)
        else:
            self._notes.append("this kernel has no PSI (/proc/pressure; boot with psi=1 to have it): recorded without")
        slow: list[Source] = [cgroups]
        notes = [cgroups.notes]
        if not light:
            tasks = Tasks(numa_maps=self._request.numa_maps)
            slow.append(tasks)
            notes.append(tasks.notes)
        groups = NumaGroups([root for root in (places.unified, places.cpu) if root is not None], most)
        if groups:
            slow.append(groups)
        return Sampler(self._side, quick, slow, tracer.mark), notes

    def _wait(self, tracer: Tracer, sampler: Sampler) -> None:
        """Waits for the end: the command's, the duration's, a signal's, or the disk's."""
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

    def _outcome(
        self, out: Path, tracer: Tracer, sampler: Sampler, span: tuple[Instant, Instant], *, psi: bool
    ) -> Outcome:
        begin, end = span
        stats = tracer.stats()
        lost = sum(cpu.lost for cpu in stats)
        if lost:
            self._notes.append(f"the kernel lost {lost:,} events; record with a larger --buffer-kb, or with --light")
        return Outcome(
            _free_name(out, bundle_name(os.uname().nodename, begin.real_ns)),
            (end.mono_ns - begin.mono_ns) / 1e9,
            tracer.via,
            sum(cpu.events for cpu in stats),
            lost,
            sampler.samples,
            psi,
            self._command.status,
            self._notes,
        )

    def _write_facts(self) -> None:
        texts = {
            "uname.txt": facts.uname() + "\n",
            "topology.txt": facts.topology(),
            "sched-settings.txt": facts.settings(),
            "hz.txt": facts.hz(facts.kernel_config()),
        }
        for name, text in texts.items():
            if text:
                (self._side / name).write_text(text, encoding="utf-8")
        if texts["topology.txt"] is None:
            self._notes.append("this kernel has no NUMA nodes in sysfs: recorded without topology")


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


def _free_name(out: Path, name: str) -> Path:
    number = 1
    while True:
        path = out / (f"{name}{SUFFIX}" if number == 1 else f"{name}-{number}{SUFFIX}")
        if not path.exists():
            return path
        number += 1

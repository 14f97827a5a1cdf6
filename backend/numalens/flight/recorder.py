"""A flight recorder: the last seconds stay in memory, and are written when something happens."""

import json
import os
import select
import shutil
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from numalens.flight.memory import Memory
from numalens.flight.ring import Held, Ring
from numalens.flight.snap import Answer, Door
from numalens.flight.triggers import Threshold, Trigger, WakeupTrigger, psi_triggers
from numalens.recorder import session
from numalens.recorder.bundle import SUFFIX, bundle_name, pack
from numalens.recorder.cgroups import Pressure
from numalens.recorder.instance import SMALLEST_BUFFER_KB
from numalens.recorder.sampler import Instant, Sampler, now
from numalens.recorder.session import Command, Ending, Outcome, Place, Request
from numalens.recorder.sources import sources, write_facts
from numalens.recorder.trace_dat import Part
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.tracers import Plan

MARK: Final = "-flight"
TICK_S: Final = 0.2
LOOK_S: Final = 1.0
REFRESH_S: Final = 300.0
SHARE_OF_MEMORY: Final = 8
# Of a second below what was requested that the ring may hold without a word.
SLACK_S: Final = 0.5
DEFAULT_THRESHOLDS: Final = tuple(Threshold(resource, "some", 150.0) for resource in ("cpu", "memory", "io"))


@dataclass(frozen=True)
class Flight:
    """Triggers and amounts; `thresholds` of None means the usual ones, as far as the kernel supports them."""

    seconds: float = 30.0
    after_s: float = 1.0
    ring_mb: int | None = None
    thresholds: tuple[Threshold, ...] | None = None
    wakeup_ms: float | None = None
    at_s: float | None = None
    gap_s: float = 60.0
    keep: int = 10
    keep_mb: int = 2000
    on_exit: Literal["failure", "always", "never"] = "failure"


@dataclass(frozen=True)
class Fired:
    """A trigger; one that a person requested is never too early."""

    reason: str
    manual: bool = False
    answer: Answer | None = None


@dataclass
class Event:
    """Event to write: the trigger, its time, and the following events."""

    at: Instant
    fired: list[Fired] = field(default_factory=list)


class Watch:
    """All that can fire, in one poll."""

    def __init__(self, triggers: Sequence[Trigger], door: Door, at_s: float | None) -> None:
        self._triggers = {trigger.fileno(): trigger for trigger in triggers}
        self._door = door
        self._at_s = at_s
        self._signalled = threading.Event()
        self._poll = select.poll()
        for number, trigger in self._triggers.items():
            self._poll.register(number, trigger.mask)
        self._poll.register(door.fileno(), select.POLLIN)
        self._refresh_s = time.monotonic() + REFRESH_S

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Takes SIGUSR1 for a trigger."""
        before = signal.signal(signal.SIGUSR1, lambda *_: self._signalled.set())
        try:
            yield
        finally:
            signal.signal(signal.SIGUSR1, before)

    def wait(self, most_s: float) -> list[Fired]:
        """Triggers that have fired, after this time at most."""
        until = most_s if self._at_s is None else min(most_s, max(0.0, self._at_s - time.time()))
        found: list[Fired] = []
        for number, _ in self._poll.poll(1000 * until):
            trigger = self._triggers.get(number)
            if trigger is None:
                found += [Fired("numalens snap", manual=True, answer=answer) for answer in self._door.accept()]
            elif (reason := trigger.reason()) is not None:
                found.append(Fired(reason))
        if self._signalled.is_set():
            self._signalled.clear()
            found.append(Fired("SIGUSR1", manual=True))
        if self._at_s is not None and time.time() >= self._at_s:
            found.append(Fired(f"the time {clock(self._at_s)}", manual=True))
            self._at_s = None
        if time.monotonic() >= self._refresh_s:
            self._refresh_s = time.monotonic() + REFRESH_S
            for trigger in self._triggers.values():
                trigger.refresh()
        return found


def clock(at_s: float) -> str:
    """A local time for display."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at_s))


Say = Callable[[str], None]


def fly(request: Request, flight: Flight, say: Say, written: Callable[[Path], None]) -> int | None:
    """Records until it is ended by a signal, or with its command; the command's status.

    Raises CannotRecordError, UnknownEventError, or OSError of the output folder.
    """
    ending = Ending()
    # Without events of system calls, which would cost every call of every task.
    with ending.signals(), session.prepared(request, syscalls=False) as place:
        return _Recorder(request, flight, ending, place, say, written).run()


class _Recorder:
    def __init__(
        self,
        request: Request,
        flight: Flight,
        ending: Ending,
        place: Place,
        say: Say,
        written: Callable[[Path], None],
    ) -> None:
        self._request = request
        self._flight = flight
        self._ending = ending
        self._place = place
        self._say = say
        self._written = written
        self._command = Command(request.command, ending)
        self._whole_s = flight.seconds + flight.after_s
        self._memory = Memory(self._whole_s)
        self._too_early = 0
        self._wrote_s: float | None = None
        self._warned = False

    def run(self) -> int | None:
        """Everything between the preparations and the cleaning up."""
        with ExitStack() as stack:
            door = stack.enter_context(Door())
            triggers, words = self._triggers(stack)
            watch = Watch(triggers, door, self._flight.at_s)
            stack.enter_context(watch.signals())
            self._ring = ring = self._new_ring()
            stack.callback(ring.close)
            stack.callback(self._command.end)
            pressure = Pressure()
            stack.callback(pressure.close)
            self._psi = bool(pressure)
            self._sampled = sampled = sources(pressure, light=self._request.light, numa_maps=self._request.numa_maps)
            self._sampler = Sampler(self._memory, sampled.quick, sampled.slow, ring.mark, self._whole_s)
            stack.callback(self._sampler.stop)
            ring.start()
            self._sampler.start()
            self._say(
                f"flight recorder {os.getpid()}: {self._flight.seconds:g} s kept in "
                f"memory, written to {self._place.out} on {', '.join(words)}"
            )
            self._command.start()
            self._watch(watch)
            return self._command.status

    def _triggers(self, stack: ExitStack) -> tuple[list[Trigger], list[str]]:
        """All of the kernel's, and all in words."""
        flight = self._flight
        thresholds = DEFAULT_THRESHOLDS if flight.thresholds is None else flight.thresholds
        psi, notes = psi_triggers(thresholds, required=flight.thresholds is not None)
        found: list[Trigger] = []
        for trigger in psi:
            stack.callback(trigger.close)
            found.append(trigger)
        words = [trigger.threshold.text for trigger in psi]
        for note in notes:
            self._say(note)
        if flight.wakeup_ms is not None:
            wakeup = WakeupTrigger(self._place.tracefs.root, os.getpid(), flight.wakeup_ms)
            stack.callback(wakeup.close)
            found.append(wakeup)
            words.append(f"wakeups slower than {flight.wakeup_ms:g} ms")
        words += ["SIGUSR1", "numalens snap"]
        if flight.at_s is not None:
            words.append(clock(flight.at_s))
        if self._request.command and flight.on_exit != "never":
            words.append("the command's failure" if flight.on_exit == "failure" else "the command's end")
        return found, words

    def _new_ring(self) -> Ring:
        flight, place = self._flight, self._place
        cpus = len(list((place.tracefs.root / "per_cpu").glob("cpu[0-9]*"))) or 1
        most = min(session.available_kb() // SHARE_OF_MEMORY, session.ALL_BUFFERS_KB)
        if flight.ring_mb is not None:
            most = flight.ring_mb << 10
        each = most // cpus
        if each < SMALLEST_BUFFER_KB:
            raise CannotRecordError(
                f"a ring of {most >> 10} MiB is too small for {cpus} CPUs; give at least"
                f" --ring-mb {1 + (cpus * SMALLEST_BUFFER_KB >> 10)}"
            )
        plan = Plan(place.choice.events, each, self._request.light, place.spool)
        return Ring(place.tracefs.root, place.instance, plan, self._whole_s, most)

    def _watch(self, watch: Watch) -> None:
        """Waits for triggers and writes, until the end is wanted."""
        event: Event | None = None
        look_s = begin_s = time.monotonic()
        limit_s = self._request.duration_s
        while True:
            event = self._took(event, watch.wait(TICK_S if event is None else min(TICK_S, self._left_s(event))))
            ended = self._ending.wanted.is_set() or (limit_s is not None and time.monotonic() >= begin_s + limit_s)
            if ended:
                event = self._took(event, self._exited())
            if event is not None and (ended or self._left_s(event) <= 0):
                self._write(event)
                event = None
            if ended:
                return
            if time.monotonic() >= look_s:
                look_s = time.monotonic() + LOOK_S
                self._ring.grow()
                self._tell_small()
            if self._sampler.error is not None:
                raise self._sampler.error

    def _left_s(self, event: Event) -> float:
        return max(0.0, event.at.mono_ns / 1e9 + self._flight.after_s - time.monotonic())

    def _took(self, event: Event | None, fired: Sequence[Fired]) -> Event | None:
        """The event that is under way, a new one, or none: triggers that come too early are counted."""
        for one in fired:
            early = self._wrote_s is not None and time.monotonic() < self._wrote_s + self._flight.gap_s
            if event is None and early and not one.manual:
                self._too_early += 1
            elif event is None:
                self._say(f"triggered by {one.reason}")
                event = Event(now(0), [one])
            else:
                event.fired.append(one)
        return event

    def _exited(self) -> list[Fired]:
        """The command's end, if it is a trigger."""
        self._command.end()
        status = self._command.status
        wanted = {"failure": status != 0, "always": True, "never": False}[self._flight.on_exit]
        if status is None or self._command.ended_by_us or not wanted:
            return []
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return [Fired(f"the command's end with {how}", manual=True)]

    def _tell_small(self) -> None:
        """Says once that the ring cannot hold what was requested."""
        held = self._ring.held()
        if self._warned or not held.overwritten or not self._ring.capped:
            return
        holds = (time.monotonic_ns() - held.since_ns) / 1e9
        if holds < self._whole_s - SLACK_S:
            self._warned = True
            self._say(
                f"the ring of {held.kb >> 10} MiB holds {holds:.1f} s at this rate of events instead of"
                f" {self._whole_s:g}; give it more with --ring-mb, or record with --light"
            )

    def _write(self, event: Event) -> None:
        """Writes a bundle; errors are reported, and the recorder continues."""
        answers = [one.answer for one in event.fired if one.answer is not None]
        path: Path | None = None
        try:
            path = self._bundle(event)
        except (OSError, CannotRecordError) as error:
            self._say(f"nothing was written: {error}")
        finally:
            for answer in answers:
                answer.give("" if path is None else str(path.absolute()))
        self._wrote_s = time.monotonic()
        if path is not None:
            self._written(path)
            self._forget_old()

    def _bundle(self, event: Event) -> Path:
        session.room(self._place.out)
        ring, side = self._ring, self._place.spool / "side"
        # What every thread may do, at the end of what is written.
        self._sampler.edge()
        try:
            held = ring.cut(event.at.mono_ns - int(self._flight.seconds * 1e9))
            end = now(0)
        finally:
            ring.resume()
        try:
            side.mkdir()
            notes = write_facts(side)
            self._memory.write(side, held.since_ns)
            name = session.free_name(self._place.folder, bundle_name(os.uname().nodename, event.at.real_ns) + MARK)
            target = self._place.out / name
            (side / "record.json").write_text(self._description(event, target, held, end, notes), encoding="utf-8")
            entries = [("trace.dat", ring.trace())]
            entries += [
                (path.name, [Part(size, path=path)]) for path in sorted(side.iterdir()) if (size := path.stat().st_size)
            ]
            pack(self._place.folder / name, self._place.spool, entries, lambda _done, _total: None)
        finally:
            shutil.rmtree(side, ignore_errors=True)
            ring.forget()
        return target

    def _description(self, event: Event, target: Path, held: Held, end: Instant, notes: list[str]) -> str:
        ring, flight = self._ring, self._flight
        holds = (event.at.mono_ns - held.since_ns) / 1e9
        notes = [*notes, *self._place.instance.notes, *self._sampled.notes()]
        if holds < flight.seconds - SLACK_S:
            notes.append(f"the ring held {holds:.1f} s before the trigger instead of {flight.seconds:g}")
        if self._too_early:
            notes.append(f"{self._too_early} triggers before this one came within {flight.gap_s:g} s of a bundle")
            self._too_early = 0
        if ring.lost:
            notes.append(f"the kernel lost {ring.lost:,} events")
        begin = earlier(end, held.since_ns)
        seconds = (end.mono_ns - begin.mono_ns) / 1e9
        outcome = Outcome(target, seconds, ring.via, 0, ring.lost, self._sampler.samples, self._psi, None, notes)
        text = session.describe(self._request, outcome, ring, self._place.choice.missing, (begin, end))
        first, *more = [one.reason for one in event.fired]
        description = json.loads(text)
        # How many of the events in the ring are from before the requested time is not counted.
        description["recorded_events"] = None
        description["flight"] = {
            "trigger": first,
            "also": sorted(set(more)),
            "at": session.stamps(event.at),
            "seconds": flight.seconds,
            "after_s": flight.after_s,
            "held_s": round(holds, 3),
            "ring_kb": held.kb,
        }
        return json.dumps(description, indent=2, ensure_ascii=False) + "\n"

    def _forget_old(self) -> None:
        """Deletes the oldest bundles of flight recorders of this host above the limits; the newest one stays."""
        host = bundle_name(os.uname().nodename, 0).rsplit("-", 2)[0]
        found: list[tuple[os.stat_result, Path]] = []
        for path in self._place.folder.glob(f"{host}-*{MARK}*{SUFFIX}"):
            # Another recorder may have deleted the bundle, and links are not bundles.
            with suppress(OSError):
                if stat.S_ISREG((status := path.lstat()).st_mode):
                    found.append((status, path))
        found.sort(key=lambda one: one[0].st_mtime_ns, reverse=True)
        total = 0
        for number, (status, path) in enumerate(found):
            total += status.st_size
            if number and (number >= self._flight.keep or total > self._flight.keep_mb * 1_000_000):
                with suppress(OSError):
                    path.unlink()
                    self._say(f"deleted {path.name}: at most {self._flight.keep} bundles and {self._flight.keep_mb} MB")


def earlier(at: Instant, mono_ns: int) -> Instant:
    """The instant at another time of the monotonic clock, if no clock was set in between."""
    back = at.mono_ns - mono_ns
    return Instant(0, mono_ns, at.real_ns - back, at.boot_ns - back)

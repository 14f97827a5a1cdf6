"""Probes on functions of the kernel that have no tracepoint, set for a recording and taken away behind it.

They are events of the group `numalens` in `dynamic_events` (Documentation/trace/kprobetrace.rst, fprobetrace.rst), which all
recorders of a machine share: the kernel refuses to remove one that is still recorded somewhere, and the last one that ends
removes it.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from numalens.recorder.events import Event
from numalens.recorder.files import read_text
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.watchdog import PROBES, append, dynamic_events

RETURN: Final = "_ret"
# Tasks that are inside the function at a time: it runs preemptible, so that many may be (Documentation/trace/kprobes.rst).
MOST_INSIDE: Final = 256
PRESETS: Final = {"numa": ("task_numa_work",)}
"""Functions of which entry and return are recorded, by what they are for."""


class UnknownProbeError(ValueError):
    """A preset was requested that there is not."""


def functions(wanted: Iterable[str]) -> tuple[str, ...]:
    """The functions of some presets, each once. Raises UnknownProbeError."""
    found: dict[str, None] = {}
    for name in wanted:
        if name not in PRESETS:
            raise UnknownProbeError(f"--probe {name} is not known; there is {', '.join(PRESETS)}")
        found.update(dict.fromkeys(PRESETS[name]))
    return tuple(found)


def symbol(function: str, symbols: str) -> str | None:
    """What a function is called in `/proc/kallsyms`, where compilers add `.isra.0`; None when it is not there."""
    found = re.search(rf"^\S+ [tT] ({re.escape(function)}(?:\.\S+)?)(?=\s|$)", symbols, re.MULTILINE)
    return None if found is None else found[1]


def definitions(function: str, name: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The ways to set entry and return of a function: event and line of each; by kprobes, else by fprobes (6.4)."""
    back = f"{function}{RETURN}"
    return (
        ((function, f"p:{PROBES}/{function} {name}"), (back, f"r{MOST_INSIDE}:{PROBES}/{back} {name}")),
        ((function, f"f:{PROBES}/{function} {name}"), (back, f"f:{PROBES}/{back} {name}%return")),
    )


def install(tracefs: Path, wanted: Iterable[str], symbols: str | None = None) -> tuple[Event, ...]:
    """Sets the probes and gives their events. Raises CannotRecordError.

    `symbols` is the text of `/proc/kallsyms`.
    """
    file = dynamic_events(tracefs)
    if file is None:
        raise CannotRecordError(
            "this kernel has no probes (CONFIG_KPROBE_EVENTS is off); record without --probe, or on a kernel that has them"
        )
    symbols = symbols if symbols is not None else read_text("/proc/kallsyms") or ""
    events: list[Event] = []
    for function in wanted:
        name = symbol(function, symbols)
        if name is None:
            raise CannotRecordError(
                f"this kernel has no function {function}, on which --probe sets a probe; record without --probe"
            )
        events += _set(tracefs, file, function, name)
    return tuple(events)


def _set(tracefs: Path, file: Path, function: str, name: str) -> list[Event]:
    error: OSError | None = None
    for way in definitions(function, name):
        try:
            for event, line in way:
                if not (tracefs / "events" / PROBES / event).exists():
                    append(file, line)
        except OSError as refused:
            error = error or refused
        else:
            return [Event(PROBES, event) for event, _ in way]
    reason = "" if error is None else f" ({error.strerror})"
    raise CannotRecordError(
        f"this kernel sets no probe on {function}{reason}: CONFIG_KPROBE_EVENTS and CONFIG_FPROBE_EVENTS are off, or "
        "the function cannot be probed; record without --probe"
    )

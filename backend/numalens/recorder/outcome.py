"""The request, the outcome, and the description of it that goes into the bundle."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from numalens import __version__
from numalens.recorder import facts
from numalens.recorder.files import read_text
from numalens.recorder.instance import CpuStats
from numalens.recorder.sampler import Instant
from numalens.recorder.tracers import CLOCK, Tracer

SCHEMA: Final = "numalens.record/1"
DEFAULT_MAX_MB: Final = 2000
Via = Literal["auto", "trace-cmd", "tracefs"]


@dataclass(frozen=True)
class Request:
    """What is to be recorded."""

    out: Path = Path()
    duration_s: float | None = None
    light: bool = False
    via: Via = "auto"
    buffer_kb: int | None = None
    events: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    max_mb: int = DEFAULT_MAX_MB
    numa_maps: bool = False


@dataclass
class Outcome:
    """What was recorded."""

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
        "begin": _stamps(begin),
        "end": _stamps(end),
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
    return json.dumps(description, indent=2, ensure_ascii=False) + "\n"


def _stamps(at: Instant) -> dict[str, int]:
    return {"mono_ns": at.mono_ns, "real_ns": at.real_ns, "boot_ns": at.boot_ns}


def _counted(cpu: CpuStats) -> dict[str, int]:
    return {
        "cpu": cpu.cpu,
        "events": cpu.events,
        "overrun": cpu.overrun,
        "commit_overrun": cpu.commit_overrun,
        "dropped": cpu.dropped,
    }

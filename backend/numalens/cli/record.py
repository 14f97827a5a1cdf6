"""`numalens record`: record, say what was recorded, print the bundle's path."""

import math
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from numalens.cli.output import progress_display
from numalens.cli.usage import UsageError, new_app
from numalens.recorder import session
from numalens.recorder.events import UnknownEventError
from numalens.recorder.session import Outcome, Request

app = new_app()


def run(request: Request) -> None:
    """Prints the path of the bundle on stdout and everything else on stderr."""
    try:
        with progress_display() as show:
            outcome = session.record(request, show)
    except UnknownEventError as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        # Caught here, since the option parser would end with a status of its own.
        raise RuntimeError("interrupted twice: no bundle was written") from None
    sys.stderr.write(summary(outcome))
    sys.stdout.write(f"{outcome.bundle}\n")
    sys.stdout.flush()


def summary(outcome: Outcome) -> str:
    """A few lines for people."""
    size = outcome.bundle.stat().st_size
    counts = f"{outcome.events:,} events, {outcome.lost:,} lost, {outcome.samples:,} samples, {size / 1e6:.1f} MB"
    lines = [f"recorded {outcome.seconds:.1f} s through {outcome.via}: {counts}"]
    if outcome.command_status is not None:
        lines.append(f"the command ended with {_status(outcome.command_status)}")
    lines += outcome.notes
    return "".join(f"{line}\n" for line in lines)


def _status(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


@app.command(context_settings={"allow_interspersed_args": False})
def record(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="Record as long as this command runs.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the bundle goes.")] = Path(),
    duration: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds to record; 10 unless there is a command.")
    ] = None,
    light: Annotated[bool, typer.Option("--light", help="Fewer events and samples, for big machines.")] = False,
    via: Annotated[
        Literal["auto", "trace-cmd", "tracefs"], typer.Option(help="How events are recorded; auto tries trace-cmd.")
    ] = "auto",
    buffer_kb: Annotated[
        int | None, typer.Option("--buffer-kb", metavar="N", min=64, max=1 << 22, help="Buffer of each CPU, KiB.")
    ] = None,
    events: Annotated[
        str, typer.Option(metavar="A,B", help="More events than the usual: name, system:name or system:*.")
    ] = "",
    max_mb: Annotated[
        int, typer.Option("--max-mb", metavar="N", min=1, help="Stop when the trace has this many MB.")
    ] = 2000,
    numa_maps: Annotated[
        bool, typer.Option("--numa-maps", help="Also the memory map by node of the busiest processes (costly).")
    ] = False,
) -> None:
    """Record this machine as one bundle; prints its path.

    The bundle has events, PSI, vmstat, cgroups and topology.
    """
    if duration is not None and not 0 < duration < math.inf:
        raise UsageError(f"--duration {duration:g} is no number of seconds above 0")
    wanted = tuple(name for name in (part.strip() for part in events.split(",")) if name)
    run(Request(out, duration, light, via, buffer_kb, wanted, tuple(command or ()), max_mb, numa_maps))

"""`numalens record`: record, say what was recorded, print the bundle's path."""

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from numalens.cli.output import progress_display
from numalens.cli.usage import UsageError, moment, new_app
from numalens.cli.verbosity import note
from numalens.recorder import session
from numalens.recorder.events import UnknownEventError, of_tasks
from numalens.recorder.probes import UnknownProbeError
from numalens.recorder.session import Outcome, Request

if TYPE_CHECKING:
    from numalens.flight.recorder import Flight
    from numalens.flight.triggers import Threshold

FLIGHT: Final = "Flight recorder"
MS_PER_S: Final = 1000
RESOURCES: Final = ("cpu", "memory", "io")

app = new_app()


def run(request: Request) -> None:
    """Prints the path of the bundle on stdout and everything else on stderr."""
    try:
        with progress_display() as show:
            outcome = session.record(request, show)
    except (UnknownEventError, UnknownProbeError) as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        # Caught here, since the option parser would end with a status of its own.
        raise RuntimeError("interrupted twice: no bundle was written") from None
    for line in summary(outcome):
        note(line)
    for line in outcome.notes:
        sys.stderr.write(f"{line}\n")
    sys.stdout.write(f"{outcome.bundle}\n")
    sys.stdout.flush()


def fly(request: Request, flight: "Flight") -> None:
    """Prints the path of every bundle on stdout and everything else on stderr; the command's status becomes ours."""
    from numalens.flight import recorder  # noqa: PLC0415  (optional)

    def say(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    def written(path: Path) -> None:
        sys.stdout.write(f"{path}\n")
        sys.stdout.flush()

    try:
        status = recorder.fly(request, flight, say, written)
    except (UnknownEventError, UnknownProbeError) as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        raise RuntimeError("interrupted twice: the last bundle was not written") from None
    if status is not None:
        say(f"the command ended with {_status(status)}")


def thresholds(text: str) -> "tuple[Threshold, ...]":
    """Reads `cpu=150,io.full=50`: milliseconds of stall within a second; nothing for `off`. Raises UsageError."""
    from numalens.flight.triggers import Threshold  # noqa: PLC0415  (optional)

    found: list[Threshold] = []
    for part in [] if text == "off" else text.split(","):
        name, _, value = part.strip().partition("=")
        resource, _, kind = name.partition(".")
        try:
            stall_ms = float(value)
        except ValueError:
            stall_ms = math.nan
        if resource not in RESOURCES or kind not in {"", "some", "full"} or not 0 < stall_ms <= MS_PER_S:
            raise UsageError(
                f"--psi {part.strip()!r} is not a threshold: expected for example cpu=150,io.full=50 (ms per second)"
            )
        found.append(Threshold(resource, kind or "some", stall_ms))
    return tuple(found)


def summary(outcome: Outcome) -> list[str]:
    """Returns a summary of a few lines."""
    size = outcome.bundle.stat().st_size
    counts = f"{outcome.events:,} events, {outcome.lost:,} lost, {outcome.samples:,} samples, {size / 1e6:.1f} MB"
    lines = [f"recorded {outcome.seconds:.1f} s through {outcome.via}: {counts}"]
    if outcome.command_status is not None:
        lines.append(f"the command ended with {_status(outcome.command_status)}")
    return lines


def _status(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


@app.command(context_settings={"allow_interspersed_args": False})
def record(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="Record as long as this command runs.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder for the bundle.")] = Path(),
    duration: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="Seconds to record (default: 10; with a command, until it ends; with --flight, no limit)."
        ),
    ] = None,
    light: Annotated[bool, typer.Option("--light", help="Record fewer events and samples, for big machines.")] = False,
    via: Annotated[
        Literal["auto", "trace-cmd", "tracefs"], typer.Option(help="Recording backend; auto tries trace-cmd first.")
    ] = "auto",
    buffer_kb: Annotated[
        int | None, typer.Option("--buffer-kb", metavar="N", min=64, max=1 << 22, help="Buffer of each CPU, KiB.")
    ] = None,
    events: Annotated[str, typer.Option(metavar="A,B", help="Additional events: name, system:name or system:*.")] = "",
    probe: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help=(
                "Also probe functions without a tracepoint: numa (time of NUMA scanning), ilb (decisions and costs of "
                "load balancing), eevdf (reasons for picking a task), pelt (load and utilization averages)."
            ),
        ),
    ] = "",
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Also record what tasks sleep for: system calls and page faults (of --pid, --comm), and timers.",
        ),
    ] = False,
    pid: Annotated[
        list[int] | None,
        typer.Option(metavar="PID", min=1, help="With --why: threads of this process; may be repeated."),
    ] = None,
    comm: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="With --why: tasks of this name; may be repeated.")
    ] = None,
    max_mb: Annotated[
        int, typer.Option("--max-mb", metavar="N", min=1, help="Stop when the trace reaches this many MB.")
    ] = 2000,
    numa_maps: Annotated[
        bool, typer.Option("--numa-maps", help="Also sample numa_maps of the busiest processes (expensive).")
    ] = False,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Start at this time (HH:MM:SS, ISO 8601 or @seconds); with --flight, write then."
        ),
    ] = None,
    flight: Annotated[
        bool,
        typer.Option("--flight", help="Keep the last seconds in memory; write on a trigger.", rich_help_panel=FLIGHT),
    ] = False,
    seconds: Annotated[
        float,
        typer.Option(metavar="S", min=1, max=3600, help="Seconds to keep before the trigger.", rich_help_panel=FLIGHT),
    ] = 30.0,
    after: Annotated[
        float,
        typer.Option(metavar="S", min=0, max=600, help="Seconds to record after the trigger.", rich_help_panel=FLIGHT),
    ] = 1.0,
    psi: Annotated[
        str | None,
        typer.Option(
            metavar="A=MS,B=MS",
            help="Trigger: stalls within a second, or off (default: cpu=150,memory=150,io=150).",
            rich_help_panel=FLIGHT,
        ),
    ] = None,
    wakeup: Annotated[
        float | None,
        typer.Option(metavar="MS", min=0.1, help="Trigger: a wakeup slower than this.", rich_help_panel=FLIGHT),
    ] = None,
    on_exit: Annotated[
        Literal["failure", "always", "never"],
        typer.Option("--on-exit", help="Trigger: end or failure of the command.", rich_help_panel=FLIGHT),
    ] = "failure",
    ring_mb: Annotated[
        int | None,
        typer.Option(
            "--ring-mb",
            metavar="N",
            min=1,
            max=1 << 20,
            help="Maximum size of the ring over all CPUs (default: an eighth of the free memory, at most 1 GiB).",
            rich_help_panel=FLIGHT,
        ),
    ] = None,
    gap: Annotated[
        float,
        typer.Option(
            metavar="S", min=0, help="Minimum time between bundles that kernel triggers cause.", rich_help_panel=FLIGHT
        ),
    ] = 60.0,
    keep: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Maximum number of bundles; the oldest are deleted.", rich_help_panel=FLIGHT
        ),
    ] = 10,
    keep_mb: Annotated[
        int,
        typer.Option(
            "--keep-mb",
            metavar="N",
            min=1,
            help="Maximum size of all bundles in MB; the oldest are deleted.",
            rich_help_panel=FLIGHT,
        ),
    ] = 2000,
) -> None:
    """Record this machine as one bundle and print its path.

    The bundle has events, PSI, vmstat, cgroups and topology. With --flight the last seconds are kept in memory until
    something happens, for hours; every bundle's path is printed.
    """
    if duration is not None and not 0 < duration < math.inf:
        raise UsageError(f"--duration {duration:g} must be a number of seconds greater than 0")
    wanted, probes = (tuple(filter(None, map(str.strip, text.split(",")))) for text in (events, probe))
    tasks = _why(pid or [], comm or []) if why else None
    if not why and (pid or comm):
        raise UsageError("--pid and --comm choose the tasks of --why")
    if why and flight:
        raise UsageError("a flight recorder takes no --why: recording system calls would slow all tasks for hours")
    command_line = tuple(command or ())
    request = Request(out, duration, light, via, buffer_kb, wanted, command_line, max_mb, numa_maps, probes, tasks)
    at_s = None if at is None else moment(at, time.time())
    if flight:
        from numalens.flight.recorder import Flight  # noqa: PLC0415  (optional)

        if via == "trace-cmd" or buffer_kb is not None:
            raise UsageError("a flight recorder uses tracefs and sets its own buffer size (--ring-mb)")
        wanted_psi = None if psi is None else thresholds(psi)
        fly(request, Flight(seconds, after, ring_mb, wanted_psi, wakeup, at_s, gap, keep, keep_mb, on_exit))
        return
    if at_s is not None:
        time.sleep(max(0.0, at_s - time.time()))
    run(request)


def _why(processes: list[int], comms: list[str]) -> str:
    """The filter for the tasks of `--why`: the threads that the processes have now, and tasks by name."""
    threads: list[int] = []
    for process in processes:
        try:
            threads += sorted(int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir())
        except OSError:
            raise UsageError(f"--pid {process}: no such process") from None
    try:
        return of_tasks(comms, threads)
    except ValueError as error:
        raise UsageError(str(error)) from None

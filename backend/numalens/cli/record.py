"""`numalens record`: record, say what was recorded, print the bundle's path."""

import sys

from numalens.cli.inputs import UsageError
from numalens.cli.progress import progress_display
from numalens.recorder.events import UnknownEventError
from numalens.recorder.outcome import Outcome, Request
from numalens.recorder.session import record


def run(request: Request) -> None:
    """Prints the path of the bundle on stdout and everything else on stderr."""
    try:
        with progress_display() as show:
            outcome = record(request, show)
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

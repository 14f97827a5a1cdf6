"""`numalens snap`: has a flight recorder write now, and prints the bundle's path."""

import sys
import time
from typing import Annotated, Final

import typer

from numalens.cli.usage import moment, new_app
from numalens.flight.snap import ask, running

# A large ring, after its seconds after the trigger, is read and packed.
PATIENCE_S: Final = 900.0

app = new_app()


@app.command()
def snap(
    pid: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The recorder's process (default: all of this machine).")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Wait for this time first: HH:MM:SS, ISO 8601 or @seconds.")
    ] = None,
) -> None:
    """Dump the flight recorder's buffer now and print the bundle's path."""
    found = [one for one in running() if pid in {None, one}]
    if not found:
        which = "no flight recorder is running" if pid is None else f"process {pid} is not a flight recorder"
        raise RuntimeError(f"{which} here; start one with `numalens record --flight`")
    if at is not None:
        time.sleep(max(0.0, moment(at, time.time()) - time.time()))
    failed = [one for one in found if not _printed(one)]
    if failed:
        raise RuntimeError(f"nothing was written by {', '.join(map(str, failed))}: see the reason in their output")


def _printed(pid: int) -> bool:
    path = ask(pid, PATIENCE_S)
    if path:
        sys.stdout.write(f"{path}\n")
        sys.stdout.flush()
    return bool(path)

"""`numalens convert`: recordings as one file of another tool's format."""

import sys
from typing import Annotated, Final, Literal

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, FromNs, Offsets, OutFile, Tolerant, ToNs, read_options
from numalens.cli.output import output
from numalens.cli.usage import UsageError, new_app

app = new_app()

OUTSIDE: Final = "there is no recording to convert: samples alone have no events"


@app.command()
def convert(
    files: Files,
    to: Annotated[Literal["pftrace"], typer.Option("--to", help="Format: a Perfetto trace.")] = "pftrace",
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    out: OutFile = None,
) -> None:
    """Write events and replay results as a Perfetto trace.

    Perfetto's own tools open it.
    """
    limit_memory()
    _ = to  # The only format so far; it is named, so that others can come.
    wanted = Wanted(files, options=read_options(tolerant, offset))
    window = (from_ns, to_ns)
    check_window(window)
    with opened(wanted) as bundle:
        if not bundle.manifest["tables"]:
            raise UsageError(OUTSIDE)
        with output(out) as write:
            events = bundle.engine.export_trace(write, *window)
        if out is not None:
            print(f"{out}: {events:,} events", file=sys.stderr)

"""`numalens convert`: recordings as one file of another tool's format."""

import sys
from typing import Annotated, Final, Literal

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, FromNs, Offsets, OutFile, Tolerant, ToNs, read_options
from numalens.cli.output import output
from numalens.cli.pages import write_recording
from numalens.cli.usage import UsageError, new_app
from numalens.store.options import Cut

app = new_app()

OUTSIDE: Final = "there is no recording to convert: samples alone have no events"


@app.command()
def convert(
    files: Files,
    to: Annotated[
        Literal["pftrace", "html"],
        typer.Option("--to", help="A Perfetto trace, or this page with the recording in one file."),
    ] = "pftrace",
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    task: Annotated[
        list[int] | None, typer.Option("--task", help="html: only this thread; may be given several times.")
    ] = None,
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="html: numbers in place of the names of tasks, cgroups and files.")
    ] = False,
    out: OutFile = None,
) -> None:
    """Write events and replay results as one file that others can open.

    pftrace: a trace for Perfetto's own tools. html: the page, its engine and the recording; a double click opens it, without
    a server and without a network. Nothing of what was cut off is in it.
    """
    limit_memory()
    window = (from_ns, to_ns)
    check_window(window)
    cut = Cut("", from_ns, to_ns, task, pseudonyms) if to == "html" else None
    if cut is None and (task or pseudonyms):
        raise UsageError("--task and --pseudonyms are for --to html")
    wanted = Wanted(files, options=read_options(tolerant, offset), cut=cut)
    with opened(wanted) as bundle:
        if to == "html":
            with output(out) as write:
                write_recording(bundle, "recording" if pseudonyms else files[0].name, write)
            return
        if not bundle.manifest["tables"]:
            raise UsageError(OUTSIDE)
        with output(out) as write:
            events = bundle.engine.export_trace(write, *window)
        if out is not None:
            print(f"{out}: {events:,} events", file=sys.stderr)

"""`numalens convert`: recordings as one file of another tool's format."""

from typing import Annotated, Final, Literal, cast, get_args

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, From, Offsets, OutFile, Tolerant, read_options
from numalens.cli.output import output
from numalens.cli.pages import write_recording
from numalens.cli.usage import NS_LIMIT, UsageError, new_app
from numalens.cli.verbosity import note
from numalens.store.options import Cut

app = new_app()

Format = Literal["pftrace", "html"]

OUTSIDE: Final = "there is no recording to convert: samples alone have no events"


@app.command()
def convert(
    files: Files,
    fmt: Annotated[
        Format, typer.Option("--format", help="Perfetto trace, or a self-contained HTML page with the recording.")
    ] = "pftrace",
    from_ns: From = None,
    to: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="NS", help="End, in ns of the trace's clock; or a format, as --format takes it."),
    ] = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    task: Annotated[
        list[int] | None, typer.Option("--task", metavar="TID", help="html: only this thread; may be repeated.")
    ] = None,
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="html: replace the names of tasks, cgroups and files with numbers.")
    ] = False,
    out: OutFile = None,
) -> None:
    """Export events and replay results as one file.

    pftrace: a trace for Perfetto's own tools. html: the page, its engine and the recording; a double click opens it, without
    a server and without a network. It holds nothing from outside the chosen time and threads.
    """
    limit_memory()
    fmt, to_ns = _ends(to or [], fmt)
    window = (from_ns, to_ns)
    check_window(window)
    cut = Cut("", from_ns, to_ns, task, pseudonyms) if fmt == "html" else None
    if cut is None and (task or pseudonyms):
        raise UsageError("--task and --pseudonyms need --format html")
    wanted = Wanted(files, options=read_options(tolerant, offset), cut=cut)
    with opened(wanted) as bundle:
        if fmt == "html":
            with output(out) as write:
                write_recording(bundle, "recording" if pseudonyms else files[0].name, write)
            return
        if not bundle.manifest["tables"]:
            raise UsageError(OUTSIDE)
        with output(out) as write:
            events = bundle.engine.export_trace(write, *window)
        if out is not None:
            note(f"{out}: {events:,} events")


def _ends(texts: list[str], fmt: Format) -> tuple[Format, int | None]:
    """The format and the end of the window. Raises UsageError for a `--to` that is neither."""
    end = None
    for text in texts:
        if text in get_args(Format):
            fmt = cast("Format", text)
        elif text.isascii() and text.isdigit() and int(text) < NS_LIMIT:
            end = int(text)
        else:
            raise UsageError(f"--to {text}: expected a whole number of ns, or a format: {', '.join(get_args(Format))}")
    return fmt, end

"""`numalens events`: the decoded events of one type."""

from typing import Annotated, Literal

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, From, Offsets, OutFile, To, Tolerant, read_options
from numalens.cli.output import output
from numalens.cli.usage import UsageError, new_app

app = new_app()


@app.command()
def events(
    files: Files,
    event: Annotated[str, typer.Option("--type", metavar="EVENT", help="Name of an event, or system:name.")],
    fmt: Annotated[Literal["csv", "ndjson", "arrow"], typer.Option("--format", help="Form of the output.")] = "csv",
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    out: OutFile = None,
) -> None:
    """Print the decoded events of one type.

    Every field, in ascending order of time.
    """
    limit_memory()
    wanted = Wanted(files, options=read_options(tolerant, offset))
    window = (from_ns, to_ns)
    check_window(window)
    with opened(wanted) as bundle:
        names = {table["event"] for table in bundle.manifest["tables"]}
        full_names = {f"{table['system']}:{table['event']}" for table in bundle.manifest["tables"]}
        if event not in names | full_names:
            raise UsageError(f"--type {event}: no such event; available: {', '.join(sorted(names)) or 'none'}")
        with output(out) as write:
            bundle.engine.export_events(event, fmt, write, *window)

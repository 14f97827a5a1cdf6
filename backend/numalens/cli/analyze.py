"""`numalens analyze`: read, report, keep."""

from pathlib import Path
from typing import Annotated

import typer

from numalens.cli.inputs import Wanted, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import Files, From, Hz, JsonFile, Offsets, To, Tolerant, read_options
from numalens.cli.output import columns, write_report
from numalens.cli.summary import STYLES, WIDTH, summary, verdicts
from numalens.cli.usage import UsageError, new_app, ns_of
from numalens.report import MAX_STEPS, ReportOptions, Rules, build_report, fits, window_of

app = new_app()


@app.command()
def analyze(
    files: Files,
    topology: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Nodes and CPUs: output of `lscpu -p` or `numactl -H`."),
    ] = None,
    from_ns: From = None,
    to_ns: To = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    degree: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            help="Cling's degree to compute with, in percent (default: as recorded, or 20).",
        ),
    ] = None,
    psi_rules: Annotated[
        Rules | None,
        typer.Option("--psi-rules", help="Kernel version whose PSI rules apply (default: the recording's)."),
    ] = None,
    hz: Hz = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Step of the utilisation table, in seconds (default: 5).")
    ] = None,
    json: JsonFile = None,
    out: Annotated[
        Path | None, typer.Option("-o", metavar="DIR", help="Keep the analysis bundle in a new folder.")
    ] = None,
) -> None:
    """Read any mix of inputs as one analysis and print a summary."""
    limit_memory(out)
    wanted = Wanted(files, topology, read_options(tolerant, offset), hz)
    options = ReportOptions(degree, psi_rules, hz, None if step is None else ns_of("--step", step))
    window = (from_ns, to_ns)
    check_window(window)
    with opened(wanted, out) as bundle:
        if not fits(window_of(bundle.manifest, *window), options.step_ns):
            raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
        report = build_report(bundle.engine, *window, options)
        waits = [] if json == "-" else verdicts(bundle.engine, report)
    kept = None if out is None else str(out)
    write_report(report, json, lambda: summary(report, waits, kept, columns(WIDTH)), STYLES)

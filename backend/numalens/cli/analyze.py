"""`numalens analyze`: read, report, keep."""

from pathlib import Path

from numalens.cli.inputs import UsageError, Wanted, Window, check_window, opened
from numalens.cli.output import write_report
from numalens.cli.summary import summary
from numalens.report import MAX_STEPS, ReportOptions, build_report, fits, window_of


def run(wanted: Wanted, window: Window, options: ReportOptions, json_file: str | None, out: Path | None) -> None:
    """Prints the summary, and writes what else was asked for."""
    check_window(window)
    with opened(wanted, out) as bundle:
        if not fits(window_of(bundle.manifest, *window), options.step_ns):
            raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
        report = build_report(bundle.manifest, bundle.engine, *window, options)
    write_report(report, json_file, lambda: summary(report, None if out is None else str(out)))

"""`numalens analyze`: read, report, keep."""

import json
import sys
from pathlib import Path

from numalens.cli.inputs import UsageError, Wanted, Window, check_window, opened
from numalens.cli.summary import summary
from numalens.report import MAX_STEPS, ReportOptions, build_report, fits, window_of


def run(wanted: Wanted, window: Window, options: ReportOptions, json_file: str | None, out: Path | None) -> None:
    """Prints the summary, and writes what else was asked for."""
    check_window(window)
    with opened(wanted, out) as bundle:
        if not fits(window_of(bundle.manifest, *window), options.step_ns):
            raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
        report = build_report(bundle.manifest, bundle.engine, *window, options)
    text = json.dumps(report, indent=2) + "\n"
    if json_file == "-":
        sys.stdout.write(text)
    else:
        if json_file is not None:
            Path(json_file).write_text(text, encoding="utf-8")
        sys.stdout.write(summary(report, None if out is None else str(out)))
    sys.stdout.flush()

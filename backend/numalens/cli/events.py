"""`numalens events`: the decoded events of one type."""

from pathlib import Path
from typing import Literal

from numalens.cli.inputs import UsageError, Wanted, Window, check_window, opened
from numalens.cli.output import output


def run(wanted: Wanted, event: str, fmt: Literal["csv", "ndjson", "arrow"], window: Window, out: Path | None) -> None:
    """Writes the events to `out`, or to standard output."""
    check_window(window)
    with opened(wanted) as bundle:
        names = {table["event"] for table in bundle.manifest["tables"]}
        full_names = {f"{table['system']}:{table['event']}" for table in bundle.manifest["tables"]}
        if event not in names | full_names:
            raise UsageError(
                f"--type {event}: there is no such event here; there are {', '.join(sorted(names)) or 'none'}"
            )
        with output(out) as write:
            bundle.engine.export_events(event, fmt, write, *window)

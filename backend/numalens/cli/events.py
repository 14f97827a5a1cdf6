"""`numalens events`: the decoded events of one type."""

import sys
from pathlib import Path
from typing import Literal

from numalens.cli.inputs import UsageError, Window, check_window, opened


def run(
    files: list[Path], event: str, fmt: Literal["csv", "ndjson", "arrow"], window: Window, out: Path | None
) -> None:
    """Writes the events to `out`, or to standard output."""
    check_window(window)
    with opened(files) as bundle:
        names = {table["event"] for table in bundle.manifest["tables"]}
        full_names = {f"{table['system']}:{table['event']}" for table in bundle.manifest["tables"]}
        if event not in names | full_names:
            raise UsageError(
                f"--type {event}: there is no such event here; there are {', '.join(sorted(names)) or 'none'}"
            )
        if out is None:
            bundle.engine.export_events(event, fmt, _to_stdout, *window)
            sys.stdout.buffer.flush()
        else:
            with out.open("wb") as file:
                bundle.engine.export_events(event, fmt, lambda piece: _all(file.write(piece)), *window)


def _to_stdout(piece: bytes) -> None:
    sys.stdout.buffer.write(piece)


def _all(_written: int) -> None:
    """A buffered file writes all or raises, so the count is of no use."""

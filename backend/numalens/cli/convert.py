"""`numalens convert`: recordings as one file of another tool's format."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from numalens.cli.inputs import UsageError, Wanted, Window, check_window, opened

OUTSIDE: Final = "there is no recording to convert: samples alone have no events"


def run(wanted: Wanted, window: Window, out: Path | None) -> None:
    """Writes a Perfetto trace to `out`, or to standard output."""
    check_window(window)
    with opened(wanted) as bundle:
        if not bundle.manifest["tables"]:
            raise UsageError(OUTSIDE)
        if out is None:
            bundle.engine.export_trace(_writer(sys.stdout.buffer.write), *window)
            sys.stdout.buffer.flush()
            return
        with out.open("wb") as file:
            events = bundle.engine.export_trace(_writer(file.write), *window)
        print(f"{out}: {events:,} events", file=sys.stderr)


def _writer(write: Callable[[bytes], int]) -> Callable[[bytes], None]:
    def hand_on(piece: bytes) -> None:
        write(piece)

    return hand_on

"""Reads one file with Perfetto's trace processor and does nothing else: what the text reader is measured against."""

from __future__ import annotations

import sys
from pathlib import Path

from numalens.perfetto.calls import CHUNK_BYTES
from numalens.perfetto.engine import Engine


def main() -> int:
    """Loads the file named on the command line."""
    with Engine() as engine, Path(sys.argv[1]).open("rb") as trace:
        while chunk := trace.read(CHUNK_BYTES):
            engine.append(chunk)
        engine.finalize()
    return 0


if __name__ == "__main__":
    sys.exit(main())

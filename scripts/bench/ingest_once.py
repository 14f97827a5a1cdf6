"""One full ingest (decode, index) of a recording into a folder: a process of its own, so that its memory can be measured."""

from __future__ import annotations

import sys
from pathlib import Path

import numalens_native


def main() -> None:
    """Arguments: the files, and the folder to write the bundle to."""
    *sources, out = sys.argv[1:]
    numalens_native.ingest([(Path(source).name, source) for source in sources], out)


if __name__ == "__main__":
    main()

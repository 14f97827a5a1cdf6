"""One full ingest (decode, index) of a file into a folder: a process of its own, so that its memory can be measured."""

from __future__ import annotations

import sys
from pathlib import Path

import numalens_native


def main() -> None:
    """Arguments: the file, and the folder to write the bundle to."""
    source, out = sys.argv[1:3]
    numalens_native.ingest([(Path(source).name, source)], out)


if __name__ == "__main__":
    main()

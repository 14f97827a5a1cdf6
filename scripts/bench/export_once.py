"""One export of a bundle as a Perfetto trace into a file: a process of its own, so that its memory can be measured."""

from __future__ import annotations

import sys
from pathlib import Path

import numalens_native


def main() -> None:
    """Arguments: the bundle's folder, the file to write, and `events` to leave out what the replays found."""
    bundle, out, *only = sys.argv[1:]
    with Path(out).open("wb") as file:

        def write(piece: bytes) -> None:
            file.write(piece)

        numalens_native.Bundle(bundle).export_trace(write, tracks=only != ["events"])


if __name__ == "__main__":
    main()

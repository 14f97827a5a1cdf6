"""One step in a process of its own, so that its memory can be measured: `once.py STEP ARGUMENT...`.

Each step imports what it needs, and nothing else.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def ingest(*files: str) -> None:
    """A full ingest (decode, index): the recording's files, and the folder to write the bundle to."""
    import numalens_native  # noqa: PLC0415

    *sources, out = files
    numalens_native.ingest([(Path(source).name, source) for source in sources], out)


def export(bundle: str, out: str, *only: str) -> None:
    """The export as a Perfetto trace: the bundle's folder, the file to write, and `events` to leave out the replays' results."""
    import numalens_native  # noqa: PLC0415

    with Path(out).open("wb") as file:

        def write(piece: bytes) -> None:
            file.write(piece)

        numalens_native.Bundle(bundle).export_trace(write, tracks=only != ("events",))


def processor(path: str) -> None:
    """Reading a file with Perfetto's trace processor and nothing else: what the text reader is measured against."""
    from numalens.perfetto.calls import CHUNK_BYTES  # noqa: PLC0415
    from numalens.perfetto.engine import Engine  # noqa: PLC0415

    with Engine() as engine, Path(path).open("rb") as trace:
        while chunk := trace.read(CHUNK_BYTES):
            engine.append(chunk)
        engine.finalize()


if __name__ == "__main__":
    steps: dict[str, Callable[..., None]] = {"ingest": ingest, "export": export, "processor": processor}
    steps[sys.argv[1]](*sys.argv[2:])

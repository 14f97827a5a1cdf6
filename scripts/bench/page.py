"""The page on stored analyses, in a real browser: a large recording, and one of more CPUs than fit a screen."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

import queries
import wide
from measure import Failed, measure

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "backend" / "numalens" / "page"
NUMALENS = HERE.parents[1] / ".venv" / "bin" / "numalens"
DROPS = 5


def dropped(cache: Path) -> Path:
    """A compressed recording of some three million events, as a person drops one on the page."""
    made = cache / "dropped.v6.dat.zst"
    if not made.exists():
        plain, _ = wide.obtain(cache, wide.NARROW)
        part = made.with_suffix(".part")
        with plain.open("rb") as source, pa.output_stream(str(part), compression="zstd") as target:
            shutil.copyfileobj(source, target)
        part.rename(made)
    return made


def drop(node: str, server: queries.Server, cache: Path) -> None:
    """From a drop on the page to its headline, in turn with the command line on the same file."""
    file = dropped(cache)
    ours, peer, steps = [], [], []
    for _ in range(DROPS):
        peer.append(measure([str(NUMALENS), "analyze", str(file), "--json", "/dev/null"]).wall_s)
        command = (node, str(HERE / "page.mjs"), "--address", f"http://127.0.0.1:{server.port}", "--drop", str(file))
        answer = subprocess.run(command, check=False, stdout=subprocess.PIPE)
        if answer.returncode != 0:
            raise Failed("the page could not be measured")
        found = json.loads(answer.stdout)
        ours.append(found["ms"] / 1000)
        steps.append(found["steps"])
    ratio = statistics.median(ours) / statistics.median(peer)
    print(
        f"drop to headline   median {statistics.median(ours):.2f} s ({min(ours):.2f} to {max(ours):.2f}) for"
        f" {file.stat().st_size / 1e6:.1f} MB; numalens analyze {statistics.median(peer):.2f} s"
        f" ({min(peer):.2f} to {max(peer):.2f}): {ratio:.2f} x; {min(steps)} steps of progress seen at least",
        flush=True,
    )


def page(recording: Path, cache: Path, loads: int, seconds: int) -> None:
    """Uploads both recordings to a server of its own and has `page.mjs` open, load, pan, zoom and scroll them."""
    node = shutil.which("node")
    if node is None:
        raise Failed("node is not on PATH")
    many = wide.obtain(cache, wide.WIDE)
    with (
        tempfile.TemporaryDirectory(dir=cache, prefix="page-") as folder,
        queries.Server(Path(folder) / "data") as server,
    ):
        drop(node, server, cache)
        large = server.analyse(server.upload(recording))
        of_many = server.analyse(*(server.upload(file) for file in many))
        command: Sequence[str] = (
            *(node, str(HERE / "page.mjs"), "--address", f"http://127.0.0.1:{server.port}", "--web", str(BUILT)),
            *("--loads", str(loads), "--seconds", str(seconds)),
            *("--analysis", f"large={large}", "--analysis", f"384 CPUs={of_many}:open"),
        )
        if subprocess.run(command, check=False).returncode != 0:
            raise Failed("the page could not be measured")

"""The page on stored analyses, in a real browser: a large recording, and one of more CPUs than fit a screen."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import queries
import wide
from measure import Failed

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "frontend" / "dist"


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
        large = server.analyse(server.upload(recording))
        of_many = server.analyse(*(server.upload(file) for file in many))
        command: Sequence[str] = (
            *(node, str(HERE / "page.mjs"), "--address", f"http://127.0.0.1:{server.port}", "--web", str(BUILT)),
            *("--loads", str(loads), "--seconds", str(seconds)),
            *("--analysis", f"large={large}", "--analysis", f"384 CPUs={of_many}:open"),
        )
        if subprocess.run(command, check=False).returncode != 0:
            raise Failed("the page could not be measured")

"""Measures how long the command line takes to start, against the import of the library that parses its options."""

from __future__ import annotations

import sys
from pathlib import Path

from measure import measure, spread

ROUNDS = 5
"""More than of longer runs: a start takes a tenth of a second."""


def cli_start() -> None:
    """CPU time of `numalens --help` and `--version` as multiples of `python -c "import typer"`."""
    peer = [sys.executable, "-c", "import typer"]
    numalens = str(Path(sys.executable).with_name("numalens"))
    for option in ("--help", "--version"):
        runs = [(measure(peer).cpu_s, measure([numalens, option]).cpu_s) for _ in range(ROUNDS)]
        print(
            f"numalens {option:9}  {spread([ours for _, ours in runs])} CPU s,"
            f" {spread([ours / theirs for theirs, ours in runs], '{:.1f}')} x import typer (at most 3)"
        )

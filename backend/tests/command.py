"""The command line as its users have it, and as a function."""

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numalens.cli.main import main
from tests import LAB


def run(*arguments: str | Path, status: int = 0, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Runs `numalens` to its end and checks how it ended."""
    return _ended([sys.executable, "-m", "numalens", *map(str, arguments)], status, options)


def run_lab(*arguments: str | Path, status: int = 0, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The same of the instruments in `scripts/lab`."""
    return _ended([sys.executable, str(LAB), *map(str, arguments)], status, options)


def _ended(command: list[str], status: int, options: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    ended = subprocess.run(command, capture_output=True, check=False, **options)
    assert ended.returncode == status, ended.stderr.decode()
    return ended


def call(*arguments: str | Path, status: int = 0) -> tuple[str, str]:
    """Runs `numalens` in this process, for commands that start none; returns standard output and standard error."""
    with _captured([str(argument) for argument in arguments]) as (out, errors):
        ended: Any = 0
        try:
            main()
        except SystemExit as end:
            ended = end.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
    said = errors.getvalue().decode()
    assert ended == status, said
    return out.getvalue().decode(), said


@contextmanager
def _captured(arguments: list[str]) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, errors = io.BytesIO(), io.BytesIO()
    before = sys.argv, sys.stdout, sys.stderr
    sys.argv = ["numalens", *arguments]
    sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(errors, "utf-8")
    # They would close the bytes with themselves.
    kept = sys.stdout, sys.stderr
    try:
        yield out, errors
    finally:
        sys.argv, sys.stdout, sys.stderr = before
        for stream in kept:
            stream.detach()

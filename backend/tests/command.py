"""The command line as its users have it: a process of its own."""

import subprocess
import sys
from pathlib import Path
from typing import Any


def run(*arguments: str | Path, status: int = 0, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Runs `numalens` to its end and checks how it ended."""
    command = [sys.executable, "-m", "numalens", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, check=False, **options)
    assert ended.returncode == status, ended.stderr.decode()
    return ended

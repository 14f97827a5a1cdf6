"""The recordings that tests read, bytes that only look like one, and folders of small files as the kernel's are."""

import json
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FIXTURES: Final = ROOT / "samples" / "fixtures"
SMALL: Final = FIXTURES / "tc-small.v7-zstd.dat"
NUMA: Final = FIXTURES / "cling-2x4-small.v7-zstd.dat"
DROPPED: Final = FIXTURES / "tc-dropped.v7-zstd.dat"
SAMPLE: Final = ROOT / "samples" / "cling-2x4-heavy"
LSCPU: Final = SAMPLE / "lscpu-p.txt"
NUMACTL: Final = SAMPLE / "numactl-H.txt"

PAGE: Final = "<!doctype html><title>NumaLens</title>"
GARBAGE: Final = bytes(range(256)) * 64
TRUNCATED: Final = SMALL.read_bytes()[:2000]


def counts(name: str) -> dict[str, int]:
    """The event counts of a fixture, as `trace-cmd report` has them."""
    found: dict[str, int] = json.loads((FIXTURES / f"{name}.counts.json").read_text())["counts"]
    return found


def put(root: Path, files: dict[str, str]) -> None:
    """Writes files, each by its path below `root`."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

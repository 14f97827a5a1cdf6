"""Event counts in files next to recordings, made by other tools, to compare with.

`stats.json` tells of the recordings in its folder and, when the folder is called like the beginning of a file's name, of
that file's twins in the neighbouring folders (`text/tc-small.report.txt` and `tc-small/stats.json`). `*.counts.json` is about
the files that it names in `files`, or of those whose names begin with its own. Both have `counts`: event to number, the
event with or without its system.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from numalens.cli.usage import UsageError

STATS: Final = "stats.json"
COUNTS: Final = ".counts.json"


def expected_counts(path: Path) -> dict[str, int] | None:
    """The counts that a file is said to have; None when nothing says so. Raises UsageError for a file of counts that is none."""
    for counts_file in _candidates(path):
        if counts_file.is_file():
            counts = _load(counts_file)
            if _is_about(counts_file, counts, path):
                return _by_name(counts_file, counts["counts"])
    return None


def differences(expected: Mapping[str, int], found: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Event to (expected, found), where the two are not the same."""
    names = sorted(expected.keys() | found.keys())
    pairs = {name: (expected.get(name, 0), found.get(name, 0)) for name in names}
    return {name: (said, is_) for name, (said, is_) in pairs.items() if said != is_}


def _candidates(path: Path) -> Iterator[Path]:
    yield from sorted(path.parent.glob(f"*{COUNTS}"))
    yield path.parent / STATS
    yield path.absolute().parent.parent / path.name.split(".", 1)[0] / STATS


def _load(path: Path) -> dict[str, Any]:
    try:
        counts = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be compared with: {error}") from error
    if not isinstance(counts, dict) or not isinstance(counts.get("counts"), dict):
        raise UsageError(f"{path} cannot be compared with: it has no object `counts`")
    return counts


def _is_about(counts_file: Path, counts: dict[str, Any], path: Path) -> bool:
    if counts_file.name == STATS:
        return True
    files = counts.get("files")
    if isinstance(files, list):
        return path.name in files
    return path.name.startswith(counts_file.name.removesuffix(COUNTS) + ".") or path.name + COUNTS == counts_file.name


def _by_name(path: Path, counts: dict[str, Any]) -> dict[str, int]:
    """The counts without the systems before the names, as a bundle's manifest has them."""
    found: defaultdict[str, int] = defaultdict(int)
    for event, count in counts.items():
        if not isinstance(count, int):
            raise UsageError(f"{path} cannot be compared with: the count of {event} is no whole number")
        found[event.rsplit(":", 1)[-1]] += count
    return dict(found)

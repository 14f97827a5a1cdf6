"""`scripts/lab inputs`: what each file is and has, one line an input."""

import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numalens_native
from numalens.cli.inputs import is_of_no_kind, is_utf8, open_bundle, read_files, walk
from numalens.cli.limited import work_prefix
from numalens.cli.usage import UsageError
from numalens.store.options import ReadOptions

from frame import REJECTED, counted, padded, show

EQUAL: Final = "="
DIFFERENT: Final = "differs"
WIDTHS: Final = {
    "kind": 11,
    "events": 11,
    "samples": 8,
    "types": 5,
    "lost": 12,
    "clock": 9,
    "seconds": 9,
    "check": 8,
}
LEFT: Final = frozenset({"kind", "clock", "check"})


@dataclass
class Row:
    """An input by itself; a member of an archive is one too."""

    input: str
    kind: str | None = None
    bytes: int | None = None
    events: int | None = None
    samples: int | None = None
    event_counts: dict[str, int] = field(default_factory=dict)
    lost_events: int | None = None
    lost_marks: int | None = None
    skipped: int = 0
    clock: str | None = None
    first_ns: int | None = None
    last_ns: int | None = None
    check: str | None = None
    """`=`, `differs`, `rejected`; None when there is nothing to compare with."""
    differences: dict[str, tuple[int, int]] = field(default_factory=dict)
    error: str | None = None

    def cells(self) -> dict[str, str]:
        """What the table shows."""
        seconds = None if self.first_ns is None or self.last_ns is None else (self.last_ns - self.first_ns) / 1e9
        lost = None
        if self.lost_marks is not None:
            lost = f"{self.lost_events or 0:,} in {self.lost_marks:,}" if self.lost_marks else "0"
        return {
            "kind": self.kind or "-",
            "events": _number(self.events),
            "samples": _number(self.samples),
            "types": _number(len(self.event_counts) or None),
            "lost": lost or "-",
            "clock": self.clock or "-",
            "seconds": "-" if seconds is None else f"{seconds:.3f}",
            "check": self.check or "-",
            "input": self.input,
        }


def run(paths: list[Path], check: bool, json_file: str | None, tolerant: bool) -> set[str]:
    """Prints the table, writes the JSON if wanted, and gives the results of all checks."""
    left_out = 0

    def read() -> Iterator[Row]:
        nonlocal left_out
        for path, named in walk(paths):
            found = read_alone(path, named, check=check, tolerant=tolerant)
            left_out += not found
            yield from found

    heads = _line({name: name for name in (*WIDTHS, "input")})
    rows = show(read(), _lines, json_file, heads, lambda rows: _sums(rows, left_out))
    return {row.check for row in rows if row.check is not None}


def _line(cells: Mapping[str, str]) -> str:
    return "  ".join([padded(cells, WIDTHS, LEFT), cells["input"]])


def _lines(row: Row) -> Iterator[str]:
    """One input, and what there is to say about it."""
    yield _line(row.cells())
    if row.error is not None:
        yield f"    {row.error}"
    if row.skipped:
        yield f"    {row.skipped:,} damaged parts were left out"
    for event, (said, found) in row.differences.items():
        yield f"    {event}: {said:,} expected, {found:,} found"


def _sums(rows: Sequence[Row], left_out: int) -> str:
    parts = [
        f"{len(rows):,} inputs",
        f"{sum(row.events or 0 for row in rows):,} events",
        f"{sum(row.samples or 0 for row in rows):,} samples",
        *counted([row.check for row in rows], {EQUAL: "as expected", DIFFERENT: DIFFERENT, REJECTED: REJECTED}),
    ]
    if left_out:
        parts.append(f"{left_out:,} files of no known kind left out")
    return ", ".join(parts)


def read_alone(path: Path, named: bool, *, check: bool, tolerant: bool) -> list[Row]:
    """The inputs that a file is or has. Empty for a file of no known kind that was only found."""
    try:
        if not named and not _is_known(path):
            return []
        with tempfile.TemporaryDirectory(prefix=work_prefix(os.getpid())) as work:
            bundle = Path(work) / "bundle"
            read_files([path], ReadOptions(tolerant=tolerant), bundle, Path(work) / "scratch")
            rows = _rows(path, open_bundle(bundle).manifest)
    except numalens_native.InputError as error:
        if not named and is_of_no_kind(error):
            return []
        return [Row(str(path), check=REJECTED, error=str(error))]
    if check:
        for row in rows:
            _compare(row, path)
    return rows


def _is_known(path: Path) -> bool:
    if not is_utf8(path):
        # It was not read: its row says why.
        return True
    try:
        numalens_native.sniff(str(path), path.name)
    except numalens_native.InputError:
        return False
    return True


def _rows(path: Path, manifest: dict[str, Any]) -> list[Row]:
    rows = []
    spans = [(table["from_ns"], table["to_ns"]) for table in manifest["samples"] if table["from_ns"] is not None]
    for position, entry in enumerate(manifest["inputs"]):
        counts: dict[str, int] = {}
        for table in manifest["tables"]:
            if table["input"] == position:
                counts[table["event"]] = counts.get(table["event"], 0) + table["rows"]
        own = [(span["first_ns"], span["last_ns"]) for span in entry.get("cpu_spans") or []]
        if "samples" in entry:
            own = spans
        rows.append(
            Row(
                f"{path}{entry['name'].removeprefix(path.name)}",
                kind=entry["kind"],
                bytes=entry["bytes"],
                events=entry.get("events"),
                samples=entry.get("samples"),
                event_counts=counts,
                lost_events=entry.get("lost_events"),
                lost_marks=entry.get("lost_marks"),
                skipped=len(entry["skipped"]) + entry["skipped_more"],
                clock=entry.get("clock"),
                first_ns=min((first for first, _ in own), default=None),
                last_ns=max((last for _, last in own), default=None),
            )
        )
    return rows


def _compare(row: Row, path: Path) -> None:
    """Compares a recording that is a file of its own; counts next to an archive say nothing of its members."""
    if row.events is None or row.input != str(path):
        return
    expected = expected_counts(path)
    if expected is not None:
        row.differences = differences(expected, row.event_counts)
        row.check = DIFFERENT if row.differences else EQUAL


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


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

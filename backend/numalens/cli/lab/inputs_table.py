"""`numalens lab inputs`: what each file is and has, one line an input."""

import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

import numalens_native

from numalens.cli.companions import is_of_no_kind, walk
from numalens.cli.inputs import is_utf8, open_bundle, read_files
from numalens.cli.lab.expected_counts import differences, expected_counts
from numalens.cli.limited import work_prefix
from numalens.cli.output import write_rows
from numalens.store.options import ReadOptions

COLUMNS: Final = ("kind", "events", "samples", "types", "lost", "clock", "seconds", "check", "input")
RIGHT: Final = frozenset({"events", "samples", "types", "lost", "seconds"})
EQUAL: Final = "="
DIFFERENT: Final = "differs"
REJECTED: Final = "rejected"
SAID: Final = {EQUAL: "as expected"}


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
    table = _Table(sys.stderr if json_file == "-" else sys.stdout)
    rows: list[Row] = []
    left_out = 0
    for path, named in walk(paths):
        found = read_alone(path, named, check=check, tolerant=tolerant)
        left_out += not found
        for row in found:
            table.print(row)
        rows += found
    table.end(rows, left_out)
    write_rows(rows, json_file)
    return {row.check for row in rows if row.check is not None}


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
        # Nobody looked into it: its row says why.
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


class _Table:
    """The lines of the table, printed as they come: reading may take long."""

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

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._line({name: name for name in COLUMNS})

    def print(self, row: Row) -> None:
        """One input, and what there is to say about it."""
        self._line(row.cells())
        if row.error is not None:
            self._out.write(f"    {row.error}\n")
        if row.skipped:
            self._out.write(f"    {row.skipped:,} damaged parts were left out\n")
        for event, (said, found) in row.differences.items():
            self._out.write(f"    {event}: {said:,} expected, {found:,} found\n")

    def end(self, rows: list[Row], left_out: int) -> None:
        """The sums."""
        parts = [
            f"{len(rows):,} inputs",
            f"{sum(row.events or 0 for row in rows):,} events",
            f"{sum(row.samples or 0 for row in rows):,} samples",
        ]
        counts = {state: sum(row.check == state for row in rows) for state in (EQUAL, DIFFERENT, REJECTED)}
        parts += [f"{count:,} {SAID.get(state, state)}" for state, count in counts.items() if count]
        if left_out:
            parts.append(f"{left_out:,} files of no known kind left out")
        self._out.write(", ".join(parts) + "\n")

    def _line(self, cells: dict[str, str]) -> None:
        padded = [
            cells[name].rjust(width) if name in RIGHT else cells[name].ljust(width)
            for name, width in self.WIDTHS.items()
        ]
        self._out.write("  ".join([*padded, cells["input"]]) + "\n")
        self._out.flush()


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"

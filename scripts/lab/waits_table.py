"""`scripts/lab waits`: the waits of recordings as the section `latency` and SQL count them, and what they were spent on."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numalens_native as native
from numalens.cli.inputs import RecordingFiles, read_recording, recordings
from numalens.perfetto.engine import NARROW_BYTES
from numalens.perfetto.errors import PerfettoError
from numalens.perfetto.sql.protocol import Limits
from numalens.perfetto.sql.session import Session
from numalens.report import ask
from numalens.report.build import is_missing

import frame
from frame import REJECTED, show

EQUAL: Final = "equal"
DIFFERENT: Final = "different"
KINDS: Final = ("preempted", "new", "unfinished")
"""Kinds of waits but `woken`, which the section has at its top."""
LIMITS: Final = Limits(NARROW_BYTES, seconds=600.0, load_seconds=600.0)
MANY: Final = 1 << 20
"""More rows than any query here has."""
INCLUDE: Final = "INCLUDE PERFETTO MODULE numalens.latency;"
BY_KIND: Final = "SELECT kind, count(), sum(dur) FROM {} GROUP BY kind"
BY_CAUSE: Final = "SELECT kind, cause, total_ns FROM numalens_wait_by_cause"
BY_NODE: Final = "SELECT nid, waits, total_ns FROM numalens_wait_by_node WHERE kind = 'woken' AND nid IS NOT NULL"
Window = tuple[int, int]


@dataclass(frozen=True)
class Sums:
    """What one reader of the waits says of a window."""

    kinds: Mapping[str, tuple[int, int]]
    """How many waits of a kind, and their sum, ns; without the kinds that have none."""
    causes: Mapping[tuple[str, str], int]
    """What the waits of a kind were spent on, ns."""
    nodes: Mapping[int, tuple[int, int]]
    """Wake-ups by node: how many, and the sum of their waits, ns."""

    @property
    def waits(self) -> int:
        """How many waits there are."""
        return sum(count for count, _ in self.kinds.values())

    @property
    def wait_ns(self) -> int:
        """Their sum."""
        return sum(ns for _, ns in self.kinds.values())

    def unequal(self) -> Iterator[str]:
        """Where the causes of a kind do not add up to its waits."""
        spent: Counter[str] = Counter()
        for (kind, _), ns in self.causes.items():
            spent[kind] += ns
        for kind, (_, ns) in self.kinds.items():
            if spent[kind] != ns:
                yield f"causes of {kind} waits {spent[kind]} ns of {ns}"

    def apart(self, other: "Sums") -> Iterator[str]:
        """What another reader says otherwise."""
        for what in ("kinds", "causes", "nodes"):
            ours, theirs = getattr(self, what), getattr(other, what)
            for key in sorted(ours.keys() | theirs.keys()):
                if ours.get(key) != theirs.get(key):
                    yield f"{what} {key}: {ours.get(key)} and {theirs.get(key)}"


@dataclass
class Row(frame.Row):
    """A recording, its waits, and where readers of them differ."""

    waits: int = 0
    wait_ns: int = 0
    differences: list[str] = field(default_factory=list)


def run(paths: list[Path], windows: int, json_file: str | None, tolerant: bool = False) -> set[str]:
    """Prints the table, writes the JSON if wanted, and gives all verdicts."""
    computed = (compute(files, windows, tolerant) for files in recordings(paths, sampled=False))
    rows = show(computed, _lines, json_file, f"{'waits':>9} {'sum, ns':>20}  verdict    recording")
    return {row.verdict for row in rows}


def _lines(row: Row) -> Iterator[str]:
    yield f"{row.waits:>9,} {row.wait_ns:>20,}  {row.verdict:<9}  {row.recording}"
    yield from (f"    {line}" for line in ([row.reason] if row.reason else row.differences))


def compute(files: RecordingFiles, windows: int, tolerant: bool = False) -> Row:
    """The sums of a recording, and what readers of its waits say otherwise, of the whole and of `windows` parts of it."""
    row = Row(str(files.recording))
    try:
        with read_recording(files, tolerant=tolerant) as opened:
            manifest = opened.manifest
            whole = int(manifest["origin_ns"]), int(manifest["end_ns"])
            latency = ask(opened.engine, "latency", whole, {})
            if is_missing(latency):
                row.reason = latency["reason"]
                return row
            sums = of_section(latency)
            row.waits, row.wait_ns = sums.waits, sums.wait_ns
            row.differences = list(differences(opened.engine, whole, windows))
            row.verdict = DIFFERENT if row.differences else EQUAL
    except (native.InputError, PerfettoError) as error:
        row.verdict, row.reason = REJECTED, str(error)
    return row


def differences(bundle: native.Bundle, whole: Window, windows: int) -> Iterator[str]:
    """What readers of the waits say otherwise than the section `latency`, of the whole recording and of `windows` parts of it."""
    first, last = whole
    edges = [first + (last - first) * part // windows for part in range(windows + 1)] if windows else []
    parts = [window for window in pairwise(edges) if window[0] < window[1]]
    with closing(Session(LIMITS)) as session:
        session.load(bundle, None, None)
        yield from _apart(bundle, session, whole)
        for window in parts:
            cut = _by_kind(session, f"numalens_wait_between({window[0]}, {window[1]})")
            expected = of_section(ask(bundle, "latency", window, {})).kinds
            if cut != expected:
                yield f"{window}: numalens_wait_between has {cut} and the section {expected}"
    for window in parts:
        with closing(Session(LIMITS)) as session:
            session.load(bundle, *window)
            yield from _apart(bundle, session, window)


def _apart(bundle: native.Bundle, session: Session, window: Window) -> Iterator[str]:
    expected = of_section(ask(bundle, "latency", window, {}))
    found = of_sql(session)
    for line in (*expected.unequal(), *found.unequal(), *expected.apart(found)):
        yield f"{window}: {line}"


def of_section(latency: Mapping[str, Any]) -> Sums:
    """What the section `latency` says."""
    parts = {"woken": {**latency, "count": latency["wakeups"]}, **{kind: latency[kind] for kind in KINDS}}
    return Sums(
        {kind: (int(part["count"]), int(part["wait_ns"])) for kind, part in parts.items() if int(part["count"])},
        {(kind, each["cause"]): int(each["ns"]) for kind, part in parts.items() for each in part["causes"]},
        {int(node["nid"]): (int(node["count"]), int(node["wait_ns"])) for node in latency["by_node"] if node["count"]},
    )


def of_sql(session: Session) -> Sums:
    """What SQL says of the window that a session has loaded."""
    return Sums(
        _by_kind(session, "numalens_wait"),
        {(kind, cause): int(ns) for kind, cause, ns in _rows(session, BY_CAUSE)},
        {int(nid): (int(count), int(ns)) for nid, count, ns in _rows(session, BY_NODE)},
    )


def _by_kind(session: Session, table: str) -> dict[str, tuple[int, int]]:
    return {kind: (int(count), int(ns)) for kind, count, ns in _rows(session, BY_KIND.format(table))}


def _rows(session: Session, sql: str) -> list[list[Any]]:
    answer = json.loads(session.query(f"{INCLUDE} {sql}", MANY))
    found: list[list[Any]] = answer["rows"]
    return found

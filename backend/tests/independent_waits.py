"""Compares the product's waits with those that `independent_replay.py` finds in the text of `trace-cmd report -t`.

`../.venv/bin/python -m tests.independent_waits RECORDING...` in `backend/` does so for trace.dat files and texts, whole and in
windows whose edges cut waits: with `numalens analyze --json`, with the section latency, and wait by wait. It prints a line
for each recording and each difference; the exit status is 1 if there is any.

The replay dates missing switches by other events (docs/algorithms/common.md K6), which the text's replay does not. Tasks
that such a switch concerns are apart: their waits are counted on both sides, and all others have to be the same.
"""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numalens_native as native
import pyarrow as pa
from pyarrow import ipc

from tests.command import run
from tests.independent_replay import KINDS, Kind, Sum, Wait, Waits, replay

BEGAN: Final = ("waking", "wakeup", "preempted", "new", "resumed")
ENDED: Final = ("ran", "recording_end", "lost_events", "gone")
"""Names of the numbers in the column `from` of waits.arrow: lower and upper four bits."""
LIST: Final = 1000
"""The most that a section lists."""
Window = tuple[int, int]
Part = Mapping[str, Any]


def windows(waits: Waits, count: int = 12) -> Iterator[Window]:
    """Windows whose edges lie inside of waits, then two whose edges are the very ends of waits."""
    long = [wait for wait in waits.waits if wait.end - wait.begin > 1]
    for part in range(count):
        first, last = long[len(long) * part // (count + 2)], long[len(long) * (part + 2) // (count + 2) - 1]
        yield (first.begin + first.end) // 2, (last.begin + last.end) // 2
    for first, last in ((long[len(long) // 3], long[len(long) // 2]), (long[len(long) // 5], long[len(long) // 4])):
        yield first.begin, last.end
        yield first.end, last.begin


def differences(latency: Part, waits: Waits, window: Window, apart: Collection[int] = ()) -> list[str]:
    """Where a section latency of a window differs, but for the tasks that stand apart."""
    kinds, by_task = waits.sums(*window)
    found = []

    def compare(what: str, ours: Sum, theirs: Sum) -> None:
        if ours != theirs:
            found.append(f"{window[0]} to {window[1]}, {what}: {_said(theirs)}; independently {_said(ours)}")

    for kind in KINDS:
        ours = {pid: one for (pid, of), one in by_task.items() if of == kind}
        listed, rows = _listed(kind, latency), _rows(kind, latency)
        if not apart:
            compare(kind, kinds[kind], _total(kind, latency))
        for pid in (ours.keys() | (listed or rows or {}).keys()) - set(apart):
            one = ours.get(pid, Sum())
            if listed is not None:
                compare(f"{kind} of task {pid}", one, listed.get(pid, Sum()))
            if rows is not None:
                row = rows.get(pid, Sum())
                compare(
                    f"{kind} in task {pid}'s rows", one, row if kind == "woken" else replace(row, longest=one.longest)
                )
    return found


def _said(one: Sum) -> str:
    return f"{one.count} waits of {one.ns} ns, at most {one.longest}"


def _total(kind: Kind, latency: Part) -> Sum:
    if kind == "woken":
        return Sum(latency["wakeups"], int(latency["wait_ns"]), int(latency["max_ns"] or 0))
    part = latency[kind]
    return Sum(part["count"], int(part["wait_ns"]), int(part["max_ns"] or 0))


def _listed(kind: Kind, latency: Part) -> dict[int, Sum] | None:
    """The waits of a kind by task; none if the section does not list all."""
    worst = latency["worst"] if kind == "woken" else latency[kind]["worst"]
    if len(worst) != _total(kind, latency).count:
        return None
    found: dict[int, Sum] = defaultdict(Sum)
    for wait in worst:
        found[wait["pid"]].add(int(wait["wait_ns"]))
    return found


def _rows(kind: Kind, latency: Part) -> dict[int, Sum] | None:
    """The rows of tasks, which have wake-ups and, but for the longest, preempted waits; none if not all tasks have one.

    A pid has a row for each name it had.
    """
    if kind not in {"woken", "preempted"} or len(latency["by_task"]) != latency["tasks"]:
        return None
    found: dict[int, Sum] = defaultdict(Sum)
    for row in latency["by_task"]:
        one, woken = found[row["pid"]], kind == "woken"
        one.count += row["count" if woken else "preempted"]
        one.ns += int(row["wait_ns" if woken else "preempted_ns"])
        one.longest = max(one.longest, int(row["max_ns"] or 0)) if woken else 0
    return found


def section(bundle: native.Bundle, window: Window) -> Part:
    found: Part = json.loads(bundle.analysis("latency", *window, json.dumps({"limit": LIST})))
    return found


def ledger(bundle: Path) -> list[Wait]:
    """The waits in a bundle's log."""
    pids = {row[0]: row[1] for row in _columns(bundle / "tasks.arrow", "task", "pid")}
    rows = _columns(bundle / "waits" / "waits.arrow", "start_ns", "end_ns", "task", "from")
    return [
        Wait(pids[task], start, end, BEGAN[how & 15], ENDED[how >> 4]) for start, end, task, how in rows if pids[task]
    ]


def _columns(path: Path, *names: str) -> Iterator[tuple[int, ...]]:
    with pa.memory_map(str(path)) as file:
        columns = ipc.open_file(file).read_all()
        yield from zip(*(columns[name].to_pylist() for name in names), strict=True)


def unequal(bundle: Path, waits: Waits) -> list[str]:
    """The waits that only one side has, of tasks that do not stand apart."""
    ours, theirs = (
        Counter(wait for wait in side if wait.pid not in waits.disturbed) for side in (waits.waits, ledger(bundle))
    )
    return [
        f"task {wait.pid}, {wait.began} {wait.begin}, {wait.ended} {wait.end}: only {name}"
        for more, name in ((ours - theirs, "found independently"), (theirs - ours, "in the log"))
        for wait in sorted(more.elements())
    ]


@contextmanager
def _text(recording: Path) -> Iterator[Iterable[str]]:
    """The lines of a text, or what trace-cmd makes of a recording."""
    if ".txt" in recording.suffixes:
        unpacked = pa.input_stream(str(recording), compression="zstd" if recording.suffix == ".zst" else None)
        yield unpacked.read().decode(errors="replace").splitlines()
        return
    command = ["trace-cmd", "report", "-t", str(recording)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace"
    ) as report:
        assert report.stdout is not None
        yield report.stdout
    assert report.returncode == 0, command


def check(recording: Path, folder: Path) -> list[str]:
    """Prints what the recording has, and returns the differences."""
    with _text(recording) as lines:
        waits = replay(lines)
    run("analyze", recording, "-o", folder / "bundle")
    bundle, apart = native.Bundle(str(folder / "bundle")), waits.disturbed
    chosen = [(waits.first_ns, waits.last_ns), *windows(waits)]
    found = unequal(folder / "bundle", waits)
    for window in chosen:
        edges = ("--from", str(window[0]), "--to", str(window[1]))
        printed = json.loads(run("analyze", folder / "bundle", *edges, "--json", "-").stdout)["latency"]
        found += differences(printed, waits, window, apart)
        found += differences(section(bundle, window), waits, window, apart)
    print(f"{recording}: {len(waits.waits)} waits, {len(chosen)} windows, {len(found)} differences")
    if apart:
        sides = [
            [wait.end - wait.begin for wait in side if wait.pid in apart]
            for side in (waits.waits, ledger(folder / "bundle"))
        ]
        said = "; ".join(
            f"{name} {len(side)} waits of {sum(side)} ns"
            for name, side in zip(("independently", "in the log"), sides, strict=True)
        )
        tasks = len({wait.pid for wait in waits.waits})
        print(f"  switches of {len(apart)} tasks of {tasks} are missing ({', '.join(map(str, sorted(apart)))}): {said}")
    return found


def main(recordings: list[str]) -> int:
    differing = 0
    for recording in recordings:
        with TemporaryDirectory() as folder:
            for difference in check(Path(recording), Path(folder)):
                print(f"  {difference}")
                differing += 1
    return differing > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

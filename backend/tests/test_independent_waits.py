"""The section latency has the waits that another hand finds in the text of the same events, in all and in windows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numalens_native as native
import pyarrow as pa
import pytest
from pyarrow import ipc

from numalens.jobs.reading import read_inputs
from tests.independent_replay import KINDS, Waits, replay
from tests.independent_waits import differences, ledger, section, unequal, windows
from tests.recordings import FIXTURES, NUMA, SMALL

TEXTS: Final = FIXTURES / "text"
IDLE_6_1: Final = FIXTURES / "idle-6.1-2x4.part.v7-none.dat.zst"
IDLE_6_12: Final = FIXTURES / "idle-6.12-2x2.part.v7-none.dat.zst"
WAKEUP: Final = "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:03}"
FORMS: Final = {
    "sched_switch": "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={state} ==> "
    "next_comm={next_comm} next_pid={next_pid} next_prio={next_prio}",
    **dict.fromkeys(("sched_waking", "sched_wakeup", "sched_wakeup_new"), WAKEUP),
    "sched_migrate_task": "comm={comm} pid={pid} prio={prio} orig_cpu={orig_cpu} dest_cpu={dest_cpu}",
    "sched_process_fork": "comm={parent_comm} pid={parent_pid} child_comm={child_comm} child_pid={child_pid}",
    "sched_process_free": "comm={comm} pid={pid} prio={prio}",
}
"""How the kernel prints what the replay of texts reads (include/trace/events/sched.h)."""


def read(file: Path, folder: Path) -> tuple[Path, native.Bundle]:
    read_inputs([(file.name, str(file))], folder / "bundle", folder / "scratch")
    return folder / "bundle", native.Bundle(str(folder / "bundle"))


def unpacked(name: str) -> list[str]:
    """The lines of a text that trace-cmd wrote."""
    return pa.input_stream(str(TEXTS / f"{name}.txt.zst"), compression="zstd").read().decode().splitlines()  # type: ignore[no-any-return]


def printed(folder: Path) -> list[str]:
    """The events of a bundle as the kernel prints them."""
    lines = [
        (row["seq"], _printed(file.name.split(".")[1], row))
        for file in (folder / "events" / "0").iterdir()
        for row in ipc.open_file(str(file)).read_all().to_pylist()
    ]
    return [line for _, line in sorted(lines)]


def _printed(event: str, row: Mapping[str, Any]) -> str:
    state = "S" if row.get("prev_state", 0) & 0xFF else "R"
    seconds, ns = divmod(row["ts_ns"], 10**9)
    said = FORMS.get(event, "").format_map({**row, "state": state})
    return f"task-{row['common_pid']} [{row['cpu']:03}] {seconds}.{ns:09}: {event}: {said}"


def hold_together(folder: Path, bundle: native.Bundle, waits: Waits) -> None:
    """All of the recording, and windows whose edges cut waits or are their ends."""
    assert unequal(folder, waits) == []
    cuts = list(windows(waits))
    assert sum(any(wait.begin < edge < wait.end for wait in waits.waits) for cut in cuts for edge in cut) >= 24
    for window in ((waits.first_ns, waits.last_ns), *cuts):
        assert differences(section(bundle, window), waits, window, waits.disturbed) == []


def test_the_text_of_trace_cmd(tmp_path: Path) -> None:
    folder, bundle = read(NUMA, tmp_path)
    waits = replay(unpacked("cling-2x4-small.report-N-t"))
    kinds, tasks = waits.sums(waits.first_ns, waits.last_ns)
    assert not waits.disturbed
    assert min(kinds[kind].count for kind in ("woken", "preempted", "unfinished")) > 0
    assert len({pid for pid, _ in tasks}) > 50
    hold_together(folder, bundle, waits)


@pytest.mark.parametrize("file", [IDLE_6_1, IDLE_6_12], ids=lambda file: file.name)
def test_other_kernels(file: Path, tmp_path: Path) -> None:
    folder, bundle = read(file, tmp_path)
    waits = replay(printed(folder))
    assert not waits.disturbed
    hold_together(folder, bundle, waits)


def test_tasks_with_missing_switches_stand_apart(tmp_path: Path) -> None:
    folder, bundle = read(SMALL, tmp_path)
    waits = replay(unpacked("tc-small.report-t"))
    kinds, _ = waits.sums(waits.first_ns, waits.last_ns)
    assert all(kinds[kind].count for kind in KINDS if kind != "unfinished")
    assert 0 < len(waits.disturbed) < len({wait.pid for wait in waits.waits}) / 2
    hold_together(folder, bundle, waits)


def test_lost_events_split_waits(tmp_path: Path) -> None:
    """Three CPUs lose events for a while, one of them where another has lost some already."""
    lines = unpacked("cling-2x4-small.report-N-t")
    for cpu, first, last in ((3, 30_000, 34_000), (1, 50_000, 51_000), (6, 50_500, 53_000)):
        lines = _without(lines, cpu, first, last)
    text = tmp_path / "lost.txt"
    text.write_text("\n".join(lines) + "\n")
    folder, bundle = read(text, tmp_path)
    waits = replay(lines)
    assert {wait.ended for wait in waits.waits} >= {"ran", "lost_events", "recording_end"}
    assert any(wait.began == "resumed" and wait.ended == "ran" for wait in waits.waits)
    hold_together(folder, bundle, waits)


def _without(lines: list[str], cpu: int, first: int, last: int) -> list[str]:
    """The lines without those of a CPU between two, up to its next switch."""
    mine = f" [{cpu:03}] "
    until = next(at for at in range(last, len(lines)) if mine in lines[at] and " sched_switch:" in lines[at])
    kept = [line for line in lines[first:until] if mine not in line]
    return [*lines[:first], *kept, f"CPU:{cpu} [{until - first - len(kept)} EVENTS DROPPED]", *lines[until:]]


def test_a_wait_less_shows(tmp_path: Path) -> None:
    folder, bundle = read(NUMA, tmp_path)
    waits = replay(unpacked("cling-2x4-small.report-N-t"))
    whole = waits.first_ns, waits.last_ns
    preempted = next(wait for wait in waits.waits if wait.began == "preempted")
    waits.waits.remove(preempted)
    assert unequal(folder, waits) == [
        f"task {preempted.pid}, preempted {preempted.begin}, ran {preempted.end}: only in the log"
    ]
    found = differences(section(bundle, whole), waits, whole)
    assert len(found) == 2
    assert f"preempted in task {preempted.pid}'s rows" in found[1]
    assert len(ledger(folder)) == len(waits.waits) + 1

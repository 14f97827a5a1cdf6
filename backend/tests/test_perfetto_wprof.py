"""wprof's Perfetto traces: who ran is in slices of threads, unless it was asked for events."""

from pathlib import Path
from typing import Any

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests import wprof_traces as wprof
from tests.perfetto_traces import Event
from tests.sql_helpers import section
from tests.test_perfetto_import import imported
from tests.wprof_traces import Task, Wprof, idle

DB = Task(101, 100, "db-worker")
WEB = Task(200, 200, "web")
US = 1_000


def trace(*, interned: bool = True, old: bool = False) -> Wprof:
    """On CPU 0 `web` runs, wakes `db-worker`, is preempted by it, goes on when that blocks, and blocks. CPU 1 is idle.

    `old` has the names of 2025, which tell by the next slice how one ended.
    """
    made = Wprof(interned)

    def out(reason: str) -> dict[str, wprof.Value]:
        return {} if old else {"offcpu_reason": reason}

    waker, waker_cpu = ("waking_by_tid", "waking_cpu") if old else ("waker_tid", "waker_cpu")

    def woken(by: Task, reason: str, delay_us: float) -> dict[str, wprof.Value]:
        return {
            waker: 0 if by.pid == wprof.IDLE else by.tid,
            waker_cpu: 0,
            "waking_reason": reason,
            "waking_delay_us": delay_us,
        }

    made.event(0, WEB, wprof.BEGIN, "ONCPU", WEB.comm, {"cpu": 0})
    made.event(0, idle(1), wprof.BEGIN, "ONCPU", idle(1).comm, {"cpu": 1})
    made.event(50 * US, WEB, wprof.BEGIN, "HARDIRQ", "HARDIRQ", {"cpu": 0, "irq": 4})
    made.event(60 * US, WEB, wprof.END, "HARDIRQ", None, {})
    made.event(90 * US, WEB, wprof.INSTANT, "WAKER", "WAKER", {"cpu": 0, "wakee": DB.comm})
    made.switch(100 * US, 0, WEB, DB, end=out("preempted"), begin=woken(WEB, "woken", 10.001))
    made.switch(300 * US, 0, DB, WEB, end=out("blocked"), begin=woken(DB, "preempted", 200.0))
    made.switch(400 * US, 0, WEB, idle(0), end=out("blocked"), begin={})
    made.switch(900 * US, 0, idle(0), DB, end={}, begin=woken(idle(0), "woken", 5.5))
    made.event(950 * US, DB, wprof.END, "ONCPU", None, {"cpu": 0, **out("blocked"), "switch_to": "swapper/0"})
    return made


def written(made: Wprof, folder: Path) -> Path:
    path = folder / "wprof.pb"
    path.write_bytes(made.encode())
    return path


def switches(rows: dict[str, list[dict[str, Any]]]) -> list[tuple[Any, ...]]:
    keys = ("prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid")
    return [(row["ts"], row["cpu"], *(row["args"][key] for key in keys)) for row in rows["sched_switch"]]


PREEMPTED = 256
EXPECTED = [
    (100 * US, 0, "web", 200, PREEMPTED, "db-worker", 101),
    (300 * US, 0, "db-worker", 101, 1, "web", 200),
    (400 * US, 0, "web", 200, 1, "swapper/0", 0),
    (900 * US, 0, "swapper/0", 0, 0, "db-worker", 101),
]


@pytest.mark.parametrize("interned", [True, False])
def test_slices_become_switches_and_wakings(tmp_path: Path, interned: bool) -> None:
    rows, info = imported(written(trace(interned=interned), tmp_path))
    assert switches(rows) == EXPECTED
    wakings = [(row["ts"], row["cpu"], row["tid"], row["args"]) for row in rows["sched_waking"]]
    woken = {"comm": "db-worker", "pid": 101, "prio": 120, "target_cpu": 0}
    assert wakings == [(89_999, 0, 200, woken), (894_500, 0, 0, woken)]
    assert [row["tid"] for row in rows["sched_switch"]] == [200, 101, 200, 0]
    ranks = sorted((row["seq"], row["ts"]) for named in rows.values() for row in named)
    assert [seq for seq, _ in ranks] == list(range(6))
    assert ranks == sorted(ranks, key=lambda rank: rank[1])
    assert any("wprof -e sched" in note and "nice 0" in note for note in info["notes"])


def test_earlier_traces_tell_by_the_next_slice_how_one_ended(tmp_path: Path) -> None:
    rows, _ = imported(written(trace(old=True), tmp_path))
    assert switches(rows) == [*EXPECTED[:2], (400 * US, 0, "web", 200, 0, "swapper/0", 0), *EXPECTED[3:]]
    assert [row["ts"] for row in rows["sched_waking"]] == [89_999, 894_500]


def test_where_no_slice_is_the_cpu_is_idle(tmp_path: Path) -> None:
    """Recorded without idle tasks."""
    made = Wprof()
    for start, end in ((0, 100), (400, 500)):
        made.event(start * US, WEB, wprof.BEGIN, "ONCPU", WEB.comm, {"cpu": 0})
        made.event(end * US, WEB, wprof.END, "ONCPU", None, {"cpu": 0, "offcpu_reason": "blocked"})
    rows, _ = imported(written(made, tmp_path))
    assert switches(rows) == [
        (100 * US, 0, "web", 200, 1, "swapper/0", 0),
        (400 * US, 0, "swapper/0", 0, 0, "web", 200),
    ]


def test_events_come_before_slices(tmp_path: Path) -> None:
    """`wprof -e sched` writes both, and the events tell priorities and states."""
    made = trace()
    args: dict[str, int | str] = {"prev_comm": "web", "prev_pid": 200, "prev_prio": 100, "prev_state": 2}
    args |= {"next_comm": "db-worker", "next_pid": 101, "next_prio": 90}
    made.events(0, [Event(100 * US, 0, 200, "sched_switch", args)])
    rows, info = imported(written(made, tmp_path))
    assert [row["args"] for row in rows["sched_switch"]] == [args]
    assert "sched_waking" not in rows
    assert not any("wprof" in note for note in info["notes"])


def test_slices_of_another_kind_are_none(tmp_path: Path) -> None:
    """A program's own slices: no CPU is known."""
    made = Wprof()
    made.event(0, WEB, wprof.BEGIN, "ONCPU", WEB.comm, {"frame": 1})
    made.event(9 * US, WEB, wprof.END, "ONCPU", None, {})
    with pytest.raises(Exception, match="no readable ftrace events and no readable run times"):
        imported(written(made, tmp_path))


def test_waits_are_those_of_the_slices(tmp_path: Path) -> None:
    path = written(trace(), tmp_path)
    read_inputs([(path.name, str(path))], tmp_path / "bundle", tmp_path / "scratch")
    latency = section(native.Bundle(str(tmp_path / "bundle")), "latency")
    waits = [(one["comm"], one["waking_ns"], one["wait_ns"], one["waker_pid"]) for one in latency["worst"]]
    assert waits == [("db-worker", 89_999, 10_001, 200), ("db-worker", 894_500, 5_500, 0)]
    [preempted] = latency["preempted"]["worst"]
    assert (preempted["comm"], preempted["wait_ns"], preempted["antagonists"][0]["pid"]) == ("web", 200 * US, 101)

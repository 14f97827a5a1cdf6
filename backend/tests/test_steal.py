"""What takes CPUs from their kernel, as lanes: steal that samples tell of, hardware noise, timers that were late."""

import json
from pathlib import Path
from typing import Any

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section

MS = 10**6
MARK = "a-7 [000] ..... {}: tracing_mark_write: psi_sample idx={} mono_ns={} real_ns=1795256520{:09}\n"
SWITCH = (
    "sched_switch: prev_comm={}/{} prev_pid={} prev_prio=120 prev_state=R ==> next_comm={} next_pid={} next_prio=120\n"
)
TRACE = (
    "<idle>-0 [000] d..2. 10.000000: "
    + SWITCH.format("swapper", 0, 0, "a", 7)
    + MARK.format("10.001000", 0, 10_001_000_000, 0)
    + "<idle>-0 [001] d..2. 10.002000: "
    + SWITCH.format("swapper", 1, 0, "b", 8)
    + MARK.format("10.101000", 1, 10_101_000_000, 100_000_000)
    + "a-7 [000] d..2. 10.200000: "
    + SWITCH.format("a", 0, 7, "c", 9)
)


def hardware(
    folder: Path, trace: str, stats: list[str], name: str = "hardware", vmstat: tuple[str, ...] = ()
) -> dict[str, Any]:
    folder.mkdir()
    (folder / "trace.txt").write_text(trace)
    names = ["trace.txt"]
    if vmstat:
        (folder / "numactl.txt").write_text("available: 2 nodes (0-1)\nnode 0 cpus: 0\nnode 1 cpus: 1\n")
        names.append("numactl.txt")
    if stats:
        lines = [
            {"idx": idx, "mono_ns": 10_001_000_000 + idx * 100 * MS, "vmstat": counters, "stat": stat}
            for idx, (stat, counters) in enumerate(
                zip(stats, vmstat or ("nr_free_pages 1\n",) * len(stats), strict=True)
            )
        ]
        (folder / "vmstat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        names.append("vmstat.jsonl")
    read_inputs([(one, str(folder / one)) for one in names], folder / "bundle", folder / "scratch")
    return section(native.Bundle(str(folder / "bundle")), name)


def stat(of_0: int, of_1: int) -> str:
    """Ticks of 10 ms: user, nice, system, idle, iowait, irq, softirq, steal."""
    cpus = ((0, of_0), (1, of_1))
    return f"cpu  9 0 0 0 0 0 0 {of_0 + of_1}\n" + "".join(f"cpu{cpu} 9 0 0 0 0 0 0 {ticks}\n" for cpu, ticks in cpus)


def test_samples_tell_how_much_was_stolen_and_not_when(tmp_path: Path) -> None:
    answer = hardware(tmp_path / "stolen", TRACE, [stat(3, 1), stat(8, 1)])
    assert (answer["label"], answer["kinds"]) == ("inferred", ["steal"])
    assert "the host" in answer["missing"][0]
    lanes = {lane["cpu"]: lane for lane in answer["lanes"]}
    # 5 ticks of 100 ms, evenly.
    assert lanes[0]["ns"] == 50 * MS
    assert set(lanes[0]["permille"][1:-1]) <= {500, 501}
    assert lanes[1]["ns"] == 0
    assert lanes[1]["permille"] == []


def test_no_steal_is_no_lane(tmp_path: Path) -> None:
    for name, stats in (("idle", [stat(3, 1), stat(3, 1)]), ("none", [])):
        answer = hardware(tmp_path / name, TRACE, stats)
        assert answer["available"] is False
        assert "no event is about the CPUs' hardware" in answer["reason"]


LATE = (
    TRACE + "<idle>-0 [001] d.h1. 10.300000: #1     context    irq timer_latency      2000 ns\n"
    "timerlat/1-99 [001] ..... 10.301000: #1     context thread timer_latency   1000000 ns\n"
)


def test_timers_and_hardware_that_took_the_cpu_are_lanes(tmp_path: Path) -> None:
    away = "osnoise/1-98 [001] ..... 10.400000: sample_threshold: start 9.9 duration 3000000 ns interference {}\n"
    answer = hardware(tmp_path / "late", LATE + away.format(0), [])
    found = {(lane["kind"], lane["cpu"]): lane for lane in answer["lanes"]}
    # The interrupt's latency is part of the thread's.
    assert found.keys() == {("timer_latency", 1), ("hardware_noise", 1)}
    timer, noise = found["timer_latency", 1], found["hardware_noise", 1]
    assert (timer["ns"], timer["count"], set(timer["value"])) == (MS, 1, {1000})
    assert noise["ns"] == 3 * MS
    # What an interrupt or a task took is none of the hardware's.
    answer = hardware(tmp_path / "disturbed", LATE + away.format(2), [])
    assert answer["kinds"] == ["timer_latency"]


@pytest.mark.parametrize("event", ["timerlat", "hwlat", "osnoise"])
def test_tables_of_tracers_are_those_of_the_binary_entries(tmp_path: Path, event: str) -> None:
    lines = {
        "timerlat": "#1     context    irq timer_latency      2000 ns",
        "hwlat": "#1     inner/outer(us):   11/12    ts:1581527483.343962693 count:6",
        "osnoise": "1000000        190  99.98100       9     18      0   1007     18      1",
    }
    folder = tmp_path / event
    hardware(folder, TRACE + f"           <...>-99 [001] ..... 10.300000: {lines[event]}\n", [])
    counts = json.loads((folder / "bundle" / "manifest.json").read_text())["event_counts"]
    assert counts[event] == 1
    assert "text" not in counts


def test_modes(tmp_path: Path) -> None:
    """User time, niced tasks included, and time in the kernel are separate; interrupts are neither."""
    stats = ["cpu  100 10 50 800 5 3 2 30\n", "cpu  116 12 54 870 5 5 4 34\n"]
    modes = hardware(tmp_path / "modes", TRACE, stats, "utilisation")["modes"]
    shares = {name: modes[f"{name}_percent"] for name in ("user", "system", "irq", "idle", "steal")}
    assert shares == {"user": 18.0, "system": 4.0, "irq": 4.0, "idle": 70.0, "steal": 4.0}
    assert modes["label"] == "observed"
    assert [step["system_percent"] for step in modes["steps"]] == [4.0]
    # Without growth between two samples, and with one sample, the shares are not recorded instead of 0 %.
    for name, few in (("same", stats[:1] * 2), ("one", stats[:1]), ("none", [])):
        assert hardware(tmp_path / name, TRACE, few, "utilisation")["modes"] is None


PLACED = (
    "m-20 [000] d..2. 10.010000: sched_move_numa: pid=20 tgid=20 ngid=0 src_cpu=0 src_nid=0 dst_cpu=1 dst_nid=1\n"
    "migration/0-17 [000] d..2. 10.010100: sched_migrate_task: comm=m pid=20 prio=120 orig_cpu=0 dest_cpu=1\n"
    "s-21 [000] d..2. 10.020000: sched_swap_numa: src_pid=21 src_tgid=21 src_ngid=0 src_cpu=0 src_nid=0 dst_pid=22 "
    "dst_tgid=22 dst_ngid=0 dst_cpu=1 dst_nid=1\n"
    "migration/1-18 [001] d..2. 10.020100: sched_migrate_task: comm=t pid=22 prio=120 orig_cpu=1 dest_cpu=0\n"
    "migration/1-18 [001] d..2. 10.020200: sched_migrate_task: comm=s pid=21 prio=120 orig_cpu=0 dest_cpu=1\n"
    # It found no CPU: nothing was moved.
    "n-23 [000] d..2. 10.030000: sched_stick_numa: src_pid=23 src_tgid=23 src_ngid=0 src_cpu=0 src_nid=0 dst_pid=-1 "
    "dst_tgid=-1 dst_ngid=-1 dst_cpu=-1 dst_nid=-1\n"
)


def test_counters_of_placed_tasks_are_an_oracle_for_their_events(tmp_path: Path) -> None:
    lines = TRACE.splitlines(keepends=True)
    trace = "".join([*lines[:3], PLACED, *lines[3:]])
    counters = ("numa_task_migrated 7\nnuma_task_swapped 40\n", "numa_task_migrated 8\nnuma_task_swapped 42\n")
    answer = hardware(tmp_path / "counted", trace, [stat(1, 1), stat(2, 1)], "vmstat", counters)
    found = answer["placements"]
    assert (found["migrated_counted"], found["migrated_recorded"]) == (1, 1)
    assert (found["swapped_counted"], found["swapped_recorded"]) == (2, 2)
    rows = {row["row"]: row["value"] for row in answer["table"]["rows"]}
    assert (rows["tasks_migrated"], rows["tasks_swapped"]) == (1, 2)
    # Most kernels have no such counters, which nothing then lacks.
    plain = ("numa_hit 1\n", "numa_hit 2\n")
    without = hardware(tmp_path / "plain", trace, [stat(1, 1), stat(2, 1)], "vmstat", plain)
    assert without["placements"] is None
    assert not {"tasks_migrated", "numa_task_migrated"} & {row["row"] for row in without["table"]["rows"]}
    assert not {"numa_task_migrated", "numa_task_swapped"} & set(without["table"]["missing"])

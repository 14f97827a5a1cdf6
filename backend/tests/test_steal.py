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


def hardware(folder: Path, trace: str, stats: list[str]) -> dict[str, Any]:
    folder.mkdir()
    (folder / "trace.txt").write_text(trace)
    names = ["trace.txt"]
    if stats:
        lines = [
            {"idx": idx, "mono_ns": 10_001_000_000 + idx * 100 * MS, "vmstat": "nr_free_pages 1\n", "stat": stat}
            for idx, stat in enumerate(stats)
        ]
        (folder / "vmstat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        names.append("vmstat.jsonl")
    read_inputs([(name, str(folder / name)) for name in names], folder / "bundle", folder / "scratch")
    return section(native.Bundle(str(folder / "bundle")), "hardware")


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

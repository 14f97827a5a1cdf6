"""Recordings of which a part is missing: nothing is said of time without data that the whole recording does not say, too."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import numalens
from tests.recordings import FIXTURES

RANKS = ("low", "medium", "high")
CUTS = (0.3, 0.6, 0.9)
RECORDINGS = (
    FIXTURES / "tc-small.v6.dat.zst",
    FIXTURES / "idle-6.12-2x2.part.v6.dat.zst",
    FIXTURES / "says-6.12.v6.dat.zst",
)
SECOND = 1_000_000_000
SWITCH = (
    "{prev}-{pid} [{cpu:03}] d..2 {at:.6f}: sched_switch: prev_comm={prev} prev_pid={pid} prev_prio=120 prev_state={state} ==> "
    "next_comm={next} next_pid={other} next_prio=120"
)
WAKEUP = "{prev}-{pid} [{cpu:03}] d..3 {at:.6f}: sched_wakeup: comm={next} pid={other} prio=120 target_cpu={cpu:03}"


def switch(at: float, cpu: int, prev: tuple[str, int, str], following: tuple[str, int]) -> str:
    name, pid, state = prev
    return SWITCH.format(at=at, cpu=cpu, prev=name, pid=pid, state=state, next=following[0], other=following[1])


def idle_cpu(written: int) -> str:
    """CPU 0 runs two tasks in turn for 2 s, CPU 1 has two events at 1.9 s."""
    lines = []
    for turn in range(100):
        begin = 100 + turn * 0.02
        lines += [
            switch(begin, 0, ("<idle>", 0, "R"), ("worker", 501)),
            WAKEUP.format(at=begin + 0.001, cpu=0, prev="worker", pid=501, next="helper", other=600),
            switch(begin + 0.009, 0, ("worker", 501, "S"), ("helper", 600)),
            switch(begin + 0.012, 0, ("helper", 600, "S"), ("swapper/0", 0)),
        ]
    lines += [
        switch(101.9005, 1, ("<idle>", 0, "R"), ("rare", 700)),
        switch(101.901, 1, ("rare", 700, "S"), ("swapper/1", 0)),
    ]
    lines.sort(key=lambda line: float(line.split(": ")[0].rsplit(" ", 1)[1]))
    head = f"# tracer: nop\n#\n# entries-in-buffer/entries-written: {len(lines)}/{written or len(lines)}   #P:2\n#\n"
    return head + "\n".join(lines) + "\n"


@pytest.mark.parametrize("written", [0, 99_999])
def test_only_overwritten_events_cut_the_window(written: int, tmp_path: Path) -> None:
    recording = tmp_path / "trace.txt"
    recording.write_text(idle_cpu(written))
    with numalens.open(recording) as opened:
        begin, end = opened.seconds
        notes = opened.report()["notes"]
        assert round(end, 3) == 101.992
        assert round(begin, 4) == (101.9005 if written else 100)
        assert any("leaves out 95 %" in note for note in notes) == bool(written)
        if not written:
            latency = opened.section("latency")
            assert latency["wakeups"] == 100
            assert latency["max_ns"] == pytest.approx(8_000_000, abs=1000)


def test_a_cpu_without_events_is_not_called_idle(tmp_path: Path) -> None:
    """A twin of it: the CPU has one event, by which it was idle all the time."""
    busy = [
        line
        for turn in range(100)
        for line in (
            switch(100 + turn * 0.02, 0, ("a", 501, "R"), ("b", 502)),
            switch(100.01 + turn * 0.02, 0, ("b", 502, "R"), ("a", 501)),
        )
    ]
    idle = [switch(101.9999, 1, ("<idle>", 0, "R"), ("rare", 700))]
    for heard in (False, True):
        lines = [*busy, *(idle if heard else [])]
        recording = tmp_path / f"{heard}.txt"
        recording.write_text(text(lines, 2))
        with numalens.open(recording) as opened:
            found = opened.section("findings")
            assert bool(found["findings"]) == heard, found["headline"]
            assert "CPU-seconds" not in str(found["headline"])
            (node,) = opened.section("utilisation")["nodes"]
            assert node["average"] == (50 if heard else 100)
            assert (node["unknown_ns"] > SECOND) == (not heard)


@pytest.mark.parametrize("named", [True, False])
def test_a_cpu_that_only_others_name_is_missing(named: bool, tmp_path: Path) -> None:
    """A task wakes and runs on CPU 1, whose events are missing. A twin of it: no event names CPU 1, so there is none."""
    lines = []
    for turn in range(20):
        at = 100 + turn * 0.1
        lines += [
            switch(at, 0, ("dd", 501, "D"), ("swapper/0", 0)),
            WAKEUP.format(at=at + 0.0905, cpu=0, prev="swapper/0", pid=0, next="dd", other=501),
            switch(at + 0.091, 0, ("<idle>", 0, "R"), ("dd", 501)),
        ]
        if named:
            waking = WAKEUP.format(at=at + 0.095, cpu=0, prev="dd", pid=501, next="helper", other=600)
            lines.append(waking.replace("target_cpu=000", "target_cpu=001"))
    report = found_in(lines, tmp_path, cpus=1)
    kinds = {one["id"] for one in report["findings"]}
    assert ("BLOCKED" in kinds) != named, kinds


def text(lines: list[str], cpus: int) -> str:
    lines = sorted(lines, key=lambda line: float(line.split(": ")[0].rsplit(" ", 1)[1]))
    head = f"# tracer: nop\n#\n# entries-in-buffer/entries-written: {len(lines)}/{len(lines)}   #P:{cpus}\n#\n"
    return head + "\n".join(lines) + "\n"


def found_in(lines: list[str], tmp_path: Path, cpus: int = 2) -> dict[str, Any]:
    recording = tmp_path / "trace.txt"
    recording.write_text(text(lines, cpus))
    with numalens.open(recording) as opened:
        return opened.report()


@pytest.mark.parametrize("moved", [True, False])
def test_only_sched_waking_places_no_wait(moved: bool, tmp_path: Path) -> None:
    """The target of `sched_waking` is where the task last ran. A twin of it: the task runs there, while CPU 1 is idle."""
    lines = [switch(99.9, 1, ("other", 700, "S"), ("swapper/1", 0))]
    for turn in range(40):
        at = 100 + turn * 0.02
        waking = WAKEUP.format(at=at, cpu=0, prev="hog", pid=600, next="worker", other=501)
        lines.append(waking.replace("sched_wakeup", "sched_waking"))
        if moved:
            lines += [
                switch(at + 0.003, 1, ("<idle>", 0, "R"), ("worker", 501)),
                switch(at + 0.008, 1, ("worker", 501, "S"), ("swapper/1", 0)),
            ]
        else:
            lines += [
                switch(at + 0.003, 0, ("hog", 600, "R"), ("worker", 501)),
                switch(at + 0.008, 0, ("worker", 501, "S"), ("hog", 600)),
            ]
    lines.append(switch(101, 0, ("hog", 600, "S"), ("swapper/0", 0)))
    report = found_in(lines, tmp_path)
    assert report["latency"]["max_ns"] == pytest.approx(3_000_000, abs=1000)
    balancing = [one["id"] for one in report["findings"] if one["id"].startswith(("ILB", "IDLE", "BALANC"))]
    assert bool(balancing) != moved, report["headline"]


@pytest.mark.parametrize("left_as", [49, 120])
def test_a_task_that_becomes_real_time_counts_as_such(left_as: int, tmp_path: Path) -> None:
    """The switch to it still has the old priority. A twin of it keeps that."""
    lines = []
    for turn in range(20):
        at = 100 + turn * 0.05
        out = switch(at + 0.04, 0, ("hog", 600, "S"), ("victim", 501)).replace("prev_prio=120", f"prev_prio={left_as}")
        lines += [
            switch(at, 0, ("victim", 501, "R"), ("hog", 600)),
            out,
        ]
    report = found_in(lines, tmp_path, cpus=1)
    kinds = {one["id"] for one in report["findings"]}
    assert ("RT_HOG" in kinds) == (left_as < 100), kinds
    assert ("CPU_SATURATED" in kinds) == (left_as >= 100), kinds


@pytest.mark.parametrize("seen", [True, False])
def test_a_task_that_is_seen_to_run_does_not_wait(seen: bool, tmp_path: Path) -> None:
    """Switches of CPU 1 are missing; those that remain name tasks that no switch brought."""
    lines = []
    for turn in range(50):
        at = 100 + turn * 0.04
        lines += [
            switch(at, 0, ("a", 501, "S"), ("b", 502)),
            switch(at + 0.02, 0, ("b", 502, "S"), ("a", 501)),
            # From tasks that were not switched to.
            switch(at + 0.01, 1, ("c", 800 + turn, "S"), ("d", 503)),
        ]
    lines.append(WAKEUP.format(at=100.5, cpu=1, prev="d", pid=503, next="phantom", other=900))
    if seen:
        lines.append(
            "a-501 [000] d..2 100.505000: sched_stat_runtime: comm=phantom pid=900 runtime=1000000 [ns]",
        )
    lines.append(switch(101.5, 1, ("d", 503, "S"), ("phantom", 900)))
    report = found_in(lines, tmp_path)
    longest = report["latency"]["max_ns"] or 0
    assert (longest > SECOND // 2) != seen


def parts(recording: bytes) -> Iterator[tuple[str, bytes]]:
    """The recording cut at some places, and without the data of each CPU."""
    table = recording.index(b"flyrecord\0") + 10
    (begin,) = struct.unpack_from("<Q", recording, table)
    for share in CUTS:
        yield f"cut at {share:.0%}", recording[: begin + int((len(recording) - begin) * share)]
    (cpus,) = struct.unpack_from("<I", recording, recording.rindex(b"options  \0", 0, table) - 4)
    for cpu in range(cpus):
        less = bytearray(recording)
        struct.pack_into("<Q", less, table + 16 * cpu + 8, 0)
        yield f"without CPU {cpu}", bytes(less)


def severities(found: dict[str, Any]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for finding in found["findings"]:
        ranks[finding["id"]] = max(ranks.get(finding["id"], -1), RANKS.index(finding["severity"]))
    return ranks


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_missing_data_adds_no_finding(recording: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.dat"
    whole.write_bytes(pa.input_stream(str(recording), compression="zstd").read())
    tried = 0
    with numalens.open(whole) as known:
        for name, left in parts(whole.read_bytes()):
            part = tmp_path / "part.dat"
            part.write_bytes(left)
            try:
                opened = numalens.open(part, tolerant=True)
            except ValueError:
                continue
            with opened:
                if not opened.event_counts:
                    continue
                begin, end = opened.seconds
                base = severities(known[begin:end].section("findings"))
                found = severities(opened.section("findings"))
                added = {one for one, rank in found.items() if rank > base.get(one, -1)}
                assert not added, f"{name}: {added}"
                tried += 1
    assert tried >= 2

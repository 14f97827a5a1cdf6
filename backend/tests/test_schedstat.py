"""What the load balancer counted by domain, beside the migrations of a recording."""

import json
from pathlib import Path
from typing import Any

import numalens_native as native

from numalens.jobs.reading import read_inputs
from tests.recordings import ROOT
from tests.sql_helpers import section

TRACE = """
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] ..... 10.001000: tracing_mark_write: psi_sample idx=0 mono_ns=10001000000 real_ns=1795256520000000000
a-7 [000] d..2. 10.002000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.002000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
<idle>-0 [001] d..2. 10.005000: sched_migrate_task: comm=b pid=8 prio=120 orig_cpu=0 dest_cpu=1
<idle>-0 [001] d..2. 10.006000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=8 next_prio=120
a-7 [000] ..... 10.009000: tracing_mark_write: psi_sample idx=1 mono_ns=10009000000 real_ns=1795256520008000000
a-7 [000] d..2. 10.010000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
"""  # noqa: E501  (the kernel's lines)


def reading(newidle: int, gained: int) -> str:
    """Version 17's text, of a domain whose CPUs became idle so often."""
    busy, idle = " 0" * 11, " 0" * 11
    counts = f" {newidle} {newidle - gained} 0 0 0 {gained} 0 {gained} 0 0 {newidle - gained}"
    domain = f"domain0 MC 3{busy}{idle}{counts}{' 0' * 12}"
    return f"version 17\ntimestamp 1\ncpu0 0 0 0 0 0 0 0 0 0\n{domain}\ncpu1 0 0 0 0 0 0 0 0 0\n{domain}\n"


def answer(readings: tuple[str, str], folder: Path) -> dict[str, Any]:
    folder.mkdir()
    (folder / "trace.txt").write_text(TRACE.lstrip())
    lines = [
        {"idx": idx, "mono_ns": 10_001_000_000 + idx * 8_000_000, "vmstat": "nr_free_pages 1\n", "schedstat": text}
        for idx, text in enumerate(readings)
    ]
    (folder / "vmstat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    inputs = [(name, str(folder / name)) for name in ("trace.txt", "vmstat.jsonl")]
    read_inputs(inputs, folder / "bundle", folder / "scratch")
    counters: dict[str, Any] = section(native.Bundle(str(folder / "bundle")), "schedstat")["counters"]
    return counters


def test_counters_stand_next_to_the_migrations(tmp_path: Path) -> None:
    found = answer((reading(10, 2), reading(14, 3)), tmp_path / "two")
    kinds = {row["kind"]: row for row in found["domains"]}
    assert set(kinds) == {"busy", "idle", "newidle", "active"}
    expected = {"domain": 0, "name": "MC", "cpus": 2, "count": 8, "balanced": 6, "failed": 0, "gained": 2}
    assert kinds["newidle"].items() >= expected.items()
    assert kinds["active"]["balanced"] is None
    assert [(step["count"], step["gained"]) for step in found["steps"]] == [(8, 2)]
    assert (found["moved"]["counted"], found["moved"]["migrations"]) == (2, 1)
    assert int(found["sampled_to_ns"]) - int(found["sampled_from_ns"]) == 8_000_000


def test_a_kernel_that_does_not_count_is_no_zero(tmp_path: Path) -> None:
    found = answer((reading(0, 0), reading(0, 0)), tmp_path / "none")
    assert found["available"] is False
    assert "kernel.sched_schedstats is 0" in found["reason"]
    assert "no samples of /proc/schedstat" in answer(("", ""), tmp_path / "empty")["reason"]


def test_perf_sched_stats_feeds_the_domains(tmp_path: Path) -> None:
    file = ROOT / "samples" / "fixtures" / "perf" / "sched-stats-7.2.data"
    read_inputs([(file.name, str(file))], tmp_path / "bundle", tmp_path / "scratch")
    open_bundle = native.Bundle(str(tmp_path / "bundle"))
    found = section(open_bundle, "schedstat")["counters"]
    # What `perf sched stats report` prints of the same file.
    expected = json.loads((file.parent / "sched-stats-7.2.json").read_text())
    rows = {(row["name"], row["kind"]): row for row in found["domains"]}
    for entry in expected:
        row = rows[entry["domain"], entry["kind"]]
        assert {name: row[name] for name in entry["counts"]} == entry["counts"], entry
    assert (found["sampled_from_ns"], found["steps"], found["moved"]) == (None, [], None)

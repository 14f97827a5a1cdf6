"""What the NUMA balancers did in real recordings: counted twice, and in the report's names."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command import run, run_lab
from tests.ops_counter import count
from tests.recordings import FIXTURES, NUMA, NUMACTL, SAMPLE, SMALL

COUNTED = ("sched_move_numa", "sched_swap_numa", "sched_stick_numa", "sched_migrate_task")
ASIDE = frozenset({"event", "ts_ns", "cpu", "buffer"})
PRODUCT = {
    "migrate_failed_no_cpu": ("no_cpu",),
    "migrate_failed_move_to_idle": ("move_failed", "move_refused"),
    "migrate_failed_swap_task_fail": ("swap_raced", "swap_refused"),
    "task_migrated_swapped": ("swaps_ok",),
    "task_migrated_idle_cpu": ("moves_ok",),
    "task_migrate_retry_failed": ("retries",),
    "load_balance_cross_numa": ("lb_cross",),
}
"""The report's rows, and the names of the second count that make them."""


def report(*arguments: str | Path) -> Any:
    return json.loads(run("analyze", *arguments, "--json", "-").stdout)


def lines_of(recording: Path) -> Iterator[str]:
    """The recording's events as lines of `trace-cmd report`."""
    rows: list[dict[str, Any]] = []
    for event in COUNTED:
        text = run("events", recording, "--type", f"sched:{event}", "--format", "ndjson").stdout
        rows += [{"event": event, **json.loads(line)} for line in text.splitlines()]
    for row in sorted(rows, key=lambda row: row["ts_ns"]):
        own = ((name, value) for name, value in row.items() if name not in ASIDE and not name.startswith("common_"))
        fields = " ".join(f"{name}={value}" for name, value in own)
        yield f"  task-{row['common_pid']}  [{row['cpu']:03}] {row['ts_ns'] / 1e9:.6f}: {row['event']}: {fields}"


@pytest.mark.parametrize("recording", [SAMPLE / "trace.dat", NUMA], ids=["heavy", "small"])
def test_a_second_count_of_the_events_is_the_same(recording: Path) -> None:
    whole = ("--from", "0", "--to", str((1 << 63) - 1))
    answer = report(recording, "--topology", NUMACTL, *whole)["numa_balancing"]["ops"]
    counter = count(lines_of(recording), NUMACTL.read_text())
    result: Any = counter.result()
    assert counter.ops["moves"] > 10
    for row, names in PRODUCT.items():
        assert answer["rows"][row] == sum(result["ops"].get(name, 0) for name in names), row
    rows = {name.lower().replace("   ", " ").replace(" ", "_"): number for name, number in result["mmtests"].items()}
    defined = {name: number for name, number in answer["mmtests"].items() if number is not None}
    # All tasks of these lines have one name, so who retried is known by pid alone: as in the engine where names differ.
    del rows["task_migrate_retry"], rows["task_migrate_retry_failed"]
    assert {name: defined[name] for name in rows} == rows
    assert answer["mmtests"]["task_migrate_retry"] == answer["mmtests"]["task_migrate_retry_failed"]


def test_the_sample_tells_everything_in_the_contracts_names() -> None:
    samples = [SAMPLE / name for name in ("trace.dat", "numa_group.jsonl", "psi.jsonl", "numactl-H.txt")]
    answer = report(*samples)
    cling = answer["cling"]
    assert cling["degree"] == 20
    # 75 jiffies of 4 ms, put off to the next boundary of the timer wheel, which may be the same or the next but one.
    assert 200_000_000 <= cling["timer_period_ns"] <= 320_000_000
    group = cling["groups"][0]
    assert {"gid", "cgroup", "label", "nodes"} <= set(group)
    node = {"nid", "attempts", "failures", "failure_scaled", "total_scaled", "ratio_percent"}
    assert node <= set(group["nodes"][0])
    assert group["cgroup"] == "/ng_A"
    assert group["label"] == "replayed"
    step = {"t_ns", "nid", "failure_scaled", "total_scaled", "ratio_percent", "busiest_nid"}
    assert step <= set(cling["series"][0])
    for step in cling["series"]:
        assert step["ratio_percent"] == step["failure_scaled"] * 100 // (step["total_scaled"] + 1)
    assert {"t_ns", "nid", "busy"} <= set(cling["flips"][0])
    decision = {"t_ns", "pid", "site", "src_nid", "dst_nid", "verdict", "reason", "label"}
    assert decision <= set(cling["decisions"][0])
    assert {found["site"] for found in cling["decisions"]} == {"wake_affine", "load_balance", "numa_swap"}
    verdicts = [found["verdict"] for found in cling["decisions"]]
    # The kernel's own lines, as counted by `trace-cmd report`.
    assert (verdicts.count("cling"), verdicts.count("allow")) == (639, 64)
    moved = answer["page_migration"]
    assert {"just_too_late", "fight", "locality", "convergence"} <= set(moved["metrics"])
    assert moved["table"] is None
    assert answer["vmstat"]["available"] is False
    kinds = {found["id"] for found in answer["findings"]}
    assert {"CLING_BUSY_NODE", "PREF_FAIL_STORM", "JUST_TOO_LATE", "STICK_RATE"} <= kinds


def test_another_degree_is_what_if() -> None:
    answer = report(SAMPLE / "trace.dat", NUMACTL, "--degree", "99")["cling"]
    assert answer["degree"] == 99
    assert answer["flips"] == []
    assert {group["label"] for group in answer["groups"]} == {"what-if"}


def test_samples_alone_tell() -> None:
    automig = report(FIXTURES / "samples" / "automig.txt")["page_migration"]["table"]
    rows = automig["rows"]
    assert len(rows) == 20
    laws = {law["law"]: law for law in automig["laws"]}
    assert all(law["violated"] == 0 for name, law in laws.items() if name.lower() != "c4"), laws
    assert rows[0]["counters"]["added"] == 151431996
    assert rows[-1]["shared"] == 0
    vmstat = report(FIXTURES / "samples" / "tc-small.vmstat.jsonl.zst")["vmstat"]["table"]
    (local,) = (row["value"] for row in vmstat["rows"] if row["row"] == "hint_local_percent")
    assert local is None or local <= 100


def test_a_machine_of_one_node_has_nothing_to_balance() -> None:
    answer = report(SMALL)
    assert answer["numa_balancing"]["ops"]["rows"]["task_migrated_idle_cpu"] == 0
    assert answer["cling"]["available"] is False
    assert answer["cling"]["degree"] == 20


def test_the_table_has_a_line_a_recording(tmp_path: Path) -> None:
    shutil.copy(NUMA, tmp_path / "small.dat")
    shutil.copy(NUMACTL, tmp_path / "small.numactl.txt")
    shutil.copy(FIXTURES / "samples" / "cling-2x4-small.numa_group.jsonl.zst", tmp_path / "small.groups.jsonl.zst")
    text = run_lab("numa", tmp_path, "--json", tmp_path / "rows.json").stdout.decode()
    head, line, printed, *ways, readings = text.splitlines()
    assert head.endswith("recording")
    assert line.split()[:3] == ["11", "4", "28"]
    assert "228/228" in printed
    assert "0 violations" in printed
    assert [way.split(":")[0].strip() for way in ways] == ["events", "events, probes, readings"]
    assert readings.strip().startswith("readings ")
    assert "attempts 100.0 % of 27" in ways[0]
    assert "timer_order" in ways[0]
    (row,) = json.loads((tmp_path / "rows.json").read_text())
    assert row["ops"]["load_balance_cross_numa"] == 109
    assert row["crossings"]["wakeup"] == 32


def test_what_is_no_recording_is_reported_and_ends_with_its_status(tmp_path: Path) -> None:
    (tmp_path / "cut.dat").write_bytes(NUMA.read_bytes()[:3000])
    ended = run_lab("numa", tmp_path / "cut.dat", status=3)
    assert b"cut.dat: " in ended.stdout

"""The report: the names that others read, in both schemas, and options that reach every section."""

import json
import lzma
import tarfile
from pathlib import Path
from typing import Any, Final

import numalens_native as native
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st
from pyarrow import ipc

from numalens.cli.usage import NS_LIMIT
from numalens.report import ReportOptions, ask, build_report, schema_1
from tests.command import run
from tests.recordings import LSCPU, NUMA, SMALL
from tests.section_fixtures import PSI, engine, report, section

KEPT: Final = Path(__file__).parent / "fixtures"
"""What an earlier version made: a bundle, and the report of a recording."""
OPS: Final = {
    *("migrate_failed_no_cpu", "migrate_failed_move_to_idle", "migrate_failed_swap_task_fail"),
    *("task_migrated_swapped", "task_migrated_swapped_local_nid", "task_migrated_swapped_within_group"),
    *("task_migrated_idle_cpu", "task_migrated_idle_cpu_local_nid", "load_balance_cross_numa"),
    *("task_migrate_retry", "task_migrate_retry_success", "task_migrate_retry_failed"),
}


@pytest.mark.parametrize("report", [report(), schema_1(report())], ids=["2", "1"])
def test_the_names_that_others_read_are_there(report: dict[str, Any]) -> None:
    psi = report["psi"]
    assert {"some_us", "full_us", "label"} <= set(psi["system"]["cpu"])
    assert {"cpu", "memory", "io", "irq"} == set(psi["system"])
    averages = {f"{kind}_avg{span}" for kind in ("some", "full") for span in (10, 60, 300)}
    assert averages | {"t_ns", "some_total_us", "full_total_us"} <= set(psi["series"]["cpu"][0])
    assert {"cpu", "memory", "io"} <= set(psi["series"])
    assert {"some_us", "full_us"} <= set(psi["sampled"]["cpu"])
    assert {"step_ns", "nodes"} <= set(report["utilisation"])
    assert {"nid", "percent", "average"} <= set(report["utilisation"]["nodes"][0])
    assert {"wakeups", "p50_ns", "p90_ns", "p99_ns", "max_ns", "worst"} <= set(report["latency"])
    wait = {"pid", "comm", "waking_ns", "switch_in_ns", "wait_ns", "cpu", "nid", "causes"}
    assert wait <= set(report["latency"]["worst"][0])
    assert {"cause", "ns"} <= set(report["latency"]["worst"][0]["causes"][0])
    assert {"cpu_seconds", "per_node"} <= set(report["waste"])
    finding = {"id", "label", "severity", "from_ns", "to_ns", "impact_ms", "nodes", "pids", "summary"}
    assert finding <= set(report["findings"][0])
    cling = report["cling"]
    group = {"gid", "cgroup", "label", "nodes"}
    node = {"nid", "attempts", "failures", "failure_scaled", "total_scaled", "ratio_percent"}
    step = {"gid", "cgroup", "t_ns", "nid", "failure_scaled", "total_scaled", "ratio_percent", "busiest_nid"}
    decision = {"t_ns", "pid", "site", "src_nid", "dst_nid", "verdict", "reason", "label"}
    assert {"degree", "timer_period_ns"} <= set(cling)
    assert group <= set(cling["groups"][0])
    assert node <= set(cling["groups"][0]["nodes"][0])
    assert step <= set(cling["series"][0])
    assert {"gid", "t_ns", "nid", "busy"} <= set(cling["flips"][0])
    assert decision <= set(cling["decisions"][0])
    assert {note["site"] for note in cling["decisions"]} <= {"wake_affine", "load_balance", "numa_swap"}
    assert {note["verdict"] for note in cling["decisions"]} <= {"cling", "allow"}
    for name in ("series", "flips", "decisions"):
        moments = [row["t_ns"] for row in cling[name]]
        assert moments == sorted(moments)


def test_schema_1_has_its_own_names() -> None:
    found = schema_1(report())
    assert found["schema"] == "numalens.report/1"
    assert set(found["numa"]["ops"]) >= OPS
    assert set(found["numa"]["ops_mmtests"]) >= OPS
    assert found["numa"]["vmstat"]["available"] is False
    assert {"first", "more", "rules", "counts", "sources"} <= set(found["numa"]["attempts"])
    assert {"model", "kicks", "idle_percent", "events"} <= set(found["ilb"])
    assert {"table", "laws", "metrics"} <= set(found["migrate_on_fault"])


def test_sections_are_passed_on() -> None:
    whole = report()
    for name, shown in (
        *((name, name) for name in ("utilisation", "residency", "placement", "latency", "waste", "vmstat")),
        ("numa_balancing", "numa_balancing"),
        ("page_migration", "page_migration"),
    ):
        assert whole[shown] == section(name), name
    assert whole["wait_heat"] == section("wait_heat", columns=60)
    assert whole["findings"] == section("findings")["findings"]
    psi = section("psi")
    assert {name: whole["psi"][name] for name in ("system", "cgroups", "series", "residual")} == {
        name: psi[name] for name in ("system", "cgroups", "series", "residual")
    }


def test_sections_without_input_say_so() -> None:
    """Samples alone have neither waits nor attempts."""
    alone = json.loads(run("analyze", PSI, "--json", "-").stdout)
    for part in (
        *(alone[name] for name in ("utilisation", "residency", "latency", "wait_heat", "waste", "findings")),
        *(alone[name] for name in ("numa_balancing", "cling", "idle_balancing", "page_migration", "vmstat")),
        *(alone["psi"][name] for name in ("system", "cgroups", "series")),
    ):
        assert part["available"] is False
        assert part["reason"]
    assert (alone["cling"]["degree"], alone["psi"]["rules"]) == (20, None)
    first = schema_1(alone)
    assert all(first["numa"][name]["available"] is False for name in ("ops", "ops_mmtests", "vmstat", "per_node"))


def test_options_reach_the_sections() -> None:
    first, last = json.loads(engine().manifest())["window_ns"]
    window = (first + 1_000_000, last - 1_000_000)
    options = ReportOptions(degree=35, psi_rules="5.7", hz=1000, step_ns=10**8)
    found = build_report(engine(), *window, options)
    kernel: dict[str, str | int | None] = {"psi_rules": "5.7", "hz": 1000}
    assert found["psi"]["system"] == ask(engine(), "psi", window, kernel)["system"]
    assert found["findings"] == ask(engine(), "findings", window, kernel)["findings"]
    assert found["utilisation"] == ask(engine(), "utilisation", window, {"step_ns": 10**8})
    assert found["waste"] == ask(engine(), "waste", window, {})
    assert found["cling"]["degree"] == found["cling"]["what_if"]["degree"] == 35
    for name in ("latency", "residency", "placement", "numa_balancing", "idle_balancing"):
        assert (found[name]["from_ns"], found[name]["to_ns"]) == window, name


@given(edges=st.tuples(*[st.none() | st.integers(0, NS_LIMIT - 1)] * 2))
@settings_of(max_examples=5, deadline=None)
def test_the_window_is_the_one_given_or_the_common_one(edges: tuple[int | None, int | None]) -> None:
    common = json.loads(engine().manifest())["window_ns"]
    expected = [shared if edge is None else edge for edge, shared in zip(edges, common, strict=True)]
    assert build_report(engine(), *edges)["window_ns"] == expected


def kept(name: str) -> Any:
    return json.loads(lzma.decompress((KEPT / name).read_bytes()))


def opened(tmp_path: Path) -> Path:
    with tarfile.open(KEPT / "bundle.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "bundle"


def names(part: Any) -> Any:
    """The names in a report, those of the entries of a list together."""
    if isinstance(part, dict):
        return {name: names(value) for name, value in part.items()}
    if isinstance(part, list):
        found: dict[str, Any] = {}
        for entry in part:
            if isinstance(entry, dict):
                found |= {name: found.get(name) or names(value) for name, value in entry.items()}
        return found
    return None


def same_names(found: Any, before: Any) -> bool:
    """Whether the names of two reports are the same, but below what is null in one of them."""
    if found is None or before is None:
        return True
    return found.keys() == before.keys() and all(same_names(found[name], before[name]) for name in found)


def all_waits(latency: dict[str, Any]) -> tuple[int, int]:
    """How many waits have ended, and their sum, ns."""
    others = (latency["preempted"], latency["unrequested"])
    return (
        latency["wakeups"] + sum(each["count"] for each in others),
        latency["wait_ns"] + sum(each["wait_ns"] for each in others),
    )


def unaveraged(part: Any) -> Any:
    """Without the averages of nodes, in which steps now count with their lengths."""
    if isinstance(part, dict):
        return {
            name: unaveraged(value) for name, value in part.items() if (name, "percent" in part) != ("average", True)
        }
    return [unaveraged(each) for each in part] if isinstance(part, list) else part


def assert_as_before(found: dict[str, Any], before: dict[str, Any]) -> None:
    """The names of an earlier version, and its numbers but for those that the ledger of waits has changed."""
    for name in ("latency", "wait_heat"):
        assert same_names(names(found[name]), names(before[name])), name
    assert names(found["findings"]).keys() >= names(before["findings"]).keys()
    assert found["waste"].keys() == before["waste"].keys()
    ledger = ("latency", "wait_heat", "findings", "waste")
    assert {name: unaveraged(part) for name, part in found.items() if name not in ledger} == {
        name: unaveraged(part) for name, part in before.items() if name not in ledger
    }


def test_a_bundle_of_an_earlier_version_opens(tmp_path: Path) -> None:
    found = json.loads(run("analyze", opened(tmp_path), "--schema", "1", "--json", "-").stdout)
    before = kept("bundle.report-1.json.xz")
    assert_as_before(found, before)
    assert found["waste"] == before["waste"]
    assert all_waits(found["latency"]) == all_waits(before["latency"])
    assert found["latency"]["preempted"] == before["latency"]["preempted"]


def test_a_bundle_of_an_earlier_version_does_not_say_what_real_time_tasks_took(tmp_path: Path) -> None:
    bundle = native.Bundle(str(opened(tmp_path)))
    manifest = json.loads(bundle.manifest())
    stream = bundle.timeline([("cpu", 0)], int(manifest["origin_ns"]), int(manifest["end_ns"]), 2)
    items = ipc.open_stream(pa.py_buffer(stream)).read_all().to_pylist()
    # What an answer merges from single slices it knows.
    assert {item["rt"] for item in items if item["kind"] == 2 and item["count"] > 20} == {-1}


def test_schema_1_is_what_an_earlier_version_wrote() -> None:
    found = json.loads(run("analyze", NUMA, PSI, LSCPU, "--schema", "1", "--json", "-").stdout)
    assert_as_before(found, kept("report-1.json.xz"))


def test_schema_1_calls_the_waits_of_new_tasks_as_it_did() -> None:
    new = json.loads(run("analyze", SMALL, "--json", "-").stdout)["latency"]
    found = json.loads(run("analyze", SMALL, "--schema", "1", "--json", "-").stdout)["latency"]
    for group in (row for name in ("by_node", "by_task", "by_cgroup") for row in new[name]):
        assert sum(cause["ns"] for cause in group.pop("preempted_causes")) == group["preempted_ns"]
    assert found == {
        **{name: part for name, part in new.items() if name not in ("new", "unfinished", "edges")},
        "unrequested": {name: new["new"][name] for name in ("count", "wait_ns", "max_ns")},
    }
    assert found["unrequested"]["count"] > 0
    none = {**report(), "latency": {**new, "new": {**new["new"], "count": 0, "wait_ns": 0, "max_ns": None}}}
    assert schema_1(none)["latency"]["unrequested"] == {"count": 0, "wait_ns": 0, "max_ns": 0}


def test_another_schema_is_refused() -> None:
    assert b"--schema" in run("analyze", SMALL, "--schema", "3", status=2).stderr

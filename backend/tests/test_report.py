"""The report: the names that others read, and options that reach every section."""

import json
from typing import Final

from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from numalens.cli.usage import NS_LIMIT
from numalens.report import ReportOptions, ask, build_report
from tests.command import run
from tests.section_fixtures import PSI, engine, report, section

OPS: Final = {
    *("migrate_failed_no_cpu", "migrate_failed_move_to_idle", "migrate_failed_swap_task_fail"),
    *("task_migrated_swapped", "task_migrated_swapped_local_nid", "task_migrated_swapped_within_group"),
    *("task_migrated_idle_cpu", "task_migrated_idle_cpu_local_nid", "load_balance_cross_numa"),
    *("task_migrate_retry", "task_migrate_retry_success", "task_migrate_retry_failed"),
}


def test_the_names_that_others_read_are_there() -> None:
    found = report()
    psi = found["psi"]
    assert {"some_us", "full_us", "label"} <= set(psi["system"]["cpu"])
    assert {"cpu", "memory", "io", "irq"} == set(psi["system"])
    averages = {f"{kind}_avg{span}" for kind in ("some", "full") for span in (10, 60, 300)}
    assert averages | {"t_ns", "some_total_us", "full_total_us"} <= set(psi["series"]["cpu"][0])
    assert {"cpu", "memory", "io"} <= set(psi["series"])
    assert {"some_us", "full_us"} <= set(psi["sampled"]["cpu"])
    assert {"step_ns", "nodes"} <= set(found["utilisation"])
    assert {"nid", "percent", "average"} <= set(found["utilisation"]["nodes"][0])
    assert {"wakeups", "p50_ns", "p90_ns", "p99_ns", "max_ns", "worst"} <= set(found["latency"])
    wait = {"pid", "comm", "waking_ns", "switch_in_ns", "wait_ns", "cpu", "nid", "causes"}
    assert wait <= set(found["latency"]["worst"][0])
    assert {"cause", "ns"} <= set(found["latency"]["worst"][0]["causes"][0])
    assert {"cpu_seconds", "per_node"} <= set(found["waste"])
    finding = {"id", "label", "severity", "from_ns", "to_ns", "impact_ms", "nodes", "pids", "summary"}
    assert finding <= set(found["findings"][0])
    cling = found["cling"]
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
    ops = found["numa_balancing"]["ops"]
    assert set(ops["rows"]) == set(ops["mmtests"]) == OPS
    assert {"attempts", "attempts_more", "rules", "counts", "sources"} <= set(found["numa_balancing"])
    assert found["vmstat"]["available"] is False
    kicks = found["idle_balancing"]["kicks"]
    assert {"sent", "handled", "dropped", "latched", "blocked"} <= set(kicks)
    assert {"table", "metrics"} <= set(found["page_migration"])


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

"""The report: its names, whatever the engine has."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from numalens.report import Report, ReportOptions, build_report
from tests.told import MISSING, SECTIONS, Engine, engine

MANIFEST: dict[str, Any] = {
    "inputs": [],
    "window_ns": [10, 2_000_000_010],
    "topology": {"source": "perf", "nodes": [{"nid": 0, "cpus": [0, 1]}], "notes": []},
    "event_counts": {"sched_switch": 1234},
    "notes": [],
    "tables": [],
    "samples": [],
}


def test_the_contracts_names_are_there() -> None:
    report: Any = build_report(MANIFEST, engine())
    psi = report["psi"]
    assert {"some_us", "full_us", "label"} <= set(psi["system"]["cpu"])
    assert {"cpu", "memory", "io", "irq"} == set(psi["system"]) == set(psi["cgroups"]["/a/b"])
    averages = {f"{kind}_avg{span}" for kind in ("some", "full") for span in (10, 60, 300)}
    assert averages | {"t_ns", "some_total_us", "full_total_us"} <= set(psi["series"]["cpu"][0])
    assert {"cpu", "memory", "io"} <= set(psi["series"])
    assert {"step_ns", "nodes"} <= set(report["utilisation"])
    assert {"nid", "percent", "average"} <= set(report["utilisation"]["nodes"][0])
    assert {"wakeups", "p50_ns", "p90_ns", "p99_ns", "max_ns", "worst"} <= set(report["latency"])
    wait = {"pid", "comm", "waking_ns", "switch_in_ns", "wait_ns", "cpu", "nid", "causes"}
    assert wait <= set(report["latency"]["worst"][0])
    assert {"cause", "ns"} <= set(report["latency"]["worst"][0]["causes"][0])
    assert {"cpu_seconds", "per_node"} <= set(report["waste"])
    finding = {"id", "label", "severity", "from_ns", "to_ns", "impact_ms", "nodes", "pids", "summary"}
    assert finding <= set(report["findings"][0])


def test_what_the_engine_tells_is_passed_on() -> None:
    report: Any = build_report(MANIFEST, engine())
    window = {"from_ns": 10, "to_ns": 2_000_000_010}
    for name in ("utilisation", "residency", "latency", "wait_heat", "waste"):
        assert report[name] == window | SECTIONS[name]
    assert report["findings"] == SECTIONS["findings"]
    assert {name: report["psi"][name] for name in SECTIONS["psi"]} == SECTIONS["psi"]
    assert report["psi"]["sampled"]["available"] is False


def test_sections_without_input_say_so() -> None:
    report: Any = build_report(MANIFEST, engine(dict.fromkeys(SECTIONS, MISSING)))
    for section in (
        *(report[name] for name in ("utilisation", "residency", "latency", "wait_heat", "waste", "findings")),
        *(report["psi"][name] for name in ("system", "cgroups", "series")),
    ):
        assert section == MISSING
    assert {name: report["psi"][name] for name in ("rules", "residual", "averages")} == {
        "rules": None,
        "residual": None,
        "averages": None,
    }


@pytest.mark.parametrize("sections", [SECTIONS, dict.fromkeys(SECTIONS, MISSING)])
def test_the_api_leaves_nothing_of_a_report_out(sections: dict[str, Any]) -> None:
    report = build_report(MANIFEST, engine(sections))
    adapter = TypeAdapter(Report)
    assert json.loads(adapter.dump_json(adapter.validate_python(report))) == json.loads(json.dumps(report))


def test_options_reach_the_engine() -> None:
    asked = Engine()
    options = ReportOptions(degree=35, rules="5.7", hz=1000, step_ns=10**9)
    build_report(MANIFEST, asked.bundle, 5, 6, options)
    assert asked.asked == {
        "psi": (5, 6, {"rules": "5.7", "hz": 1000}),
        "findings": (5, 6, {"rules": "5.7", "hz": 1000}),
        "utilisation": (5, 6, {"step_ns": 10**9}),
        "residency": (5, 6, {"limit": 50}),
        "placement": (5, 6, {"limit": 12}),
        "latency": (5, 6, {"limit": 50}),
        "wait_heat": (5, 6, {"columns": 60}),
        "waste": (5, 6, {}),
        "balancing": (5, 6, {"limit": 50}),
        "cling": (5, 6, {"limit": 50, "degree": 35}),
        "migration": (5, 6, {}),
        "vmstat": (5, 6, {}),
        "ilb": (5, 6, {"limit": 50}),
    }


@given(
    edges=st.tuples(*[st.none() | st.integers(0, (1 << 63) - 1)] * 2),
    window=st.lists(st.integers(0, (1 << 63) - 1), min_size=2, max_size=2),
)
def test_the_window_is_the_one_given_or_the_common_one(edges: tuple[int | None, int | None], window: list[int]) -> None:
    asked = Engine()
    report = build_report({**MANIFEST, "window_ns": window}, asked.bundle, *edges)
    expected = [common if edge is None else edge for edge, common in zip(edges, window, strict=True)]
    assert report["window_ns"] == expected
    assert {tuple(about[:2]) for about in asked.asked.values()} == {tuple(expected)}

"""The summary for people: what it says about times, damage and the replay."""

from typing import Any

import pytest

from numalens.cli.replay_summary import length, replay_lines
from numalens.cli.summary import cpu_ranges, summary
from numalens.report import build_report
from tests.told import MISSING, SECTIONS, engine

MANIFEST: dict[str, Any] = {
    "window_ns": [10, 2_000_000_010],
    "topology": {"source": "perf", "nodes": [{"nid": 0, "cpus": [0, 1]}], "notes": []},
    "event_counts": {"sched_switch": 1234},
    "notes": ["A note."],
    "tables": [],
    "samples": [],
}


def told(**entry: Any) -> str:
    manifest = {**MANIFEST, "inputs": [{"name": "psi.jsonl", "kind": "psi", "bytes": 5, **entry}]}
    return summary(build_report(manifest, engine()), None)


def replay(**changes: Any) -> list[str]:
    """The lines about the replay; sections changed or, with None, without input."""
    told_now = {name: MISSING if section is None else section for name, section in {**SECTIONS, **changes}.items()}
    report = build_report({**MANIFEST, "inputs": []}, engine(told_now))
    return replay_lines(report)


def alignment(
    method: str, offset: int | None, uncertainty: int | None = None, clock: str | None = None
) -> dict[str, Any]:
    return {
        "method": method,
        "clock": clock,
        "offset_ns": offset,
        "uncertainty_ns": uncertainty,
        "evidence": "It was seen.",
        "label": "observed",
    }


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (alignment("reference", 0, 0, "mono"), "time: the reference, clock mono"),
        (alignment("reference", 0, 0), "time: the reference"),
        (alignment("markers", -1500, 20), "time: -1,500 ± 20 ns by markers in the trace (observed); It was seen."),
        (alignment("user", 7), "time: +7 ns as given (observed); It was seen."),
        (alignment("none", None), "time: not known on the reference clock; It was seen. (--offset NAME=NS sets it)"),
    ],
)
def test_an_alignment_is_told_with_its_uncertainty(given: dict[str, Any], line: str) -> None:
    assert f"    {line}\n" in told(alignment=given)


def test_samples_and_their_tables_are_told() -> None:
    assert "    12 samples, 1,036 rows: psi 36, vmstat 1,000\n" in told(
        samples=12, rows=1036, tables={"psi": 36, "vmstat": 1000}
    )


def test_skipped_parts_are_told_and_the_rest_is_counted() -> None:
    part = {"from": 4096, "to": 8192, "unit": "byte", "cpu": 3, "why": "It is torn."}
    text = told(skipped=[part] * 6, skipped_more=100)
    assert "left out: 106 damaged parts\n" in text
    assert text.count("bytes 4,096 to 8,192 of CPU 3: It is torn.\n") == 5
    assert "and 101 more\n" in text
    assert "left out: 1 damaged part\n" in told(skipped=[{**part, "cpu": None, "unit": "line"}], skipped_more=0)
    assert "left out" not in told(skipped=[], skipped_more=0)


def test_topology_of_a_perf_header_is_named() -> None:
    assert "topology  from the perf header\n" in told()


@pytest.mark.parametrize(
    ("cpus", "text"), [([], "none"), ([3], "3"), ([0, 1, 2, 5, 7, 8], "0-2,5,7-8"), ([2, 1, 0], "0-2")]
)
def test_cpu_ranges(cpus: list[int], text: str) -> None:
    assert cpu_ranges(cpus) == text


def test_what_the_replay_found_is_told_briefly() -> None:
    lines = replay()
    for line in (
        "pressure  by the rules of Linux 6.4, 250 jiffies a second",
        "  cpu     some 1,200.5 ms, full 0.0 ms (replayed)",
        "          replayed 1,004.0 ms, sampled 1,000.0 ms in the 2 s between samples: +0.40 % (1 % allowed)",
        f"  memory  not known: {MISSING['reason']}",
        "  irq     some none, full 0.0 ms (replayed)",
        "latency   1,234 wake-ups, p50 1.5 µs, p90 20 µs, p99 2.5 ms, most 30 ms, replayed",
        "waste     1.500 CPU seconds idle while tasks waited (replayed): busy 20 ms, idle other node 10 ms",
        "usage     busy time in steps of 5 s (replayed)",
        "  node 0: 62 % on average, 50 to 75 %",
        "  node 1: 0 % on average",
        "findings  7",
        "  high        87.5 ms  PSI_SPIKE_HIDDEN: CPU pressure was 87 % for 100 ms while avg10 showed 3.",
        "  and 2 more",
    ):
        assert line in lines
    waits = [line for line in lines if "worker (77) waited for CPU 2" in line]
    assert len(waits) == 3
    assert waits[0].endswith(": busy 20 ms, idle other node 10 ms")


def test_nothing_found_is_told_too() -> None:
    assert "findings  none" in replay(findings=[])
    lines = replay(**dict.fromkeys(SECTIONS))
    for name in ("pressure", "latency", "waste", "usage", "findings"):
        assert f"{name:<10}not known: {MISSING['reason']}" in lines
    assert "latency   0 wake-ups, replayed" in replay(
        latency={
            **SECTIONS["latency"],
            "wakeups": 0,
            "worst": [],
            **dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "max_ns")),
        }
    )


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1 µs"),
        (1234, "1.23 µs"),
        (99_960, "100 µs"),
        (123_456, "123 µs"),
        (1_500_000, "1.5 ms"),
        (999_999_999, "1,000 ms"),
        (5_000_000_000, "5 s"),
        (123_456_000_000_000, "123,456 s"),
    ],
)
def test_a_length_of_time_has_three_digits(ns: int, text: str) -> None:
    assert length(ns) == text

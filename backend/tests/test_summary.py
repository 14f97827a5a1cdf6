"""The summary for people: what it says about times, damage and the replay."""

from typing import Any

import pytest

from numalens.cli.summary import WIDTH, cpu_ranges, replay_lines, summary
from numalens.text import length
from tests.section_fixtures import MISSING, report


def answer(**entry: Any) -> str:
    inputs = [{"name": "psi.jsonl", "kind": "psi", "bytes": 5, **entry}]
    return summary({**report(), "inputs": inputs}, width=200)


def replay(**changes: Any) -> list[str]:
    """The lines about the replay of a real report with some of its parts changed."""
    return replay_lines({**report(), **changes})


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
        (alignment("none", None), "time: no offset to the reference clock; It was seen. (--offset NAME=NS sets it)"),
    ],
)
def test_an_alignment_is_reported_with_its_uncertainty(given: dict[str, Any], line: str) -> None:
    assert f"    {line}\n" in answer(alignment=given)


def test_samples_and_their_tables_are_reported() -> None:
    assert "    12 samples, 1,036 rows: psi 36, vmstat 1,000\n" in answer(
        samples=12, rows=1036, tables={"psi": 36, "vmstat": 1000}
    )


def test_skipped_parts_are_reported_and_the_rest_is_counted() -> None:
    part = {"from": 4096, "to": 8192, "unit": "byte", "cpu": 3, "why": "It is torn."}
    text = answer(skipped=[part] * 6, skipped_more=100)
    assert "left out: 106 damaged parts\n" in text
    assert text.count("bytes 4,096 to 8,192 of CPU 3: It is torn.\n") == 5
    assert "and 101 more\n" in text
    assert "left out: 1 damaged part\n" in answer(skipped=[{**part, "cpu": None, "unit": "line"}], skipped_more=0)
    assert "left out" not in answer(skipped=[], skipped_more=0)


def test_topology_of_a_perf_header_is_named() -> None:
    perf = {**report(), "topology": {"source": "perf", "nodes": [{"nid": 0, "cpus": [0, 1]}]}}
    assert "topology  from the perf header\n  node 0: CPUs 0-1\n" in summary(perf)


@pytest.mark.parametrize(
    ("cpus", "text"), [([], "none"), ([3], "3"), ([0, 1, 2, 5, 7, 8], "0-2,5,7-8"), ([2, 1, 0], "0-2")]
)
def test_cpu_ranges(cpus: list[int], text: str) -> None:
    assert cpu_ranges(cpus) == text


CAUSES = [{"cause": "busy", "ns": 20_000_000}, {"cause": "idle_other_node", "ns": 10_000_000}]
RESIDUAL = {
    "from_ns": 1,
    "to_ns": 2_000_000_001,
    "replayed_some_us": 1_004_000,
    "sampled_some_us": 1_000_000,
    "error_percent": 0.4,
    "tolerance_percent": 1.0,
}


def test_what_the_replay_found_is_reported_briefly() -> None:
    whole = report()
    whole["psi"]["system"]["cpu"] |= {"some_us": 1_200_500, "full_us": 0, "label": "replayed"}
    whole["psi"]["system"] |= {"memory": MISSING, "irq": {"some_us": None, "full_us": 0, "label": "replayed"}}
    whole["psi"]["residual"]["cpu"] |= RESIDUAL
    whole["latency"] |= {
        "label": "replayed",
        "wakeups": 1234,
        "p50_ns": 1500,
        "p90_ns": 20_000,
        "p99_ns": 2_500_000,
        "max_ns": 30_000_000,
        "preempted": {"count": 1200, "wait_ns": 4_000_000_000, "max_ns": 60_000_000},
        "new": {"count": 0, "wait_ns": 0, "max_ns": None},
        "unfinished": {"count": 1, "wait_ns": 3000, "max_ns": 3000},
    }
    whole["waste"] |= {"label": "replayed", "cpu_seconds": 1.5, "causes": CAUSES}
    nodes = [{"nid": 0, "average": 62, "percent": [50, 75]}, {"nid": 1, "average": 0, "percent": []}]
    whole["utilisation"] |= {"label": "replayed", "step_ns": 5_000_000_000, "nodes": nodes}
    finding = {"severity": "high", "impact_ms": 87.5, "id": "PSI_SPIKE_HIDDEN", "summary": "CPU pressure was 87 %."}
    whole["findings"] = [finding] * 7
    whole["quality"] = [{"id": "MISSING", "summary": "The recording lacks switches."}]
    whole["headline"] = {"summary": "No task waited long for a CPU (longest 1.2 ms). 4 CPUs, 31 % busy."}
    whole["other_waiting"] = {"ms": 1204.25, "percent": 12.5}
    text = summary(whole, ["     1.204 s  Woken, worker (77) waited 30 ms."], width=200)
    lines = text.splitlines()
    # What happened comes first.
    assert lines[:3] == [whole["headline"]["summary"], "", "findings  7"]
    assert lines.index("     1.204 s  Woken, worker (77) waited 30 ms.") < lines.index("inputs")
    for line in (
        "pressure  by the rules of Linux 6.4, 250 jiffies a second",
        "  cpu     some 1,200.5 ms, full 0.0 ms (replayed)",
        "          replayed 1,004.0 ms, sampled 1,000.0 ms in the 2 s between samples: +0.40 % (1 % allowed)",
        f"  memory  not known: {MISSING['reason']}",
        "  irq     some none, full 0.0 ms (replayed)",
        "latency   1,234 wakeups, p50 1.5 µs, p90 20 µs, p99 2.5 ms, most 30 ms, replayed",
        "  1,200 waits after a preemption: 4 s in all, longest 60 ms",
        "  1 wait without a known end: 3 µs in all, longest 3 µs",
        "waste     1.500 CPU seconds idle while tasks waited (replayed): busy 20 ms, idle other node 10 ms",
        "usage     busy time in steps of 5 s (replayed)",
        "  node 0: 62 % on average, 50 to 75 %",
        "  node 1: 0 % on average",
        "findings  7",
        "  high        87.5 ms  PSI_SPIKE_HIDDEN: CPU pressure was 87 %.",
        "  and 2 more",
        "  other waiting: 1,204.2 ms (12 % of all), not covered by any finding",
        "  data quality: The recording lacks switches.",
    ):
        assert line in lines
    assert not [line for line in lines if "new tasks" in line]
    assert max(map(len, summary(whole, [f"     1.204 s  {'so long ' * 40}"]).splitlines())) <= WIDTH


def test_nothing_found_is_reported_too() -> None:
    lines = summary({**report(), "findings": [], "other_waiting": None}).splitlines()
    assert "findings  none" in lines
    assert "  other waiting: not recorded" in lines
    nothing = dict.fromkeys(("headline", "latency", "waste", "utilisation", "findings", "numa_balancing"), MISSING)
    lines = summary({**report(), **nothing, "psi": {**report()["psi"], "system": MISSING}}).splitlines()
    assert lines[0] == f"findings  not known: {MISSING['reason']}"
    for name in ("pressure", "latency", "waste", "usage", "numa", "findings"):
        assert f"{name:<10}not known: {MISSING['reason']}" in lines
    none: dict[str, Any] = {
        "label": "replayed",
        "wakeups": 0,
        "worst": [],
        **dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "max_ns")),
    }
    assert "latency   0 wakeups, replayed" in replay(latency={**report()["latency"], **none})


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

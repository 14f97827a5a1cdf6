"""The summary for people: what it says about times and damage."""

from typing import Any

import pytest

from numalens.cli.summary import cpu_ranges, summary
from numalens.report import build_report

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
    engine: Any = None
    return summary(build_report(manifest, engine), None)


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
        (alignment("user", 7), "time: +7 ns as asked for (observed); It was seen."),
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

"""What a recording is called by."""

import json
from pathlib import Path
from typing import Any

import pytest
from numalens_native import Bundle

from numalens.jobs.reading import read_inputs
from numalens.report import answer_once, kept_identity
from numalens.report.identity import verdict_of, wall_offset
from numalens.store.names import title_of_recording
from tests.recordings import FIXTURES

KERNEL = "Linux vm 6.1.0 #1 SMP x86_64"
BEGAN = 1_795_788_192_500_000_000


@pytest.mark.parametrize(
    ("entry", "identity", "title"),
    [
        (
            {"name": "b.tar/trace.dat", "kernel": KERNEL},
            {"host": "vm1", "began_ns": BEGAN, "verdict": "postgres: Throttled (/inc_pg)"},
            "vm1, 2026-11-27 14:03:12 UTC, postgres: Throttled (/inc_pg)",
        ),
        (
            {"name": "perf.data", "kernel": "6.1.0", "facts": {"command": "perf record -a -- sleep 1"}},
            {"host": "db7", "began_ns": None, "verdict": None},
            "db7, sleep 1",
        ),
        # A host alone, or its lack, is not dressed up.
        ({"name": "trace.dat", "kernel": KERNEL}, {"host": None, "began_ns": None, "verdict": None}, "trace.dat"),
        ({"name": "trace.dat", "kernel": KERNEL}, {}, "trace.dat"),
        ({"name": "psi.jsonl", "kernel": None}, {"host": "vm1"}, None),
    ],
)
def test_a_title_says_host_start_and_verdict(
    entry: dict[str, Any], identity: dict[str, Any], title: str | None
) -> None:
    assert title_of_recording([entry], identity) == title


def test_the_verdict_is_the_first_finding() -> None:
    wait = {"pid": 7, "comm": "postgres"}
    first: dict[str, Any] = {"id": "CGROUP_THROTTLE", "pids": [7, 9], "cgroup": "/inc_pg"}
    report = {"findings": [first, {"id": "RT_HOG", "pids": []}], "latency": {"preempted": {"worst": [wait]}}}
    verdict = verdict_of(report) or ""
    assert verdict.startswith("postgres: ")
    assert verdict.endswith(" (/inc_pg)")
    # A task whose name no list of waits has is left out, and so is the cgroup of a finding without one.
    bare = verdict_of({**report, "latency": {}, "findings": [{**first, "cgroup": None}]})
    assert verdict == f"postgres: {bare} (/inc_pg)"
    assert verdict_of({**report, "findings": [{**first, "pids": [9, 7], "cgroup": None}]}) == bare
    assert verdict_of({"findings": []}) is None


def test_samples_say_when_it_began(tmp_path: Path) -> None:
    file = FIXTURES / "samples" / "tc-small.psi.jsonl"
    read_inputs([(file.name, str(file))], tmp_path / "b", tmp_path / "scratch")
    answer_once(tmp_path / "b")
    engine = Bundle(str(tmp_path / "b"))
    manifest = json.loads(engine.manifest())
    offset = wall_offset(engine, manifest)
    assert offset is not None
    first = json.loads(file.read_text().splitlines()[0])
    assert abs(manifest["window_ns"][0] + offset - first["real_ns"]) < 1_000_000_000
    assert kept_identity(tmp_path / "b")["began_ns"] == manifest["window_ns"][0] + offset
    # Of a machine without a clock, and of a bundle of before, nothing is known.
    pair = {"trace_ns": 1, "real_ns": 5}
    entry = {"alignment": {"offset_ns": 0}, "clock_pairs": [pair]}
    assert wall_offset(engine, {**manifest, "inputs": [entry], "samples": []}) is None
    assert kept_identity(tmp_path) == {"host": None, "began_ns": None, "verdict": None}

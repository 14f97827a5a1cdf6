"""The ledger of waits: `analyze --json`, the API, SQL and the comparison count the same waits, and their causes add up."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests.command import run
from tests.recordings import DROPPED, FIXTURES, NUMA, SMALL
from tests.service import Service
from tests.sql_helpers import IDLE, rows, section, session

KINDS = ("preempted", "new", "unfinished")
Sums = dict[str, tuple[int, int]]
"""How many waits of a kind and their sum, ns."""
FOUR_CPUS = FIXTURES / "idle-6.12-2x2.part.v7-none.dat.zst"
CLAIMS = {
    *("CPU_SATURATED", "RT_HOG", "PINNED_HOTSPOT", "CGROUP_THROTTLE", "IRQ_STORM", "ILB_LATE", "IDLE_UNEXPLAINED"),
}
"""Findings that are claims about waits."""
SQL = "include perfetto module numalens.latency; select kind, count(*), sum(dur) from {} group by kind"


MADE = """
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.001000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.001000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.002000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=8 next_prio=120
b-8 [000] d..2. 10.002500: sched_waking: comm=a pid=7 prio=120 target_cpu=000
b-8 [000] d..2. 10.003000: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.003500: sched_wakeup_new: comm=c pid=9 prio=120 target_cpu=000
a-7 [000] d..2. 10.004000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=c next_pid=9 next_prio=120
c-9 [000] d..2. 10.005000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
c-9 [000] d..2. 10.005000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
c-9 [000] d..2. 10.006000: sched_switch: prev_comm=c prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.008000: sched_stat_runtime: comm=a pid=7 runtime=2000000 [ns]
"""  # noqa: E501  (trace-cmd's lines)
"""One of each kind, and a task that is woken while it waits after a preemption."""


def read(file: Path, folder: Path) -> native.Bundle:
    read_inputs([(file.name, str(file))], folder / "bundle", folder / "scratch")
    return native.Bundle(str(folder / "bundle"))


def by_kind(latency: Mapping[str, Any]) -> Sums:
    """What a section says, without the kinds that have no wait."""
    parts = {"woken": (latency["wakeups"], latency["wait_ns"])}
    parts |= {kind: (latency[kind]["count"], latency[kind]["wait_ns"]) for kind in KINDS}
    return {kind: (int(count), int(ns)) for kind, (count, ns) in parts.items() if int(count)}


@pytest.mark.parametrize("file", [FOUR_CPUS, IDLE, NUMA], ids=lambda file: file.name)
def test_all_count_the_same_waits(file: Path, service: Service, tmp_path: Path) -> None:
    """These recordings have all events; where some are missing, Perfetto does not know who ran."""
    bundle = read(file, tmp_path)
    manifest = json.loads(bundle.manifest())
    first, last = str(manifest["origin_ns"]), str(manifest["end_ns"])
    expected = by_kind(section(bundle, "latency"))
    assert {"woken", "preempted", "unfinished"} <= expected.keys()

    report = json.loads(run("analyze", tmp_path / "bundle", "--from", first, "--to", last, "--json", "-").stdout)
    assert by_kind(report["latency"]) == expected

    analysis_id = service.analyse(file)
    answer = service.get(f"/analyses/{analysis_id}/sections/latency", params={"from_ns": first, "to_ns": last})
    assert by_kind(answer.json()) == expected

    windows = section(bundle, "wait_windows", step_ns=int(last) - int(first) + 1)
    assert windows["wakeups"] == expected["woken"][0]
    (window,) = windows["windows"]
    assert (window["wait_ns"], window["preempted_ns"]) == (expected["woken"][1], expected["preempted"][1])

    with session(bundle) as made:
        sql_rows = {kind: (int(count), int(ns)) for kind, count, ns in rows(made, SQL.format("numalens_wait"))}
        assert sql_rows == expected
        for view in ("numalens_wait_by_node", "numalens_wait_by_thread"):
            sums = SQL.format(view).replace("count(*), sum(dur)", "sum(waits), sum(total_ns)")
            assert {kind: (int(count), int(ns)) for kind, count, ns in rows(made, sums)} == expected


def test_each_kind_is_counted_apart(tmp_path: Path) -> None:
    file = tmp_path / "made.txt"
    file.write_text(MADE.lstrip())
    bundle = read(file, tmp_path)
    ms = 10**6
    expected = {"woken": (1, ms), "preempted": (2, 3 * ms), "new": (1, ms // 2), "unfinished": (1, 3 * ms)}
    assert by_kind(section(bundle, "latency")) == expected
    with session(bundle) as made:
        sql_rows = rows(made, SQL.format("numalens_wait"))
        unfinished = rows(
            made,
            "include perfetto module numalens.latency; select tid, began, cpu from numalens_wait where kind = 'unfinished'",
        )
    assert {kind: (int(count), int(ns)) for kind, count, ns in sql_rows} == expected
    assert unfinished == [["8", "woken", None]]


@pytest.mark.parametrize("file", [SMALL, DROPPED, IDLE, NUMA], ids=lambda file: file.name)
def test_causes_add_up_to_the_waits(file: Path, tmp_path: Path) -> None:
    latency = section(read(file, tmp_path), "latency", limit=1000)

    def spent(part: Mapping[str, Any]) -> int:
        return sum(cause["ns"] for cause in part["causes"])

    for part in (latency, *(latency[kind] for kind in KINDS), *latency["by_task"], *latency["by_node"]):
        assert spent(part) == part["wait_ns"]
    for part in (latency, *(latency[kind] for kind in KINDS)):
        assert all(spent(wait) == wait["wait_ns"] for wait in part["worst"])
        assert part["max_ns"] == max((wait["wait_ns"] for wait in part["worst"]), default=None)
    for groups in (latency["by_node"], latency["by_task"]):
        assert sum(group["count"] for group in groups) == latency["wakeups"]
        assert sum(group["wait_ns"] for group in groups) == latency["wait_ns"]
        assert sum(group["preempted_ns"] for group in groups) == latency["preempted"]["wait_ns"]


@pytest.mark.parametrize("file", [SMALL, DROPPED, IDLE, NUMA], ids=lambda file: file.name)
def test_adjoining_windows_add_up(file: Path, tmp_path: Path) -> None:
    bundle = read(file, tmp_path)
    manifest = json.loads(bundle.manifest())
    first, last = int(manifest["origin_ns"]), int(manifest["end_ns"])
    edges = [first + (last - first) * part // 100 for part in range(101)]

    def latency(from_ns: int, to_ns: int) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(bundle.analysis("latency", from_ns, to_ns, json.dumps({"limit": 1000})))
        return answer

    whole = latency(first, last)
    parts = [latency(*edge) for edge in pairwise(edges)]
    assert (whole["edges"]["begun_before"], whole["edges"]["open_at_end"]) == (0, 0)
    assert (
        sum(part["edges"]["begun_before"] for part in parts) == sum(part["edges"]["open_at_end"] for part in parts) > 0
    )
    for kind in ("wakeups", "preempted", "new"):
        ended = [part[kind] if kind == "wakeups" else part[kind]["count"] for part in (whole, *parts)]
        assert sum(ended[1:]) == ended[0]
    assert sum(by_cause(part).total() for part in parts) == by_cause(whole).total()
    assert sum((by_cause(part) for part in parts), Counter()) == by_cause(whole)


def by_cause(latency: Mapping[str, Any]) -> Counter[str]:
    """What all waits of a section were spent on, ns."""
    spent: Counter[str] = Counter()
    for part in (latency, *(latency[kind] for kind in KINDS)):
        for cause in part["causes"]:
            spent[cause["cause"]] += int(cause["ns"])
    return spent


@pytest.mark.parametrize("file", [SMALL, DROPPED, IDLE, NUMA], ids=lambda file: file.name)
def test_findings_claim_no_wait_twice(file: Path, tmp_path: Path) -> None:
    bundle = read(file, tmp_path)
    latency = section(bundle, "latency")
    all_ns = sum(ns for _, ns in by_kind(latency).values())
    found = [each for each in section(bundle, "findings")["findings"] if each["id"] in CLAIMS]
    assert found
    assert len({each["id"] for each in found}) == len(found)
    assert sum(each["impact_ms"] for each in found) <= all_ns / 1e6 + 1e-6
    busy = sum(
        cause["ns"]
        for part in (latency, *(latency[kind] for kind in KINDS))
        for cause in part["causes"]
        if cause["cause"] == "busy"
    )
    usage = section(bundle, "utilisation")
    most = (int(usage["to_ns"]) - int(usage["from_ns"])) * len(usage["cpus"])
    cost = {each["id"]: each["impact_ms"] for each in found}.get("CPU_SATURATED", 0.0)
    assert cost == pytest.approx(min(busy, most) / 1e6)


def test_a_summary_names_every_kind(tmp_path: Path) -> None:
    made = tmp_path / "made.txt"
    made.write_text(MADE.lstrip())
    read(made, tmp_path)
    latency = json.loads(run("analyze", tmp_path / "bundle", "--json", "-").stdout)["latency"]
    text = run("analyze", tmp_path / "bundle").stdout.decode()
    assert min(latency[kind]["count"] for kind in KINDS) > 0
    for kind, words in (
        ("preempted", "after a preemption"),
        ("new", "of new tasks"),
        ("unfinished", "without a known end"),
    ):
        assert re.search(rf"\b{latency[kind]['count']} waits? {words}", text), text

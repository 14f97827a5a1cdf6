"""Newly idle balancing: what it costs, and what waits for it."""

from pathlib import Path
from typing import Any

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section

MS = 10**6
ON = "(do_it+0x4/0x4d0)"
BACK = "(back+0x59/0x90 <- do_it)"


def trace(begins: str, ends: str, cpu: int = 0) -> str:
    """CPUs 0 and 1 run tasks; b is woken to CPU 0 at 3 ms, runs at 7 ms; at 2 ms something begins on a CPU, at 6 ms it ends."""
    return f"""
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
<idle>-0 [001] d..2. 10.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=x next_pid=9 next_prio=120
a-7 [00{cpu}] d..2. 10.002000: {begins}
x-9 [001] d..2. 10.003000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
x-9 [001] d..2. 10.003000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
a-7 [00{cpu}] d..2. 10.006000: {ends}
a-7 [000] d..2. 10.007000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=120
b-8 [000] d..2. 10.009000: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
""".lstrip()  # noqa: E501  (trace-cmd's lines)


WHOLE = (f"sched_balance_newidle: {ON} cpu=0", f"sched_balance_newidle_ret: {BACK} moved=1")
OLDER = (f"newidle_balance: {ON} cpu=0", f"newidle_balance_ret: {BACK} moved=-1")


def part(idle: int, cpu: int = 0) -> tuple[str, str]:
    return (f"sched_balance_rq: {ON} cpu={cpu} idle={idle} span=4", f"sched_balance_rq_ret: {BACK} moved=0")


def answer(lines: str, name: str, folder: Path) -> dict[str, Any]:
    own = folder / "made"
    own.mkdir()
    (own / "trace.txt").write_text(lines)
    read_inputs([("trace.txt", str(own / "trace.txt"))], own / "bundle", own / "scratch")
    return section(native.Bundle(str(own / "bundle")), name)


@pytest.mark.parametrize(
    ("lines", "newidle"),
    [
        (trace(*WHOLE), 3),
        (trace(*OLDER), 3),
        # The function is inlined: a search of a CPU that is newly idle, not of a busy or an idle one.
        (trace(*part(2)), 3),
        (trace(*part(0)), 0),
        (trace(*part(1)), 0),
        # On another CPU, or the end is not recorded.
        (trace(*WHOLE, cpu=1), 0),
        (trace(WHOLE[0], "none: x"), 0),
    ],
)
def test_what_came_to_a_cpu_while_it_looked_elsewhere_waited_for_that(lines: str, newidle: int, tmp_path: Path) -> None:
    found = {each["cause"]: each["ns"] for each in answer(lines, "latency", tmp_path)["causes"]}
    expected = {"newidle": newidle * MS, "busy": (4 - newidle) * MS}
    assert found == {cause: ns for cause, ns in expected.items() if ns}


def rounds(begins: str, ends: str, cpu: int = 0) -> str:
    """Six of them, 10 ms apart."""
    lines = trace(begins, ends, cpu).splitlines(keepends=True)
    later = [line.replace(" 10.00", f" 10.0{number}") for number in range(1, 6) for line in [lines[0], *lines[2:]]]
    return "".join([*lines, *later])


@pytest.mark.parametrize(
    ("lines", "found"), [(rounds(*WHOLE), True), (rounds(*WHOLE, cpu=1), False), (rounds(*part(0)), False)]
)
def test_what_it_costs_is_a_finding(lines: str, found: bool, tmp_path: Path) -> None:
    """3 ms of each wait of 4, in all 18 ms; the look-alikes search on another CPU, or on an idle one."""
    findings = {one["id"]: one for one in answer(lines, "findings", tmp_path)["findings"]}
    assert ("NEWIDLE" in findings) == found
    busy = findings["CPU_SATURATED"]["impact_ms"] if "CPU_SATURATED" in findings else 0
    if found:
        assert findings["NEWIDLE"]["impact_ms"] == pytest.approx(18)
        assert findings["NEWIDLE"]["pids"] == [8]
        assert findings["NEWIDLE"]["impact_ms"] > busy
    else:
        assert busy == pytest.approx(24)


def test_searches_have_their_cost_by_domain_and_cpu(tmp_path: Path) -> None:
    lines = trace(*WHOLE).splitlines(keepends=True)
    inner = (
        f"a-7 [000] d..2. 10.004000: sched_balance_rq: {ON} cpu=0 idle=2 span=4\n",
        f"a-7 [000] d..2. 10.005000: sched_balance_rq_ret: {BACK} moved=1\n",
    )
    other = (
        f"<idle>-0 [000] d..2. 10.010000: sched_balance_rq: {ON} cpu=1 idle=1 span=2\n",
        f"<idle>-0 [000] d..2. 10.012000: sched_balance_rq_ret: {BACK} moved=0\n",
        f"<idle>-0 [000] d..2. 10.012500: sched_balance_rq_ret: {BACK} moved=7\n",
    )
    found = answer("".join([*lines[:5], *inner, *lines[5:], *other]), "schedstat", tmp_path)["searches"]
    assert found["label"] == "observed"
    whole = {"count": 1, "pulled": 1, "tasks": 1, "ns": 4 * MS, "in_vain_ns": 0, "longest_ns": 4 * MS, "longest_cpu": 0}
    assert found["newidle"].items() >= whole.items()
    rows = [
        {key: row[key] for key in ("searcher", "domain_cpus", "count", "pulled", "tasks", "ns", "in_vain_ns")}
        for row in found["domains"]
    ]
    assert rows == [
        {
            "searcher": "newidle",
            "domain_cpus": 4,
            "count": 1,
            "pulled": 1,
            "tasks": 1,
            "ns": MS,
            "in_vain_ns": 0,
        },
        # A return without its entry shows nothing.
        {
            "searcher": "other",
            "domain_cpus": 2,
            "count": 1,
            "pulled": 0,
            "tasks": 0,
            "ns": 2 * MS,
            "in_vain_ns": 2 * MS,
        },
    ]
    cpus = [(row["cpu"], row["newidle_ns"], row["searches"], row["search_ns"]) for row in found["cpus"]]
    assert cpus == [(0, 4 * MS, 2, 3 * MS), (1, 0, 0, 0)]
    assert found["sentence"].startswith("Newly idle balancing ran once and took 4")


def test_without_probes_there_is_no_cost(tmp_path: Path) -> None:
    found = answer(trace("none: x", "none: x"), "schedstat", tmp_path)["searches"]
    assert found["available"] is False
    assert "record with --probe ilb" in found["reason"]

"""The generator's pure parts: parameters come from the seed alone, and the judge judges."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"
sys.path[:0] = [str(SCENARIOS), str(SCENARIOS.parents[1] / "backend")]

from catalogue import CAUSES, cause_named, draw, seeded  # noqa: E402
from judge import KINDS, broken, false_highs, holds  # noqa: E402
from loads import KINDS as LOADS  # noqa: E402
from model import Facts, Machine  # noqa: E402
from reference import ROWS, chosen, lacking  # noqa: E402
from score import recording_of, report_of  # noqa: E402

NATIVE = Machine(2, 1, False, (6, 18))
GUEST = Machine(4, 2, True, (6, 1))
NEWER = Machine(4, 2, True, (7, 2))
SAMPLES = SCENARIOS.parents[1] / "samples" / "scenarios"
CLI = SCENARIOS.parents[1] / ".venv" / "bin" / "numalens"


def measured(cpus: int) -> Facts:
    counts = {"throttled_ns": 1, "nr_throttled": 1, "nr_periods": 2}
    return Facts(10**9, dict.fromkeys(range(cpus), 10**8), {}, {}, {"capped": counts}, {"memory": 1000}, 5, 7)


def report(**more: Any) -> dict[str, Any]:
    """80 ms of waiting pinned, 20 ms busy, all of one task that waited behind another."""
    causes = [{"cause": "pinned", "ns": 80_000_000}, {"cause": "busy", "ns": 20_000_000}]
    row = {
        "comm": "bound1",
        "wait_ns": 100_000_000,
        "causes": causes,
        "antagonists": [{"comm": "hog", "ns": 90_000_000}],
    }
    part = {"count": 1, "wait_ns": 100_000_000, "causes": causes, "worst": [row]}
    found = {"id": "ILB_LATE", "severity": "high", "summary": "late", "impact_ms": 60.0, "from_ns": 1, "to_ns": 2}
    headline = {
        "offline": [{"cpu": 3, "from_ns": 0, "to_ns": 10**9}, {"cpu": 3, "from_ns": 2 * 10**9, "to_ns": 35 * 10**8}]
    }
    summed = {
        "comm": "summed",
        "causes": [{"cause": "busy", "ns": 40_000_000}],
        "preempted_causes": [{"cause": "busy", "ns": 40_000_000}, {"cause": "pinned", "ns": 20_000_000}],
    }
    latency = {"preempted": part, "by_task": [summed]}
    kicks = {"kicks": {"sent": 100}, "comparison": {"both": 97, "observed": 100, "model": 98}}
    missed = [{"by": "fork_affinity", "wakeups": 3}, {"by": "sync_declined", "wakeups": 9}]
    placements = {"wakeups": 900, "forks": 100, "unexplained": 4, "certain": 800, "missed": missed}
    return {
        "idle_balancing": kicks,
        "wakeup_placement": placements,
        "window_ns": [0, 10**9],
        "inputs": [],
        "headline": headline,
        "latency": latency,
        "findings": [found],
        **more,
    }


@pytest.mark.parametrize("machine", [NATIVE, GUEST, NEWER])
def test_a_seed_gives_the_same_scenarios_and_another_seed_others(machine: Machine) -> None:
    plans = [[(one.name, one.cause.plan) for one in draw(machine, 60, seed)] for seed in (1, 1, 2)]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]


@pytest.mark.parametrize("machine", [NATIVE, GUEST, NEWER])
def test_every_cause_has_its_look_alike_and_plans_that_the_machine_can_play(machine: Machine) -> None:
    kinds = [kind for kind in CAUSES if kind.runs_on(machine)]
    found = draw(machine, 2 * len(kinds), 5)
    assert sorted((one.cause.name, one.cause.twin) for one in found) == sorted(
        (kind.name, twin) for kind in kinds for twin in (False, True)
    )
    for one in found:
        plan = one.cause.plan
        assert json.loads(json.dumps(plan.as_json())) == plan.as_json()
        groups = {group.name for group in plan.groups}
        for load in plan.loads:
            assert load.kind in LOADS
            assert len(load.comm) <= 15
            assert set(load.cpus or []) <= set(range(machine.cpus))
            assert load.group is None or load.group in groups


@pytest.mark.parametrize("machine", [NATIVE, GUEST, NEWER])
def test_a_truth_has_conditions_that_the_judge_knows(machine: Machine) -> None:
    for one in draw(machine, 80, 7):
        truth = one.cause.truth(measured(machine.cpus))
        assert truth.sentence
        assert truth.must_say or truth.must_not_say
        for condition in (*truth.must_say, *truth.must_not_say):
            assert set(condition) - {"why"} <= set(KINDS)


def release(kernel: str) -> tuple[int, int]:
    major, minor = kernel.split(".")[:2]
    return int(major), int(minor)


def test_the_rows_of_the_reference_set_are_those_of_its_document() -> None:
    document = (SCENARIOS.parents[1] / "docs" / "reference-set.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ")[:3] for line in document.splitlines() if line.startswith("| `")]
    assert rows == [[f"`{row.name}`", row.guest, f"`{row.seed}`"] for row in ROWS]
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_of_the_reference_set_can_be_made(row: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(row.cpus, row.nodes, True, release(row.kernel))
    if "sched_ext" in row.seed:
        monkeypatch.delenv("SCENARIO_BPFTOOL", raising=False)
        assert "SCENARIO_BPFTOOL" in (lacking(row, machine) or "")
        return
    assert lacking(row, machine) is None
    cause = seeded(machine, row.name, row.seed).cause
    _, name, twin, number = row.seed.split("/")
    assert (cause.name, cause.twin) == (name, twin == "True")
    # Drawing that many gives it, too.
    seed = int(row.seed.split("/")[0])
    drawn = draw(machine, 2 * int(number) + 2, seed, name)
    assert cause.plan in [one.cause.plan for one in drawn if one.seed == row.seed]


def test_rows_are_chosen_by_name_and_made_on_another_kernel() -> None:
    assert chosen(None) == list(ROWS)
    (row,) = chosen(["scan"], "6.18.1+deb14-amd64", "sid")
    assert (row.guest, row.seed, row.suite) == ("6.18.1+deb14-amd64, 2 CPUs, 2 nodes", "9/scan/False/0", "sid")
    with pytest.raises(ValueError, match="no row skan; there are deadline, "):
        chosen(["scan", "skan"])


def test_a_row_that_a_kernel_cannot_play_says_what_it_needs() -> None:
    (row,) = chosen(["picks_7_2"], "6.1.0-56-amd64")
    assert lacking(row, GUEST) == f"picks_7_2: not made: picks needs {cause_named('picks').needs}"


def test_only_one_cause_can_be_wanted_and_must_exist() -> None:
    assert {one.cause.name for one in draw(GUEST, 6, 1, "throttle")} == {"throttle"}
    with pytest.raises(ValueError, match="no cause hotplug"):
        draw(NATIVE, 1, 1, "hotplug")


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ({"waiting": {"causes": ["pinned"], "least": 0.8}}, True),
        ({"waiting": {"causes": ["pinned"], "least": 0.9}}, False),
        ({"waiting": {"causes": ["busy"], "least": 0.1, "comm": "^bound"}}, True),
        ({"waiting": {"causes": ["busy"], "least": 0.1, "comm": "^other"}}, False),
        # Of a task with sums its longest waits are not all.
        ({"waiting": {"causes": ["busy"], "least": 0.7, "comm": "^summed"}}, True),
        ({"waiting": {"causes": ["pinned"], "least": 0.3, "comm": "^summed"}}, False),
        ({"waiting": {"causes": ["busy"], "least": 0.1, "least_ms": 500}}, False),
        ({"wasted": {"causes": ["busy"], "least": 0.0}}, False),
        ({"finding": {"id": "ILB", "severity": ["high"]}}, True),
        ({"finding": {"id": "ILB", "severity": ["low"]}}, False),
        ({"finding": {"id": "ILB", "summary": "early"}}, False),
        ({"accused": {"ids": "^ILB_", "share": 0.5}}, True),
        ({"accused": {"ids": "^ILB_", "share": 0.7}}, False),
        ({"longest": {"comm": "bound", "least_ms": 100, "most_ms": 100}}, True),
        ({"longest": {"comm": "bound", "least_ms": 101}}, False),
        ({"behind": {"comm": "bound", "by": "hog", "least_ms": 90}}, True),
        ({"behind": {"comm": "bound", "by": "cat", "least_ms": 1}}, False),
        ({"busy": {"cpu": 0, "most": 100}}, False),
        ({"offline": {"cpu": 3, "least": 2.0, "most": 3.0}}, True),
        ({"offline": {"cpu": 2, "least": 2.0}}, False),
        ({"lost": {"least": 1}}, False),
        ({"new_tasks": {"least": 1}}, False),
        ({"pressure": {"resource": "memory", "least_us": 1}}, False),
        ({"refused": {"exit": 3, "says": "byte"}}, False),
        ({"kicked": {"least": 5}}, True),
        ({"kicked": {"least": 101}}, False),
        # 97 of 100 recorded ones, 97 of the model's 98.
        ({"kicks_explained": {"least": 0.97}}, True),
        ({"kicks_explained": {"least": 0.98}}, False),
        ({"placed": {"least": 0.99, "one_reason": 0.8}}, True),
        ({"placed": {"least": 0.997}}, False),
        ({"placed": {"least": 0.99, "one_reason": 0.81}}, False),
        ({"missed": {"by": "fork_affinity", "least": 3}}, True),
        ({"missed": {"by": "fork_affinity", "least": 4}}, False),
    ],
)
def test_conditions_hold_or_not(condition: dict[str, Any], held: bool) -> None:
    assert holds(report(), condition) is held


def test_kicks_that_nothing_recorded_are_not_explained() -> None:
    for section in ({"available": False}, {"comparison": None}, {"comparison": {"both": 0, "observed": 0, "model": 0}}):
        assert not holds(report(idle_balancing=section), {"kicks_explained": {"least": 0.0}})


def test_what_a_report_breaks_is_named() -> None:
    truth = {
        "must_say": [{"why": "a", "waiting": {"causes": ["throttled"], "least": 0.5}}],
        "must_not_say": [{"why": "b", "waiting": {"causes": ["pinned"], "least": 0.5}}],
        "high": [],
    }
    assert broken(report(), truth) == ["does not say: a", "says: b"]
    assert false_highs(report(), truth) == ["ILB_LATE: late"]
    assert false_highs(report(), {**truth, "high": ["^ILB"]}) == []


def test_sums_must_be_exact_and_findings_inside_of_the_window() -> None:
    fine: dict[str, Any] = {"must_say": [], "must_not_say": []}
    off = report(window_ns=[0, 1])
    off["latency"]["preempted"]["wait_ns"] += 3
    assert broken(report(), fine) == []
    assert broken(off, fine) == [
        "the causes of preempted waits are 3 ns off their sum",
        "ILB_LATE lies outside of the window",
    ]


def test_a_refusal_is_right_where_it_is_wanted_only() -> None:
    refusal = {"exit": 3, "stderr": "trace.dat: cut at byte 100\n"}
    wanted = {"must_say": [{"why": "cut", "refused": {"exit": 3, "says": "byte [0-9]"}}], "must_not_say": []}
    assert broken(refusal, wanted) == []
    assert broken({**refusal, "stderr": "two\nlines of byte 3"}, wanted) == ["does not say: cut"]
    assert broken(refusal, {"must_say": [], "must_not_say": []}) == ["refused: trace.dat: cut at byte 100"]


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in SAMPLES.glob("*/truth.json")), ids=lambda path: path.name
)
def test_a_shipped_scenario_is_judged_right(folder: Path) -> None:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    found = report_of(str(CLI), recording_of(folder))
    assert broken(found, truth) == []
    assert false_highs(found, truth) == []

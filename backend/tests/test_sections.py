"""Sections of a ready analysis: who may read them, what is refused, what the engine is asked, what it tells."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from numalens.api.sections import MAX_POINTS
from numalens.report import MAX_STEPS
from tests.conftest import running_service
from tests.recordings import LSCPU, NUMA
from tests.service import API, Service, sentence

NAMES = (
    *("psi", "utilisation", "residency", "latency", "wait_heat", "waits", "waste", "findings"),
    *("numa_balancing", "cling", "page_migration", "idle_balancing", "placement", "threads"),
)
ALL_NAMES = (*NAMES, "vmstat", "wait", "task", "critical_path")
"""The recording has no samples of /proc/vmstat, and no wait is as long as it."""
ELSEWHERE = {"Host": "numalens.example"}


@dataclass(frozen=True)
class Ready:
    """A ready analysis of the two-node recording."""

    service: Service
    id: str
    first: int
    last: int

    def get(self, section: str, headers: dict[str, str] | None = None, **query: Any) -> Any:
        return self.service.get(f"/analyses/{self.id}/sections/{section}", params=query, headers=headers)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running_service(tmp_path_factory.mktemp("sections")) as service:
        analysis_id = service.analyse(NUMA, LSCPU)
        first, last = service.get(f"/analyses/{analysis_id}").json()["timeline"]["window_ns"]
        yield Ready(service, analysis_id, int(first), int(last))


@pytest.mark.parametrize("name", NAMES)
def test_every_section_knows_the_common_window(ready: Ready, name: str) -> None:
    answer = ready.get(name)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    result = answer.json()
    assert result["available"] is True
    assert (result["from_ns"], result["to_ns"]) == (str(ready.first), str(ready.last))


@pytest.mark.parametrize("name", ALL_NAMES)
def test_holders_of_a_link_may_read_and_nobody_else(ready: Ready, name: str) -> None:
    service = ready.service
    path = f"{API}/analyses/{ready.id}/shares"
    made, revoked = (service.client.post(path, json={"view": ""}).json() for _ in range(2))
    assert service.client.delete(f"{path}/{revoked['id']}").status_code == 204
    holding = ELSEWHERE | {"X-NumaLens-Share": made["token"]}
    assert ready.get(name, holding).json() == ready.get(name).json()
    assert "revoked" in sentence(ready.get(name, ELSEWHERE | {"X-NumaLens-Share": revoked["token"]}), 410)
    sentence(ready.get(name, ELSEWHERE | {"X-NumaLens-Share": "A" * 32}), 404)
    sentence(ready.get(name, ELSEWHERE), 403)
    sentence(service.get(f"/analyses/another/sections/{name}", headers=holding), 404)
    sentence(service.get(f"/analyses/another/sections/{name}"), 404)


def test_an_analysis_that_was_not_read_has_no_sections(ready: Ready) -> None:
    failed = ready.service.analyse(("broken.dat", NUMA.read_bytes()[:3000]), status="failed")
    for name in NAMES:
        sentence(ready.service.get(f"/analyses/{failed}/sections/{name}"), 409)


@pytest.mark.parametrize("name", ["nohz", "sampled", "psi/cpu", ""])
def test_another_section_is_a_404(ready: Ready, name: str) -> None:
    sentence(ready.get(name), 404)


@pytest.mark.parametrize(
    ("name", "query", "word"),
    [
        *((name, {"from_ns": 7, "to_ns": 7}, "empty") for name in ALL_NAMES),
        *((name, {"from_ns": 8, "to_ns": 7}, "empty") for name in ALL_NAMES),
        ("psi", {"to_ns": 1}, "empty"),
        ("psi", {"from_ns": (1 << 63) - 1}, "empty"),
        ("psi", {"from_ns": "soon"}, "from_ns"),
        ("psi", {"from_ns": -1}, "from_ns"),
        ("psi", {"to_ns": 1 << 63}, "to_ns"),
        ("psi", {"to_ns": "9" * 5000}, "to_ns"),
        ("psi", {"psi_rules": "5.8"}, "psi_rules"),
        ("findings", {"psi_rules": ""}, "psi_rules"),
        ("psi", {"hz": 0}, "hz"),
        ("psi", {"hz": 10_001}, "hz"),
        ("findings", {"hz": "many"}, "hz"),
        ("latency", {"limit": 0}, "limit"),
        ("latency", {"limit": 1001}, "limit"),
        ("residency", {"limit": "all"}, "limit"),
        ("placement", {"limit": 65}, "limit"),
        ("utilisation", {"step_ns": 0}, "step_ns"),
        ("utilisation", {"step_ns": 1}, "step_ns"),
        ("waste", {"step_ns": "long"}, "step_ns"),
        ("waste", {"step_ns": 1, "from_ns": 1, "to_ns": MAX_STEPS + 2}, "step_ns"),
        ("cling", {"degree": -1}, "degree"),
        ("cling", {"degree": 101}, "degree"),
        ("cling", {"degree": "low"}, "degree"),
        ("cling", {"limit": 0}, "limit"),
        ("numa_balancing", {"limit": 1001}, "limit"),
        ("idle_balancing", {"model": "2012"}, "model"),
        ("idle_balancing", {"limit": 0}, "limit"),
        ("wait_heat", {"columns": 0}, "columns"),
        ("wait_heat", {"columns": 241}, "columns"),
        ("waits", {"kind": "all"}, "kind"),
        ("waits", {"least_ns": -1}, "least_ns"),
        ("waits", {"ended_to_ns": "late"}, "ended_to_ns"),
        ("wait", {"cpu": -1}, "cpu"),
        ("wait", {"pid": "x"}, "pid"),
        ("task", {"pid": -1}, "pid"),
        ("task", {"pid": 77, "limit": 0}, "limit"),
        ("critical_path", {"pid": -1}, "pid"),
        ("page_migration", {"step_ns": 1}, "step_ns"),
        ("page_migration", {"interval_s": 4}, "interval_s"),
        ("page_migration", {"interval_s": 301}, "interval_s"),
        ("page_migration", {"amortisation_ns": 0}, "amortisation_ns"),
        ("page_migration", {"amortisation_ns": 1 << 64}, "amortisation_ns"),
    ],
)
def test_a_query_is_checked(ready: Ready, name: str, query: dict[str, Any], word: str) -> None:
    assert word in sentence(ready.get(name, **query), 422)


def as_numbers(engine: Any, api: Any) -> Any:
    """What the API answered, with numbers where the engine has them."""
    if isinstance(api, dict):
        return {
            name: as_numbers(engine.get(name), part)
            for name, part in api.items()
            if (name, part) != ("available", True)
        }
    if isinstance(api, list):
        return [as_numbers(one, part) for one, part in zip(engine, api, strict=True)]
    return int(api) if isinstance(engine, int) and isinstance(api, str) else api


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("psi", {}),
        ("psi", {"psi_rules": "4.20", "hz": 1000}),
        ("findings", {"psi_rules": "5.14"}),
        ("utilisation", {"step_ns": 10**8}),
        ("waste", {"step_ns": 10**8}),
        ("latency", {"limit": 500}),
        ("residency", {"limit": 1}),
        ("placement", {"limit": 64, "step_ns": 10**8}),
        ("numa_balancing", {"limit": 500}),
        ("cling", {"limit": 500, "decisions": 500}),
        ("cling", {"limit": 7, "decisions": 7, "degree": 40, "groups": "cgroup"}),
        ("page_migration", {"amortisation_ns": 5, "step_ns": 10**9, "interval_s": 300}),
        ("wait_heat", {"columns": 10}),
        ("waits", {"kind": "preempted", "least_ns": 0, "below_ns": 10**6, "ended_from_ns": 7, "limit": 1}),
        ("wait", {"pid": 77, "cpu": 2}),
        ("vmstat", {}),
        ("idle_balancing", {"limit": 500}),
        ("idle_balancing", {"model": "2011-patched", "limit": 3}),
    ],
)
def test_the_engines_answer_is_handed_on(ready: Ready, name: str, query: dict[str, Any]) -> None:
    """Options reach the engine, and moments alone are written otherwise."""
    window = (ready.first + 10**6, ready.last - 10**6)
    bundle = ready.service.services.bundles.get(ready.id).engine
    expected = json.loads(bundle.analysis(name, *window, json.dumps(query)))
    requests: dict[str, Any] = {key: value for key, value in query.items() if key != "decisions"}
    answer = ready.get(name, from_ns=window[0], to_ns=window[1], **requests).json()
    assert as_numbers(expected, answer) == expected
    if expected.get("available") is not False:
        assert answer["available"] is True
        assert answer["from_ns"] == str(window[0])


def test_each_edge_of_the_window_can_be_given(ready: Ready) -> None:
    queries: tuple[tuple[dict[str, Any], tuple[int, int]], ...] = (
        ({"from_ns": ready.first + 5}, (ready.first + 5, ready.last)),
        ({"to_ns": ready.last - 5}, (ready.first, ready.last - 5)),
    )
    for query, window in queries:
        answer = ready.get("waste", **query).json()
        assert (answer["from_ns"], answer["to_ns"]) == tuple(str(edge) for edge in window)
    assert ready.get("waste", from_ns="0", to_ns=str((1 << 63) - 1)).json()["available"] is True


def test_as_many_steps_as_are_allowed(ready: Ready) -> None:
    assert ready.get("waste", step_ns=1, from_ns=1, to_ns=MAX_STEPS + 1).status_code == 200


def test_a_long_series_is_thinned(ready: Ready) -> None:
    bundle = ready.service.services.bundles.get(ready.id).engine
    window = (ready.first, ready.last)
    whole, few = (
        json.loads(bundle.analysis("psi", *window, json.dumps(options)))["series"] for options in ({}, {"points": 5})
    )
    assert 2 < len(few["cpu"]) <= 6 < len(whole["cpu"])
    assert (few["cpu"][0], few["cpu"][-1]) == (whole["cpu"][0], whole["cpu"][-1])
    assert len(ready.get("psi").json()["series"]["cpu"]) <= MAX_POINTS + 1


def test_decisions_are_no_more_than_requested(ready: Ready) -> None:
    few, many = (ready.get("cling", limit=limit).json() for limit in (3, 500))
    assert len(few["decisions"]) == 3
    assert few["decisions_more"] + 3 == many["decisions_more"] + len(many["decisions"])


def test_a_degree_that_was_not_recorded_is_a_what_if(ready: Ready) -> None:
    recorded, other = ready.get("cling").json(), ready.get("cling", degree=60).json()
    assert (recorded["known_by"], recorded["what_if"]) == ("lines", None)
    assert {group["label"] for group in recorded["groups"]} <= {"observed", "replayed", "inferred"}
    assert other["degree"] == other["what_if"]["degree"] == 60
    assert {group["label"] for group in other["groups"]} == {"what-if"}


def test_counters_that_were_not_sampled_are_missed(ready: Ready) -> None:
    result = ready.get("vmstat").json()
    assert result["available"] is False
    assert "/proc/vmstat" in result["reason"]


def test_the_states_of_a_task_add_up_to_the_window(ready: Ready) -> None:
    # Near the end tasks are gone.
    window: dict[str, Any] = {"from_ns": ready.first, "to_ns": (ready.first + ready.last) // 2}
    busiest = ready.get("residency", limit=3, **window).json()["tasks"]
    for task in busiest:
        found = ready.get("task", pid=task["pid"], **window).json()
        sums = {state["state"]: state for state in found["states"]}
        assert sum(state["ns"] for state in sums.values()) == window["to_ns"] - window["from_ns"]
        assert sum(cpu["run_ns"] for cpu in found["cpus"]) == sums["running"]["ns"]
        waiting = sum(sums[state]["ns"] for state in ("wakeup", "preempted", "resumed") if state in sums)
        assert sum(cause["ns"] for cause in found["causes"]) == waiting
        waits = found["waits"]
        assert {wait["pid"] for wait in waits} == {task["pid"]}
        lengths = [wait["wait_ns"] for wait in waits]
        assert (lengths, len(lengths) <= 50, sum(lengths) <= waiting) == (sorted(lengths, reverse=True), True, True)
        assert found["wakeup_count"] == sum(one["count"] for one in found["wakers"]) >= len(found["wakeups"])
        decided = found["decisions"]
        kinds = Counter(one["by"] for one in decided["listed"])
        counted = [decided[kind] for kind in ("attempts", "cling", "migrations")]
        if sum(counted) <= len(decided["listed"]):
            assert [kinds[kind] for kind in ("attempt", "cling", "migration")] == counted
        times = [int(one["at_ns"]) for one in decided["listed"]]
        assert times == sorted(times)
        moved = [one for one in decided["listed"] if one["by"] == "migration"]
        assert all(one["from_cpu"] != one["to_cpu"] for one in moved)
        for other in found["wakees"]:
            back = ready.get("task", pid=other["pid"], limit=1000, **window).json()
            assert [one["count"] for one in back["wakers"] if one["pid"] == task["pid"]] == [other["count"]]
    nobody = ready.get("task", pid=2**31 - 1).json()
    assert (nobody["available"], "2147483647" in nobody["reason"]) == (False, True)
    assert "pid" in ready.get("task").json()["reason"]


def test_threads_have_what_the_other_sections_say_of_them(ready: Ready) -> None:
    window: dict[str, Any] = {"from_ns": ready.first, "to_ns": (ready.first + ready.last) // 2}
    found = ready.get("threads", **window).json()
    threads = {thread["pid"]: thread for thread in found["threads"]}
    assert (0 in threads, len(threads)) == (False, len(found["threads"]))
    for task in ready.get("residency", limit=1000, **window).json()["tasks"]:
        # A pid may have had several names.
        assert threads[task["pid"]]["run_ns"] >= task["run_ns"]
    for pid in sorted(threads, key=lambda pid: -threads[pid]["wait_ns"])[:3]:
        own = ready.get("task", pid=pid, **window).json()
        sums = {state["state"]: state["ns"] for state in own["states"]}
        waited = sum(sums.get(state, 0) for state in ("wakeup", "preempted", "resumed"))
        assert (threads[pid]["run_ns"], threads[pid]["wait_ns"]) == (sums["running"], waited)
        assert own["cpus"][0]["nid"] is not None


def test_the_steps_of_a_critical_path_adjoin(ready: Ready) -> None:
    waits = ready.get("latency", limit=50).json()["worst"]
    stops = set()
    for wait in waits[:20]:
        at = int(wait["waking_ns"])
        path = ready.get("critical_path", pid=wait["pid"], from_ns=at, to_ns=at + 1).json()
        assert (path["pid"], path["state"], path["end_ns"]) == (wait["pid"], "wakeup", wait["switch_in_ns"])
        until = int(path["end_ns"])
        for step in path["steps"]:
            assert int(step["to_ns"]) == until
            until = int(step["from_ns"])
            assert step["run_ns"] + step["wait_ns"] == int(step["to_ns"]) - until
        assert int(path["begin_ns"]) + path["rest_ns"] == until
        assert path["steps"][0]["woken"]["pid"] in {wait["waker_pid"], None}
        stops.add(path["stop"])
        # The sleep before it has the same path.
        slept = path["steps"][0]["slept_ns"]
        if slept is not None:
            before = ready.get("critical_path", pid=wait["pid"], from_ns=slept, to_ns=int(slept) + 1).json()
            assert (before["steps"], before["stop"]) == (path["steps"], path["stop"])
    assert stops
    assert "pid" in ready.get("critical_path").json()["reason"]
    nobody = ready.get("critical_path", pid=2**31 - 1).json()
    assert (nobody["available"], "did not exist at that time" in nobody["reason"]) == (False, True)

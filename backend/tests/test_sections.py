"""Sections of a ready analysis: who may read them, what is refused, what the engine is asked, what it tells."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from numalens.api.sections import MAX_POINTS
from numalens.report import MAX_STEPS
from tests.conftest import running_service
from tests.recordings import LSCPU, NUMA
from tests.service import API, Service, sentence
from tests.told import MISSING, POINT, SECTIONS, Engine
from tests.told_numa import MOMENT

NAMES = (
    *("psi", "utilisation", "residency", "latency", "wait_heat", "waits", "waste", "findings"),
    *("balancing", "cling", "migration", "ilb", "placement"),
)
ALL_NAMES = (*NAMES, "vmstat", "wait")
"""The recording has no samples of /proc/vmstat, and no wait is as long as it."""
UNTOLD = {
    *("attempt", "pid", "start_ns"),
    *("busy", "flips"),
    *("from", "idle_core_bug", "prefers_home"),
    *("processes", "fault_pieces", "from_ns", "to_ns"),
}
"""What the engine tells and the API does not: what an explanation's attempt, a what-if's groups, or the window say already,
parts of the rules, and pieces of localities."""
ELSEWHERE = {"Host": "numalens.example"}


@dataclass(frozen=True)
class Ready:
    """A ready analysis of the two-node recording."""

    service: Service
    id: str
    first: int
    last: int

    def get(self, section: str, headers: dict[str, str] | None = None, **query: Any) -> Any:
        return self.service.get(f"/analyses/{self.id}/analysis/{section}", params=query, headers=headers)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running_service(tmp_path_factory.mktemp("sections")) as service:
        analysis_id = service.analyse(NUMA, LSCPU)
        first, last = service.get(f"/analyses/{analysis_id}").json()["timeline"]["window_ns"]
        yield Ready(service, analysis_id, int(first), int(last))


@pytest.fixture
def engine(ready: Ready, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Tells examples in place of the analysis's own engine."""
    engine = Engine(dict(SECTIONS))
    bundles = ready.service.services.bundles
    monkeypatch.setitem(bundles._open, ready.id, replace(bundles.get(ready.id), engine=engine.bundle, findings=None))
    return engine


@pytest.mark.parametrize("name", NAMES)
def test_every_section_is_told_of_the_common_window(ready: Ready, name: str) -> None:
    answer = ready.get(name)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    told = answer.json()
    assert told["available"] is True
    assert (told["from_ns"], told["to_ns"]) == (str(ready.first), str(ready.last))


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
    sentence(service.get(f"/analyses/another/analysis/{name}", headers=holding), 404)
    sentence(service.get(f"/analyses/another/analysis/{name}"), 404)


def test_an_analysis_that_was_not_read_has_no_sections(ready: Ready) -> None:
    failed = ready.service.analyse(("broken.dat", NUMA.read_bytes()[:3000]), status="failed")
    for name in NAMES:
        sentence(ready.service.get(f"/analyses/{failed}/analysis/{name}"), 409)


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
        ("latency", {"limit": 501}, "limit"),
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
        ("balancing", {"limit": 501}, "limit"),
        ("ilb", {"model": "2012"}, "model"),
        ("ilb", {"limit": 0}, "limit"),
        ("wait_heat", {"columns": 0}, "columns"),
        ("wait_heat", {"columns": 241}, "columns"),
        ("waits", {"kind": "all"}, "kind"),
        ("waits", {"least_ns": -1}, "least_ns"),
        ("waits", {"ended_to_ns": "late"}, "ended_to_ns"),
        ("wait", {"cpu": -1}, "cpu"),
        ("wait", {"pid": "x"}, "pid"),
        ("migration", {"step_ns": 1}, "step_ns"),
        ("migration", {"interval_s": 4}, "interval_s"),
        ("migration", {"interval_s": 301}, "interval_s"),
        ("migration", {"amortisation_ns": 0}, "amortisation_ns"),
        ("migration", {"amortisation_ns": 1 << 63}, "amortisation_ns"),
    ],
)
def test_a_query_is_checked(ready: Ready, name: str, query: dict[str, Any], word: str) -> None:
    assert word in sentence(ready.get(name, **query), 422)


@pytest.mark.parametrize(
    ("name", "query", "options"),
    [
        ("psi", {}, {}),
        ("psi", {"psi_rules": "4.20", "hz": 1000}, {"rules": "4.20", "hz": 1000}),
        ("findings", {"psi_rules": "5.14"}, {"rules": "5.14"}),
        ("utilisation", {}, {}),
        ("utilisation", {"step_ns": 10**9}, {"step_ns": 10**9}),
        ("waste", {"step_ns": 10**9}, {"step_ns": 10**9}),
        ("latency", {}, {"limit": 50}),
        ("latency", {"limit": 500}, {"limit": 500}),
        ("residency", {"limit": 1}, {"limit": 1}),
        ("placement", {}, {"limit": 12}),
        ("placement", {"limit": 64, "step_ns": 10**9}, {"limit": 64, "step_ns": 10**9}),
        ("balancing", {}, {"limit": 50}),
        ("cling", {}, {"limit": 50}),
        ("cling", {"degree": 0, "limit": 7}, {"degree": 0, "limit": 7}),
        ("migration", {}, {}),
        (
            "migration",
            {"amortisation_ns": 5, "step_ns": 10**9, "interval_s": 300},
            {"amortisation_ns": 5, "step_ns": 10**9, "interval_s": 300},
        ),
        ("vmstat", {}, {}),
        ("wait_heat", {}, {"columns": 240}),
        ("wait_heat", {"columns": 10}, {"columns": 10}),
        ("waits", {}, {"kind": "wakeups", "limit": 50}),
        (
            "waits",
            {"kind": "preempted", "least_ns": 0, "below_ns": 9, "ended_from_ns": 7, "ended_to_ns": 8, "limit": 1},
            {"kind": "preempted", "least_ns": 0, "below_ns": 9, "ended_from_ns": 7, "ended_to_ns": 8, "limit": 1},
        ),
        ("wait", {}, {}),
        ("wait", {"pid": 77, "cpu": 2}, {"pid": 77, "cpu": 2}),
        ("ilb", {}, {"model": "auto", "limit": 50}),
        ("ilb", {"model": "2011-patched", "limit": 3}, {"model": "2011-patched", "limit": 3}),
    ],
)
def test_the_engine_is_asked_for_what_was_asked(
    ready: Ready, engine: Engine, name: str, query: dict[str, Any], options: dict[str, Any]
) -> None:
    assert ready.get(name, **query).status_code == 200
    assert engine.asked == {name: (ready.first, ready.last, options)}


def test_each_edge_of_the_window_can_be_given(ready: Ready, engine: Engine) -> None:
    wide = str((1 << 63) - 1)
    for query, window in (
        ({"from_ns": ready.first + 5}, (ready.first + 5, ready.last)),
        ({"to_ns": ready.last - 5}, (ready.first, ready.last - 5)),
        ({"from_ns": "0", "to_ns": wide}, (0, int(wide))),
    ):
        assert ready.get("waste", **query).json()["from_ns"] == str(window[0])
        assert engine.asked["waste"][:2] == window


def test_as_many_steps_as_are_allowed(ready: Ready, engine: Engine) -> None:
    assert ready.get("waste", step_ns=1, from_ns=1, to_ns=MAX_STEPS + 1).status_code == 200
    assert engine.asked["waste"] == (1, MAX_STEPS + 1, {"step_ns": 1})


@pytest.mark.parametrize("name", ALL_NAMES)
def test_a_section_without_input_says_so(ready: Ready, engine: Engine, name: str) -> None:
    engine.sections[name] = MISSING
    assert ready.get(name).json() == MISSING


def test_moments_keep_all_their_digits(ready: Ready, engine: Engine) -> None:
    assert engine.asked == {}
    (finding, *_) = ready.get("findings").json()["findings"]
    assert (finding["from_ns"], finding["impact_ms"]) == (str(MOMENT + 9), 87.5)
    (wait, *_) = ready.get("latency").json()["worst"]
    assert (wait["waking_ns"], wait["wait_ns"]) == (str(MOMENT + 7), 30_000_000)


def test_a_long_series_is_thinned(ready: Ready, engine: Engine) -> None:
    points = [{**POINT, "t_ns": MOMENT + number} for number in range(3 * MAX_POINTS + 7)]
    engine.sections["psi"] = {
        **SECTIONS["psi"],
        "series": SECTIONS["psi"]["series"] | {"cpu": points, "io": points[:5]},
    }
    series = ready.get("psi").json()["series"]
    assert MAX_POINTS // 2 < len(series["cpu"]) <= MAX_POINTS + 1
    assert [series["cpu"][edge]["t_ns"] for edge in (0, -1)] == [str(points[edge]["t_ns"]) for edge in (0, -1)]
    assert (len(series["io"]), series["memory"], series["label"]) == (5, [], "replayed")


def told_less(engine: Any, api: Any) -> set[str]:
    """The names of what an engine told and the API did not; fails where both tell something else."""
    gone: set[str] = set()
    if isinstance(engine, dict):
        for name, part in engine.items():
            gone |= told_less(part, api[name]) if name in api else {name}
    elif isinstance(engine, list):
        for part, told in zip(engine, api, strict=True):
            gone |= told_less(part, told)
    else:
        assert engine == api or (type(engine) is int and str(engine) == api), (engine, api)
    return gone


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("balancing", {"limit": 500}),
        ("cling", {"limit": 500}),
        ("cling", {"limit": 500, "degree": 40}),
        ("migration", {}),
        ("ilb", {"limit": 500}),
        ("ilb", {"model": "2011"}),
    ],
)
def test_the_balancers_are_told_as_the_engine_tells_them(ready: Ready, name: str, query: dict[str, Any]) -> None:
    bundle = ready.service.services.bundles.get(ready.id).engine
    found = json.loads(bundle.analysis(name, ready.first, ready.last, json.dumps(query)))
    assert told_less(found, ready.get(name, **query).json()) <= UNTOLD


def test_decisions_are_no_more_than_asked_for(ready: Ready) -> None:
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
    told = ready.get("vmstat").json()
    assert told["available"] is False
    assert "/proc/vmstat" in told["reason"]

"""Comparisons over HTTP: who may ask, what is refused, and that the answer is the report's."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import TypeAdapter

from numalens.report.compare import MAX_ANALYSES
from numalens.report.compare.shapes import ComparisonAnswer
from tests.conftest import running_service
from tests.recordings import LSCPU, NUMA, SMALL, TRUNCATED
from tests.service import API, Service, sentence

MOMENTS = {"window_ns", "from_ns", "to_ns"}


@dataclass(frozen=True)
class Ready:
    service: Service
    numa: str
    small: str

    def get(self, ids: str, **query: Any) -> Any:
        return self.service.get("/compare", params={"ids": ids, **query})


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running_service(tmp_path_factory.mktemp("compare-api")) as service:
        yield Ready(service, service.analyse(NUMA, LSCPU), service.analyse(SMALL))


def test_two_analyses_are_reported_side_by_side(ready: Ready) -> None:
    answer = ready.get(f"{ready.numa},{ready.small}")
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert [analysis["id"] for analysis in result["analyses"]] == [ready.numa, ready.small]
    assert [side["key"] for side in result["sides"]] == ["A", "B"]
    assert {warning["kind"] for warning in result["warnings"]} >= {"topology", "events"}
    detail = ready.service.get(f"/analyses/{ready.numa}").json()
    assert result["analyses"][0]["window_ns"] == detail["timeline"]["window_ns"]
    tables = {table["name"]: table for table in result["tables"]}
    assert {"statistics", "latency", "ops", "ops_mmtests", "psi", "waste", "findings", "cling", "vmstat"} <= set(tables)
    failed = next(row for row in tables["ops"]["rows"] if row["name"] == "migrate_failed_no_cpu")
    balancing = ready.service.get(f"/analyses/{ready.numa}/sections/numa_balancing").json()
    assert failed["sides"][0]["total"] == balancing["ops"]["rows"]["migrate_failed_no_cpu"]


def test_base_step_windows_and_runs_are_as_requested(ready: Ready) -> None:
    first, last = (int(edge) for edge in ready.service.get(f"/analyses/{ready.numa}").json()["timeline"]["window_ns"])
    middle = (first + last) // 2
    answer = ready.get(
        f"{ready.numa}:{ready.numa},{ready.small}",
        base=1,
        step_ns=1_000_000_000,
        window=[f"0:{first}-{middle}", f"1:{middle}-{last}"],
    )
    result = answer.json()
    assert (result["base"], result["step_ns"]) == (1, 1_000_000_000)
    assert [side["analyses"] for side in result["sides"]] == [[0, 1], [2]]
    assert result["analyses"][1]["window_ns"] == [str(middle), str(last)]
    assert all(row["sides"][1]["percent"] is None for table in result["tables"] for row in table["rows"])


@pytest.mark.parametrize(
    ("ids", "query", "words"),
    [
        ("{numa}", {}, "one side"),
        ("", {}, "ids of analyses"),
        ("{numa},../x", {}, "ids of analyses"),
        ("{numa},{small}", {"base": 2}, "only 2 sides"),
        ("{numa},{small}", {"window": "2:1-5"}, "<position>:<from_ns>-<to_ns>"),
        ("{numa},{small}", {"window": "0:5-5"}, "empty"),
        ("{numa},{small}", {"window": "0:x"}, "<position>"),
        ("{numa},{small}", {"step_ns": 1}, "too small"),
        ("{numa},{small}", {"step_ns": 0}, "step_ns"),
        (",".join(["{numa}"] * (MAX_ANALYSES + 1)), {}, f"At most {MAX_ANALYSES}"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(ready: Ready, ids: str, query: dict[str, Any], words: str) -> None:
    answer = ready.get(ids.format(numa=ready.numa, small=ready.small), **query)
    assert words in sentence(answer, 422)


def test_an_unknown_analysis_is_404_and_a_failed_one_409(ready: Ready) -> None:
    assert "no such analysis" in sentence(ready.get(f"{ready.numa},nobody"), 404)
    failed = ready.service.analyse(("bad.dat", TRUNCATED), status="failed")
    result = ready.get(f"{ready.numa},{failed}")
    assert "The import of this analysis failed" in sentence(result, 409)
    assert result.json()["error"]["analysis"] == failed


def test_only_owners_may_compare(ready: Ready) -> None:
    made = ready.service.client.post(f"{API}/analyses/{ready.numa}/shares", json={"view": "?v=2"}).json()
    query = {"ids": f"{ready.numa},{ready.numa}"}
    for headers in ({"X-NumaLens-Share": made["token"]}, {"Host": "numalens.example"}):
        answer = ready.service.get("/compare", params=query, headers=headers)
        assert answer.status_code == 403
        sentence(answer, 403)
    # Nor does it show whether an analysis exists.
    assert ready.service.get("/compare", params={"ids": "x,y"}, headers={"Host": "numalens.example"}).status_code == 403


def test_the_answer_has_all_that_the_report_has(ready: Ready) -> None:
    result = ready.get(f"{ready.numa},{ready.small}").json()
    shape = TypeAdapter(ComparisonAnswer)
    assert json.loads(shape.dump_json(shape.validate_python(result))) == result


def test_moments_of_decisions_are_text(ready: Ready) -> None:
    kinds = ready.get(f"{ready.numa},{ready.small}", decisions=True).json()["decisions"]["kinds"]
    cells = [cell for kind in kinds for row in kind["outcomes"] for cell in row["sides"]]
    examples = [cell["example"] for cell in cells if cell["example"] is not None]
    assert {example["analysis"] for example in examples} == {0, 1}
    assert all(isinstance(example["t_ns"], str) and example["t_ns"].isdigit() for example in examples)


def test_the_page_has_its_address(ready: Ready) -> None:
    answer = ready.service.client.get("/compare?ids=a,b")
    assert answer.headers["content-type"].startswith("text/html")

"""The fleet over HTTP: real recordings filed under machines, who may ask, and summaries that come and go."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from numalens.api.fleet import FleetPart
from numalens.fleet.database import FleetError
from numalens.store.summary_file import FILE
from tests.conftest import MakeService, running_service
from tests.recordings import LSCPU, NUMA, SMALL
from tests.service import API, Service, sentence
from tests.until import until

QUESTIONS = ("", "/machines", "/metric?metric=wakeup_p99", "/findings", "/upgrade")


@dataclass(frozen=True)
class Ready:
    service: Service
    numa: str
    small: str

    def get(self, path: str, **query: Any) -> Any:
        answer = self.service.get(f"/fleet{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def sql(self, sql: str, **more: Any) -> Any:
        return self.service.client.post(f"{API}/fleet/sql", json={"sql": sql, **more})


def file(service: Service, analysis_id: str, **change: Any) -> None:
    assert service.client.patch(f"{API}/analyses/{analysis_id}", json=change).status_code == 200


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running_service(tmp_path_factory.mktemp("fleet-api")) as service:
        numa, small = service.analyse(NUMA, LSCPU), service.analyse(SMALL)
        file(service, numa, title="Numa", tags=["machine:db7", "storage"])
        file(service, small, title="Small", tags=["machine:db7"])
        yield Ready(service, numa, small)


def test_a_reading_leaves_its_summary(ready: Ready) -> None:
    for analysis_id in (ready.numa, ready.small):
        assert (ready.service.services.folder.bundle(analysis_id) / FILE).is_file()
    result = ready.get("")
    assert (result["recordings"], result["machines"], result["tags"]) == (2, ["db7"], ["machine:db7", "storage"])
    assert result["kernels"] == ["6.1.192-cling", "6.18.44-fc-v669"]
    assert {"wakeup_p99", "cpu_some", "failure_ratio"} <= {metric["name"] for metric in result["metrics"]}


def test_machines_lead_to_analyses(ready: Ready) -> None:
    (machine,) = ready.get("/machines")["machines"]
    cling = ready.service.get(f"/analyses/{ready.numa}/sections/cling").json()
    flips = sum(len(group["flips"]) for group in cling["groups"])
    assert (machine["machine"], machine["recordings"], machine["kernels"]) == ("db7", 2, 2)
    assert (machine["flips"], machine["most_flips"]) == (flips, ready.numa)
    assert machine["label"] in {group["label"] for group in cling["groups"]}
    worst = [
        ready.service.get(f"/analyses/{each}/sections/findings").json()["findings"]
        for each in (ready.numa, ready.small)
    ]
    assert machine["worst"]["cost_ms"] == max(
        found["impact_ms"] for some in worst for found in some if found["severity"] == machine["worst"]["severity"]
    )
    assert machine["last_seen"].endswith("Z")


def test_a_metric_over_time_and_by_tag(ready: Ready) -> None:
    result = ready.get("/metric", metric="failure_ratio", by="tag", every="all")
    assert result["metric"]["unit"] == "%"
    ops = ready.service.get(f"/analyses/{ready.numa}/sections/numa_balancing").json()["ops"]
    points = {point["group"]: point for point in result["points"]}
    assert points["storage"]["value"] == pytest.approx(100 * sum(ops["failures"].values()) / ops["attempts"])
    assert points["storage"]["latest"] == ready.numa
    assert points["storage"]["period"] is None
    weekly = ready.get("/metric", metric="wakeup_p99", by="kernel")["points"]
    assert {point["group"] for point in weekly} == {"6.1.192-cling", "6.18.44-fc-v669"}
    latency = ready.service.get(f"/analyses/{ready.numa}/sections/latency").json()
    numa = next(point for point in weekly if point["group"] == "6.1.192-cling")
    assert numa["least"] == numa["most"] == latency["p99_ns"]
    assert numa["value_least"] <= latency["p99_ns"] <= numa["value"]


def test_an_upgrade_leads_to_a_comparison(ready: Ready) -> None:
    result = ready.get("/upgrade", machine="db7", before="6.1.192-cling", after="6.18.44-fc-v669")
    assert [side["analyses"] for side in result["sides"]] == [[ready.numa], [ready.small]]
    assert {row["metric"] for row in result["rows"]} >= {"wakeup_p99", "busy"}
    assert all(row["significant_2020"] is None for row in result["rows"])
    ids = ",".join(":".join(side["analyses"]) for side in result["sides"])
    assert ready.service.get("/compare", params={"ids": ids}).status_code == 200


def test_findings_by_kind(ready: Ready) -> None:
    result = ready.get("/findings", every="all", kernel="6.1.192-cling")["findings"]
    found = ready.service.get(f"/analyses/{ready.numa}/sections/findings").json()["findings"]
    assert {row["kind"]: row["count"] for row in result} == {
        kind: sum(each["id"] == kind for each in found) for kind in {each["id"] for each in found}
    }
    assert all(row["worst"]["analysis"] == ready.numa for row in result)


def test_sql_over_the_summaries(ready: Ready) -> None:
    answer = ready.sql("SELECT title, events FROM recordings ORDER BY title", limit=1)
    assert answer.status_code == 200, answer.text
    result = answer.json()
    detail = ready.service.get(f"/analyses/{ready.numa}").json()
    assert result["rows"] == [["Numa", str(sum(entry["events"] or 0 for entry in detail["inputs"]))]]
    assert result["truncated"] is True
    assert "Only SELECT" in sentence(ready.sql("COPY recordings TO '/tmp/x'"), 422)
    assert "Permission Error" in sentence(ready.sql("SELECT * FROM read_csv('/etc/passwd')"), 422)
    greedy = "SELECT list(range) FROM range(2000000000)"
    assert "emory" in sentence(ready.sql(greedy), 422)


def test_a_query_that_never_ends_is_ended(make_service: MakeService) -> None:
    service = make_service(sql_seconds=0.5)
    endless = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    answer = service.client.post(f"{API}/fleet/sql", json={"sql": endless})
    assert "longer than 0.5 seconds" in sentence(answer, 422)


def test_the_process_of_a_query_that_dies_is_a_sentence(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numalens.fleet.executor.COMMAND", ("/bin/false",))
    with pytest.raises(FleetError, match="stopped unexpectedly"):
        asyncio.run(service.services.part(FleetPart).executor.select([], "SELECT 1", 1))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("/machines?from=2026-01-02&to=2026-01-02", "from is not before to"),
        ("/machines?from=0001-01-01", "not within the years"),
        ("/machines?from=yesterday", "query parameter from is not valid"),
        ("/metric?metric=nothing", "There is no metric 'nothing'"),
        ("/metric?metric=flips&by=comm", "query parameter by is not valid"),
        ("/upgrade?after=7.0", "No machine was recorded both"),
        ("/upgrade?machine=nobody", "Comparing needs two kernels"),
    ],
)
def test_bad_questions_are_sentences(ready: Ready, query: str, words: str) -> None:
    assert words in sentence(ready.service.get(f"/fleet{query}"), 422)


def test_only_owners_may_ask(ready: Ready, tmp_path: Path) -> None:
    made = ready.service.client.post(f"{API}/analyses/{ready.numa}/shares", json={"view": ""})
    link = made.json()["token"]
    token = ready.service.client.post(f"{API}/tokens", json={"name": "ci", "scope": "upload"}).json()
    others = ({"X-NumaLens-Share": link}, {"Authorization": f"Bearer {token['secret']}"})
    with running_service(tmp_path, peer="192.0.2.7") as elsewhere:
        for path in QUESTIONS:
            assert elsewhere.get(f"/fleet{path}").status_code == 403
            for headers in others:
                assert ready.service.get(f"/fleet{path}", headers=headers).status_code == 403, path
        refused = elsewhere.client.post(f"{API}/fleet/sql", json={"sql": "SELECT 1"})
        assert refused.status_code == 403


def test_what_is_deleted_is_gone_at_once_and_from_memory(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    assert service.get("/fleet").json()["recordings"] == 1
    path = service.services.folder.bundle(analysis_id) / FILE
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    assert not path.exists()
    assert service.services.part(FleetPart).fleet._database is None
    assert service.get("/fleet").json()["recordings"] == 0
    assert service.get("/fleet/machines").json() == {"machines": []}


def test_summaries_that_are_missing_are_made(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        analysis_id = service.analyse(SMALL)
        path = service.services.folder.bundle(analysis_id) / FILE
        old = path.with_name("summary-0.parquet")
        path.rename(old)
        # On demand, when a user opens the fleet.
        service.get("/fleet")
        until(path.is_file)
        until(lambda: not old.exists())
        assert service.get("/fleet").json()["recordings"] == 1
        path.unlink()
    with running_service(tmp_path) as service:
        until(path.is_file)
        until(lambda: service.get("/fleet").json()["recordings"] == 1)


def test_a_bundle_that_cannot_be_reported_is_tried_once(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    analysis_id = service.analyse(SMALL)
    bundle = service.services.folder.bundle(analysis_id)
    (bundle / FILE).unlink()
    (bundle / "manifest.json").write_text("{}")
    made = service.services.part(FleetPart).summaries
    for _ in range(3):
        service.get("/fleet")
        until(lambda: made.pending == 0 and bool(made._tried))
    assert [record.getMessage() for record in caplog.records if "no summary" in record.getMessage()] != []
    assert len([record for record in caplog.records if "no summary" in record.getMessage()]) == 1
    assert service.get("/fleet").json()["recordings"] == 0

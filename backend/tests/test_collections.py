"""Analyses filed: description, tags, incident; and which of them the rule of retention removes."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from numalens.store.names import now
from numalens.store.schema import Analysis
from tests.conftest import MakeService
from tests.recordings import NUMA, SMALL
from tests.service import API, Service, sentence
from tests.test_shares import holding, share


def change(service: Service, analysis_id: str, **what: Any) -> Any:
    return service.client.patch(f"{API}/analyses/{analysis_id}", json=what)


def test_an_analysis_is_filed(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    fresh = service.get(f"/analyses/{analysis_id}").json()
    assert (fresh["description"], fresh["tags"], fresh["incident"], fresh["keep"]) == ("", [], None, False)
    filed = {"description": "p99 at 14:03.\nSee the ticket.", "incident": "INC-7", "keep": True}
    answer = change(service, analysis_id, **filed, tags=[" Storage ", "p99", "storage"]).json()
    assert {key: answer[key] for key in filed} == filed
    assert answer["tags"] == ["storage", "p99"]
    assert answer["title"] == fresh["title"]
    # What is left out stays, and an empty incident is none.
    assert change(service, analysis_id, title="Night").json()["incident"] == "INC-7"
    emptied = change(service, analysis_id, incident=" ", tags=[]).json()
    assert (emptied["incident"], emptied["tags"], emptied["title"], emptied["keep"]) == (None, [], "Night", True)
    assert service.get("/analyses").json()["analyses"][0]["description"] == filed["description"]


def test_how_things_are_filed_is_the_owners(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    change(service, analysis_id, tags=["customer-x"], incident="INC-7", description="What we saw.")
    guest = holding(share(service, analysis_id)["token"])
    seen = service.get(f"/analyses/{analysis_id}", headers=guest).json()
    assert (seen["tags"], seen["incident"], seen["description"]) == ([], None, "What we saw.")
    refused = service.client.patch(f"{API}/analyses/{analysis_id}", json={"keep": True}, headers=guest)
    sentence(refused, 403)


@pytest.mark.parametrize(
    "body",
    [
        {"title": ""},
        {"tags": ["a b"]},
        {"tags": ["a,b"]},
        {"tags": ["x" * 41]},
        {"tags": [f"t{n}" for n in range(21)]},
        {"incident": "x" * 121},
        {"description": "x" * 10_001},
        {"keep": "perhaps"},
        {"more": 1},
    ],
)
def test_what_is_filed_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(change(service, "x", **body), 422)


def test_what_nobody_keeps_is_deleted_in_time(make_service: MakeService) -> None:
    service = make_service(keep_days=10)
    assert service.get("/info").json()["limits"]["keep_days"] == 10
    old, kept, young, sample = (service.analyse(file) for file in (NUMA, SMALL, SMALL, SMALL))
    change(service, kept, keep=True)
    for analysis_id, columns in (
        (old, {"created_at": now() - timedelta(days=10, minutes=1)}),
        (kept, {"created_at": now() - timedelta(days=100)}),
        (young, {"created_at": now() - timedelta(days=10, minutes=-1)}),
        (sample, {"created_at": now() - timedelta(days=100), "sample": True}),
    ):
        with service.services.folder.database.session() as session:
            session.execute(update(Analysis).where(Analysis.id == analysis_id).values(columns))
    token = share(service, old)["token"]
    service.services.retire()
    assert {entry["id"] for entry in service.get("/analyses").json()["analyses"]} == {kept, young, sample}
    assert not service.services.folder.bundle(old).exists()
    sentence(service.get(f"/analyses/{old}", headers=holding(token)), 404)
    assert service.get(f"/analyses/{young}/report").status_code == 200


@pytest.mark.parametrize("days", [366, -366])
def test_a_clock_that_jumps_deletes_nothing(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    service = make_service(keep_days=10)
    analysis_id = service.analyse(SMALL)
    at = now() + timedelta(days=days)
    monkeypatch.setattr("numalens.store.names.now", lambda: at)
    service.services.retire()
    assert service.get(f"/analyses/{analysis_id}").status_code == 200


def test_without_a_rule_everything_stays(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    with service.services.folder.database.session() as session:
        session.execute(update(Analysis).values(created_at=now() - timedelta(days=10_000)))
    service.services.retire()
    assert service.get(f"/analyses/{analysis_id}").status_code == 200

"""Reports: written and saved by owners without losing anybody's words, read by whoever may look."""

import threading
from typing import Any

import pytest
from sqlalchemy import text

from numalens.api.reports import MOST_TEXT
from numalens.store import reports
from tests.recordings import NUMA, SMALL
from tests.service import API, Service, sentence
from tests.test_shares import holding, share


def write(service: Service, analysis_id: str, headers: dict[str, str] | None = None, **body: Any) -> Any:
    wanted = {"title": "What happened", "text": "# It stalled.\n", **body}
    return service.client.post(f"{API}/analyses/{analysis_id}/reports", json=wanted, headers=headers or {})


def save(service: Service, analysis_id: str, report_id: str, words: str, revision: int) -> Any:
    body = {"title": "What happened", "text": words, "revision": revision}
    return service.client.patch(f"{API}/analyses/{analysis_id}/reports/{report_id}", json=body)


def test_a_report_is_written_and_read_through_a_link(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    first, second = write(service, analysis_id).json(), write(service, analysis_id, title="Again", text="").json()
    saved = save(service, analysis_id, first["id"], "Other <b>words</b>\x00.", 1).json()
    assert (saved["revision"], saved["text"]) == (2, "Other <b>words</b>\N{REPLACEMENT CHARACTER}.")
    reader = holding(share(service, analysis_id)["token"])
    listed = service.get(f"/analyses/{analysis_id}/reports", headers=reader).json()["reports"]
    assert [(row["id"], row["title"], row["revision"]) for row in listed] == [
        (first["id"], "What happened", 2),
        (second["id"], "Again", 1),
    ]
    assert all("text" not in row for row in listed)
    assert service.get(f"/analyses/{analysis_id}/reports/{first['id']}", headers=reader).json() == saved


def test_of_two_who_save_neither_loses_a_word(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    report = write(service, analysis_id).json()["id"]
    assert save(service, analysis_id, report, "Ada's", 1).json()["revision"] == 2
    refused = save(service, analysis_id, report, "Bo's", 1)
    result = sentence(refused, 409)
    assert "revision 2" in result
    assert "revision 3" in result
    error = refused.json()["error"]
    assert (error["revision"], error["kept"]) == (2, 3)
    # A second press gets the same answer, and there is one revision.
    assert save(service, analysis_id, report, "Bo's", 1).json()["error"]["kept"] == 3
    path = f"/analyses/{analysis_id}/reports/{report}"
    assert service.get(path).json()["text"] == "Ada's"
    assert service.get(f"{path}/revisions/3").json()["text"] == "Bo's"
    # Having seen them, Bo saves over Ada's, which stay reachable.
    over = save(service, analysis_id, report, "Bo's", 2).json()
    kept = service.get(f"{path}/revisions").json()["revisions"]
    assert [(row["number"], row["aside"]) for row in kept] == [
        (over["revision"], False),
        (3, True),
        (2, False),
        (1, False),
    ]
    assert service.get(f"{path}/revisions/2").json()["text"] == "Ada's"


def test_of_many_who_save_at_once_one_wins_and_all_are_kept(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    report = write(service, analysis_id).json()["id"]
    answers: list[int] = []

    def one(words: str) -> None:
        answers.append(save(service, analysis_id, report, words, 1).status_code)

    threads = [threading.Thread(target=one, args=(f"words of {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, *[409] * 7]
    path = f"/analyses/{analysis_id}/reports/{report}/revisions"
    kept = service.get(path).json()["revisions"]
    words = {service.get(f"{path}/{row['number']}").json()["text"] for row in kept}
    assert words == {"# It stalled.\n", *(f"words of {number}" for number in range(8))}
    assert sum(not row["aside"] for row in kept) == 2


def test_the_oldest_revisions_go_and_the_present_one_never(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_REVISIONS", 3)
    analysis_id = service.analyse(SMALL)
    report = write(service, analysis_id).json()["id"]
    save(service, analysis_id, report, "second", 1)
    for number in range(5):
        save(service, analysis_id, report, f"stale {number}", 1)
    kept = service.get(f"/analyses/{analysis_id}/reports/{report}/revisions").json()["revisions"]
    assert [(row["number"], row["aside"]) for row in kept] == [(7, True), (6, True), (2, False)]
    assert service.get(f"/analyses/{analysis_id}/reports/{report}").json()["text"] == "second"


def test_who_may_do_what(service: Service) -> None:
    analysis_id, other = service.analyse(SMALL), service.analyse(NUMA)
    report = write(service, analysis_id).json()["id"]
    path = f"{API}/analyses/{analysis_id}/reports/{report}"
    body = {"title": "x", "text": "x", "revision": 1}
    for may in ([], ["comment"], ["comment", "download"]):
        guest = holding(share(service, analysis_id, may=may)["token"])
        assert service.client.get(path, headers=guest).status_code == 200
        sentence(write(service, analysis_id, guest), 403)
        sentence(service.client.patch(path, json=body, headers=guest), 403)
        sentence(service.client.delete(path, headers=guest), 403)
        sentence(service.client.get(f"{path}/revisions", headers=guest), 403)
        sentence(service.client.get(f"{path}/revisions/1", headers=guest), 403)
    foreign = holding(share(service, other)["token"])
    sentence(service.client.get(path, headers=foreign), 404)
    # By the name of another analysis nothing of it is read, saved or deleted.
    moved = f"{API}/analyses/{other}/reports/{report}"
    for answer in (
        service.client.get(moved),
        service.client.patch(moved, json=body),
        service.client.delete(moved),
        service.client.get(f"{moved}/revisions"),
        service.client.get(f"{moved}/revisions/1"),
    ):
        sentence(answer, 404)
    assert service.get(f"/analyses/{analysis_id}/reports/{report}").json()["revision"] == 1


def test_a_deleted_report_is_gone_with_its_revisions(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    report = write(service, analysis_id).json()["id"]
    save(service, analysis_id, report, "more", 1)
    assert service.client.delete(f"{API}/analyses/{analysis_id}/reports/{report}").status_code == 204
    sentence(service.get(f"/analyses/{analysis_id}/reports/{report}"), 404)
    other = write(service, analysis_id).json()["id"]
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    sentence(service.get(f"/analyses/{analysis_id}/reports/{other}"), 404)
    with service.services.folder.database.session() as session:
        assert session.execute(text("SELECT count(*) FROM report_revisions")).scalar() == 0


def test_there_is_an_end_to_reports(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST", 2)
    analysis_id = service.analyse(SMALL)
    assert [write(service, analysis_id).status_code for _ in range(3)] == [201, 201, 409]


@pytest.mark.parametrize(
    "body", [{"title": " "}, {"title": "x" * 201}, {"text": "x" * (MOST_TEXT + 1)}, {"text": None}, {"more": 1}]
)
def test_a_report_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(write(service, "x", **body), 422)

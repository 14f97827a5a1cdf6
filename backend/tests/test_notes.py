"""Notes: said, answered, changed and taken back, by owners and by holders of a link that allows it."""

from typing import Any

import pytest
from sqlalchemy import text

from numalens.store import notes
from tests.recordings import NUMA, SMALL
from tests.service import API, Service, sentence
from tests.test_shares import holding, share

PLACE = {"from_ns": "1000", "to_ns": "2000", "lane": "cpu:3", "finding": "CGROUP_THROTTLE@1000"}


def say(service: Service, analysis_id: str, headers: dict[str, str] | None = None, **body: Any) -> Any:
    wanted = {"author": "Ada", "text": "Look here.", **body}
    return service.client.post(f"{API}/analyses/{analysis_id}/notes", json=wanted, headers=headers or {})


def said(service: Service, analysis_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.get(f"/analyses/{analysis_id}/notes").json()["notes"]
    return found


def test_a_conversation(service: Service) -> None:
    analysis_id = service.analyse(NUMA)
    guest = holding(share(service, analysis_id, may=["comment"])["token"])
    first = say(service, analysis_id, place=PLACE).json()
    answer = say(service, analysis_id, guest, author="Bo", text="=1+1 <b>", parent_id=first["id"]).json()
    listed = said(service, analysis_id)
    assert listed == [{key: note[key] for key in note if key != "key"} for note in (first, answer)]
    assert (listed[0]["place"], listed[0]["by_owner"], listed[0]["changed_at"]) == (PLACE, True, None)
    assert (listed[1]["place"], listed[1]["by_owner"], listed[1]["text"]) == (None, False, "=1+1 <b>")
    assert service.get(f"/analyses/{analysis_id}/notes", headers=guest).json()["notes"] == listed
    refused = say(service, analysis_id, guest, parent_id=answer["id"])
    assert "first note" in sentence(refused, 409)


def test_an_author_changes_their_own_note_and_no_other(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    guest = holding(share(service, analysis_id, may=["comment"])["token"])
    mine, other = say(service, analysis_id, guest).json(), say(service, analysis_id).json()
    path = f"{API}/analyses/{analysis_id}/notes"
    with_key = {**guest, "X-NumaLens-Note": mine["key"]}
    changed = service.client.patch(f"{path}/{mine['id']}", json={"text": "Here."}, headers=with_key).json()
    assert (changed["text"], changed["changed_at"] is None) == ("Here.", False)
    for headers in (guest, {**guest, "X-NumaLens-Note": ""}, {**guest, "X-NumaLens-Note": other["key"]}):
        sentence(service.client.patch(f"{path}/{mine['id']}", json={"text": "x"}, headers=headers), 403)
        sentence(service.client.delete(f"{path}/{mine['id']}", headers=headers), 403)
    sentence(service.client.patch(f"{path}/{other['id']}", json={"text": "x"}, headers=with_key), 403)
    assert service.client.patch(f"{path}/{mine['id']}", json={"text": "By the owner."}).status_code == 200
    assert [note["text"] for note in said(service, analysis_id)] == ["By the owner.", "Look here."]


def test_what_was_answered_stays_when_its_author_leaves(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    guest = holding(share(service, analysis_id, may=["comment"])["token"])
    first = say(service, analysis_id, guest).json()
    say(service, analysis_id, parent_id=first["id"], text="Yes.")
    path = f"{API}/analyses/{analysis_id}/notes/{first['id']}"
    assert service.client.delete(path, headers={**guest, "X-NumaLens-Note": first["key"]}).status_code == 204
    assert [note["text"] for note in said(service, analysis_id)] == ["", "Yes."]
    assert service.client.delete(path).status_code == 204
    assert said(service, analysis_id) == []
    sentence(service.client.delete(path), 404)


def test_notes_belong_to_one_analysis(service: Service) -> None:
    one, other = service.analyse(SMALL), service.analyse(NUMA)
    note = say(service, one).json()
    guest = holding(share(service, other, may=["comment"])["token"])
    sentence(say(service, one, guest), 404)
    sentence(say(service, other, parent_id=note["id"]), 404)
    sentence(service.client.delete(f"{API}/analyses/{other}/notes/{note['id']}"), 404)
    sentence(service.get(f"/analyses/{one}/notes", headers=guest), 404)
    sentence(service.get(f"/analyses/{one}/notes", headers={"Host": "numalens.example"}), 403)
    assert said(service, other) == []
    assert service.client.delete(f"{API}/analyses/{one}").status_code == 204
    with service.services.folder.database.session() as session:
        assert session.execute(text("SELECT count(*) FROM notes")).scalar() == 0


def test_the_secret_of_a_note_is_not_stored(service: Service) -> None:
    note = say(service, service.analyse(SMALL)).json()
    with service.services.folder.database.session() as session:
        assert note["key"] not in repr(session.execute(text("SELECT * FROM notes")).all())


def test_there_is_an_end_to_notes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST", 2)
    analysis_id = service.analyse(SMALL)
    assert [say(service, analysis_id).status_code for _ in range(3)] == [201, 201, 409]


@pytest.mark.parametrize(
    "body",
    [
        {"author": " "},
        {"author": "x" * 81},
        {"text": ""},
        {"text": "x" * 10_001},
        {"place": {"from_ns": "1"}},
        {"place": {"from_ns": "2", "to_ns": "1"}},
        {"place": {"lane": ""}},
        {"place": {"more": 1}},
        {"more": 1},
    ],
)
def test_a_note_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(say(service, "x", **body), 422)

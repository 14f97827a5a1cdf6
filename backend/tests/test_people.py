"""Owners and readers: what each may do, how they come and go, and whose notes, links, tokens and uploads are told to whom."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import text

from numalens.store.schema import Note
from tests.conftest import MakeService, running_service
from tests.issuer import Issuer, running_issuer
from tests.people import ANN, BO, CY, ROOT, Browser, browser
from tests.recordings import NUMA, SMALL
from tests.service import API, Service, sentence


@dataclass(frozen=True)
class House:
    """A service with Ann, Bo, Cy and an administrator; Ann has one analysis, the server one from before anybody signed in."""

    service: Service
    issuer: Issuer
    ann: Browser
    bo: Browser
    cy: Browser
    root: Browser
    mine: str
    old: str

    def names(self, who: Browser, analysis_id: str) -> list[tuple[str, str]]:
        answer = who.get(f"/analyses/{analysis_id}/permissions").json()["members"]
        return [(member["name"], member["role"]) for member in answer]

    def id_of(self, who: Browser, analysis_id: str, name: str) -> str:
        answer = who.get(f"/analyses/{analysis_id}/permissions").json()["members"]
        return next(str(member["id"]) for member in answer if member["name"] == name)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    root = tmp_path_factory.mktemp("house")
    with running_service(root) as before:
        old = before.analyse(SMALL)
    with running_issuer() as issuer, running_service(root, **issuer.settings(), admins=ROOT) as service:
        ann, bo, cy, admin = (browser(service, issuer, name) for name in (ANN, BO, CY, ROOT))
        yield House(service, issuer, ann, bo, cy, admin, ann.analyse(NUMA), old)


@pytest.fixture
def house(built: House) -> House:
    """The one house, with nobody but Ann in her analysis."""
    with built.service.services.folder.database.session() as session:
        session.execute(text("DELETE FROM members"))
        session.execute(text("DELETE FROM notes"))
        session.execute(text("DELETE FROM shares"))
        session.execute(text("DELETE FROM api_tokens"))
        ann = session.execute(text("SELECT id FROM people WHERE name = :name"), {"name": ANN}).scalar_one()
        session.execute(
            text("INSERT INTO members VALUES (:analysis, :ann, 'owner', 1, NULL, '2026-01-01 00:00:00')"),
            {"analysis": built.mine, "ann": ann},
        )
    return built


def test_one_owns_what_one_uploads_and_sees_nothing_else(house: House) -> None:
    assert house.ann.listed() == [house.mine]
    assert house.bo.listed() == []
    assert set(house.root.listed()) == {house.mine, house.old}
    answer = house.ann.get(f"/analyses/{house.mine}").json()
    assert (answer["access"], answer["owners"], answer["handed_over"]) == ("owner", [ANN], False)
    assert house.root.get(f"/analyses/{house.old}").json()["owners"] == []


def test_a_reader_looks_writes_notes_and_does_nothing_else(house: House) -> None:
    assert house.ann.name(house.mine, "  Bo@numalens.example ").json()["name"] == BO
    answer = house.bo.get(f"/analyses/{house.mine}").json()
    assert (answer["access"], answer["may"], answer["owners"]) == ("view", ["comment"], [ANN])
    listed = house.bo.get("/analyses").json()["analyses"]
    assert [(one["id"], one["access"], one["may"], one["tags"]) for one in listed] == [
        (house.mine, "view", ["comment"], [])
    ]
    said = house.bo.post(f"/analyses/{house.mine}/notes", {"text": "Here."})
    assert said.status_code == 201, said.text
    assert "downloading" in sentence(house.bo.get(f"/analyses/{house.mine}/trace.pftrace"), 403)
    house.ann.name(house.mine, BO, download=True)
    assert house.bo.get(f"/analyses/{house.mine}/trace.pftrace").status_code == 200
    page = house.ann.get(f"/analyses/{house.mine}/page.html").status_code
    assert house.bo.get(f"/analyses/{house.mine}/page.html").status_code == page
    house.ann.name(house.mine, BO)
    assert "downloading" in sentence(house.bo.get(f"/analyses/{house.mine}/page.html"), 403)
    assert house.cy.listed() == []
    assert house.cy.get(f"/analyses/{house.mine}/page.html").status_code == 404


def test_a_name_is_vouched_for_or_typed(house: House) -> None:
    house.ann.name(house.mine, BO)
    link = house.ann.post(f"/analyses/{house.mine}/shares", {"view": "", "may": ["comment"]}).json()["token"]
    bo = house.bo.post(f"/analyses/{house.mine}/notes", {"text": "By Bo.", "author": ROOT}).json()
    assert (bo["author"], bo["vouched"], bo["yours"], bo["by_owner"]) == (BO, True, True, False)
    stranger = Browser(house.service, {})
    typed = stranger.post(
        f"/analyses/{house.mine}/notes", {"text": "By whom?", "author": BO}, headers={"X-NumaLens-Share": link}
    ).json()
    assert (typed["author"], typed["vouched"], typed["yours"]) == (BO, False, False)
    nameless = stranger.post(f"/analyses/{house.mine}/notes", {"text": "x"}, headers={"X-NumaLens-Share": link})
    sentence(nameless, 422)
    seen = house.ann.get(f"/analyses/{house.mine}/notes").json()["notes"]
    assert [(note["vouched"], note["yours"]) for note in seen] == [(True, False), (False, False)]


def test_a_vouched_note_is_its_persons_and_not_its_browsers(house: House) -> None:
    for name in (BO, CY):
        house.ann.name(house.mine, name)
    note = house.bo.post(f"/analyses/{house.mine}/notes", {"text": "By Bo."}).json()
    path = f"/analyses/{house.mine}/notes/{note['id']}"
    # Cy sits at the browser in which Bo was signed in, and which keeps the note's secret.
    kept = {"X-NumaLens-Note": note["key"]}
    sentence(house.cy.ask("PATCH", path, kept, json={"text": "x"}), 403)
    sentence(house.cy.ask("DELETE", path, kept), 403)
    assert house.bo.ask("PATCH", path, json={"text": "Better."}).json()["text"] == "Better."
    house.cy.post(f"/analyses/{house.mine}/notes", {"text": "Yes.", "parent_id": note["id"]})
    assert house.bo.ask("DELETE", path).status_code == 204
    # An author withdraws the words; an owner removes the conversation.
    assert [one["text"] for one in house.ann.get(f"/analyses/{house.mine}/notes").json()["notes"]] == ["", "Yes."]
    assert house.ann.ask("DELETE", path).status_code == 204
    assert house.ann.get(f"/analyses/{house.mine}/notes").json()["notes"] == []


def test_further_owners_do_what_owners_do(house: House) -> None:
    house.ann.name(house.mine, BO, "owner")
    assert house.bo.ask("PATCH", f"/analyses/{house.mine}", json={"tags": ["x"]}).status_code == 200
    assert house.bo.name(house.mine, CY).status_code == 200
    assert house.names(house.bo, house.mine) == [(ANN, "owner"), (BO, "owner"), (CY, "reader")]
    assert house.bo.ask(
        "DELETE", f"/analyses/{house.mine}/permissions/{house.id_of(house.bo, house.mine, ANN)}"
    ).is_success
    assert house.ann.listed() == []
    house.bo.name(house.mine, ANN, "owner")


def test_an_analysis_keeps_an_owner(house: House) -> None:
    me = house.id_of(house.ann, house.mine, ANN)
    assert "needs an owner" in sentence(house.ann.ask("DELETE", f"/analyses/{house.mine}/permissions/{me}"), 409)
    assert "needs an owner" in sentence(house.ann.name(house.mine, ANN, "reader"), 409)
    # An administrator looks after it anyway.
    assert house.root.ask("DELETE", f"/analyses/{house.mine}/permissions/{me}").status_code == 204
    assert house.names(house.root, house.mine) == []
    sentence(house.root.ask("DELETE", f"/analyses/{house.mine}/permissions/{me}"), 404)


def test_what_is_taken_away_is_gone_at_once(house: House) -> None:
    house.ann.name(house.mine, BO)
    assert house.bo.get(f"/analyses/{house.mine}").status_code == 200
    house.ann.ask("DELETE", f"/analyses/{house.mine}/permissions/{house.id_of(house.ann, house.mine, BO)}")
    sentence(house.bo.get(f"/analyses/{house.mine}"), 404)
    assert house.bo.listed() == []


def test_handed_over_and_taken_back(house: House) -> None:
    over = house.ann.post(f"/analyses/{house.mine}/ownership-transfer", {"to": BO})
    assert (over.json()["name"], over.json()["role"]) == (BO, "owner")
    answer = house.ann.get(f"/analyses/{house.mine}").json()
    assert (answer["access"], answer["owners"], answer["handed_over"]) == ("view", [BO], True)
    assert house.ann.get("/analyses").json()["analyses"][0]["handed_over"] is True
    sentence(house.ann.ask("DELETE", f"/analyses/{house.mine}"), 403)
    sentence(house.bo.ask("DELETE", f"/analyses/{house.mine}/ownership-transfer"), 409)
    assert house.ann.ask("DELETE", f"/analyses/{house.mine}/ownership-transfer").status_code == 204
    assert house.names(house.ann, house.mine) == [(ANN, "owner")]
    sentence(house.bo.get(f"/analyses/{house.mine}"), 404)
    sentence(house.ann.ask("DELETE", f"/analyses/{house.mine}/ownership-transfer"), 409)


@pytest.mark.parametrize("how", ["removed", "set again"])
def test_the_new_owner_can_make_it_theirs(house: House, how: str) -> None:
    house.ann.post(f"/analyses/{house.mine}/ownership-transfer", {"to": BO})
    if how == "removed":
        house.bo.ask("DELETE", f"/analyses/{house.mine}/permissions/{house.id_of(house.bo, house.mine, ANN)}")
        sentence(house.ann.ask("DELETE", f"/analyses/{house.mine}/ownership-transfer"), 404)
    else:
        house.bo.name(house.mine, ANN)
        sentence(house.ann.ask("DELETE", f"/analyses/{house.mine}/ownership-transfer"), 409)
    assert (BO, "owner") in house.names(house.bo, house.mine)


def test_what_is_from_before_is_the_administrators_until_it_is_handed_over(house: House) -> None:
    sentence(house.ann.get(f"/analyses/{house.old}"), 404)
    assert house.root.post(f"/analyses/{house.old}/ownership-transfer", {"to": CY}).status_code == 200
    assert house.cy.listed() == [house.old]
    assert house.cy.get(f"/analyses/{house.old}").json()["access"] == "owner"
    sentence(house.root.post(f"/analyses/{house.old}/ownership-transfer", {"to": CY}), 409)


def test_somebody_is_named_before_they_ever_signed_in(house: House) -> None:
    house.ann.name(house.mine, "Dee@numalens.example")
    dee = browser(house.service, house.issuer, "dee@numalens.example")
    assert dee.listed() == [house.mine]


@pytest.mark.parametrize("name", ["", " ", "a b", "a,b", "a" * 201, "ann\u0000", "ann\u202e@numalens.example", "a\nb"])
def test_a_name_is_checked(house: House, name: str) -> None:
    sentence(house.ann.name(house.mine, name), 422)
    sentence(house.ann.post(f"/analyses/{house.mine}/ownership-transfer", {"to": name}), 422)


def test_an_analysis_has_not_too_many_people(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numalens.store.members.MOST", 2)
    assert house.ann.name(house.mine, BO).status_code == 200
    assert "at most 2" in sentence(house.ann.name(house.mine, CY), 409)
    assert house.ann.name(house.mine, BO, download=True).status_code == 200


def test_links_are_reported_to_owners(house: House) -> None:
    house.ann.post(f"/analyses/{house.mine}/shares", {"view": ""})
    house.root.post(f"/analyses/{house.old}/shares", {"view": ""})
    house.ann.name(house.mine, BO)
    answer = {
        who: [share["analysis_id"] for share in browser.get("/shares").json()["shares"]]
        for who, browser in (("ann", house.ann), ("bo", house.bo), ("root", house.root))
    }
    assert answer == {"ann": [house.mine], "bo": [], "root": [house.old, house.mine]}


def test_only_what_one_may_read_is_compared(house: House) -> None:
    own = house.bo.analyse(SMALL)
    try:
        sentence(house.bo.get(f"/compare?ids={own},{house.mine}"), 404)
        house.ann.name(house.mine, BO)
        assert house.bo.get(f"/compare?ids={own},{house.mine}").status_code == 200
    finally:
        assert house.bo.ask("DELETE", f"/analyses/{own}").status_code == 204


def test_a_copy_is_its_makers(house: House) -> None:
    house.ann.name(house.mine, BO)
    sentence(house.bo.post(f"/analyses/{house.mine}/copies", {"pseudonyms": True}), 403)
    copy = house.ann.post(f"/analyses/{house.mine}/copies", {"pseudonyms": True}).json()["id"]
    assert copy in house.ann.listed()
    assert copy not in house.bo.listed()
    house.ann.get(f"/analyses/{copy}/progress")
    house.ann.ask("DELETE", f"/analyses/{copy}")


def bearer(who: Browser, scope: str) -> tuple[str, dict[str, str]]:
    made = who.post("/tokens", {"name": "CI", "scope": scope})
    assert made.status_code == 201, made.text
    return made.json()["id"], {"Authorization": f"Bearer {made.json()['secret']}"}


def with_token(house: House, headers: dict[str, str]) -> Any:
    """A program elsewhere."""
    return lambda method, path, **body: house.service.client.request(
        method, f"{API}{path}", headers={"Host": "numalens.example", **headers}, **body
    )


def test_a_token_acts_for_its_person(house: House) -> None:
    _, headers = bearer(house.ann, "owner")
    ask = with_token(house, headers)
    assert [one["id"] for one in ask("GET", "/analyses").json()["analyses"]] == [house.mine]
    sentence(ask("GET", f"/analyses/{house.old}"), 404)
    said = ask("POST", f"/analyses/{house.mine}/notes", json={"text": "By the nightly run."}).json()
    assert (said["author"], said["vouched"]) == (ANN, True)
    assert ask("GET", "/info").json()["person"] == {"name": ANN, "admin": False}
    _, of_root = bearer(house.root, "owner")
    assert len(with_token(house, of_root)("GET", "/analyses").json()["analyses"]) == 2


def test_tokens_are_their_persons(house: House) -> None:
    token_id, _ = bearer(house.ann, "upload")
    assert [one["person"] for one in house.ann.get("/tokens").json()["tokens"]] == [ANN]
    assert house.bo.get("/tokens").json()["tokens"] == []
    assert len(house.root.get("/tokens").json()["tokens"]) == 1
    sentence(house.bo.ask("DELETE", f"/tokens/{token_id}"), 404)
    assert house.root.ask("DELETE", f"/tokens/{token_id}").status_code == 204


def test_what_a_token_uploads_is_its_persons(house: House) -> None:
    _, headers = bearer(house.bo, "upload")
    program = Browser(house.service, {})
    ask, program_ask = program.ask, program.ask
    program.ask = lambda method, path, more=None, **body: program_ask(method, path, {**headers, **(more or {})}, **body)  # type: ignore[method-assign]
    made = program.analyse(SMALL)
    try:
        assert house.bo.listed() == [made]
        assert house.ann.listed() == [house.mine]
        as_program = with_token(house, headers)
        assert as_program("POST", f"/analyses/{made}/shares", json={"view": ""}).status_code == 201
        # Once another user owns it, it is no longer the program's either.
        house.bo.post(f"/analyses/{made}/ownership-transfer", {"to": CY})
        assert as_program("GET", f"/analyses/{made}").status_code == 200
        sentence(as_program("POST", f"/analyses/{made}/shares", json={"view": ""}), 403)
        house.cy.ask("DELETE", f"/analyses/{made}/permissions/{house.id_of(house.cy, made, BO)}")
        sentence(as_program("GET", f"/analyses/{made}"), 404)
    finally:
        program.ask = ask  # type: ignore[method-assign]
        house.root.ask("DELETE", f"/analyses/{made}")


def test_a_token_of_the_command_line_is_an_administrators(house: House) -> None:
    _, secret = house.service.services.tokens.create("nightly", "owner", None)
    ask = with_token(house, {"Authorization": f"Bearer {secret}"})
    assert len(ask("GET", "/analyses").json()["analyses"]) == 2
    assert ask("GET", f"/analyses/{house.mine}").json()["access"] == "owner"


def test_without_sign_in_nobody_is_named_and_all_is_the_owners(house: House, make_service: MakeService) -> None:
    alone = make_service()
    analysis_id = alone.analyse(SMALL)
    assert alone.get(f"/analyses/{analysis_id}/permissions").json() == {"members": []}
    body = {"name": BO}
    assert "NUMALENS_SIGN_IN" in sentence(alone.client.put(f"{API}/analyses/{analysis_id}/permissions", json=body), 409)
    sentence(alone.client.post(f"{API}/analyses/{analysis_id}/ownership-transfer", json={"to": BO}), 409)
    answer = alone.get(f"/analyses/{analysis_id}").json()
    assert (answer["access"], answer["owners"]) == ("owner", [])
    said = alone.client.post(f"{API}/analyses/{analysis_id}/notes", json={"author": "Ada", "text": "x"}).json()
    assert (said["vouched"], said["author"]) == (False, "Ada")
    with house.service.services.folder.database.session() as session:
        assert session.query(Note).count() == 0

"""Shared links: made, opened in another browser, revoked, expired, and good for nothing else."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text, update

from numalens.api.limits import GUESSES, GUESSES_WITHIN_S, RateLimit
from numalens.errors import SentenceError, not_found
from numalens.store.names import now, token_hash
from numalens.store.schema import Share
from tests.recordings import NUMA, SMALL
from tests.service import API, Service, sentence

VIEW = "?v=2&w=1000~2000&open=0"
READS = (
    "",
    "/tasks",
    "/report",
    "/timeline?from_ns=0&to_ns=9000000000000000000&px=100&lanes=cpu:0",
    "/notes",
    "/sections/psi",
    "/sections/findings",
    "/progress",
)

DOWNLOADS = ("/events/sched_switch?format=csv", "/event-rows/export?filter=cpu+==+0", "/trace.pftrace")


def share(service: Service, analysis_id: str, expires_in_s: int | None = None, **more: Any) -> dict[str, Any]:
    body = {"view": VIEW, "expires_in_s": expires_in_s, **more}
    answer = service.client.post(f"{API}/analyses/{analysis_id}/shares", json=body)
    assert answer.status_code == 201
    found: dict[str, Any] = answer.json()
    return found


def holding(token: str) -> dict[str, str]:
    """Headers of somebody on another machine who has the link."""
    return {"X-NumaLens-Share": token, "Host": "numalens.example"}


def open_link(service: Service, token: str) -> Any:
    return service.client.post(f"{API}/shares/open", json={"token": token}, headers={"Host": "numalens.example"})


def test_a_link_opens_its_analysis_and_nothing_else(service: Service) -> None:
    mine, other = service.analyse(NUMA), service.analyse(SMALL)
    made = share(service, mine)
    assert made["url"] == f"/s#{made['token']}"
    assert len(made["token"]) >= 32
    opened = open_link(service, made["token"])
    assert opened.json() == {"analysis_id": mine, "view": VIEW, "may": [], "expires_at": None}
    headers = holding(made["token"])
    for path in READS:
        assert service.get(f"/analyses/{mine}{path}", headers=headers).status_code == 200, path
        sentence(service.get(f"/analyses/{other}{path}", headers=headers), 404)
        sentence(service.get(f"/analyses/{mine}{path}", headers={"Host": "numalens.example"}), 403)
    seen = service.get(f"/analyses/{mine}", headers=headers).json()
    assert (seen["access"], seen["may"]) == ("view", [])
    assert service.get("/info", headers=headers).json()["owner"] is False


def test_a_link_does_not_allow_writing_even_to_an_owner(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id)
    # From the owner's own machine: the secret in the request still means "read only".
    headers = {"X-NumaLens-Share": made["token"]}
    for method, path, body in (
        ("GET", "/analyses", None),
        ("POST", "/analyses", {"uploads": ["x"]}),
        ("PATCH", f"/analyses/{analysis_id}", {"title": "other"}),
        ("DELETE", f"/analyses/{analysis_id}", None),
        ("GET", f"/analyses/{analysis_id}/shares", None),
        ("POST", f"/analyses/{analysis_id}/shares", {"view": ""}),
        ("PATCH", f"/analyses/{analysis_id}/shares/{made['id']}", {"expires_in_s": None}),
        ("DELETE", f"/analyses/{analysis_id}/shares/{made['id']}", None),
        ("GET", "/shares", None),
        ("POST", f"/analyses/{analysis_id}/notes", {"author": "A", "text": "T"}),
        ("POST", "/uploads/", None),
        ("HEAD", "/uploads/x", None),
    ):
        answer = service.client.request(method, f"{API}{path}", json=body, headers=headers)
        assert answer.status_code == 403, (method, path)
    assert service.get(f"/analyses/{analysis_id}").json()["title"] != "other"


def test_a_revoked_link_is_gone_at_once(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made, kept = share(service, analysis_id), share(service, analysis_id)
    path = f"{API}/analyses/{analysis_id}/shares/{made['id']}"
    assert service.client.delete(path).status_code == 204
    assert service.client.delete(path).status_code == 204
    assert "revoked" in sentence(open_link(service, made["token"]), 410)
    sentence(service.get(f"/analyses/{analysis_id}/tasks", headers=holding(made["token"])), 410)
    assert open_link(service, kept["token"]).status_code == 200
    listed = {entry["id"]: entry for entry in service.get(f"/analyses/{analysis_id}/shares").json()["shares"]}
    assert listed[made["id"]]["revoked"] is True
    assert listed[kept["id"]]["revoked"] is False
    assert listed[kept["id"]]["opened"] == 1


def test_an_expired_link_is_gone(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id, expires_in_s=3600)
    assert open_link(service, made["token"]).json()["expires_at"] == made["expires_at"]
    with service.services.folder.database.session() as session:
        session.execute(update(Share).values(expires_at=now() - timedelta(seconds=1)))
    assert "expired" in sentence(open_link(service, made["token"]), 410)
    sentence(service.get(f"/analyses/{analysis_id}", headers=holding(made["token"])), 410)


@pytest.mark.parametrize("token", ["x", "A" * 32, "../../x", "ü" * 32])
def test_an_unknown_secret_opens_nothing(service: Service, token: str) -> None:
    sentence(open_link(service, token), 404)
    if token.isascii():
        sentence(service.get("/analyses/aaaaaaaaaaaaaaaa", headers=holding(token)), 404)


def test_the_secret_is_not_stored(service: Service) -> None:
    made = share(service, service.analyse(SMALL))
    with service.services.folder.database.session() as session:
        rows = [repr(row) for row in session.execute(text("SELECT * FROM shares"))]
    assert len(rows) == 1
    assert made["token"] not in rows[0]
    assert token_hash(made["token"]) in rows[0]
    assert made["token"] not in service.get(f"/analyses/{service.services.analyses.all()[0].id}/shares").text


def test_secrets_do_not_repeat(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    tokens = {share(service, analysis_id)["token"] for _ in range(20)}
    assert len(tokens) == 20


def test_links_go_with_their_analysis(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id)
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    sentence(open_link(service, made["token"]), 404)
    sentence(service.get(f"/analyses/{analysis_id}", headers=holding(made["token"])), 404)


def test_links_of_another_analysis_are_not_found(service: Service) -> None:
    one, other = service.analyse(SMALL), service.analyse(NUMA)
    made = share(service, one)
    sentence(service.client.delete(f"{API}/analyses/{other}/shares/{made['id']}"), 404)
    assert open_link(service, made["token"]).status_code == 200
    sentence(service.client.post(f"{API}/analyses/nothing/shares", json={"view": ""}), 404)
    sentence(service.get("/analyses/nothing/shares"), 404)


@pytest.mark.parametrize(
    "body", [{}, {"view": 1}, {"view": "x" * 9000}, {"view": "", "expires_in_s": 0}, {"view": "", "more": 1}]
)
def test_a_share_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(service.client.post(f"{API}/analyses/x/shares", json=body), 422)


def test_only_a_link_for_downloads_allows_them(service: Service) -> None:
    analysis_id = service.analyse(NUMA)
    looking = holding(share(service, analysis_id, may=["comment"])["token"])
    taking = holding(share(service, analysis_id, may=["download"])["token"])
    for path in DOWNLOADS:
        assert "not downloading" in sentence(service.get(f"/analyses/{analysis_id}{path}", headers=looking), 403)
        assert service.get(f"/analyses/{analysis_id}{path}", headers=taking).status_code == 200, path
        assert service.get(f"/analyses/{analysis_id}{path}").status_code == 200, path
    queries = {"sql": "select 1", "format": "csv"}
    for headers, status in ((looking, 403), (taking, 200)):
        address = f"{API}/analyses/{analysis_id}/sql/export"
        assert service.client.post(address, json=queries, headers=headers).status_code == status
        result = service.client.post(f"{API}/analyses/{analysis_id}/sql", json={"sql": "select 1"}, headers=headers)
        assert result.json()["rows"] == [["1"]]
    assert service.get(f"/analyses/{analysis_id}", headers=taking).json()["may"] == ["download"]
    assert service.get(f"/analyses/{analysis_id}").json()["may"] == ["comment", "download"]


def test_a_link_ends_after_thirty_days_unless_stated(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = service.client.post(f"{API}/analyses/{analysis_id}/shares", json={"view": ""}).json()
    lives = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
    assert lives == timedelta(days=30)
    assert share(service, analysis_id)["expires_at"] is None


def test_a_link_is_renamed_and_extended(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id, expires_in_s=60, name="  for Ada ")
    path = f"{API}/analyses/{analysis_id}/shares/{made['id']}"
    with service.services.folder.database.session() as session:
        session.execute(update(Share).values(expires_at=now() - timedelta(seconds=1)))
    sentence(open_link(service, made["token"]), 410)
    changed = service.client.patch(path, json={"expires_in_s": 3600}).json()
    assert changed["name"] == "for Ada"
    left = datetime.fromisoformat(changed["expires_at"]) - now()
    assert timedelta(minutes=59) < left <= timedelta(hours=1)
    assert open_link(service, made["token"]).status_code == 200
    named = service.client.patch(path, json={"name": "for Grace"}).json()
    assert (named["name"], named["expires_at"]) == ("for Grace", changed["expires_at"])
    assert service.client.patch(path, json={"expires_in_s": None}).json()["expires_at"] is None


def test_a_revoked_link_stays_revoked(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id)
    path = f"{API}/analyses/{analysis_id}/shares/{made['id']}"
    service.client.delete(path)
    assert "cannot be restored" in sentence(service.client.patch(path, json={"expires_in_s": 3600}), 409)
    sentence(open_link(service, made["token"]), 410)
    sentence(service.client.patch(f"{API}/analyses/{analysis_id}/shares/nothing", json={}), 404)


def test_everything_shared_is_listed(service: Service) -> None:
    one, other = service.analyse(SMALL), service.analyse(NUMA)
    first, second = share(service, one, name="first"), share(service, other, may=["download", "comment"])
    open_link(service, first["token"])
    listed = service.get("/shares").json()["shares"]
    assert [entry["id"] for entry in listed] == [second["id"], first["id"]]
    assert [entry["analysis_id"] for entry in listed] == [other, one]
    assert [entry["analysis_title"] for entry in listed] == [
        service.get(f"/analyses/{id_}").json()["title"] for id_ in (other, one)
    ]
    assert [entry["may"] for entry in listed] == [["comment", "download"], []]
    assert [entry["opened"] for entry in listed] == [0, 1]
    assert listed[0]["last_opened_at"] is None
    assert now() - datetime.fromisoformat(listed[1]["last_opened_at"]) < timedelta(minutes=1)
    assert first["token"] not in service.get("/shares").text


def test_who_tries_many_unknown_links_is_made_to_wait(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id)
    for place in range(GUESSES):
        sentence(open_link(service, f"{place:032}"), 404)
    refused = open_link(service, "A" * 32)
    assert "wait" in sentence(refused, 429)
    assert 0 < int(refused.headers["Retry-After"]) <= GUESSES_WITHIN_S
    sentence(service.get(f"/analyses/{analysis_id}", headers=holding("B" * 32)), 429)
    # Who has a link is let in: others may be behind the same address.
    assert open_link(service, made["token"]).status_code == 200


@given(pauses=st.lists(st.integers(0, 40), max_size=60))
def test_guesses_are_counted_over_a_sliding_minute(pauses: list[int]) -> None:
    at = 0.0
    guesses = RateLimit(most=3, within_s=60, clock=lambda: at)
    answered: list[float] = []
    for pause in pauses:
        at += pause
        with pytest.raises(SentenceError) as refused, guesses.counted("peer"):
            raise not_found("shared link")
        recent = [when for when in answered if when > at - 60]
        assert refused.value.status == (404 if len(recent) < 3 else 429)
        if refused.value.status == 404:
            answered.append(at)
    with pytest.raises(SentenceError) as other, guesses.counted("other"):
        raise not_found("shared link")
    assert other.value.status == 404

"""Signing in by an issuer: what is believed, for how long, and what is refused."""

import time
from collections.abc import Iterator
from datetime import timedelta
from http.client import HTTPConnection
from typing import Any

import pytest
from sqlalchemy import text, update

from numalens.api.access import SESSION
from numalens.api.limits import UsedNonces
from numalens.api.sign_in import is_own_path
from numalens.store.names import now, token_hash
from numalens.store.schema import SignedIn
from tests.conftest import MakeService, running_service
from tests.issuer import CLIENT_ID, Issuer, running_issuer
from tests.people import ANN, BO, ROOT, browser
from tests.service import Service, sentence


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Issuer, Service]]:
    with (
        running_issuer() as issuer,
        running_service(tmp_path_factory.mktemp("signing-in"), **issuer.settings(), admins=ROOT) as service,
    ):
        yield issuer, service


@pytest.fixture
def issuer(made: tuple[Issuer, Service]) -> Issuer:
    """The one issuer of all tests here, as it was at its begin."""
    issuer, _ = made
    issuer.wrong, issuer.claims = "", {}
    issuer.requests.clear()
    issuer.left.clear()
    return issuer


@pytest.fixture
def served(made: tuple[Issuer, Service], issuer: Issuer) -> Service:
    """The one service, without people, and knowing as much of its issuer as after a start."""
    _, service = made
    with service.services.folder.database.session() as session:
        session.execute(text("DELETE FROM people"))
    own = service.services.issuer
    assert own is not None
    own.__init__(service.services.settings)  # type: ignore[misc]
    assert issuer.requests == []
    return service


def test_somebody_signs_in_and_out(served: Service, issuer: Issuer) -> None:
    ann = browser(served)
    stranger = ann.get("/info").json()
    assert (stranger["owner"], stranger["person"], stranger["sign_in"]) == (False, None, "oidc")
    assert "Sign in" in sentence(ann.get("/analyses"), 401)
    signed = ann.sign_in(issuer, "Ann@numalens.example", "/a/abc?v=2&w=1~2#x")
    assert signed.json() == {"name": ANN, "return_to": "/a/abc?v=2&w=1~2#x"}
    assert ann.get("/info").json()["person"] == {"name": ANN, "admin": False}
    assert ann.get("/analyses").json() == {"analyses": []}
    assert ann.flow == ""
    assert ann.post("/sign-out").status_code == 200
    assert ann.session == ""
    sentence(ann.get("/analyses"), 401)


def test_being_at_the_machine_is_not_being_signed_in(served: Service) -> None:
    assert served.get("/info").json()["owner"] is False
    sentence(served.get("/analyses"), 401)


def test_administrators_are_in_the_settings(served: Service, issuer: Issuer) -> None:
    assert browser(served, issuer, ROOT).get("/info").json()["person"] == {"name": ROOT, "admin": True}


@pytest.mark.parametrize(
    ("address", "marks", "prefix"),
    [("", (), ""), ("https://numalens.example", ("secure",), "__Host-"), ("http://numalens.example", (), "")],
)
def test_the_cookie_is_for_this_host_and_no_script(
    make_service: MakeService, issuer: Issuer, address: str, marks: tuple[str, ...], prefix: str
) -> None:
    service = make_service(**issuer.settings(), address=address)
    ann = browser(service)
    begun = ann.post("/sign-in/begin")
    there = begun.json()["url"]
    home = (address or "http://localhost:8000").replace("://", "%3A%2F%2F").replace(":8000", "%3A8000")
    assert f"redirect_uri={home}%2Fsigned-in" in there
    signed = ann.post("/sign-in/finish", issuer.answer_to(there, ANN))
    cookies = [line for answer in (begun, signed) for line in answer.headers.get_list("set-cookie")]
    assert len(cookies) == 3
    for line in cookies:
        name, *result = (part.strip().lower() for part in line.split(";"))
        assert name.startswith(prefix.lower() + "numalens_")
        assert {"httponly", "path=/", "samesite=lax", *marks} <= set(result)
        assert ("secure" in result) is ("secure" in marks)
        assert not any(part.startswith("domain") for part in result)
    secret = ann.cookies[prefix + SESSION]
    assert len(secret) >= 32
    with service.services.folder.database.session() as session:
        kept = repr(session.execute(text("SELECT * FROM sessions")).all())
    assert secret not in kept
    assert token_hash(secret) in kept


WRONG = (
    "nonce",
    "no nonce",
    "audience",
    "audience, with us as its party",
    "issuer",
    "expired",
    "no end",
    "no subject",
    "unsigned",
    "by the public key as a secret",
    "by another key",
    "changed after signing",
    "by a key of its own header",
    "with a header that must be understood",
    "nested",
    "nested header",
    "header is no object",
    "None",
    "nOnE",
    "HS256 without a secret",
    "audience of two without a party",
    "party of another",
    "not valid yet",
    "issued tomorrow",
    "end is no number",
    "end is a list",
    "end never comes",
    "subject is no text",
    "subject is a flag",
    "subject is endless",
    "subject has a zero",
    "subject has half a letter",
)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_token_signs_nobody_in(served: Service, issuer: Issuer, wrong: str) -> None:
    ann = browser(served)
    issuer.wrong = wrong
    sentence(ann.sign_in(issuer, ANN), 403)
    assert ann.session == ""
    issuer.wrong = ""
    assert ann.sign_in(issuer, ANN).status_code == 200


@pytest.mark.parametrize(
    ("claims", "result"),
    [
        ({"email_verified": False}, "not verified"),
        ({"email_verified": None}, "not verified"),
        ({"email_verified": "true"}, "not verified"),
        ({"email": 7}, "response has no 'email'"),
        ({"email": ""}, "response has no 'email'"),
        ({"email": "ann, root@numalens.example"}, None),
        ({"email": "a" * 201}, None),
        ({"email": "ann\u202e@numalens.example"}, None),
    ],
)
def test_a_name_that_nobody_vouches_for(
    served: Service, issuer: Issuer, claims: dict[str, Any], result: str | None
) -> None:
    issuer.claims = claims
    ann = browser(served)
    answer = ann.sign_in(issuer, ANN)
    assert answer.status_code in {403, 422}
    assert result is None or result in sentence(answer, 403)
    assert ann.session == ""


def test_no_letter_becomes_another_persons(served: Service, issuer: Issuer) -> None:
    # The Kelvin sign is a k once it is lower-cased as Unicode says.
    issuer.claims = {"email": "\u212aim@numalens.example"}
    odd = browser(served, issuer, "odd").get("/info").json()["person"]["name"]
    issuer.claims = {"email": "Kim@numalens.example"}
    assert browser(served, issuer, "kim").get("/info").json()["person"]["name"] == "kim@numalens.example" != odd


def test_an_address_given_to_somebody_new_is_not_the_old_account(served: Service, issuer: Issuer) -> None:
    browser(served, issuer, ANN)
    issuer.claims = {"sub": "another account"}
    assert "another account" in sentence(browser(served).sign_in(issuer, ANN), 403)
    # The same account under a new address stays who it was.
    issuer.claims = {"sub": f"account of {ANN}", "email": "ann.lee@numalens.example"}
    renamed = browser(served, issuer, ANN)
    assert renamed.get("/info").json()["person"]["name"] == "ann.lee@numalens.example"


def test_what_the_token_lacks_is_requested(served: Service, issuer: Issuer) -> None:
    issuer.claims = {"email": None, "email_verified": None}
    assert browser(served, issuer, ANN).get("/info").json()["person"]["name"] == ANN
    issuer.wrong = "userinfo of another"
    sentence(browser(served).sign_in(issuer, ANN), 403)


def test_a_code_and_a_state_are_good_once(served: Service, issuer: Issuer) -> None:
    ann = browser(served)
    brought = issuer.answer_to(ann.begin(), ANN)
    before = dict(ann.cookies)
    assert ann.post("/sign-in/finish", brought).status_code == 200
    # The browser's own copy is gone; a kept one does not work either, with the same code or another.
    sentence(ann.post("/sign-in/finish", brought), 400)
    for code in (brought["code"], issuer.answer_to(browser(served).begin(), ANN)["code"]):
        thief = browser(served)
        thief.cookies = dict(before)
        sentence(thief.post("/sign-in/finish", {**brought, "code": code}), 400)
    queries = issuer.requests.count("/token")
    assert queries == 1


def test_a_used_code_signs_nobody_in(served: Service, issuer: Issuer) -> None:
    first = browser(served)
    brought = issuer.answer_to(first.begin(), ANN)
    assert first.post("/sign-in/finish", brought).status_code == 200
    second = browser(served)
    state = issuer.answer_to(second.begin(), ANN)["state"]
    sentence(second.post("/sign-in/finish", {"code": brought["code"], "state": state}), 403)
    assert second.session == ""


def test_a_stolen_code_needs_the_browsers_own_verifier(served: Service, issuer: Issuer) -> None:
    # PKCE: the code of another user's sign-in, with a state of one's own.
    code = issuer.answer_to(browser(served).begin(), ANN)["code"]
    thief = browser(served)
    state = issuer.answer_to(thief.begin(), BO)["state"]
    sentence(thief.post("/sign-in/finish", {"code": code, "state": state}), 403)


@pytest.mark.parametrize("how", ["no cookie", "another browser's", "other state", "empty"])
def test_nobody_is_signed_in_as_somebody_else_unawares(served: Service, issuer: Issuer, how: str) -> None:
    attacker, victim = browser(served), browser(served)
    brought = issuer.answer_to(attacker.begin(), BO)
    if how != "no cookie":
        victim.begin()
    if how == "other state":
        brought["state"] = brought["state"].swapcase()
    if how == "empty":
        victim.cookies = dict.fromkeys(victim.cookies, ".")
    assert "start again" in sentence(victim.post("/sign-in/finish", brought), 400)
    assert victim.session == ""
    assert "/token" not in issuer.requests


@pytest.mark.parametrize("step", ["begin", "finish"])
def test_other_sites_cannot_sign_anybody_in(served: Service, step: str) -> None:
    answer = browser(served).post(f"/sign-in/{step}", headers={"Origin": "https://evil.example"})
    assert "Pages of other sites" in sentence(answer, 403)


ELSEWHERE = (
    "https://evil.example/",
    "//evil.example/",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/a\\b",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/\n/evil.example",
    "\n//evil.example",
    " //evil.example",
    "evil.example",
    "",
    "/\u202eevil",
)


@pytest.mark.parametrize("path", ELSEWHERE)
def test_nobody_is_sent_elsewhere(served: Service, issuer: Issuer, path: str) -> None:
    assert not is_own_path(path)
    ann = browser(served)
    sentence(ann.post("/sign-in/begin", {"return_to": path}), 422)
    # A cookie set by others in the browser does not send the user elsewhere either.
    brought = issuer.answer_to(ann.begin(), ANN)
    ann.cookies = {name: f"{value.partition('.')[0]}.Ly9ldmlsLmV4YW1wbGU=" for name, value in ann.cookies.items()}
    assert ann.post("/sign-in/finish", brought).json()["return_to"] == "/"


def test_the_issuer_sends_nobody_to_a_name_of_others(make_service: MakeService, issuer: Issuer) -> None:
    service = make_service(**issuer.settings(), host="evil.example")
    refused = browser(service).post("/sign-in/begin", headers={"Origin": "http://evil.example"})
    assert "NUMALENS_ADDRESS" in sentence(refused, 403)


def test_a_session_is_new_at_every_sign_in_and_ends_the_one_before(served: Service, issuer: Issuer) -> None:
    ann = browser(served)
    # Fixation: a secret that another user put there is not a session, and does not become one.
    ann.cookies[SESSION] = "F" * 32
    assert ann.sign_in(issuer, ANN).status_code == 200
    first = ann.session
    assert first != "F" * 32
    assert ann.sign_in(issuer, ANN).status_code == 200
    assert ann.session not in {first, "F" * 32}
    for old in (first, "F" * 32):
        thief = browser(served)
        thief.cookies[SESSION] = old
        sentence(thief.get("/analyses"), 401)


def test_a_stolen_cookie_is_of_no_use_after_signing_out(served: Service, issuer: Issuer) -> None:
    ann, elsewhere = browser(served, issuer, ANN), browser(served, issuer, ANN)
    thief = browser(served)
    thief.cookies = dict(ann.cookies)
    assert thief.get("/analyses").status_code == 200
    ann.post("/sign-out")
    sentence(thief.get("/analyses"), 401)
    assert elsewhere.get("/analyses").status_code == 200
    third = browser(served, issuer, ANN)
    third.post("/sign-out", {"everywhere": True})
    sentence(elsewhere.get("/analyses"), 401)


def way_out(answer: Any) -> str | None:
    assert answer.status_code == 200, answer.text
    url: str | None = answer.json()["url"]
    return url


def followed(issuer: Issuer, url: str | None) -> str | None:
    """Where the issuer sends a browser that comes to be signed out."""
    assert url is not None
    connection = HTTPConnection("127.0.0.1", issuer.port, timeout=60)
    connection.request("GET", url.removeprefix(issuer.address))
    answer = connection.getresponse()
    connection.close()
    return answer.headers["location"]


@pytest.mark.parametrize("everywhere", [False, True])
def test_signing_out_reaches_the_issuer_and_comes_back(served: Service, issuer: Issuer, *, everywhere: bool) -> None:
    ann = browser(served, issuer, ANN)
    url = way_out(ann.post("/sign-out", {"everywhere": everywhere}))
    assert followed(issuer, url) == "http://localhost:8000/"
    # No token as a hint: it would have to be kept.
    assert issuer.left == [{"client_id": CLIENT_ID, "post_logout_redirect_uri": "http://localhost:8000/"}]
    sentence(ann.get("/analyses"), 401)


def test_the_issuers_address_keeps_its_own_query(served: Service, issuer: Issuer) -> None:
    issuer.wrong = "way out with a query"
    ann = browser(served, issuer, ANN)
    followed(issuer, way_out(ann.post("/sign-out")))
    assert issuer.left[0]["realm"] == "a&b"
    assert issuer.left[0]["client_id"] == CLIENT_ID


@pytest.mark.parametrize("wrong", ["no way out", "way out over http", "way out is no address"])
def test_an_issuer_without_a_way_out(served: Service, issuer: Issuer, wrong: str) -> None:
    issuer.wrong = wrong
    ann = browser(served, issuer, ANN)
    assert way_out(ann.post("/sign-out")) is None
    assert ann.session == ""
    sentence(ann.get("/analyses"), 401)


@pytest.mark.parametrize("wrong", ["no discovery", "calls itself otherwise", "says nothing", "gone"])
def test_a_session_ends_whatever_becomes_of_the_issuer(
    served: Service, issuer: Issuer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, wrong: str
) -> None:
    monkeypatch.setattr("numalens.auth.issuer.LEAVING_S", 0.3 if wrong == "says nothing" else 60)
    ann = browser(served, issuer, ANN)
    thief = browser(served)
    thief.cookies = dict(ann.cookies)
    own = served.services.issuer
    assert own is not None
    settings = served.services.settings
    # As after a start: nothing is known of the issuer yet.
    gone = settings.model_copy(update={"oidc_issuer": "http://127.0.0.1:1"})
    own.__init__(gone if wrong == "gone" else settings)  # type: ignore[misc]
    issuer.wrong = wrong
    assert way_out(ann.post("/sign-out")) is None
    assert ann.session == ""
    sentence(thief.get("/analyses"), 401)
    # It is not waited for as long as for other answers.
    assert ("signing out at the identity provider is not possible: TimeoutError" in caplog.text) is (
        wrong == "says nothing"
    )


def test_who_has_no_session_here_any_more_still_finds_the_way_out(served: Service, issuer: Issuer) -> None:
    ann = browser(served, issuer, ANN)
    kept = dict(ann.cookies)
    ann.post("/sign-out")
    ann.cookies = kept
    assert followed(issuer, way_out(ann.post("/sign-out"))) == "http://localhost:8000/"


@pytest.mark.parametrize(
    ("name", "address", "home"),
    [("evil.example", "", None), ("numalens.example", "https://numalens.example", "https://numalens.example/")],
)
def test_the_issuer_sends_nobody_who_leaves_to_a_name_of_others(
    make_service: MakeService, issuer: Issuer, name: str, address: str, home: str | None
) -> None:
    service = make_service(**issuer.settings(), host=name, address=address)
    left = browser(service).post("/sign-out", headers={"Origin": address or f"http://{name}"})
    assert followed(issuer, way_out(left)) == home


def test_sessions_end(served: Service, issuer: Issuer) -> None:
    ann = browser(served, issuer, ANN)
    with served.services.folder.database.session() as session:
        session.execute(update(SignedIn).values(expires_at=now() - timedelta(seconds=1)))
    sentence(ann.get("/analyses"), 401)
    browser(served, issuer, BO)
    with served.services.folder.database.session() as session:
        assert session.execute(text("SELECT count(*) FROM sessions")).scalar() == 1


@pytest.mark.parametrize(
    ("rules", "name", "groups", "admitted"),
    [
        ({"allowed": "ann@numalens.example, @partner.example"}, ANN, [], True),
        ({"allowed": "ann@numalens.example, @partner.example"}, "x@PARTNER.example", [], True),
        ({"allowed": "ann@numalens.example, @partner.example"}, BO, [], False),
        ({"allowed": "@partner.example"}, "x@evil-partner.example", [], False),
        ({"allowed": "@partner.example"}, "x@partner.example.evil.example", [], False),
        ({"allowed": "@partner.example"}, "partner.example", [], False),
        ({"allowed_groups": "kernel, numa"}, BO, ["numa"], True),
        ({"allowed_groups": "kernel, numa"}, BO, ["num"], False),
        ({"allowed_groups": "kernel, numa"}, BO, "numa", False),
        ({"allowed": "nobody", "admins": BO}, BO, [], True),
    ],
)
def test_who_may_sign_in(
    make_service: MakeService, issuer: Issuer, rules: dict[str, str], name: str, groups: Any, *, admitted: bool
) -> None:
    service = make_service(**issuer.settings(), **rules)
    issuer.claims = {"groups": groups}
    answer = browser(service).sign_in(issuer, name)
    if admitted:
        assert answer.status_code == 200, answer.text
    else:
        assert "may not use this server" in sentence(answer, 403)


def test_who_is_taken_from_the_list_is_out_at_the_next_start(make_service: MakeService, issuer: Issuer) -> None:
    before = make_service(**issuer.settings(), allowed=f"{ANN}, {BO}")
    ann = browser(before, issuer, ANN)
    token = ann.post("/tokens", {"name": "CI", "scope": "owner"}).json()["secret"]
    with_token = {"Authorization": f"Bearer {token}"}
    assert before.get("/analyses", headers=with_token).status_code == 200
    object.__setattr__(before.services, "rules", type(before.services.rules)(frozenset({BO}), frozenset(), frozenset()))
    sentence(ann.get("/analyses"), 401)
    sentence(before.get("/analyses", headers=with_token), 401)


@pytest.mark.parametrize(
    ("wrong", "status"),
    [("no discovery", 502), ("calls itself otherwise", 502), ("keys over http", 502), ("gone", 503)],
)
def test_an_issuer_that_fails_at_the_begin(served: Service, issuer: Issuer, wrong: str, status: int) -> None:
    issuer.wrong = wrong
    own = served.services.issuer
    assert own is not None
    if wrong == "gone":
        own._settings = served.services.settings.model_copy(update={"oidc_issuer": "http://127.0.0.1:1"})
    sentence(browser(served).post("/sign-in/begin"), status)


@pytest.mark.parametrize(("wrong", "status"), [("falls over", 502), ("sends on", 502)])
def test_an_issuer_that_fails_at_the_end(served: Service, issuer: Issuer, wrong: str, status: int) -> None:
    ann = browser(served)
    brought = issuer.answer_to(ann.begin(), ANN)
    issuer.wrong = wrong
    sentence(ann.post("/sign-in/finish", brought), status)
    assert ann.session == ""


@pytest.mark.parametrize("step", ["begin", "finish"])
@pytest.mark.parametrize(
    ("wrong", "status"),
    [("nested answer", 502), ("packed answer", 502), ("endless answer", 502), ("slow answer", 503)],
)
def test_an_issuer_costs_neither_memory_nor_time(
    served: Service, issuer: Issuer, monkeypatch: pytest.MonkeyPatch, wrong: str, status: int, step: str
) -> None:
    if wrong == "slow answer":
        monkeypatch.setattr("numalens.auth.issuer.TIMEOUT_S", 0.2)
    ann = browser(served)
    body = None if step == "begin" else issuer.answer_to(ann.begin(), ANN)
    issuer.wrong, issuer.sent = wrong, 0
    sentence(ann.post(f"/sign-in/{step}", body), status)
    assert ann.session == ""
    # What is on its way is more than what was read: buffers of the kernel.
    assert issuer.sent < 32 << 20


@pytest.mark.parametrize("wrong", ["nested answer", "packed answer", "endless answer"])
def test_keys_cost_no_memory_either(
    served: Service, issuer: Issuer, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    ann = browser(served)
    brought = issuer.answer_to(ann.begin(), ANN)
    own = served.services.issuer
    assert own is not None
    ask = own._json

    async def once(address: str, headers: Any = None) -> dict[str, Any]:
        issuer.wrong = wrong
        return await ask(address, headers)

    monkeypatch.setattr(own, "_json", once)
    sentence(ann.post("/sign-in/finish", brought), 502)
    assert ann.session == ""


def test_the_clocks_of_server_and_issuer_may_differ_by_a_minute(served: Service, issuer: Issuer) -> None:
    at = int(time.time())
    for claims, status in (
        ({"iat": at + 50, "nbf": at + 50}, 200),
        ({"exp": at - 50}, 200),
        ({"exp": at - 70}, 403),
        ({"nbf": at + 70}, 403),
        ({"iat": at + 70}, 403),
    ):
        issuer.claims = claims
        assert browser(served).sign_in(issuer, ANN).status_code == status, claims


def test_a_key_that_was_taken_back_signs_nobody_in(served: Service, issuer: Issuer) -> None:
    browser(served, issuer, ANN)
    before = issuer.key
    issuer.change_key()
    browser(served, issuer, BO)
    issuer.key, after = before, issuer.key
    brought = issuer.answer_to((ann := browser(served)).begin(), ANN)
    issuer.published = after
    sentence(ann.post("/sign-in/finish", brought), 403)
    issuer.published = None


def test_an_issuer_may_change_its_keys(served: Service, issuer: Issuer) -> None:
    browser(served, issuer, ANN)
    issuer.change_key()
    browser(served, issuer, BO)
    assert issuer.requests.count("/jwks") == 2


def test_nobody_signs_in_where_nothing_is_said_of_it(service: Service) -> None:
    for step, body in (("begin", {}), ("finish", {"code": "x", "state": "y"})):
        assert "NUMALENS_SIGN_IN" in sentence(browser(service).post(f"/sign-in/{step}", body), 409)
    assert way_out(browser(service).post("/sign-out")) is None
    assert service.get("/info").json()["sign_in"] == "none"


def test_no_secret_of_a_sign_in_is_logged(served: Service, issuer: Issuer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    ann = browser(served)
    there = ann.begin()
    flow = ann.flow.partition(".")[0]
    brought = issuer.answer_to(there, ANN)
    caplog.clear()  # what the browser under test logs of its own way to the issuer
    assert ann.post("/sign-in/finish", brought).status_code == 200
    assert caplog.records != []
    for secret in (flow, ann.session, brought["code"], "a secret of the client"):
        assert secret not in caplog.text


def test_what_was_used_is_forgotten_in_time() -> None:
    at = [0.0]
    once = UsedNonces(10, lambda: at[0])
    assert [once.use("a"), once.use("a"), once.use("b")] == [True, False, True]
    at[0] = 11.0
    assert once.use("a")

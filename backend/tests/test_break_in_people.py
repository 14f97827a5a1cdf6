"""Signed-in people trying to get at what is others', and others trying to pass for them: one table, as in test_break_in.py.

How somebody is signed in, and what a wrong token comes to, is in test_sign_in.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient

from numalens.api.access import SESSION
from numalens.api.app import bare_app
from tests.conftest import MakeService, running_service
from tests.issuer import running_issuer
from tests.people import ANN, BO, CY, ROOT, Browser, browser
from tests.recordings import SMALL
from tests.service import API, TUS, Service, creation_headers, patch_headers, sentence

NOWHERE = "aaaaaaaaaaaaaaaa"


@dataclass(frozen=True)
class Scene:
    """Ann's analysis, which Cy reads and Bo knows nothing of; a link, a note and an upload of Ann's, tokens of each."""

    service: Service
    ann: Browser
    bo: Browser
    cy: Browser
    mine: str
    bos: str
    link: str
    note: str
    report: str
    person: str
    upload: str
    tokens: dict[str, str]

    def filled(self, path: str, analysis_id: str) -> str:
        return path.format(
            id=analysis_id, link=self.link, note=self.note, person=self.person, report=self.report, number=1
        )


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with (
        running_issuer() as issuer,
        running_service(tmp_path_factory.mktemp("people"), **issuer.settings(), admins=ROOT) as service,
    ):
        ann, bo, cy = (browser(service, issuer, name) for name in (ANN, BO, CY))
        mine = ann.analyse(SMALL)
        reader = ann.name(mine, CY).json()["id"]
        begun = ann.ask("POST", "/uploads/", creation_headers("trace.dat", 10)).headers["location"]
        yield Scene(
            service,
            ann,
            bo,
            cy,
            mine,
            bo.analyse(SMALL),
            link=ann.post(f"/analyses/{mine}/shares", {"view": ""}).json()["id"],
            note=ann.post(f"/analyses/{mine}/notes", {"text": "Mine."}).json()["id"],
            report=ann.post(f"/analyses/{mine}/reports", BODIES["createWrittenReport"]).json()["id"],
            person=reader,
            upload=begun.rsplit("/", 1)[1],
            tokens={
                f"{name}, {scope}": who.post("/tokens", {"name": name, "scope": scope}).json()["secret"]
                for name, who in (("ann", ann), ("bo", bo), ("cy", cy))
                for scope in ("owner", "upload")
            },
        )


BODIES: dict[str, Any] = {
    "createShare": {"view": ""},
    "changeShare": {"name": "x"},
    "createNote": {"text": "x"},
    "changeNote": {"text": "x"},
    "createWrittenReport": {"title": "x", "text": "x"},
    "saveWrittenReport": {"title": "y", "text": "y", "revision": 1},
    "changeAnalysis": {"title": "x"},
    "putPerson": {"name": BO},
    "handOver": {"to": BO},
    "querySql": {"sql": "SELECT 1"},
    "exportSql": {"sql": "SELECT 1", "format": "csv"},
}
QUERIES = {
    "getTimeline": "?from_ns=0&to_ns=9000000000000000000&px=10&lanes=cpu:0",
    "getSlice": "?cpu=0&t_ns=1",
    "getNeighbour": "?pid=1&t_ns=1&dir=next",
    "getNextSlice": "?pid=1&t_ns=1&dir=next",
}


def every_route() -> Iterator[tuple[str, str, Any]]:
    """All routes about one analysis, from the API's own document: a new one is here by itself."""
    for path, methods in bare_app().openapi()["paths"].items():
        if "{analysis_id}" not in path:
            continue
        for method, operation in methods.items():
            name = operation["operationId"]
            filled = (
                path.replace("{analysis_id}", "{id}").replace("{share_id}", "{link}").replace("{note_id}", "{note}")
            ).replace("{report_id}", "{report}")
            filled = (
                filled.replace("{person_id}", "{person}").replace("{event}", "sched_switch").replace("{table}", "psi")
            )
            yield (
                method.upper(),
                filled + QUERIES.get(name, ""),
                BODIES.get(name, {} if "requestBody" in operation else None),
            )


ROUTES = list(every_route())
# What is one analysis' own owner's, whatever a reader may.
OWNERS = [
    route
    for route in ROUTES
    if any(
        part in route[1]
        for part in ("/shares", "/permissions", "/reread", "/copies", "/trace.pftrace", "/events/", "/export")
    )
    or (route[0] != "GET" and "/reports" in route[1])
    or (route[0] == "POST" and route[1].endswith("/ownership-transfer"))
    or route[1].endswith("/revisions")
    or (route[0] in {"PATCH", "DELETE"} and route[1].endswith("{id}"))
]


def test_the_table_knows_every_route() -> None:
    assert len(ROUTES) > 40
    assert not any("{" in path.format(id="", link="", note="", person="", report="", number=1) for _, path, _ in ROUTES)
    assert len(OWNERS) > 12


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
@pytest.mark.parametrize("how", ["signed in", "by token", "by token for uploads"])
def test_anothers_analysis_is_not_there(scene: Scene, method: str, path: str, body: Any, how: str) -> None:
    headers = {
        "signed in": {},
        "by token": {"Authorization": f"Bearer {scene.tokens['bo, owner']}"},
        "by token for uploads": {"Authorization": f"Bearer {scene.tokens['bo, upload']}"},
    }[how]
    who = scene.bo if how == "signed in" else Browser(scene.service, {})
    there = who.ask(method, scene.filled(path, scene.mine), headers, json=body)
    nowhere = who.ask(method, scene.filled(path, NOWHERE), headers, json=body)
    if there.status_code == 403 and how == "by token for uploads":
        # Such a token may never do that, to whichever analysis.
        assert nowhere.text == there.text
        return
    assert sentence(there, 404) == sentence(nowhere, 404) == "There is no such analysis."
    assert scene.ann.get(f"/analyses/{scene.mine}").json()["title"] != "x"


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
@pytest.mark.parametrize("cookie", ["none", "of nobody", "empty", "of the sign-in"])
def test_a_stranger_is_sent_to_sign_in(scene: Scene, method: str, path: str, body: Any, cookie: str) -> None:
    stranger = Browser(scene.service, {})
    if cookie == "of the sign-in":
        stranger.begin()
        stranger.cookies[SESSION] = stranger.flow.partition(".")[0]
    elif cookie != "none":
        stranger.cookies[SESSION] = {"of nobody": "A" * 32, "empty": ""}[cookie]
    for analysis_id in (scene.mine, NOWHERE):
        sentence(stranger.ask(method, scene.filled(path, analysis_id), json=body), 401)


@pytest.mark.parametrize(("method", "path", "body"), OWNERS)
@pytest.mark.parametrize("how", ["signed in", "by token"])
def test_a_reader_is_no_owner(scene: Scene, method: str, path: str, body: Any, how: str) -> None:
    headers = {} if how == "signed in" else {"Authorization": f"Bearer {scene.tokens['cy, owner']}"}
    who = scene.cy if how == "signed in" else Browser(scene.service, {})
    sentence(who.ask(method, scene.filled(path, scene.mine), headers, json=body), 403)
    assert [one["role"] for one in scene.ann.get(f"/analyses/{scene.mine}/permissions").json()["members"]] == [
        "owner",
        "reader",
    ]


def test_a_reader_changes_no_note_of_others(scene: Scene) -> None:
    path = f"/analyses/{scene.mine}/notes/{scene.note}"
    sentence(scene.cy.ask("PATCH", path, json={"text": "x"}), 403)
    sentence(scene.cy.ask("DELETE", path), 403)


@pytest.mark.parametrize("who", ["bo", "cy", "bo, upload", "ann, upload"])
def test_an_unfinished_upload_is_its_persons(scene: Scene, who: str) -> None:
    browser_of = {"bo": scene.bo, "cy": scene.cy}.get(who, Browser(scene.service, {}))
    headers = {"Authorization": f"Bearer {scene.tokens[who]}"} if "," in who else {}
    path = f"/uploads/{scene.upload}"
    assert browser_of.ask("HEAD", path, {**TUS, **headers}).status_code == 404
    sentence(browser_of.ask("PATCH", path, {**patch_headers(0), **headers}, content=b"x" * 10), 404)
    sentence(browser_of.ask("DELETE", path, {**TUS, **headers}), 404)
    sentence(browser_of.ask("POST", "/analyses", headers, json={"uploads": [scene.upload]}), 404)
    assert scene.ann.ask("HEAD", path, TUS).headers["upload-offset"] == "0"


@pytest.mark.parametrize(
    "origin",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/analyses/{id}", None),
        ("PUT", "/analyses/{id}/permissions", {"name": BO}),
        ("POST", "/analyses/{id}/ownership-transfer", {"to": BO}),
        ("POST", "/tokens", {"name": "x"}),
        ("POST", "/sign-out", {}),
    ],
)
def test_a_cookie_does_nothing_for_other_sites(
    scene: Scene, origin: dict[str, str], method: str, path: str, body: Any
) -> None:
    refused = scene.ann.ask(method, path.format(id=scene.mine), origin, json=body)
    assert "Pages of other sites" in sentence(refused, 403)
    assert scene.ann.get(f"/analyses/{scene.mine}").status_code == 200


def test_a_cookie_without_a_page_changes_nothing(scene: Scene) -> None:
    headers = {"Cookie": f"{SESSION}={scene.ann.session}"}
    answer = scene.service.client.patch(f"{API}/analyses/{scene.mine}", json={"title": "x"}, headers=headers)
    assert "needs an Origin or Sec-Fetch-Site header" in sentence(answer, 403)


def test_a_cookie_is_for_our_own_name(scene: Scene) -> None:
    # DNS rebinding: another site's name that leads to this server.
    evil = {"Host": "evil.example", "Origin": "http://evil.example"}
    sentence(scene.ann.get(f"/analyses/{scene.mine}", headers=evil), 401)


def test_a_link_in_the_request_makes_its_owner_a_guest(scene: Scene) -> None:
    made = scene.ann.post(f"/analyses/{scene.mine}/shares", {"view": ""}).json()
    held = {"X-NumaLens-Share": made["token"]}
    result = scene.ann.get(f"/analyses/{scene.mine}", headers=held).json()
    assert (result["access"], result["may"], result["owners"]) == ("view", [], [])
    sentence(scene.ann.get("/analyses", headers=held), 403)
    sentence(scene.ann.ask("DELETE", f"/analyses/{scene.mine}", held), 403)
    assert scene.ann.get("/info", headers=held).json()["person"] is None
    sentence(scene.bo.get(f"/analyses/{scene.bos}", headers=held), 404)


def test_a_token_stands_before_a_cookie(scene: Scene) -> None:
    as_bo = {"Authorization": f"Bearer {scene.tokens['bo, owner']}"}
    sentence(scene.ann.get(f"/analyses/{scene.mine}", headers=as_bo), 404)


def test_a_token_for_uploads_administers_nothing(scene: Scene) -> None:
    program = {"Authorization": f"Bearer {scene.tokens['ann, upload']}"}
    for method, path, body in (
        ("GET", "/analyses", None),
        ("GET", "/shares", None),
        ("GET", "/tokens", None),
        ("POST", "/tokens", {"name": "x"}),
        ("GET", f"/compare?ids={scene.mine},{scene.mine}", None),
    ):
        sentence(Browser(scene.service, {}).ask(method, path, program, json=body), 403)
    # Ann's, but not made by the program.
    sentence(Browser(scene.service, {}).get(f"/analyses/{scene.mine}", headers=program), 404)


HEADER = "Remote-User"
PROXY, ELSEWHERE = "10.1.2.3", "10.9.9.9"
BEHIND = {"sign_in": "header", "user_header": HEADER, "proxies": "10.1.2.0/24", "hosts": "numalens.example"}


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], TestClient]]:
    """Clients by address at a service behind a proxy that signs people in."""
    root = tmp_path_factory.mktemp("behind")
    with running_service(
        root, host="numalens.example", peer=PROXY, **BEHIND, admins="root", allowed="ann,bo"
    ) as service:
        yield lambda peer: TestClient(service.client.app, base_url="http://numalens.example", client=(peer, 40000))


def test_a_proxy_names_the_user(behind: Callable[[str], TestClient]) -> None:
    queries = behind(PROXY)
    assert queries.get(f"{API}/info", headers={HEADER: "Ann"}).json()["person"] == {"name": "ann", "admin": False}
    assert queries.get(f"{API}/info", headers={HEADER: "root"}).json()["person"]["admin"] is True
    assert queries.get(f"{API}/info").json()["person"] is None
    sentence(queries.get(f"{API}/analyses"), 401)
    sentence(queries.get(f"{API}/analyses", headers={HEADER: "cy"}), 403)
    # What the proxy itself asks for is passed on to us by some.
    basic = {HEADER: "ann", "Authorization": "Basic YW5uOnBhc3N3b3Jk"}
    assert queries.get(f"{API}/analyses", headers=basic).status_code == 200


@pytest.mark.parametrize("peer", [ELSEWHERE, "127.0.0.1", "::1", "somewhere", "10.1.20.3", "::ffff:10.9.9.9"])
@pytest.mark.parametrize("more", [{}, {"X-Forwarded-For": PROXY}, {"X-Real-IP": PROXY}, {"Forwarded": f"for={PROXY}"}])
def test_nobody_but_the_proxy_names_the_user(
    behind: Callable[[str], TestClient], peer: str, more: dict[str, str]
) -> None:
    for path in ("/info", "/analyses", "/tokens"):
        refused = behind(peer).get(API + path, headers={HEADER: "root", **more})
        assert "only from this server's proxy" in sentence(refused, 403)
    sentence(behind(peer).get(f"{API}/analyses", headers=more), 401)


def test_the_proxys_address_in_its_other_form(behind: Callable[[str], TestClient]) -> None:
    assert behind(f"::ffff:{PROXY}").get(f"{API}/analyses", headers={HEADER: "ann"}).status_code == 200


@pytest.mark.parametrize(
    "values",
    [
        ("ann", "root"),
        ("ann", "ann"),
        ("",),
        ("ann, root",),
        ("a" * 201,),
        ("ann\tx",),
        ("ann x",),
        ("ann\x7f",),
        ("ann\x01",),
        ("änn",),
        ("\u00a0root",),
    ],
)
def test_a_header_that_names_nobody(behind: Callable[[str], TestClient], values: tuple[str, ...]) -> None:
    headers = [(HEADER.encode(), value.encode("latin-1")) for value in values]
    assert HEADER in sentence(behind(PROXY).get(f"{API}/analyses", headers=headers), 400)


@pytest.mark.parametrize("header", ["Remote_User", "X-Forwarded-User", "X-Remote-User", "Remote-User-Name"])
def test_only_the_one_header_names_anybody(behind: Callable[[str], TestClient], header: str) -> None:
    sentence(behind(PROXY).get(f"{API}/analyses", headers={header: "root"}), 401)
    both = behind(PROXY).get(f"{API}/info", headers={header: "root", HEADER: "ann"})
    assert both.json()["person"] == {"name": "ann", "admin": False}


def test_the_proxys_word_counts_under_our_own_name(behind: Callable[[str], TestClient]) -> None:
    headers = {HEADER: "ann", "Host": "evil.example"}
    sentence(behind(PROXY).get(f"{API}/analyses", headers=headers), 401)


def test_a_cookie_is_nobody_behind_a_proxy(behind: Callable[[str], TestClient]) -> None:
    sentence(behind(PROXY).get(f"{API}/analyses", headers={"Cookie": f"{SESSION}={'A' * 32}"}), 401)


def test_a_header_is_nobody_where_an_issuer_signs_in(scene: Scene) -> None:
    for header in (HEADER, "X-Forwarded-User", "X-Remote-User", "X-Auth-Request-Email"):
        sentence(Browser(scene.service, {}).get("/analyses", headers={header: ROOT}), 401)


def test_a_header_is_nobody_where_nobody_signs_in(make_service: MakeService) -> None:
    service = make_service(peer=ELSEWHERE, host="numalens.example")
    sentence(service.get("/analyses", headers={HEADER: "root"}), 403)

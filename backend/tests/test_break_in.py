"""Attempts to get in without permission, each refused: one table, so that a gap is seen.

Beside it stand the tests of single parts: tokens (test_shares.py), notes (test_notes.py), uploads (test_uploads.py), archives
(test_reading.py and the crate that unpacks them), and what reaches the output of a real server (test_live_server.py).
"""

import io
import logging
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from numalens.store.names import now
from numalens.store.schema import Share
from tests.conftest import MakeService, running_service
from tests.recordings import NUMA, SMALL
from tests.service import API, Service, sentence
from tests.test_notes import say
from tests.test_shares import holding, share

ELSEWHERE = {"Host": "numalens.example"}
SPOOFED = (
    {"X-Forwarded-For": "127.0.0.1"},
    {"X-Forwarded-Host": "localhost"},
    {"X-Real-IP": "127.0.0.1"},
    {"Forwarded": "for=127.0.0.1;host=localhost"},
    {"X-Original-URL": f"{API}/info"},
    {"X-Rewrite-URL": f"{API}/info"},
    {"Cookie": "owner=1; session=admin"},
    {"X-NumaLens-Owner": "1"},
)


@dataclass(frozen=True)
class Scene:
    """Two analyses; somebody elsewhere has a link to look at the first, and others that are of no use any more."""

    service: Service
    mine: str
    other: str
    looking: str
    revoked: str
    expired: str
    note: str
    link: str

    def ask(self, method: str, path: str, headers: dict[str, str], **body: Any) -> Any:
        return self.service.client.request(method, path, headers=headers, **body)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_service(tmp_path_factory.mktemp("scene")) as service:
        yield set_up(service)


@pytest.fixture
def scene(made: Scene) -> Scene:
    """The one scene of all tests here: what is refused changes nothing."""
    # Each test may guess as often as the first.
    made.service.services.rate_limit._peers.clear()
    return made


def set_up(service: Service) -> Scene:
    mine, other = service.analyse(SMALL), service.analyse(NUMA)
    looking, revoked, expired = (share(service, mine) for _ in range(3))
    service.client.delete(f"{API}/analyses/{mine}/shares/{revoked['id']}")
    with service.services.folder.database.session() as session:
        gone = now() - timedelta(seconds=1)
        session.execute(update(Share).where(Share.id == expired["id"]).values(expires_at=gone))
    note = say(service, mine).json()["id"]
    return Scene(
        service,
        mine,
        other,
        looking=looking["token"],
        revoked=revoked["token"],
        expired=expired["token"],
        note=note,
        link=looking["id"],
    )


READS = (
    "",
    "/tasks",
    "/report",
    "/progress",
    "/notes",
    "/reports",
    "/timeline?from_ns=0&to_ns=9000000000000000000&px=10&lanes=cpu:0",
    "/slice?cpu=0&t_ns=1",
    "/event-rows",
    "/sections/findings",
    "/sections/latency",
    "/samples/psi",
    "/trace.pftrace",
    "/page.html",
    "/events/sched_switch",
)


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param(lambda _: ELSEWHERE, 403, id="no link"),
        pytest.param(lambda it: holding(it.revoked), 410, id="revoked"),
        pytest.param(lambda it: holding(it.expired), 410, id="expired"),
        pytest.param(lambda _: holding("A" * 32), 404, id="guessed"),
        pytest.param(lambda it: holding(it.looking[:-1]), 404, id="one letter short"),
        pytest.param(lambda it: holding(it.looking.swapcase()), 404, id="other case"),
        pytest.param(lambda it: holding(it.link), 404, id="the link's name for its secret"),
        pytest.param(lambda it: holding(f"{it.looking}, {it.looking}"), 404, id="twice"),
    ],
)
def test_reading_without_permission(
    scene: Scene, path: str, headers: Callable[[Scene], dict[str, str]], status: int
) -> None:
    sentence(scene.ask("GET", f"{API}/analyses/{scene.mine}{path}", headers(scene)), status)


@pytest.mark.parametrize("path", READS)
def test_a_link_is_for_its_own_analysis(scene: Scene, path: str) -> None:
    # The same as for an analysis that is not there: a link does not show what else there is.
    there = scene.ask("GET", f"{API}/analyses/{scene.other}{path}", holding(scene.looking))
    nowhere = scene.ask("GET", f"{API}/analyses/aaaaaaaaaaaaaaaa{path}", holding(scene.looking))
    assert sentence(there, 404) == sentence(nowhere, 404)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/analyses", None),
        ("GET", "/shares", None),
        ("GET", "/compare?ids={mine},{other}", None),
        ("GET", "/fleet/machines", None),
        ("POST", "/fleet/sql", {"sql": "SELECT 1"}),
        ("POST", "/analyses", {"uploads": ["x"]}),
        ("PATCH", "/analyses/{mine}", {"title": "x"}),
        ("DELETE", "/analyses/{mine}", None),
        ("POST", "/analyses/{mine}/reread", {}),
        ("GET", "/analyses/{mine}/shares", None),
        ("POST", "/analyses/{mine}/shares", {"view": ""}),
        ("PATCH", "/analyses/{mine}/shares/{link}", {"expires_in_s": None}),
        ("DELETE", "/analyses/{mine}/shares/{link}", None),
        ("POST", "/analyses/{mine}/notes", {"author": "x", "text": "x"}),
        ("PATCH", "/analyses/{mine}/notes/{note}", {"text": "x"}),
        ("DELETE", "/analyses/{mine}/notes/{note}", None),
        ("POST", "/analyses/{mine}/reports", {"title": "x"}),
        ("PATCH", "/analyses/{mine}/reports/x", {"title": "x", "text": "x", "revision": 1}),
        ("DELETE", "/analyses/{mine}/reports/x", None),
        ("GET", "/analyses/{mine}/reports/x/revisions", None),
        ("GET", "/analyses/{mine}/reports/x/revisions/1", None),
        ("GET", "/analyses/{mine}/events/sched_switch", None),
        ("GET", "/analyses/{mine}/event-rows/export", None),
        ("GET", "/analyses/{mine}/trace.pftrace", None),
        ("GET", "/analyses/{mine}/page.html", None),
        ("POST", "/uploads/", None),
        ("HEAD", "/uploads/x", None),
        ("PATCH", "/uploads/x", None),
        ("DELETE", "/uploads/x", None),
    ],
)
def test_a_link_for_looking_does_nothing_else(scene: Scene, method: str, path: str, body: Any) -> None:
    address = API + path.format(mine=scene.mine, other=scene.other, link=scene.link, note=scene.note)
    for headers in (holding(scene.looking), ELSEWHERE):
        answer = scene.ask(method, address, headers, json=body)
        assert answer.status_code == 403, (method, path, answer.text)
    assert scene.service.get(f"/analyses/{scene.mine}").json()["title"] != "x"
    assert len(scene.service.get(f"/analyses/{scene.mine}/notes").json()["notes"]) == 1


@pytest.mark.parametrize("headers", SPOOFED, ids=lambda headers: next(iter(headers)))
def test_no_header_makes_an_owner(make_service: MakeService, headers: dict[str, str]) -> None:
    service = make_service(peer="192.168.1.7", host="localhost:8000")
    sentence(service.get("/analyses", headers=headers), 403)
    assert service.get("/info", headers=headers).json()["owner"] is False


@pytest.mark.parametrize("header", ["Basic YWRtaW46YWRtaW4=", "Bearer admin", "Bearer", "x"])
def test_no_made_up_token_makes_an_owner(service: Service, header: str) -> None:
    for path in ("/analyses", "/info", "/shares"):
        sentence(service.get(path, headers={"Authorization": header}), 401)


@pytest.mark.parametrize(
    "path",
    [
        "/../data/numalens.sqlite3",
        "/%2e%2e/data/numalens.sqlite3",
        "/assets/../../data/numalens.sqlite3",
        "/assets/%2e%2e/%2e%2e/data/numalens.sqlite3",
        "/assets/..%2f..%2fdata%2fnumalens.sqlite3",
        "/assets/..%5c..%5cdata%5cnumalens.sqlite3",
        "/assets//etc/passwd",
        "//etc/passwd",
        "/assets/%00",
        f"{API}/analyses/../uploads/",
        f"{API}/analyses/%2e%2e%2fnumalens.sqlite3",
        f"{API}/analyses/..%2f..%2fetc%2fpasswd/tasks",
        f"{API}/analyses/x/samples/..%2f..%2fpsi",
        f"{API}/uploads/..%2fnumalens.sqlite3",
    ],
)
def test_a_path_leads_nowhere_else(scene: Scene, path: str) -> None:
    answer = scene.service.client.get(path)
    assert answer.status_code in {400, 404, 405, 412, 422}, answer.text[:200]
    assert b"SQLite" not in answer.content
    assert b"root:" not in answer.content


def zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def tarred(member: tarfile.TarInfo, content: bytes = b"") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def linked(kind: bytes, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo("trace.dat")
    member.type = kind
    member.linkname = target
    return member


@pytest.mark.parametrize(
    "archive",
    [
        pytest.param(zipped("../../escaped.dat", SMALL.read_bytes()), id="zip, upwards"),
        pytest.param(zipped("/tmp/escaped.dat", SMALL.read_bytes()), id="zip, from the root"),  # noqa: S108
        pytest.param(zipped("..\\..\\escaped.dat", SMALL.read_bytes()), id="zip, backslashes"),
        pytest.param(tarred(tarfile.TarInfo("../../escaped.dat"), SMALL.read_bytes()), id="tar, upwards"),
        pytest.param(tarred(tarfile.TarInfo("/tmp/escaped.dat"), SMALL.read_bytes()), id="tar, from the root"),  # noqa: S108
        pytest.param(tarred(linked(tarfile.SYMTYPE, "/etc/passwd")), id="tar, symbolic link"),
        pytest.param(tarred(linked(tarfile.LNKTYPE, "/etc/passwd")), id="tar, hard link"),
        pytest.param(tarred(linked(tarfile.SYMTYPE, "../../../numalens.sqlite3")), id="tar, link to the database"),
    ],
)
def test_an_archive_writes_and_reads_nothing_else(service: Service, archive: bytes) -> None:
    analysis_id = service.create(("incident.bin", archive))
    service.watch(analysis_id)
    root = service.services.folder.root
    around = [
        path for path in root.parent.rglob("*") if "escaped" in path.name and root / "bundles" not in path.parents
    ]
    assert around == []
    assert not Path("/tmp/escaped.dat").exists()  # noqa: S108
    result = service.get(f"/analyses/{analysis_id}")
    assert result.status_code == 200
    assert "root:" not in result.text


def test_a_token_is_in_no_log(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    analysis_id = service.analyse(SMALL)
    made = share(service, analysis_id, may=["comment"])
    note = say(service, analysis_id, holding(made["token"])).json()
    service.get(f"/analyses/{analysis_id}/tasks", headers=holding(made["token"]))
    service.get(f"/analyses/{analysis_id}/sections/nothing", headers=holding(made["token"]))
    service.client.post(f"{API}/shares/open", json={"token": made["token"], "more": 1})
    service.client.post(f"{API}/shares/open", content=made["token"])
    changed = {**holding(made["token"]), "X-NumaLens-Note": note["key"]}
    service.client.patch(f"{API}/analyses/{analysis_id}/notes/{note['id']}", json={"text": "x"}, headers=changed)
    assert caplog.records != []
    for secret in (made["token"], note["key"]):
        assert secret not in caplog.text


def test_a_refusal_does_not_repeat_the_token(service: Service) -> None:
    for body in ({"token": "T" * 201}, {"token": ["T" * 30]}, {"token": "T" * 30, "more": 1}):
        assert "TTTT" not in service.client.post(f"{API}/shares/open", json=body).text


def test_no_address_of_the_page_goes_with_a_click(service: Service) -> None:
    for path in ("/s", "/a/x", f"{API}/info"):
        headers = service.client.get(path).headers
        assert headers["referrer-policy"] == "no-referrer"
        assert "noindex" in headers["x-robots-tag"]

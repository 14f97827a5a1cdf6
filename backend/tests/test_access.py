"""Who is an owner, which requests of other sites are refused, and what surrounds every answer."""

import logging
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from numalens.api.guards import SECURITY_HEADERS
from numalens.api.timeline import parse_lanes
from numalens.api.uploads import parse_metadata
from numalens.errors import SentenceError
from numalens.hosts import host_name, is_local_host
from tests.conftest import MakeService
from tests.recordings import PAGE
from tests.service import API, Service, sentence


@pytest.mark.parametrize(
    ("peer", "host", "headers", "is_owner"),
    [
        ("127.0.0.1", "localhost:8000", {}, True),
        ("127.0.0.1", "127.0.0.1:8000", {}, True),
        ("127.8.8.8", "numalens.localhost", {}, True),
        ("::1", "[::1]:8000", {}, True),
        ("::ffff:127.0.0.1", "localhost", {}, True),
        ("127.0.0.1", "evil.example", {}, False),
        ("127.0.0.1", "localhost.evil.example", {}, False),
        ("127.0.0.1", "127.0.0.1.evil.example", {}, False),
        ("192.168.1.7", "localhost:8000", {}, False),
        ("192.168.1.7", "192.168.1.2:8000", {}, False),
        ("127.0.0.1", "localhost", {"X-Forwarded-For": "127.0.0.1"}, False),
        ("127.0.0.1", "localhost", {"Forwarded": "for=127.0.0.1"}, False),
        ("127.0.0.1", "localhost", {"X-Real-IP": "127.0.0.1"}, False),
        ("127.0.0.1", "localhost", {"X-NumaLens-Share": "x"}, False),
        ("somewhere", "localhost", {}, False),
    ],
)
def test_owners_are_on_the_machine_itself(
    make_service: MakeService, peer: str, host: str, headers: dict[str, str], *, is_owner: bool
) -> None:
    service = make_service(peer=peer, host=host)
    assert service.get("/info", headers=headers).json()["owner"] is is_owner
    assert service.get("/analyses", headers=headers).status_code == (200 if is_owner else 403)


@pytest.mark.parametrize(
    ("hosts", "host", "is_owner"),
    [
        ("", "localhost:8000", True),
        ("", "numa.example", False),
        ("numa.example, other.example", "NUMA.example:8000", True),
        ("numa.example", "evil.example", False),
        ("*", "anything.example", True),
    ],
)
def test_anybody_may_be_owner_when_set_so_but_not_by_any_name(
    make_service: MakeService, hosts: str, host: str, *, is_owner: bool
) -> None:
    service = make_service(peer="172.17.0.1", host=host, owner="any", hosts=hosts)
    assert service.get("/info").json()["owner"] is is_owner


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"Origin": "http://localhost:8000"}, True),
        ({"Origin": "http://localhost:8000", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Origin": "http://localhost:9999"}, False),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Origin": "http://localhost:8000", "Sec-Fetch-Site": "cross-site"}, False),
    ],
)
def test_other_sites_cannot_change_anything(service: Service, headers: dict[str, str], *, allowed: bool) -> None:
    for method, path in (
        ("POST", "/analyses"),
        ("DELETE", "/analyses/x"),
        ("POST", "/shares/open"),
        ("POST", "/uploads/"),
    ):
        answer = service.client.request(method, f"{API}{path}", headers=headers)
        if allowed:
            assert answer.status_code in {404, 412, 422}
        else:
            assert "Pages of other sites" in sentence(answer, 403)


def test_a_method_cannot_be_smuggled_in_a_header(service: Service) -> None:
    answer = service.get("/analyses/x", headers={"X-HTTP-Method-Override": "DELETE", "Sec-Fetch-Site": "cross-site"})
    sentence(answer, 404)


@pytest.mark.parametrize(
    "path", ["/", "/a/abc", "/s", "/assets/app-1a2b3c.js", "/nothing", f"{API}/info", f"{API}/nothing"]
)
def test_every_answer_has_the_security_headers(service: Service, path: str) -> None:
    answer = service.client.get(path)
    for name, value in SECURITY_HEADERS.items():
        assert answer.headers[name] == value
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    # WebAssembly may be compiled; text never is.
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/a/abc", "/a/abc/def", "/s"])
def test_the_page_is_at_all_its_addresses(service: Service, path: str) -> None:
    answer = service.client.get(path)
    assert answer.text == PAGE
    assert answer.headers["cache-control"] == "no-cache"


def test_files_of_the_page(service: Service) -> None:
    asset = service.client.get("/assets/app-1a2b3c.js")
    assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "javascript" in asset.headers["content-type"]
    for path in ("/assets/none.js", "/..%2f..%2fetc/passwd", "/assets/../../data/numalens.sqlite3", "/%00"):
        sentence(service.client.get(path), 404)
    sentence(service.client.post("/"), 405)


def test_a_missing_page_says_what_to_do(make_service: MakeService, tmp_path: object) -> None:
    service = make_service(web=f"{tmp_path}/not-built")
    assert "npm start" in sentence(service.client.get("/"), 503)
    sentence(service.client.get("/assets/x.js"), 404)


def test_api_answers_are_not_cached(service: Service) -> None:
    assert service.get("/info").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("PUT", "/analyses", 405), ("DELETE", "/info", 405), ("GET", "/analyses/nothing", 404)],
)
def test_every_error_is_a_sentence(service: Service, method: str, path: str, status: int) -> None:
    sentence(service.client.request(method, f"{API}{path}"), status)


@pytest.mark.parametrize("host", ["", "a b", "x/y", "user@localhost", "localhost:port"])
def test_a_malformed_host_is_refused(service: Service, host: str) -> None:
    sentence(service.get("/info", headers={"Host": host}), 400)


def test_large_bodies_are_refused_where_none_belong(service: Service) -> None:
    body = b'{"token": "' + b"x" * (2 << 20) + b'"}'
    json_type = {"Content-Type": "application/json"}
    sentence(service.client.post(f"{API}/shares/open", content=body, headers=json_type), 413)
    sentence(service.client.post(f"{API}/shares/open", content=iter([body]), headers=json_type), 413)
    wrong = service.client.post(f"{API}/shares/open", content=b"{", headers=json_type)
    assert "{" not in sentence(wrong, 422)


def test_an_unexpected_error_is_neutral_and_logged(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("inner details")

    monkeypatch.setattr(service.services.analyses, "all", fail)
    with caplog.at_level(logging.ERROR):
        answer = service.get("/analyses")
    result = sentence(answer, 500)
    assert "inner details" not in answer.text
    assert answer.json()["error"]["id"] in result
    assert answer.json()["error"]["id"] in caplog.text
    assert "inner details" in caplog.text
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("header", "name", "local"),
    [
        ("localhost", "localhost", True),
        ("LOCALHOST.:80", "localhost", True),
        ("[::1]:80", "::1", True),
        ("10.0.0.1", "10.0.0.1", False),
        ("[fe80::1%25eth0]", None, False),
        ("a:b:c", None, False),
        ("", None, False),
    ],
)
def test_host_names(header: str, name: str | None, *, local: bool) -> None:
    assert host_name(header) == name
    assert (name is not None and is_local_host(name)) is local


@given(st.text(max_size=60))
@example("0 \x80")
def test_any_text_of_a_request_is_understood_or_refused(text: str) -> None:
    name = host_name(text)
    assert name is None or name == name.lower()
    for parse in (parse_lanes, parse_metadata):
        # Anything but a refusal in one sentence fails the test.
        with suppress(SentenceError):
            parse(text)


@given(st.lists(st.tuples(st.sampled_from(["cpu", "node"]), st.integers(0, 2**31 - 1)), min_size=1, max_size=50))
def test_lanes_survive_the_address(lanes: list[tuple[str, int]]) -> None:
    assert parse_lanes(",".join(f"{kind}:{number}" for kind, number in lanes)) == lanes

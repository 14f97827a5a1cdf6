"""API tokens: what programs may do with them, and when they are good for nothing."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text, update

from numalens.api.limits import GUESSES
from numalens.store.names import now
from numalens.store.schema import ApiToken
from tests.command import run
from tests.conftest import MakeService
from tests.recordings import NUMA, SMALL
from tests.service import API, TUS, Service, creation_headers, patch_headers, sentence
from tests.test_shares import holding, open_link

ELSEWHERE = {"Host": "numalens.example"}


def token(service: Service, scope: str = "upload", **more: Any) -> tuple[str, dict[str, str]]:
    """A token's id, and the headers of a program on another machine that has it."""
    made = service.client.post(f"{API}/tokens", json={"name": "CI", "scope": scope, **more})
    assert made.status_code == 201, made.text
    secret = made.json()["secret"]
    assert secret.startswith("nlt_")
    assert len(secret) >= 32
    return made.json()["id"], {**ELSEWHERE, "Authorization": f"Bearer {secret}"}


def uploaded(service: Service, headers: dict[str, str], content: bytes, name: str = "trace.dat") -> str:
    """What a CI job does: uploads a file and makes an analysis of it."""
    client = service.client
    created = client.post(f"{API}/uploads/", headers={**creation_headers(name, len(content)), **headers})
    assert created.status_code == 201, created.text
    location = created.headers["location"]
    assert client.patch(location, content=content, headers={**patch_headers(0), **headers}).status_code == 204
    assert client.head(location, headers={**TUS, **headers}).headers["upload-offset"] == str(len(content))
    wanted = {"uploads": [location.rsplit("/", 1)[1]], "title": "Nightly"}
    analysis = client.post(f"{API}/analyses", json=wanted, headers=headers)
    assert analysis.status_code == 201, analysis.text
    service.watch(analysis.json()["id"])
    return str(analysis.json()["id"])


def test_a_program_uploads_looks_and_shares(service: Service) -> None:
    _, ci = token(service)
    other = service.analyse(NUMA)
    mine = uploaded(service, ci, SMALL.read_bytes())
    seen = service.get(f"/analyses/{mine}", headers=ci).json()
    assert (seen["title"], seen["status"], seen["access"], seen["may"]) == ("Nightly", "ready", "view", ["download"])
    for path in ("/report", "/tasks", "/trace.pftrace", "/sections/findings"):
        assert service.get(f"/analyses/{mine}{path}", headers=ci).status_code == 200, path
        sentence(service.get(f"/analyses/{other}{path}", headers=ci), 404)
    made = service.client.post(f"{API}/analyses/{mine}/shares", json={"view": ""}, headers=ci)
    assert open_link(service, made.json()["token"]).json()["analysis_id"] == mine
    sentence(service.client.post(f"{API}/analyses/{other}/shares", json={"view": ""}, headers=ci), 404)


def test_a_program_that_uploads_does_nothing_else(service: Service) -> None:
    _, ci = token(service)
    mine = uploaded(service, ci, SMALL.read_bytes())
    for method, path, body in (
        ("GET", "/analyses", None),
        ("GET", "/shares", None),
        ("GET", "/tokens", None),
        ("POST", "/tokens", {"name": "x"}),
        ("GET", f"/analyses/{mine}/shares", None),
        ("PATCH", f"/analyses/{mine}", {"title": "x"}),
        ("DELETE", f"/analyses/{mine}", None),
        ("POST", f"/analyses/{mine}/reread", {}),
        ("POST", f"/analyses/{mine}/notes", {"author": "x", "text": "x"}),
        ("GET", f"/compare?ids={mine}", None),
    ):
        answer = service.client.request(method, f"{API}{path}", json=body, headers=ci)
        assert answer.status_code == 403, (method, path, answer.text)
    assert service.get("/info", headers=ci).json()["owner"] is False


def test_one_programs_analysis_is_not_anothers(service: Service) -> None:
    (_, one), (_, other) = token(service), token(service)
    mine = uploaded(service, one, SMALL.read_bytes())
    sentence(service.get(f"/analyses/{mine}", headers=other), 404)
    assert service.get(f"/analyses/{mine}").json()["access"] == "owner"


def test_an_owners_token_does_everything_from_everywhere(make_service: MakeService) -> None:
    here = make_service()
    _, headers = token(here, scope="owner")
    analysis_id = here.analyse(SMALL)
    assert here.get("/analyses", headers=headers).json()["analyses"][0]["id"] == analysis_id
    assert here.get("/info", headers=headers).json()["owner"] is True
    assert here.client.delete(f"{API}/analyses/{analysis_id}", headers=headers).status_code == 204
    # A link in the same request still means that one acts as its holder.
    sentence(here.get("/analyses", headers={**headers, **holding("A" * 32)}), 403)


@pytest.mark.parametrize("how", ["revoked", "expired", "unknown", "other case", "no bearer", "empty"])
def test_a_token_that_is_no_good(service: Service, how: str) -> None:
    token_id, headers = token(service, scope="owner")
    if how == "revoked":
        assert service.client.delete(f"{API}/tokens/{token_id}").status_code == 204
    elif how == "expired":
        with service.services.folder.database.session() as session:
            session.execute(update(ApiToken).values(expires_at=now() - timedelta(seconds=1)))
    else:
        secret = headers["Authorization"].removeprefix("Bearer ")
        headers["Authorization"] = {
            "unknown": "Bearer nlt_" + "A" * 32,
            "other case": f"Bearer {secret.swapcase()}",
            "no bearer": f"Basic {secret}",
            "empty": "Bearer",
        }[how]
    # A bad token is reported, even where none would have been needed.
    for queries in (headers, {"Authorization": headers["Authorization"]}):
        for path in ("/analyses", "/info", "/analyses/x"):
            refused = service.get(path, headers=queries)
            sentence(refused, 401)
            assert refused.headers["www-authenticate"] == "Bearer"


def test_many_unknown_tokens_are_made_to_wait(service: Service) -> None:
    for _ in range(GUESSES):
        sentence(service.get("/analyses", headers={"Authorization": "Bearer x"}), 401)
    refused = service.get("/analyses", headers={"Authorization": "Bearer x"})
    assert "wait" in sentence(refused, 429)
    assert int(refused.headers["Retry-After"]) > 0
    assert service.get("/analyses").status_code == 200


def test_tokens_are_listed_without_their_secrets(service: Service) -> None:
    token_id, headers = token(service, days=None)
    second, _ = token(service, scope="owner")
    service.get("/info", headers=headers)
    listed = service.get("/tokens")
    assert [entry["id"] for entry in listed.json()["tokens"]] == [second, token_id]
    used, fresh = listed.json()["tokens"][1], listed.json()["tokens"][0]
    assert (used["expires_at"], used["revoked"]) == (None, False)
    assert used["last_used_at"] is not None
    assert fresh["last_used_at"] is None
    secret = headers["Authorization"].removeprefix("Bearer ")
    assert secret not in listed.text
    with service.services.folder.database.session() as session:
        assert secret not in repr(session.execute(text("SELECT * FROM api_tokens")).all())


def test_the_command_line_makes_tokens_next_to_a_running_server(service: Service) -> None:
    data = service.services.folder.root
    secret = run("token", "create", "nightly run", "--days", "7", "--data", data).stdout.decode().strip()
    headers = {**ELSEWHERE, "Authorization": f"Bearer {secret}"}
    analysis_id = uploaded(service, headers, SMALL.read_bytes())
    assert service.get(f"/analyses/{analysis_id}", headers=headers).status_code == 200
    (line,) = run("token", "list", "--data", data).stdout.decode().splitlines()
    token_id, scope, until, name = line.split(maxsplit=3)
    assert (scope, name) == ("upload", "nightly run")
    assert until == f"{now() + timedelta(days=7):%Y-%m-%d}"
    run("token", "revoke", token_id, "--data", data)
    assert "revoked" in run("token", "list", "--data", data).stdout.decode()
    sentence(service.get(f"/analyses/{analysis_id}", headers=headers), 401)
    assert b"no token x" in run("token", "revoke", "x", "--data", data, status=2).stderr


def test_the_command_line_needs_a_folder_and_a_name(tmp_path: Path, service: Service) -> None:
    assert b"is missing" in run("token", "list", "--data", tmp_path / "none", status=2).stderr
    data = service.services.folder.root
    assert b"needs a name" in run("token", "create", " ", "--data", data, status=2).stderr


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x", "scope": "all"}, {"name": "x", "days": 0}])
def test_a_token_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(service.client.post(f"{API}/tokens", json=body), 422)

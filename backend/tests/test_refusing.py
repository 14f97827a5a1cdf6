"""Settings by which a server would serve more people than meant: it does not start, and says in one sentence what to set."""

import os
from pathlib import Path

import pytest

from numalens.api.services import Services
from numalens.auth.checks import exposure_of, problem_of
from numalens.settings import Settings
from numalens.store.folder import DataFolder
from tests.command import run
from tests.conftest import MakeService
from tests.live import live_server
from tests.service import API

ISSUER = {
    "sign_in": "oidc",
    "oidc_issuer": "https://issuer.example",
    "oidc_client_id": "numalens",
    "oidc_client_secret": "s",
}
HEADER = {"sign_in": "header", "user_header": "Remote-User", "proxies": "10.1.0.1"}


# A server that does not refuse serves until it is ended.
LIMIT_S = 120


def without(settings: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in settings.items() if name not in names}


@pytest.mark.parametrize(
    ("settings", "answer"),
    [
        ({}, None),
        ({"owner": "any"}, None),
        (ISSUER, None),
        (HEADER, None),
        ({**HEADER, "proxies": "127.0.0.1, 10.1.0.0/16, fd00::/8"}, None),
        ({**ISSUER, "oidc_issuer": "http://127.0.0.1:9"}, None),
        ({"oidc_issuer": "https://issuer.example"}, "NUMALENS_SIGN_IN"),
        ({"oidc_client_secret": "s"}, "NUMALENS_SIGN_IN"),
        ({"user_header": "Remote-User"}, "NUMALENS_SIGN_IN"),
        ({"proxies": "10.1.0.1"}, "NUMALENS_SIGN_IN"),
        ({"allowed": "@numalens.example"}, "NUMALENS_SIGN_IN"),
        ({"admins": "ann"}, "NUMALENS_SIGN_IN"),
        (without(ISSUER, "oidc_issuer"), "NUMALENS_OIDC_ISSUER"),
        (without(ISSUER, "oidc_client_id"), "NUMALENS_OIDC_CLIENT_ID"),
        (without(ISSUER, "oidc_client_secret"), "NUMALENS_OIDC_CLIENT_SECRET"),
        ({**ISSUER, "oidc_client_secret": ""}, "empty"),
        ({**ISSUER, "oidc_client_secret_file": "/nothing/here"}, "one of"),
        ({**without(ISSUER, "oidc_client_secret"), "oidc_client_secret_file": "/nothing/here"}, "cannot be read"),
        ({**ISSUER, "oidc_issuer": "http://issuer.example"}, "https"),
        ({**ISSUER, "oidc_issuer": "issuer.example"}, "https"),
        ({**ISSUER, "oidc_issuer": "https://[::1"}, "https"),
        ({**ISSUER, "proxies": "10.1.0.1"}, "must not be set"),
        ({**ISSUER, "owner": "any"}, "NUMALENS_OWNER=any"),
        ({**ISSUER, "address": "numalens.example"}, "NUMALENS_ADDRESS"),
        ({**ISSUER, "address": "https://numalens.example/page"}, "NUMALENS_ADDRESS"),
        ({**ISSUER, "address": "https://ann@numalens.example"}, "NUMALENS_ADDRESS"),
        (without(HEADER, "user_header"), "NUMALENS_USER_HEADER"),
        ({**HEADER, "user_header": "Remote User"}, "NUMALENS_USER_HEADER"),
        ({**HEADER, "user_header": "Host"}, "NUMALENS_USER_HEADER"),
        (without(HEADER, "proxies"), "NUMALENS_PROXIES"),
        ({**HEADER, "proxies": "proxy.example"}, "NUMALENS_PROXIES"),
        ({**HEADER, "proxies": "10.1.0.1/8"}, "NUMALENS_PROXIES"),
        ({**HEADER, "proxies": "0.0.0.0/0"}, "every address"),
        ({**HEADER, "proxies": "10.0.0.1, ::/0"}, "every address"),
        ({**HEADER, "allowed_groups": "numa"}, "NUMALENS_ALLOWED_GROUPS"),
        ({**HEADER, "oidc_client_id": "x"}, "NUMALENS_OIDC_"),
        ({**HEADER, "owner": "any"}, "NUMALENS_OWNER=any"),
    ],
)
def test_half_a_configuration(settings: dict[str, str], answer: str | None, tmp_path: Path) -> None:
    made = Settings.model_validate({**settings, "data": tmp_path})
    problem = problem_of(made)
    if answer is None:
        assert problem is None
    else:
        assert problem is not None
        assert answer in problem
        assert "\n" not in problem
        # Also who makes the service by other ways than `numalens serve` gets none.
        with DataFolder(tmp_path) as folder, pytest.raises(ValueError, match=r"NUMALENS_|secret"):
            Services.make(made, folder)


@pytest.mark.parametrize(
    ("host", "settings", "answer"),
    [
        ("127.0.0.1", {}, None),
        ("127.8.8.8", {}, None),
        ("localhost", {}, None),
        ("::1", {}, None),
        ("0.0.0.0", {}, "NUMALENS_SIGN_IN"),  # noqa: S104
        ("::", {}, "NUMALENS_SIGN_IN"),
        ("", {}, "NUMALENS_SIGN_IN"),
        ("192.0.2.1", {}, "NUMALENS_SIGN_IN"),
        ("no-such-name.invalid", {}, "NUMALENS_SIGN_IN"),
        ("0.0.0.0", {"owner": "any"}, None),  # noqa: S104
        ("0.0.0.0", HEADER, None),  # noqa: S104
        ("0.0.0.0", ISSUER, "NUMALENS_ADDRESS"),  # noqa: S104
        ("0.0.0.0", {**ISSUER, "address": "https://numalens.example"}, None),  # noqa: S104
    ],
)
def test_where_a_server_may_listen(host: str, settings: dict[str, str], answer: str | None) -> None:
    problem = exposure_of(Settings.model_validate(settings), host)
    assert (problem is None) if answer is None else (problem is not None and answer in problem)


@pytest.mark.parametrize(
    ("arguments", "environment", "answer"),
    [
        (("--host", "0.0.0.0"), {}, b"NUMALENS_OWNER=any"),  # noqa: S104
        ((), {"NUMALENS_OIDC_ISSUER": "https://issuer.example"}, b"NUMALENS_SIGN_IN"),
        ((), {"NUMALENS_SIGN_IN": "ldap"}, b"NUMALENS_SIGN_IN"),
    ],
)
def test_the_command_refuses_in_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str], answer: bytes
) -> None:
    ended = run(
        "serve",
        "--port",
        "0",
        "--data",
        tmp_path / "data",
        *arguments,
        status=2,
        env={**os.environ, **environment},
        timeout=LIMIT_S,
    )
    assert answer in ended.stderr
    assert ended.stderr.count(b"\n") == 1
    assert not (tmp_path / "data").exists()


def test_the_opt_out_serves_everybody(tmp_path: Path) -> None:
    with live_server(tmp_path, NUMALENS_OWNER="any") as server, server.client() as client:
        forwarded = {"X-Forwarded-For": "192.0.2.1"}
        assert client.get(f"{API}/info", headers=forwarded).json()["owner"] is True


def test_a_tokens_command_needs_no_sign_in(make_service: MakeService) -> None:
    service = make_service(**HEADER)
    made = run("token", "create", "CI", "--scope", "owner", "--data", service.services.folder.root)
    headers = {"Authorization": f"Bearer {made.stdout.decode().strip()}"}
    assert service.get("/analyses", headers=headers).status_code == 200
    # Tokens alone do not make a server that may be open to others.
    refused = run("serve", "--host", "0.0.0.0", "--data", service.services.folder.root, status=2, timeout=LIMIT_S)  # noqa: S104
    assert b"NUMALENS_SIGN_IN" in refused.stderr

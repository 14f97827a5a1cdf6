"""Perfetto's page under a path of ours: what is given away, as what, and what it may do there."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from numalens.api.guards import SECURITY_HEADERS
from numalens.api.perfetto_ui import UI
from numalens.perfetto import module
from tests.service import Service, sentence

VERSION = module.wasm_path().parent.name


def policy_of(service: Service, path: str) -> dict[str, list[str]]:
    answer = service.client.get(UI + path)
    assert answer.status_code == 200
    parts = [part.split() for part in answer.headers["content-security-policy"].split(";")]
    return {name: sources for name, *sources in parts}


@pytest.mark.parametrize(
    ("path", "media", "keep"),
    [
        ("", "text/html; charset=utf-8", "no-cache"),
        (f"{VERSION}/frontend_bundle.js", "text/javascript; charset=utf-8", "immutable"),
        (f"{VERSION}/trace_processor_memory64.wasm", "application/wasm", "immutable"),
        (f"{VERSION}/perfetto.css", "text/css; charset=utf-8", "immutable"),
        (f"{VERSION}/assets/Roboto-400.woff2", "font/woff2", "immutable"),
        (f"{VERSION}/stdlib_docs.json", "application/json", "immutable"),
    ],
)
def test_a_file_has_its_type_and_its_age(service: Service, path: str, media: str, keep: str) -> None:
    answer = service.client.get(UI + path)
    assert answer.status_code == 200
    assert answer.content == (module.ui_folder() / (path or "index.html")).read_bytes()
    assert answer.headers["content-type"] == media
    assert keep in answer.headers["cache-control"]


def test_the_page_may_reach_nothing_but_its_own_origin(service: Service) -> None:
    for path in ("", f"{VERSION}/engine_bundle.js", f"{VERSION}/trace_processor.wasm"):
        policy = policy_of(service, path)
        assert policy["default-src"] == ["'self'"]
        assert policy["frame-ancestors"] == ["'self'"]
        assert "'wasm-unsafe-eval'" in policy["script-src"]
        for sources in policy.values():
            assert not [source for source in sources if "//" in source or "*" in source or source == "'unsafe-eval'"]
        assert "'unsafe-inline'" not in policy["script-src"]


def test_the_one_inline_script_is_allowed_by_its_hash(service: Service) -> None:
    (script,) = re.findall(r"<script type=.*?>(.*?)</script>", service.client.get(UI).text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy_of(service, "")["script-src"]


def test_the_other_headers_are_those_of_every_answer(service: Service) -> None:
    answer = service.client.get(UI)
    for name, value in SECURITY_HEADERS.items():
        if name not in {"Content-Security-Policy", "X-Frame-Options"}:
            assert answer.headers[name] == value
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    elsewhere = service.client.get("/")
    assert elsewhere.headers["content-security-policy"] == SECURITY_HEADERS["Content-Security-Policy"]
    assert elsewhere.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "path",
    [
        f"{VERSION}",
        f"{VERSION}/",
        f"{VERSION}/assets/",
        f"{VERSION}/nothing.js",
        "trace_processor",
        "service_worker.js",
        "LICENSE",
        "index.html",
        "%2e%2e/__init__.py",
        f"{VERSION}/%2e%2e/service_worker.js",
        f"{VERSION}/..%2fservice_worker.js",
        f"{VERSION}/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        f"{VERSION}/a%00.js",
        f"{VERSION}\\..\\service_worker.js",
    ],
)
def test_nothing_else_is_given_away(service: Service, path: str) -> None:
    answer = service.client.get(UI + path)
    sentence(answer, 404)
    assert answer.headers["content-security-policy"] == SECURITY_HEADERS["Content-Security-Policy"]


def test_a_link_out_of_the_folder_is_not_followed(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.js").write_text("secret")
    version = tmp_path / "files" / "v1.0"
    version.mkdir(parents=True)
    (version.parent / "index.html").write_text("<script>1</script>")
    (version / "own.js").write_text("own")
    (version / "out.js").symlink_to(tmp_path / "secret.js")

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(module, "find_spec", lambda _name: Spec)
    assert service.client.get(f"{UI}v1.0/own.js").text == "own"
    sentence(service.client.get(f"{UI}v1.0/out.js"), 404)


def test_without_the_slash_the_way_is_shown(service: Service) -> None:
    answer = service.client.get(UI.rstrip("/"), follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, UI)


def test_a_missing_package_is_a_sentence(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    for path in ("", f"{VERSION}/perfetto.css"):
        assert "the extra sql: npm run setup -- --all" in sentence(service.client.get(UI + path), 503)

"""Health, readiness, metrics and logs: what they tell, to whom, and what they never tell."""

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from typing_extensions import override

from numalens.logs import JsonLines, request_id, set_up
from numalens.store.folder import DataFolder
from tests.conftest import MakeService, running_service
from tests.recordings import GARBAGE, LSCPU, NUMA, SMALL
from tests.service import API, Service, sentence
from tests.until import until

TOKEN = "metrics-token-of-32-characters-00"


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """By name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def metric(service: Service, name: str, **labels: str) -> float:
    answer = service.client.get("/metrics")
    assert answer.status_code == 200, answer.text
    return samples(answer.text).get((name, frozenset(labels.items())), 0.0)


def test_a_server_that_works_is_alive_and_ready(service: Service) -> None:
    assert service.client.get("/healthz").json() == {"status": "alive"}
    answer = service.client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    assert answer.json()["checks"] == {"database": "ok", "store": "ok", "room": "ok", "jobs": "ok"}


def test_anybody_may_ask_and_learns_nothing_of_what_is_stored(tmp_path: Path) -> None:
    with running_service(tmp_path, peer="192.0.2.7") as service:
        for path in ("/healthz", "/readyz"):
            answer = service.client.get(path)
            assert answer.status_code == 200
            assert str(tmp_path) not in answer.text


def broken_database(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no database at /secret/path")

    monkeypatch.setattr(service.services.folder.database, "check", fail)


def broken_store(_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file below a missing folder cannot be written by any user.
    monkeypatch.setattr("numalens.api.health.secrets.token_hex", lambda _length: "gone/probe")


def full_disk(_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DataFolder, "free_bytes", lambda _self: -1)


def ended_jobs(service: Service, _monkeypatch: pytest.MonkeyPatch) -> None:
    service.services.jobs._lanes[0].get_loop().call_soon_threadsafe(service.services.jobs._lanes[0].cancel)
    until(lambda: not service.services.jobs.alive)


@pytest.mark.parametrize(
    ("name", "how"),
    [("database", broken_database), ("store", broken_store), ("room", full_disk), ("jobs", ended_jobs)],
)
def test_what_fails_is_named_and_the_server_stays_alive(
    service: Service, monkeypatch: pytest.MonkeyPatch, name: str, how: Any
) -> None:
    how(service, monkeypatch)
    answer = service.client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    checks = answer.json()["checks"]
    assert {check for check, said in checks.items() if said != "ok"} == {name}
    assert checks[name].endswith(".")
    assert "/secret" not in answer.text
    assert service.client.get("/healthz").status_code == 200


def test_a_part_that_never_answers_is_not_ready(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading  # noqa: PLC0415

    done = threading.Event()
    monkeypatch.setattr("numalens.api.health.LONGEST_S", 0.05)
    monkeypatch.setattr(service.services.folder.database, "check", done.wait)
    try:
        assert "did not answer within" in service.client.get("/readyz").json()["checks"]["database"]
    finally:
        done.set()


def test_requests_are_counted_by_their_route(service: Service) -> None:
    for analysis_id in ("one", "two"):
        assert service.get(f"/analyses/{analysis_id}").status_code == 404
    service.client.get("/nowhere/at/all")
    service.client.request("BREW", "/")
    route = f"{API}/analyses/{{analysis_id}}"
    assert metric(service, "numalens_http_requests_total", method="GET", route=route, status="404") == 2
    assert metric(service, "numalens_http_request_seconds_count", method="GET", route=route) == 2
    text = service.client.get("/metrics").text
    assert "nowhere" not in text
    assert "BREW" not in text
    assert 'method="other"' in text


def test_jobs_are_counted_by_how_they_ended(service: Service) -> None:
    service.analyse(SMALL)
    service.analyse(("broken.dat", GARBAGE), status="failed")
    until(lambda: metric(service, "numalens_job_seconds_count", result="ready") == 1)
    until(lambda: metric(service, "numalens_job_seconds_count", result="failed") == 1)
    assert metric(service, "numalens_analyses", state="ready") == 1
    assert metric(service, "numalens_analyses", state="failed") == 1
    assert metric(service, "numalens_analyses", state="queued") == 0


def test_bytes_bundles_and_guesses(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numalens.api.metrics.SIZED_EVERY_S", 0.0)
    analysis_id = service.analyse(SMALL)
    assert metric(service, "numalens_stored_bytes", what="files") == SMALL.stat().st_size
    bundle = service.services.folder.bundle(analysis_id)
    below = sum(file.stat().st_size for file in bundle.rglob("*") if file.is_file())
    assert metric(service, "numalens_stored_bytes", what="bundles") == below
    for _ in range(3):
        service.get(f"/analyses/{analysis_id}/sections/waste")
    assert metric(service, "numalens_bundle_opens_total", cache="miss") == 1 == metric(service, "numalens_bundles_open")
    assert metric(service, "numalens_bundle_opens_total", cache="hit") == 2
    assert metric(service, "numalens_guesses_refused_total") == 0
    for _ in range(25):
        service.client.post(f"{API}/shares/open", json={"token": "nothing"})
    assert metric(service, "numalens_guesses_refused_total") == 5


def test_who_may_read_the_metrics(tmp_path: Path) -> None:
    with running_service(tmp_path, peer="192.0.2.7", metrics_token=TOKEN) as service:
        assert service.client.get("/metrics").status_code == 403
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert service.client.get("/metrics", headers=bearer).status_code == 200
        wrong = service.client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}x"})
        sentence(wrong, 401)
        # It is for the metrics and for nothing else.
        assert service.get("/analyses", headers=bearer).status_code == 401
    with running_service(tmp_path, peer="192.0.2.7") as service:
        assert service.client.get("/metrics").status_code == 403
        assert service.client.get("/metrics", headers={"Authorization": "Bearer "}).status_code in {401, 403}


def test_no_metric_names_anything(service: Service) -> None:
    analysis_id = service.analyse(NUMA, LSCPU)
    service.client.patch(f"{API}/analyses/{analysis_id}", json={"title": "hush-title", "tags": ["hush-tag"]})
    service.get(f"/analyses/{analysis_id}/events/sched_switch", params={"filter": "hush"})
    text = service.client.get("/metrics").text
    for secret in (analysis_id, "hush", NUMA.name, str(service.services.folder.root), "127.0.0.1"):
        assert secret not in text


@dataclass(frozen=True)
class Logged:
    service: Service
    lines: list[str]

    def all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonLines())

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def logged(make_service: MakeService) -> Iterator[Logged]:
    handler = Kept()
    ours = logging.getLogger("numalens")
    before = ours.level
    ours.addHandler(handler)
    ours.setLevel("DEBUG")
    yield Logged(make_service(), handler.lines)
    ours.removeHandler(handler)
    ours.setLevel(before)


def test_a_request_is_a_line(logged: Logged) -> None:
    answer = logged.service.get("/analyses/nothing")
    line = logged.all()[-1]
    assert (line["method"], line["route"], line["status"]) == ("GET", f"{API}/analyses/{{analysis_id}}", 404)
    assert line["request"] == answer.headers["x-request-id"]
    assert line["ms"] > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    assert request_id.get() is None


def test_an_unexpected_error_has_the_number_of_its_request(logged: Logged, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_person_id: str | None) -> None:
        raise RuntimeError("broken on\npurpose")

    monkeypatch.setattr(logged.service.services.analyses, "all", fail)
    answer = logged.service.get("/analyses")
    sentence(answer, 500)
    error = next(line for line in logged.all() if line["level"] == "error")
    assert error["request"] == answer.headers["x-request-id"]
    assert "purpose" in error["traceback"]
    assert logged.all()[-1]["status"] == 500


def test_no_secret_and_no_name_is_logged(logged: Logged) -> None:
    service, lines = logged.service, logged.lines
    analysis_id = service.analyse(NUMA, LSCPU)
    share = service.client.post(f"{API}/analyses/{analysis_id}/shares", json={"view": "hush=view"}).json()
    token = service.client.post(f"{API}/tokens", json={"name": "hush-token"}).json()
    service.client.post(f"{API}/shares/open", json={"token": share["token"]})
    service.get(f"/analyses/{analysis_id}", headers={"X-NumaLens-Share": share["token"]})
    service.get("/analyses", headers={"Authorization": f"Bearer {token['secret']}", "Cookie": "hush=cookie"})
    service.client.post(f"{API}/fleet/sql", json={"sql": "SELECT 'hush-sql'"})
    service.client.post(f"{API}/fleet/sql", json={"sql": "SELECT * FROM hush_table"})
    service.client.post(f"{API}/analyses/{analysis_id}/sql", json={"sql": "select hush_column"})
    service.get(f"/analyses/{analysis_id}/event-rows", params={"filter": "comm == hush"})
    service.client.get("/hush/path?hush=query")
    service.client.patch(f"{API}/analyses/{analysis_id}", json={"title": "hush-title"})
    assert len(lines) > 15
    written = "\n".join(lines)
    for secret in ("hush", share["token"], token["secret"], NUMA.name, "127.0.0.1"):
        assert secret not in written


def test_json_lines_are_one_line_each_whatever_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    root, ours = logging.getLogger(), logging.getLogger("numalens")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    try:
        set_up("json", None)
        logging.getLogger("numalens.x").info("two\nlines \x1b[2J %s", "ß")
        logging.getLogger("somebody.else").info("never")
        set_up("text", None)
        logging.getLogger("numalens.x").info("not shown to people")
        set_up("text", "info")
        logging.getLogger("numalens.x").info("shown when asked for")
    finally:
        root.handlers[:] = handlers
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["message"] == "two\nlines \x1b[2J ß"
    assert lines[1].endswith("INFO numalens.x: shown when asked for")

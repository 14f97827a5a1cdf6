"""The services of the compose file for a team, each by its own command and check, on this machine instead of in containers."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from numalens.settings import Settings
from tests.recordings import ROOT, SMALL
from tests.servers import Postgres, Program, _gateway_program, answers, free_port, wait_until
from tests.service import API, creation_headers, patch_headers

SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
BIN = Path(sys.executable).parent
SECRETS = {
    "POSTGRES_PASSWORD": "",
    "S3_ACCESS_KEY": "numalens",
    "S3_SECRET_KEY": "of-this-test",
    "METRICS_TOKEN": "",
    "HOSTS": "",
}


class Compose:
    """Commands and checks of services, with this machine's addresses and folders in the place of the network's and the volumes'."""

    def __init__(self, root: Path, database: Postgres) -> None:
        self.root = root
        self.database = database
        self.ports = {name: free_port() for name in ("app", "scheduler", "store")}
        uid, gid = os.getuid(), os.getgid()
        self._places = {
            "postgresql://numalens:@database:5432/numalens": database.url,
            "http://store:7070": f"http://127.0.0.1:{self.ports['store']}",
            "http://127.0.0.1:7070": f"http://127.0.0.1:{self.ports['store']}",
            ":7070": f"127.0.0.1:{self.ports['store']}",
            "tcp://scheduler:8786": f"tcp://127.0.0.1:{self.ports['scheduler']}",
            "('scheduler', 8786)": f"('127.0.0.1', {self.ports['scheduler']})",
            "('127.0.0.1', 8786)": f"('127.0.0.1', {self.ports['scheduler']})",
            "/buckets": str(root / "buckets"),
            "10001:10001": f"{uid}:{gid}",
        }

    def here(self, text: str) -> str:
        text = re.sub(r"\$\{([A-Z0-9_]+)(?::-[^}]*)?\}", lambda name: SECRETS[name[1]], text)
        for there, here in self._places.items():
            if text == there or (len(there) > 6 and there in text):
                text = text.replace(there, here)
        return text

    def environment(self, name: str) -> dict[str, str]:
        return {key: self.here(str(value)) for key, value in SERVICES[name].get("environment", {}).items()}

    def command(self, name: str, **options: str) -> list[str]:
        """The command, with other values of the options named (`port`: of `--port`)."""
        words = [self.here(word) for word in SERVICES[name]["command"]]
        for option, value in options.items():
            words[words.index(f"--{option}") + 1] = value
        return words

    def program(self, name: str, command: list[str]) -> Program:
        return Program(command, self.root / f"{name}.log", self.environment(name))

    def healthy(self, name: str) -> bool:
        kind, *check = SERVICES[name]["healthcheck"]["test"]
        words = shlex.split(check[0]) if kind == "CMD-SHELL" else [self.here(word) for word in check]
        if words[0] == "python":
            words[0] = sys.executable
        elif words[0] == "pg_isready":
            companion = Path(self.database.command[0]).resolve().with_name("pg_isready")
            words[0] = str(companion) if companion.is_file() else str(shutil.which("pg_isready"))
            words += ["-h", "127.0.0.1", "-p", str(self.database.port)]
        elif words[0] == "wget" and shutil.which("wget") is None:
            # The same question by what every interpreter has.
            words = [sys.executable, "-c", f"import urllib.request as r; r.urlopen({words[-1]!r}, timeout=4)"]
        return subprocess.run(words, check=False, capture_output=True, timeout=60).returncode == 0

    def wait(self, name: str) -> None:
        wait_until(name, lambda: self.healthy(name))


@pytest.fixture
def compose(tmp_path: Path) -> Iterator[Compose]:
    with Postgres() as database:
        yield Compose(tmp_path, database)


def test_every_command_of_the_team_runs_and_they_work_together(compose: Compose) -> None:
    gateway = _gateway_program()
    with ExitStack() as running:

        def start(name: str, command: list[str]) -> None:
            running.enter_context(compose.program(name, command))

        compose.wait("database")
        bucket = compose.program("bucket", compose.command("bucket"))
        bucket.start()
        assert bucket.process is not None
        assert bucket.process.wait(60) == 0
        assert not compose.healthy("store")
        start("store", [str(gateway), *compose.command("store", port=f"127.0.0.1:{compose.ports['store']}")])
        compose.wait("store")
        assert not compose.healthy("scheduler")
        scheduler = compose.command("scheduler", host="127.0.0.1", port=str(compose.ports["scheduler"]))
        start("scheduler", [str(BIN / scheduler[0]), *scheduler[1:]])
        compose.wait("scheduler")
        worker = compose.command("worker", folder=str(compose.root / "scratch"))
        (compose.root / "scratch").mkdir()
        start("worker", [str(BIN / worker[0]), *worker[1:]])
        assert compose.healthy("worker")
        app = compose.command("app", port=str(compose.ports["app"]))
        start("app", [str(BIN / app[0]), *app[1:], "--data", str(compose.root / "data")])
        wait_until("the application", lambda: answers(compose.ports["app"]))
        with httpx2.Client(base_url=f"http://127.0.0.1:{compose.ports['app']}", timeout=60, trust_env=False) as client:
            wait_until("readiness", lambda: client.get("/readyz").status_code == 200)
            read_something(client)
        assert any((compose.root / "buckets" / "numalens").rglob("manifest.json"))


def read_something(client: httpx2.Client) -> None:
    content = SMALL.read_bytes()
    location = client.post(f"{API}/uploads/", headers=creation_headers("trace.dat", len(content))).headers["location"]
    assert client.patch(location, content=content, headers=patch_headers(0)).status_code == 204
    made = client.post(f"{API}/analyses", json={"uploads": [location.rsplit("/", 1)[1]]}).json()["id"]
    wait_for(lambda: client.get(f"{API}/analyses/{made}").json()["status"] == "ready")
    assert client.get(f"{API}/analyses/{made}/sections/latency").json()["available"] is True


def wait_for(condition: Callable[[], bool]) -> None:
    wait_until("the reading", condition, 180)


def test_what_is_left_empty_in_the_example_is_as_if_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("METRICS_TOKEN", "DATABASE", "STORE", "SCHEDULER", "KEEP_DAYS", "HOSTS"):
        monkeypatch.setenv(f"NUMALENS_{name}", "")
    settings = Settings()
    unset: tuple[object, ...] = (settings.metrics_token, settings.database_url, settings.store, settings.scheduler)
    assert {*unset, settings.keep_days} == {None}


def test_images_are_of_one_version() -> None:
    for service in SERVICES.values():
        assert re.search(r":[v\d][\w.-]*\d[\w.-]*$|:local$", service["image"]), service["image"]


def test_images_of_others_are_named_by_digest() -> None:
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    images = bases + [service["image"] for service in SERVICES.values() if service["image"] != "numalens:local"]
    assert len(images) > len(bases) > 0
    assert [image for image in images if not re.fullmatch(r"\S+:\S+@sha256:[0-9a-f]{64}", image)] == []

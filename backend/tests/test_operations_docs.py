"""docs/operations.md, docs/settings.md and docker-compose.yml match the code: settings, commands, metrics, limits of containers."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from numalens.settings import Settings
from tests.live import live_server, upload_whole
from tests.recordings import ROOT, SMALL
from tests.servers import free_port
from tests.service import API
from tests.until import until

PAGE = (ROOT / "docs" / "operations.md").read_text()
SETTINGS_PAGE = (ROOT / "docs" / "settings.md").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
EXAMPLE = dict(
    line.split("=", 1) for line in (ROOT / ".env.example").read_text().splitlines() if line and not line.startswith("#")
)
TOKEN = "metrics-token-of-32-characters-00"
TEAM = frozenset({"NUMALENS_DATABASE", "NUMALENS_STORE", "NUMALENS_SCHEDULER"})
BIN = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_every_setting_is_on_the_page_as_it_is() -> None:
    lines = [line for line in SETTINGS_PAGE.splitlines() if line.startswith("| `NUMALENS_")]
    answer = {line.split("`")[1]: line for line in lines}
    fields = {f"NUMALENS_{name.upper()}": field for name, field in Settings.model_fields.items()}
    assert set(fields) == set(answer)
    for name, field in fields.items():
        assert answer[name].endswith(f" | {field.description} |")


def test_every_setting_that_is_named_exists() -> None:
    known = {f"NUMALENS_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"NUMALENS_[A-Z_]+", PAGE + SETTINGS_PAGE)) <= known


def test_the_commands_run_as_they_stand(tmp_path: Path) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    backups.mkdir()
    with live_server(data, NUMALENS_METRICS_TOKEN=TOKEN) as server, server.client() as client:
        made = client.post(f"{API}/analyses", json={"uploads": [upload_whole(client, SMALL.read_bytes())]}).json()
        until(lambda: client.get(f"{API}/analyses/{made['id']}").json()["status"] == "ready")
        environment = {
            "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin",
            "SERVER": server.base,
            "METRICS_TOKEN": TOKEN,
            "DATA": str(data),
            "BACKUPS": str(backups),
            "RESTORED": str(tmp_path / "restored"),
        }
        scripts = blocks("bash")
        assert len(scripts) == 4
        ended = None
        for script in scripts:
            ended = subprocess.run(
                ["bash", "-euc", script], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120
            )
            assert ended.returncode == 0, script + ended.stderr.decode()
        assert ended is not None
        assert b"vm" in ended.stdout
        metrics = (tmp_path / "metrics.txt").read_text()
    names = {sample.name for family in text_string_to_metric_families(metrics) for sample in family.samples}
    (rules,) = blocks("yaml")
    alerts = [rule for group in yaml.safe_load(rules)["groups"] for rule in group["rules"]]
    assert len(alerts) > 5
    for alert in alerts:
        named = set(re.findall(r"numalens_[a-z_]+", alert["expr"]))
        assert named <= names, alert
        assert named or alert["expr"].startswith("up{")


def test_one_container_is_what_starts_without_a_profile() -> None:
    assert [name for name, service in SERVICES.items() if not service.get("profiles")] == ["numalens"]
    assert {profile for service in SERVICES.values() for profile in service.get("profiles", [])} == {"team"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_may_do_nothing_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    if name == "bucket":
        # It changes an owner, ends, and has no network.
        assert (service["cap_add"], service["network_mode"]) == (["CHOWN"], "none")
    else:
        assert "cap_add" not in service
        # Our own image has its user.
        assert service.get("build") == "." or service["user"] not in {"root", "0"}
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:")
    for volume in service.get("volumes", []):
        assert volume.split(":", 1)[0] in COMPOSE["volumes"]


def test_the_image_has_a_user_and_a_check_of_its_own() -> None:
    file = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^USER numalens$", file, re.MULTILINE)
    assert "/readyz" in file.split("HEALTHCHECK", 1)[1].splitlines()[1]


def test_who_is_waited_for_says_when_it_is_ready() -> None:
    for service in SERVICES.values():
        for other, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[other]
            else:
                assert how["condition"] == "service_completed_successfully"


def test_variables_are_those_of_the_example_and_settings_are_settings() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    assert set(re.findall(r"\$\{([A-Z0-9_]+)", text)) == set(EXAMPLE)
    assert [
        name for name, value in EXAMPLE.items() if "PASSWORD" in name or "SECRET" in name or "TOKEN" in name if value
    ] == []
    named = {
        name for service in SERVICES.values() for name in service.get("environment", {}) if name.startswith("NUMALENS_")
    }
    assert named - TEAM <= {f"NUMALENS_{name.upper()}" for name in Settings.model_fields}
    assert {"NUMALENS_METRICS_TOKEN"} | TEAM <= named
    own = SERVICES["app"]["environment"]
    assert {name for name in SERVICES["worker"]["environment"] if name in TEAM} == {
        name for name in own if name in TEAM
    }


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[int]:
    """The compose file's scheduler, on another port."""
    port = free_port()
    command = [
        part.replace("8786", str(port)).replace("0.0.0.0", "127.0.0.1")  # noqa: S104  (replaced, not bound)
        for part in SERVICES["scheduler"]["command"]
    ]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([BIN / command[0], *command[1:]], stdout=log, stderr=log, cwd=tmp_path)
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


def healthy(name: str, **other: str) -> bool:
    """Whether the check of a service says that it is well, with other hosts and ports."""
    kind, program, *arguments = SERVICES[name]["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    for old, new in other.items():
        arguments = [part.replace(old.removeprefix("_"), new) for part in arguments]
    ended = subprocess.run([sys.executable, *arguments], check=False, capture_output=True, timeout=60)
    return ended.returncode == 0


def test_the_scheduler_starts_and_its_checks_see_it(scheduler: int) -> None:
    until(lambda: healthy("scheduler", _8786=str(scheduler)))
    until(lambda: healthy("worker", _8786=str(scheduler), scheduler="127.0.0.1"))
    assert not healthy("scheduler", _8786=str(free_port()))


def test_the_servers_check_sees_a_server_and_a_missing_one(tmp_path: Path) -> None:
    line = (ROOT / "Dockerfile").read_text().split("HEALTHCHECK", 1)[1].splitlines()[1]
    (script,) = re.findall(r'"-c", "(.*)"\]', line)
    with live_server(tmp_path) as server:
        checked = script.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        until(lambda: subprocess.run([sys.executable, "-c", checked], check=False).returncode == 0)
    ended = subprocess.run([sys.executable, "-c", checked], check=False, capture_output=True)
    assert ended.returncode != 0


@pytest.mark.parametrize("name", ["app", "worker"])
def test_the_commands_exist(name: str) -> None:
    program, command, *options = SERVICES[name]["command"]
    assert program == "numalens"
    known = subprocess.run([BIN / "numalens", command, "--help"], capture_output=True, check=False, timeout=60)
    assert known.returncode == 0
    for option in options:
        assert not option.startswith("--") or option.encode() in known.stdout

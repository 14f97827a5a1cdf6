"""What is not installed is said in one sentence that names the extra, and nothing else suffers."""

import os
import subprocess
import sys
import tomllib
from typing import Any

import httpx2
import pytest
from pydantic import ValidationError

from numalens import extras
from numalens.settings import Settings
from tests.command import run
from tests.recordings import NUMA, ROOT, SMALL
from tests.service import API, Service, sentence

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SETUP = "npm run setup -- --all"
WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({[name for names in extras.MODULES.values() for name in names]}))
from numalens.cli.main import main
sys.argv = ["numalens", *sys.argv[1:]]
main()
"""


def without(*arguments: str, status: int, **environment: str) -> str:
    """The one line that a command says where no extra is installed."""
    command = [sys.executable, "-c", WITHOUT, *arguments]
    ended = subprocess.run(
        command, capture_output=True, check=False, text=True, env={**os.environ, **environment}, timeout=120
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (status, 1), ended.stderr
    return ended.stderr


def test_extras_are_those_of_the_distribution() -> None:
    assert set(extras.MODULES) == set(PROJECT["optional-dependencies"])
    assert len(PROJECT["dependencies"]) <= 15
    assert all(extras.has(extra) for extra in extras.MODULES)


@pytest.mark.parametrize(
    ("extra", "status", "arguments"),
    [
        ("sql", 1, ["query", str(SMALL), "SELECT 1"]),
        ("mcp", 2, ["mcp"]),
        ("cluster", 2, ["worker", "--scheduler", "tcp://127.0.0.1:1"]),
    ],
)
def test_a_command_names_the_extra_that_it_needs(extra: str, status: int, arguments: list[str]) -> None:
    assert f"the extra {extra}: {SETUP}" in without(*arguments, status=status)


def test_an_installed_package_names_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(extras, "CHECKOUT", tmp_path)
    assert extras.needs("SQL", "sql") == "SQL needs the extra sql: pip install 'numalens[sql]'"


def test_a_question_over_many_names_its_extra(tmp_path: Any) -> None:
    run("analyze", str(NUMA), "-o", tmp_path / "one")
    assert f"the extra fleet: {SETUP}" in without("fleet", "machines", "--data", str(tmp_path), status=1)


@pytest.mark.parametrize(
    ("setting", "value", "extra"),
    [
        ("DATABASE", "postgresql://somebody@127.0.0.1/numalens", "team"),
        ("STORE", "s3://bucket/prefix", "team"),
        ("SIGN_IN", "oidc", "team"),
        ("SCHEDULER", "tcp://127.0.0.1:1", "cluster"),
    ],
)
def test_a_setting_names_the_extra_that_it_needs(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, extra: str
) -> None:
    monkeypatch.setenv(f"NUMALENS_{setting}", value)
    Settings()
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    with pytest.raises(ValidationError, match=f"the extra {extra}: {SETUP}"):
        Settings()
    assert f"the extra {extra}: " in without("serve", "--port", "0", status=2, **{f"NUMALENS_{setting}": value})


def test_a_server_reads_without_any_and_says_what_it_cannot_answer(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    made = service.analyse(SMALL)
    assert service.get(f"/analyses/{made}/sections/latency").json()["available"] is True
    for answer, extra in (
        (service.client.post(f"{API}/analyses/{made}/sql", json={"sql": "SELECT 1"}), "sql"),
        (service.get(f"/analyses/{made}/sql/schema"), "sql"),
        (service.client.get("/perfetto/ui/"), "sql"),
        (service.get("/fleet/machines"), "fleet"),
    ):
        assert f"the extra {extra}: {SETUP}" in sentence(answer, 503)


def test_a_recording_is_opened_without_any() -> None:
    command = [sys.executable, "-c", WITHOUT, "open", "sample", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        title, _, address = process.stdout.readline().strip().rpartition(" is at ")
        assert title == "sample"
        assert httpx2.get(address, timeout=60, trust_env=False).status_code == 200
        process.terminate()
        assert process.wait(60) == 0


def test_the_sample_comes_along_unless_there_is_a_file_of_that_name(tmp_path: Any) -> None:
    printed = run("analyze", "sample", cwd=tmp_path).stdout.decode()
    assert "78,594" in printed
    (tmp_path / "sample").write_bytes(b"no recording")
    assert b"sample" in run("analyze", "sample", cwd=tmp_path, status=3).stderr

"""The configuration file and the folders of the XDG base directory specification."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from numalens import folders
from numalens.cli import config
from numalens.cli.config import apply_config
from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError
from tests.recordings import ROOT


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(config, "from_file", {})
    monkeypatch.setattr("numalens.cli.settings.from_file", config.from_file)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "system"))


def applied(tmp_path: Path, text: str, **variables: str) -> dict[str, str]:
    path = tmp_path / "numalens.toml"
    path.write_text(text)
    environment = {"NUMALENS_CONFIG": str(path), **variables}
    apply_config(environment)
    return environment


def test_settings_of_the_file_fill_in_for_the_environment(tmp_path: Path) -> None:
    text = 'data = "/srv/data"\njobs = 3\nlook_only = true\nhosts = ["a.example", "b.example"]\nkeep_days = 1.5\n'
    found = applied(tmp_path, text, NUMALENS_JOBS="2", NUMALENS_KEEP_DAYS="")
    assert found["NUMALENS_DATA"] == "/srv/data"
    assert found["NUMALENS_LOOK_ONLY"] == "true"
    assert found["NUMALENS_HOSTS"] == "a.example,b.example"
    # Variables of the environment take precedence, empty ones too.
    assert found["NUMALENS_JOBS"] == "2"
    assert found["NUMALENS_KEEP_DAYS"] == ""
    assert set(config.from_file) == {"data", "look_only", "hosts"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data = ", "is not valid TOML"),
        ("[data]\nx = 1", "data in "),
        ("hosts = [1]", "expected a string, a number, true, false or a list of strings"),
        ("jobs = 2026-01-01", "jobs in "),
    ],
)
def test_a_file_of_anything_else_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        applied(tmp_path, text)


def test_a_file_that_is_named_must_exist_and_an_empty_name_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        apply_config({"NUMALENS_CONFIG": str(tmp_path / "missing.toml")})
    (tmp_path / "config" / "numalens").mkdir(parents=True)
    (tmp_path / "config" / "numalens" / "config.toml").write_text("jobs = 5")
    none = {"NUMALENS_CONFIG": ""}
    apply_config(none)
    assert none == {"NUMALENS_CONFIG": ""}


def test_the_users_file_comes_before_the_systems(tmp_path: Path) -> None:
    for name, jobs in (("system", 4), ("config", 5)):
        folder = tmp_path / name / "numalens"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f"jobs = {jobs}")
        environment: dict[str, str] = {}
        apply_config(environment)
        assert environment == {"NUMALENS_JOBS": str(jobs)}


@pytest.mark.parametrize(
    ("text", "words"),
    [("jobbs = 3", "jobbs in .* is not a setting"), ("jobs = 0", "jobs in .*numalens.toml is not valid")],
)
def test_a_wrong_setting_is_named_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    for name, value in applied(tmp_path, text).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=words):
        settings_of()


def test_a_variable_names_itself_next_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in applied(tmp_path, "jobs = 2", NUMALENS_KEEP_DAYS="x").items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match="the environment variable NUMALENS_KEEP_DAYS is not valid"):
        settings_of()


def test_every_command_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('job_memory_bytes = "much"')
    environment = {**os.environ, "NUMALENS_CONFIG": str(path)}
    command = [sys.executable, "-m", "numalens", "analyze", "sample"]
    ended = subprocess.run(command, capture_output=True, check=False, env=environment, text=True)
    assert ended.returncode == 2
    assert "NUMALENS_JOB_MEMORY_BYTES is not valid" in ended.stderr


def test_data_is_kept_in_the_clone_or_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("NUMALENS_DATA", raising=False)
    monkeypatch.chdir(ROOT / "docs")
    assert folders.data_folder() == ROOT / ".data"
    monkeypatch.chdir(tmp_path)
    assert settings_of().data == tmp_path / "data" / "numalens"
    # By the specification a relative path does not count.
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert folders.data_folder() == folders._home() / ".local" / "share" / "numalens"

"""A dry run of the release workflow: its own scripts, with a stand-in for the program that publishes."""

import json
import os
import re
import subprocess
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

import numalens
from tests.recordings import ROOT

WORKFLOWS: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
WORKFLOW = WORKFLOWS["release"]
VERSION: str = json.loads((ROOT / "package.json").read_text())["version"]


def _step(job: str, name: str) -> str:
    """The script of a step."""
    return next(str(step["run"]) for step in WORKFLOW["jobs"][job]["steps"] if step.get("name") == name)


def _run(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False, text=True
    )


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_by_commit(name: str) -> None:
    used = [step["uses"] for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each)] == []


@pytest.mark.parametrize("name", WORKFLOWS)
def test_only_publishing_may_write(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    for job, steps in workflow["jobs"].items():
        assert "permissions" not in steps or (job == "publish" and steps["if"] == "github.ref_type == 'tag'")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_workflows_run_is_there(name: str) -> None:
    scripts = json.loads((ROOT / "package.json").read_text())["scripts"]
    for job in WORKFLOWS[name]["jobs"].values():
        for step in job["steps"]:
            assert set(re.findall(r"npm run ([\w:]+)", str(step.get("run", "")))) <= scripts.keys()


def test_all_lock_files_are_renewed() -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())["updates"]
    folders = {
        (each["package-ecosystem"], at) for each in updates for at in each.get("directories", [each.get("directory")])
    }
    assert {("cargo", "/"), ("npm", "/"), ("pip", "/"), ("pip", "/backend"), ("pip", "/scripts")} <= folders
    for lock in [*ROOT.glob("*/requirements*.lock")]:
        assert ("pip", f"/{lock.parent.name}") in folders


@pytest.mark.parametrize(("crate", "least"), [("pyo3", (0, 29, 0)), ("rustls-webpki", (0, 103, 13))])
def test_no_wheel_has_a_crate_with_a_known_weakness(crate: str, least: tuple[int, ...]) -> None:
    """docs/adr/0035 names the advisories; `cargo deny` sees only our own lock file."""
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for installed in distributions():
        for file in installed.files or []:
            if "/sboms/" in str(file) and file.suffix == ".json":
                listed = json.loads(file.read_text())
                found |= {
                    (installed.name, each["version"]): tuple(map(int, each["version"].split(".")))
                    for each in listed.get("components", [])
                    if each["name"] == crate
                }
    assert {name: version for name, version in found.items() if version < least} == {}
    own = re.findall(rf'name = "{crate}"\nversion = "([\d.]+)"', (ROOT / "Cargo.lock").read_text())
    assert [version for version in own if tuple(map(int, version.split("."))) < least] == []
    assert found


def test_one_version_everywhere() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    locked = {
        each["version"] for each in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"] if "source" not in each
    }
    npm = json.loads((ROOT / "package-lock.json").read_text())
    # Without the page's version, npm cannot list its components.
    page = json.loads((ROOT / "frontend" / "package.json").read_text())["version"]
    packages = {npm["packages"][name]["version"] for name in ("", "frontend")}
    found = {cargo, *locked, npm["version"], *packages, page, numalens.__version__}
    assert found == {VERSION}
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]
    newest = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert newest in {"Unreleased", VERSION}


@pytest.mark.parametrize(("tag", "status"), [(f"v{VERSION}", 0), ("v99.0.0", 1), (VERSION, 1)])
def test_a_tag_of_another_version_makes_no_release(tag: str, status: int) -> None:
    assert _run(_step("build", "Compare the tag with the version"), ROOT, TAG=tag).returncode == status


def test_what_is_published(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    for name in (
        "numalens-1-x86_64.whl",
        "numalens-1-aarch64.whl",
        "numalens-1.tar.gz",
        "page.cdx.json",
        "source.sha256",
    ):
        (dist / name).write_text(name)
    (dist / "RELEASE_NOTES.md").write_text("Notes")
    assert _run(_step("publish", "Write checksums"), dist).returncode == 0
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=dist, capture_output=True, check=True)
    assert checked.stdout.count(b"OK") == 4
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > published\n')
    gh.chmod(0o755)
    path = f"{gh.parent}:{os.environ['PATH']}"
    done = _run(_step("publish", "Publish"), tmp_path, PATH=path, TAG="v1", GITHUB_REPOSITORY="owner/numalens")
    assert done.returncode == 0, done.stderr
    published = (tmp_path / "published").read_text().splitlines()
    assert published[:3] == ["release", "create", "v1"]
    assert [name for name in published if name.startswith("dist/")] == [
        "dist/RELEASE_NOTES.md",
        "dist/numalens-1-aarch64.whl",
        "dist/numalens-1-x86_64.whl",
        "dist/numalens-1.tar.gz",
        "dist/page.cdx.json",
        "dist/SHA256SUMS",
    ]

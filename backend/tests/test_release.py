"""A dry run of the release workflow: its own scripts, with a stand-in for the program that publishes."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.recordings import ROOT

WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
VERSION: str = json.loads((ROOT / "package.json").read_text())["version"]


def _step(job: str, name: str) -> str:
    """The script of a step."""
    return next(str(step["run"]) for step in WORKFLOW["jobs"][job]["steps"] if step.get("name") == name)


def _run(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False, text=True
    )


def test_actions_are_pinned_by_commit() -> None:
    used = [step["uses"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each)] == []


def test_only_publishing_may_write() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in WORKFLOW["jobs"]["build"]
    assert WORKFLOW["jobs"]["publish"]["if"] == "github.ref_type == 'tag'"


@pytest.mark.parametrize(("tag", "status"), [(f"v{VERSION}", 0), ("v99.0.0", 1), (VERSION, 1)])
def test_a_tag_of_another_version_makes_no_release(tag: str, status: int) -> None:
    assert _run(_step("build", "Compare the tag with the version"), ROOT, TAG=tag).returncode == status


def test_what_is_published(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    for name in ("numalens-1-x86_64.whl", "numalens-1-aarch64.whl", "numalens-1.tar.gz", "source.sha256"):
        (dist / name).write_text(name)
    (dist / "RELEASE_NOTES.md").write_text("Notes")
    assert _run(_step("publish", "Write checksums"), dist).returncode == 0
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=dist, capture_output=True, check=True)
    assert checked.stdout.count(b"OK") == 3
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
        "dist/SHA256SUMS",
    ]

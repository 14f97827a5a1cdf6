"""The examples of docs/adding: each applies to a copy of this tree, changes as few files as promised, and works."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDING = ROOT / "docs" / "adding"
DIFFS = sorted(ADDING.glob("*.diff"))
IGNORED = ["--others", "--ignored", "--exclude-standard"]
MADE = ["frontend/src", "backend/numalens", "backend/numalens_native"]
"""Folders in which the setup puts files that are not in git."""
ROW = re.compile(r"^\| .* \| \[(\S+)\]\(\1\) \| (\d+) \|$", re.MULTILINE)


def files_of(diff: Path) -> list[str]:
    return re.findall(r"^\+\+\+ b/(.*)$", diff.read_text("utf-8"), re.MULTILINE)


def commands_of(diff: Path) -> list[str]:
    return re.findall(r"^run: (.*)$", diff.read_text("utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of what is in git, with the packages and the build of this tree."""
    tree = tmp_path_factory.mktemp("adding") / "tree"
    for name in listed():
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for name in ["node_modules", "frontend/node_modules", *listed(*IGNORED, *MADE)]:
        if (ROOT / name).exists() and "__pycache__" not in name:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).symlink_to(ROOT / name)
    yield tree
    shutil.rmtree(tree)


def git(tree: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=tree, capture_output=True, text=True, check=False)  # noqa: S607
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(*options: str) -> list[str]:
    return [name for name in git(ROOT, "ls-files", "-z", *options).split("\0") if name]


def run(tree: Path, command: str) -> None:
    words = shlex.split(command)
    if words[0] == "python":
        words[0] = sys.executable
    # A folder of its own: Cargo takes a crate of the copy for that of this tree.
    env = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target" / "adding"), "CARGO_NET_OFFLINE": "true"}
    where = tree / "backend" if words[0] == sys.executable else tree
    words = [word.removeprefix("backend/") for word in words] if where != tree else words
    done = subprocess.run(words, cwd=where, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


def test_the_table_has_every_example_with_its_number_of_files() -> None:
    rows = dict(ROW.findall((ADDING / "README.md").read_text("utf-8")))
    assert rows == {diff.name: str(len(files_of(diff))) for diff in DIFFS}


@pytest.mark.parametrize("diff", DIFFS, ids=lambda diff: diff.stem)
def test_an_example_applies_and_works(diff: Path, copy: Path) -> None:
    git(copy, "apply", str(diff))
    try:
        assert commands_of(diff)
        if os.environ.get("NUMALENS_TEST") == "all":
            for command in commands_of(diff):
                run(copy, command)
    finally:
        git(copy, "apply", "-R", str(diff))

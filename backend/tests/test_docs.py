"""The recipes of docs/api.md, run as they stand there, and the tests that SECURITY.md names."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command import run
from tests.live import live_server
from tests.recordings import SMALL

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "docs" / "api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_recipe_uploads_waits_reports_and_shares(tmp_path: Path) -> None:
    (script,) = re.findall(r"^```bash\n(.*?)^```", RECIPE.read_text(), re.DOTALL | re.MULTILINE)
    data = tmp_path / "data"
    with live_server(data) as server:
        token = run("token", "create", "docs", "--data", data).stdout.decode().strip()
        environment = {
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "SERVER": server.base,
            "TOKEN": token,
            "FILE": str(SMALL),
        }
        ended = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120
        )
        assert ended.returncode == 0, ended.stderr.decode()
        assert json.loads((tmp_path / "status.json").read_text())["status"] == "ready"
        assert json.loads((tmp_path / "report.json").read_text())["schema"] == "numalens.report/2"
        link = ended.stdout.decode().splitlines()[-1]
        assert re.fullmatch(re.escape(server.base) + r"/s#[\w-]{32,}", link)
        with server.client() as client:
            opened = client.post("/api/v1/shares/open", json={"token": link.rsplit("#", 1)[1]}).json()
        assert opened["may"] == ["comment"]


def test_the_reference_set_is_what_its_table_says() -> None:
    lines = (ROOT / "docs" / "reference-set.md").read_text().splitlines()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", "\n".join(lines), re.MULTILINE))
    folders = {folder.name: folder for folder in (ROOT / "samples" / "scenarios").iterdir()}
    # What is not shipped is made by `scripts/scenarios`, whose tests hold the document to its rows.
    assert folders.keys() <= rows.keys()
    for name, folder in folders.items():
        truth = json.loads((folder / "truth.json").read_text())
        machine = truth["machine"]
        checksum = hashlib.sha256((folder / "bundle.tar.zst").read_bytes()).hexdigest()[:16]
        guest = f"{truth['kernel']}, {machine['cpus']} CPUs, {machine['nodes']} nodes"
        assert rows[name].split(" | ") == [guest, f"`{truth['seed']}`", truth["sentence"], f"`{checksum}`"]


def test_each_claim_about_safety_has_a_test_that_is_there() -> None:
    claims = [row for row in (ROOT / "SECURITY.md").read_text().splitlines() if row.startswith("| ")][1:]
    assert claims
    for row in claims:
        _, claim, tests, _ = row.split(" | ".strip(), 3)
        named = re.findall(r"`(test_\w+)::(test_\w+)`", tests)
        assert named, claim
        for module, name in named:
            text = Path(__file__).with_name(f"{module}.py").read_text()
            assert f"def {name}(" in text, f"{module}::{name}"

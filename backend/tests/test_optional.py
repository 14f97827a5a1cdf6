"""Without one of the optional packages everything else works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import live_server, upload_whole
from tests.recordings import SMALL
from tests.service import API
from tests.until import until

PACKAGES = {
    "fleet": ["numalens.fleet"],
    "perfetto": ["numalens.perfetto"],
    "mcp": ["numalens.mcp"],
    "flight": ["numalens.flight"],
    "team": ["numalens.auth.issuer", "numalens.jobs.cluster", "numalens.jobs.cluster_task"],
}
# Python runs it first in every process, those that the service starts among them.
REFUSING = """
import sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name in {names}:
            raise ModuleNotFoundError("No module named " + name, name=name)

sys.meta_path.insert(0, Refuses())
"""


def without(package: str, folder: Path) -> dict[str, str]:
    (folder / "sitecustomize.py").write_text(REFUSING.format(names=PACKAGES[package]))
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.mark.parametrize("package", PACKAGES)
def test_recordings_are_analysed_without(package: str, tmp_path: Path) -> None:
    environment = without(package, tmp_path)
    for name in PACKAGES[package]:
        refused = subprocess.run(
            [sys.executable, "-c", f"import {name}"], env=environment, capture_output=True, check=False
        )
        assert refused.returncode == 1
    command = [sys.executable, "-m", "numalens", "analyze", str(SMALL), "--json", "-"]
    ended = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert json.loads(ended.stdout)["findings"] is not None


@pytest.mark.parametrize("package", PACKAGES)
def test_the_service_reads_and_answers_without(package: str, tmp_path: Path) -> None:
    refusing = {"PYTHONPATH": without(package, tmp_path)["PYTHONPATH"]}
    with live_server(tmp_path / "data", **refusing) as server, server.client() as client:
        uploads = [upload_whole(client, SMALL.read_bytes())]
        made = client.post(f"{API}/analyses", json={"uploads": uploads}).json()["id"]
        until(lambda: client.get(f"{API}/analyses/{made}").json()["status"] == "ready")
        assert client.get(f"{API}/analyses/{made}/sections/latency").json()["available"] is True
        paths = client.get(f"{API}/openapi.json").json()["paths"]
        assert (f"{API}/fleet/machines" in paths) == (package != "fleet")
        assert (f"{API}/analyses/{{analysis_id}}/sql" in paths) == (package != "perfetto")
        assert client.get("/readyz").status_code == 200
        assert client.get("/metrics").status_code == 200


@pytest.mark.parametrize("command", ["fleet", "query", "mcp", "snap"])
def test_a_command_of_a_missing_package_says_so(command: str, tmp_path: Path) -> None:
    package = {"query": "perfetto", "snap": "flight"}.get(command, command)
    ended = subprocess.run(
        [sys.executable, "-m", "numalens", command], env=without(package, tmp_path), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr.decode()) == (2, f"numalens: {command} is not part of this installation\n")

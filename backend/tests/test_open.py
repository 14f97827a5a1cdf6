"""`numalens open`: reads, serves on a free port, opens a browser, ends with a signal, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from numalens.cli.open import has_browser, tunnel
from tests.command import run
from tests.recordings import GARBAGE, NUMA, NUMACTL, PAGE, SMALL
from tests.service import API
from tests.until import until

TEAM = {
    "NUMALENS_SIGN_IN": "header",
    "NUMALENS_DATABASE": "postgresql://nobody@127.0.0.1:1/none",
    "NUMALENS_OWNER": "any",
}


class Opened:
    def __init__(self, process: subprocess.Popen[str], address: str, browsed: Path) -> None:
        self.process, self.address, self._browsed = process, address, browsed

    @property
    def browsed(self) -> str:
        until(self._browsed.is_file)
        return self._browsed.read_text()

    def get(self, path: str) -> Any:
        with httpx2.Client(base_url=self.address.partition("/a/")[0], timeout=60, trust_env=False) as client:
            return client.get(f"{API}{path}").json()

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        assert self.process.wait(60) == 0


@contextmanager
def opened(tmp_path: Path, *arguments: str | Path, **environment: str) -> Iterator[Opened]:
    """What `numalens open` shows; its temporary files are in `tmp_path / "tmp"`."""
    web, tmp, browser, browsed = (tmp_path / name for name in ("web", "tmp", "browser", "browsed"))
    web.mkdir(exist_ok=True)
    tmp.mkdir(exist_ok=True)
    (web / "index.html").write_text(PAGE)
    # Its name comes whole or not at all.
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {browsed}.new && mv {browsed}.new {browsed}\n')
    browser.chmod(0o755)
    given = {"TMPDIR": str(tmp), "BROWSER": f"{browser} %s", "NUMALENS_WEB": str(web), **environment}
    command = [sys.executable, "-m", "numalens", "open", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **given}) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            yield Opened(process, line.rpartition(" is at ")[2].strip(), browsed)
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_is_read_and_shown_and_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    with opened(tmp_path, NUMA, "--topology", NUMACTL, **TEAM) as page:
        assert page.browsed == page.address
        [listed] = page.get("/analyses")["analyses"]
        assert (listed["title"], listed["status"], listed["access"]) == (NUMA.name, "ready", "owner")
        assert page.address.endswith(f"/a/{listed['id']}")
        assert [entry["kind"] for entry in listed["inputs"]] == ["trace.dat", "topology"]
        assert page.get(f"/analyses/{listed['id']}/sections/findings")["available"]
        page.end(number)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_kept_bundle_is_opened_and_stays(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    run("analyze", SMALL, "-o", bundle)
    names = sorted(path.name for path in bundle.iterdir())
    with opened(tmp_path, bundle) as page:
        assert [entry["title"] for entry in page.get("/analyses")["analyses"]] == ["bundle"]
        page.end(signal.SIGINT)
    assert sorted(path.name for path in bundle.iterdir()) == names
    assert list((tmp_path / "tmp").iterdir()) == []


def test_hosts_are_opened_side_by_side(tmp_path: Path) -> None:
    with opened(tmp_path, "--each", NUMA, SMALL) as page:
        listed = page.get("/analyses")["analyses"]
        ids = {entry["title"]: entry["id"] for entry in listed}
        assert set(ids) == {NUMA.name, SMALL.name}
        assert page.browsed.endswith(f"/compare?ids={ids[NUMA.name]},{ids[SMALL.name]}&axes=own")
        page.end(signal.SIGINT)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_is_to_be_kept_is_found_again(tmp_path: Path) -> None:
    addresses = set()
    for _ in range(2):
        with opened(tmp_path, SMALL, "--no-browser", "--data", tmp_path / "kept" / "data") as page:
            assert len(page.get("/analyses")["analyses"]) == 1
            addresses.add(page.address.rpartition("/")[2])
            page.end(signal.SIGINT)
    assert len(addresses) == 1
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["data"]
    assert not (tmp_path / "browsed").exists()


def test_what_cannot_be_read_is_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    garbage, tmp = tmp_path / "garbage.dat", tmp_path / "tmp"
    garbage.write_bytes(GARBAGE)
    tmp.mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp)}
    for arguments, status in (([garbage], 3), ([tmp_path / "none.dat"], 3), ([SMALL, "--offset", "x=1"], 2)):
        ended = run("open", *arguments, status=status, env=environment)
        assert ended.stderr.count(b"\n") == 1
        assert ended.stdout == b""
    assert list(tmp.iterdir()) == []


def test_a_reading_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    """Ended by a signal while the child reads: the child is ended, too."""
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "numalens", "open", str(NUMA), "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        until(lambda: any((tmp_path / "tmp").iterdir()))
        process.send_signal(signal.SIGTERM)
        # It may have been served already.
        try:
            assert process.wait(60) in {0, 130}
        finally:
            process.kill()
    assert list((tmp_path / "tmp").iterdir()) == []


def test_over_ssh_there_is_a_line_to_type() -> None:
    ssh = {"SSH_CONNECTION": "10.0.0.1 5555 10.0.0.2 22", "USER": "mel", "DISPLAY": ":10"}
    assert tunnel(4000, ssh) == "ssh -L 4000:127.0.0.1:4000 mel@10.0.0.2"
    assert tunnel(4000, {"SSH_CONNECTION": "::1 5555 fe80::2 2222"}) == "ssh -L 4000:127.0.0.1:4000 -p 2222 fe80::2"
    assert tunnel(4000, {}) is None
    assert tunnel(4000, {"SSH_CONNECTION": "odd"}) is None
    assert not has_browser(ssh)
    assert has_browser({**ssh, "BROWSER": "code --openExternal"})
    assert has_browser({"WAYLAND_DISPLAY": "wayland-0"})

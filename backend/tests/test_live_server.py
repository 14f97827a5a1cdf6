"""A real server: killed with -9 while bytes come and while a recording is read, stopped with SIGTERM, started twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import LiveServer, create_upload, hooked, live_server, upload_offset, upload_whole
from tests.recordings import LSCPU, NUMA, SMALL
from tests.servers import children_of, worker_of
from tests.service import API, patch_headers, server_sent_events

MIB = 1 << 20
# Reading processes show their first step and then wait for ever; see hooks/sitecustomize.py.
WAITING = hooked("reading=wait")


def wait_for_bytes(data: Path, location: str, size: int) -> None:
    """Returns when the upload's file has `size` bytes; pytest's own time limit ends a wait that is in vain."""
    path = data / "uploads" / f"{location.rsplit('/', 1)[1]}.part"
    while path.stat().st_size < size:
        os.sched_yield()


def last_event(server: LiveServer, analysis_id: str) -> tuple[str, dict[str, object]]:
    with server.client() as client, client.stream("GET", f"{API}/analyses/{analysis_id}/progress") as response:
        *_, last = server_sent_events(response.iter_lines())
        return last


def test_a_killed_server_keeps_every_byte_that_it_acknowledged(tmp_path: Path) -> None:
    content = os.urandom(6 * MIB + 12345)
    with live_server(tmp_path) as server, server.client() as client:
        location = create_upload(client, len(content))
        first = client.patch(location, content=content[: 2 * MIB + 1], headers=patch_headers(0))
        acknowledged = int(first.headers["upload-offset"])
        assert acknowledged == 2 * MIB + 1
        rest = content[acknowledged:]
        with server.begin_patch(location, acknowledged, len(rest), rest[: 3 * MIB]):
            wait_for_bytes(tmp_path, location, acknowledged + 2 * MIB)
            server.kill()
    with live_server(tmp_path) as server, server.client() as client:
        found = upload_offset(client, location)
        assert acknowledged + 2 * MIB <= found < len(content)
        path = tmp_path / "uploads" / f"{location.rsplit('/', 1)[1]}.part"
        assert path.read_bytes() == content[:found]
        done = client.patch(location, content=content[found:], headers=patch_headers(found))
        assert done.headers["upload-offset"] == str(len(content))
        assert path.read_bytes() == content


def test_a_cut_connection_keeps_what_arrived(tmp_path: Path) -> None:
    content = os.urandom(3 * MIB)
    with live_server(tmp_path) as server, server.client() as client:
        location = create_upload(client, len(content))
        with server.begin_patch(location, 0, len(content), content[: MIB + 777]):
            wait_for_bytes(tmp_path, location, MIB)
        # HEAD waits for the request that the cut left behind, so its answer does not change any more.
        found = upload_offset(client, location)
        assert MIB <= found <= MIB + 777
        assert upload_offset(client, location) == found
        assert client.patch(location, content=content[found:], headers=patch_headers(found)).status_code == 204
        path = tmp_path / "uploads" / f"{location.rsplit('/', 1)[1]}.part"
        assert path.read_bytes() == content


def test_a_newcomer_takes_over_from_a_request_that_hangs(tmp_path: Path) -> None:
    content = os.urandom(3 * MIB)
    with live_server(tmp_path) as server, server.client() as client:
        location = create_upload(client, len(content))
        # The connection stays open and silent: what a client's dead network looks like from the server.
        with server.begin_patch(location, 0, len(content), content[: MIB + 777]) as hanging:
            wait_for_bytes(tmp_path, location, MIB)
            found = upload_offset(client, location)
            assert client.patch(location, content=content[found:], headers=patch_headers(found)).status_code == 204
            assert hanging.recv(12) == b"HTTP/1.1 423"
        path = tmp_path / "uploads" / f"{location.rsplit('/', 1)[1]}.part"
        assert path.read_bytes() == content


def test_a_recording_that_was_being_read_is_read_again(tmp_path: Path) -> None:
    with live_server(tmp_path, **WAITING) as server, server.client() as client:
        uploads = [
            upload_whole(client, NUMA.read_bytes(), NUMA.name),
            upload_whole(client, LSCPU.read_bytes(), LSCPU.name),
        ]
        waiting = [upload_whole(client, SMALL.read_bytes(), SMALL.name)]
        first = client.post(f"{API}/analyses", json={"uploads": uploads}).json()["id"]
        second = client.post(f"{API}/analyses", json={"uploads": waiting}).json()["id"]
        with client.stream("GET", f"{API}/analyses/{first}/progress") as response:
            for event, data in server_sent_events(response.iter_lines()):
                assert event == "progress"
                if data["stage"] == "decoding":
                    break
            server.kill()
    assert not (tmp_path / "bundles" / first).exists()
    with live_server(tmp_path) as server:
        for analysis_id in (first, second):
            event, analysis = last_event(server, analysis_id)
            assert (event, analysis["error"]) == ("ready", None)
        with server.client() as client:
            detail = client.get(f"{API}/analyses/{first}").json()
            assert detail["timeline"]["topology_source"] == "sidecar"
            assert len(detail["timeline"]["nodes"]) == 2
        assert {path.name for path in (tmp_path / "bundles").iterdir()} == {first, second}
        assert list((tmp_path / "uploads").iterdir()) == []


def test_the_reading_process_ends_with_a_killed_server(tmp_path: Path) -> None:
    with live_server(tmp_path, **WAITING) as server, server.client() as client:
        uploads = [upload_whole(client, NUMA.read_bytes())]
        analysis_id = client.post(f"{API}/analyses", json={"uploads": uploads}).json()["id"]
        with client.stream("GET", f"{API}/analyses/{analysis_id}/progress") as response:
            for _, data in server_sent_events(response.iter_lines()):
                if data["stage"] == "decoding":
                    break
            workers = [worker_of(pid) for pid in children_of(server.process.pid)]
            assert workers
            server.kill()
    for pid in workers:
        # The kernel has sent the signal when the parent was gone; the entry may stay a moment until it is reaped.
        while state_of(pid) not in {None, "Z"}:
            os.sched_yield()


def state_of(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_server_ends_even_while_somebody_watches(tmp_path: Path, number: signal.Signals) -> None:
    with live_server(tmp_path, **WAITING) as server, server.client() as client:
        analysis_id = client.post(
            f"{API}/analyses", json={"uploads": [upload_whole(client, NUMA.read_bytes())]}
        ).json()["id"]
        with client.stream("GET", f"{API}/analyses/{analysis_id}/progress") as response:
            next(server_sent_events(response.iter_lines()))
            server.process.send_signal(number)
            ended = server.process.wait(timeout=60)
    assert ended == 0
    with live_server(tmp_path) as server:
        assert last_event(server, analysis_id)[0] == "ready"


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    with live_server(tmp_path):
        second = subprocess.run(
            [sys.executable, "-m", "numalens", "serve", "--port", "0", "--data", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert second.returncode == 1
    assert "Another NumaLens server is using" in second.stderr


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with live_server(tmp_path / "one") as server:
        second = subprocess.run(
            [sys.executable, "-m", "numalens", "serve", "--port", str(server.port), "--data", str(tmp_path / "two")],
            capture_output=True,
            text=True,
            check=False,
        )
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert f"port {server.port}" in second.stderr


def test_a_forwarded_request_is_not_the_owners_whatever_it_claims(tmp_path: Path) -> None:
    with live_server(tmp_path) as server, server.client() as client:
        assert client.get(f"{API}/info").json()["owner"] is True
        claim = {"X-Forwarded-For": "127.0.0.1"}
        assert client.get(f"{API}/info", headers=claim).json()["owner"] is False
        assert client.get(f"{API}/analyses", headers=claim).status_code == 403


def test_no_secret_reaches_the_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "numalens", "serve", "--port", "0", "--data", str(tmp_path / "data")],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1].rstrip("/")
            server = LiveServer(process, int(address.rsplit(":", 1)[1]), [])
            with server.client() as client:
                for token in ("tell-nobody-1", "tell-nobody-2"):
                    client.post(f"{API}/shares/open", json={"token": token})
                    client.get(f"{API}/analyses/x", headers={"X-NumaLens-Share": token})
            process.terminate()
            rest = process.stdout.read()
            process.wait()
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    assert "tell-nobody" not in rest + log.read_text()

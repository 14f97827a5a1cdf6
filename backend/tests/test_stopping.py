"""A server that is told to stop: it ends with status 0, what is half done goes on at the next start, and its log is whole."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from tests.live import LiveServer, create_upload, hooked, live_server, upload_offset, upload_whole
from tests.recordings import FIXTURES, NUMA, SMALL
from tests.service import API, patch_headers, server_sent_events
from tests.until import until

LONGEST_S = 120


def stop(server: LiveServer) -> int:
    server.process.send_signal(signal.SIGTERM)
    return server.process.wait(timeout=LONGEST_S)


def status_of(server: LiveServer, analysis_id: str) -> str:
    with server.client() as client:
        return str(client.get(f"{API}/analyses/{analysis_id}").json()["status"])


def test_an_upload_goes_on_where_the_stopped_server_left_it(tmp_path: Path) -> None:
    content = pa.input_stream(str(FIXTURES / "tc-small.v7-none.dat.zst"), compression="zstd").read()
    most = len(content) - 1
    with live_server(tmp_path) as server:
        with server.client() as client:
            location = create_upload(client, len(content))
        connection = server.begin_patch(location, 0, len(content), content[:most])
        part = tmp_path / "uploads" / f"{location.rsplit('/', 1)[1]}.part"
        # What arrives is written a mebibyte at a time, and the rest when the request ends; here by the server's stop.
        until(lambda: part.stat().st_size > 0)
        assert stop(server) == 0
        connection.close()
    with live_server(tmp_path) as server, server.client() as client:
        there = upload_offset(client, location)
        assert 0 < there <= most
        rest = client.patch(location, content=content[there:], headers=patch_headers(there))
        assert rest.status_code == 204
        made = client.post(f"{API}/analyses", json={"uploads": [location.rsplit("/", 1)[1]]}).json()
        until(lambda: status_of(server, made["id"]) == "ready")


def test_a_reading_that_ends_in_time_is_not_thrown_away(tmp_path: Path) -> None:
    with live_server(tmp_path, NUMALENS_STOP_SECONDS=str(LONGEST_S)) as server, server.client() as client:
        made = client.post(f"{API}/analyses", json={"uploads": [upload_whole(client, NUMA.read_bytes())]}).json()
        with client.stream("GET", f"{API}/analyses/{made['id']}/progress") as response:
            # Its process has begun.
            events = server_sent_events(response.iter_lines())
            while (event := next(events))[0] == "progress" and event[1]["status"] == "queued":
                pass
            assert stop(server) == 0
    manifest = tmp_path / "bundles" / made["id"] / "manifest.json"
    assert manifest.is_file()
    with live_server(tmp_path, **hooked("reading=exit")) as server:
        # Nothing is read any more: it would fail.
        assert status_of(server, made["id"]) == "ready"


def test_a_reading_that_does_not_end_is_taken_up_at_the_next_start(tmp_path: Path) -> None:
    waiting = {**hooked("reading=wait"), "NUMALENS_STOP_SECONDS": "0.2"}
    with live_server(tmp_path, **waiting) as server, server.client() as client:
        ids = [
            client.post(f"{API}/analyses", json={"uploads": [upload_whole(client, SMALL.read_bytes())]}).json()["id"]
            for _ in range(2)
        ]
        until(lambda: status_of(server, ids[0]) == "parsing")
        assert stop(server) == 0
    with live_server(tmp_path) as server:
        for analysis_id in ids:
            until(lambda analysis_id=analysis_id: status_of(server, analysis_id) == "ready")  # type: ignore[misc]


def test_a_servers_log_is_json_lines_without_secrets(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "numalens", "serve", "--port", "0", "--data", str(tmp_path / "data")]
    log = tmp_path / "log"
    environment = {**os.environ, "NUMALENS_LOG": "json", "NUMALENS_METRICS_TOKEN": "hush-hush-hush-hush"}
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1].rstrip("/")
            server = LiveServer(process, int(address.rsplit(":", 1)[1]), [])
            with server.client() as client:
                assert client.get("/readyz").status_code == 200
                made = client.post(
                    f"{API}/analyses", json={"uploads": [upload_whole(client, SMALL.read_bytes())]}
                ).json()
                until(lambda: status_of(server, made["id"]) == "ready")
                client.post(f"{API}/fleet/sql", json={"sql": "SELECT 'hush'"})
                client.get("/metrics", headers={"Authorization": "Bearer hush-hush-hush-hush"})
                client.post(f"{API}/shares/open", json={"token": "hush-link"})
                client.get(f"{API}/analyses?hush=1", headers={"Cookie": "hush=1"})
            assert stop(server) == 0
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    written = log.read_text()
    lines = [json.loads(line) for line in written.splitlines()]
    assert {"GET /readyz 200", "GET /metrics 200"} <= {line["message"].rsplit(" ", 2)[0] for line in lines}
    assert len({line["request"] for line in lines if "route" in line}) == sum("route" in line for line in lines)
    assert "hush" not in written
    assert made["id"] not in written

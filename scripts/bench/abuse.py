"""What clients who take all that they can leave of a server: its owner's latencies while they do, and its memory.

`python abuse.py PORT ANALYSIS TOKEN FROM TO SECONDS` is the process of the greedy; `abuse` starts everything and prints.
"""

from __future__ import annotations

import collections
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

import queries
from crowd import LINK, MB, feed, memory, quarters, report, watch
from measure import percentile

IDLE = 1100
"""Connections that never send a request."""
SLOW_READERS = 16
"""Downloads that nobody reads."""
GREEDY_QUERIES = 10
"""Queries without end, by one link."""
UPLOADS = 4
"""Recordings that are uploaded and read at the same time; greedy clients upload as many without end."""
UPLOAD_BYTES = 256 << 20
OWNER_EVERY_S = 0.25
OWNER_MS = 300
"""Wanted at most, p99 of the owner's own requests."""
ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
STRETCH = 20
"""Queries read one part in so many of a recording, from its start: the whole may fit into no engine."""


@dataclass(frozen=True)
class Target:
    """What the greedy know."""

    port: int
    analysis: str
    token: str
    from_ns: str
    to_ns: str

    def query(self, sql: str) -> str:
        """The body of a question in SQL."""
        return json.dumps({"sql": sql, "from_ns": self.from_ns, "to_ns": self.to_ns})


Work = Callable[[Target, float], int]
"""Of what is known, and when to end; the answer's status."""


def greedy(target: Target, seconds: float) -> dict[str, int]:
    """Does all of it at once until the time is over; counts the answers by what was done and their status."""
    end = time.monotonic() + seconds
    answers: collections.Counter[str] = collections.Counter()
    idle = [_connected(target.port) for _ in range(IDLE)]
    counts: dict[Work, int] = {_read_nothing: SLOW_READERS, _query: GREEDY_QUERIES, _upload: UPLOADS}
    works = [work for work, count in counts.items() for _ in range(count)]
    threads = [threading.Thread(target=_again, args=(work, target, end, answers)) for work in works]
    for thread in threads:
        thread.start()
    while time.monotonic() < end:
        time.sleep(1.0)
        # A rejected client comes back.
        idle = [_connected(target.port) for _ in idle]
    for thread in threads:
        thread.join()
    return dict(answers)


def _connected(port: int) -> socket.socket | None:
    with suppress(OSError):
        return socket.create_connection(("127.0.0.1", port), timeout=5)
    return None


def _again(work: Work, target: Target, end: float, answers: collections.Counter[str]) -> None:
    status: int | str
    while time.monotonic() < end:
        try:
            status = work(target, end)
        except (OSError, http.client.HTTPException):
            status = "connection closed"
        answers[f"{getattr(work, '__name__', '').strip('_').replace('_', ' ')}: {status}"] += 1
        if status == http.client.TOO_MANY_REQUESTS:
            # Not as it was asked to, but not as fast as it can: what is measured is the server, not this process.
            time.sleep(0.1)


def _read_nothing(target: Target, end: float) -> int:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", target.port))
        path = f"/api/v1/analyses/{target.analysis}/event-rows/export?format=ndjson"
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{LINK}: {target.token}\r\n\r\n".encode())
        connection.settimeout(max(0.1, end - time.monotonic()))
        status = int(connection.recv(12).split()[1])
        if status == http.client.OK:
            time.sleep(max(0.0, end - time.monotonic()))
        return status


def _query(target: Target, _end: float) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=120)
    headers = {"Content-Type": "application/json", LINK: target.token}
    connection.request("POST", f"/api/v1/analyses/{target.analysis}/sql", target.query(ENDLESS), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def _upload(target: Target, _end: float) -> int:
    mine = queries.Asker(target.port)
    tus = {"Tus-Resumable": "1.0.0"}
    about = {"Upload-Length": str(UPLOAD_BYTES), "Upload-Metadata": "filename eC5kYXQ="}
    created = mine.ask("POST", "/api/v1/uploads/", headers=tus | about)
    created.read()
    place = created.headers["Location"]
    kind = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    answer = mine.ask("PATCH", place, os.urandom(1 << 20) * (UPLOAD_BYTES >> 20), tus | kind)
    answer.read()
    mine.ask("DELETE", place, headers=tus).read()
    return answer.status


def abuse(path: Path, cache: Path, seconds: int, viewers: int) -> None:
    """Measures the owner alone, then with viewers and uploads, then also with greedy clients; prints the lines of each."""
    with (
        tempfile.TemporaryDirectory(dir=cache, prefix="abuse-") as folder,
        queries.Server(Path(folder) / "data", {}) as server,
    ):
        analysis = server.analyse(server.upload(path))
        mine = queries.Asker(server.port)
        body = json.dumps({"view": "?", "may": ["download"]}).encode()
        headers = {"Content-Type": "application/json"}
        token = json.loads(mine.ask("POST", f"/api/v1/analyses/{analysis}/shares", body, headers).read())["token"]
        timeline = json.loads(mine.ask("GET", f"/api/v1/analyses/{analysis}").read())["timeline"]
        begin, end = int(timeline["origin_ns"]), int(timeline["end_ns"])
        target = Target(server.port, analysis, token, str(begin), str(begin + (end - begin) // STRETCH))
        # The first question in SQL loads the recording.
        mine.ask("POST", f"/api/v1/analyses/{analysis}/sql", target.query("select 1").encode(), headers).read()
        _owner("owner alone", server, target, max(10, seconds // 4), 0)
        before = memory(server.process.pid)
        stop = threading.Event()
        parsed: list[float] = []
        feeders = feed(server.port, path, stop, parsed, UPLOADS)
        memories = _owner(f"owner beside {UPLOADS} uploads", server, target, seconds, viewers)
        stop.set()
        for feeder in feeders:
            feeder.join()
        print(f"recordings read  {len(parsed)}")
        _memory(before, memories)
        command = [sys.executable, str(Path(__file__).resolve()), *map(str, astuple(target)), str(seconds)]
        attack = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        memories = _owner("owner beside the greedy", server, target, seconds, viewers)
        answers = json.loads(attack.communicate()[0])
        print("the greedy were answered  " + ", ".join(f"{what} x {count}" for what, count in sorted(answers.items())))
        _memory(before, memories)


def _memory(before: int, memories: list[int]) -> None:
    means = ", ".join(f"{size / MB:.0f}" for size in quarters(memories))
    print(f"server's memory  {before / MB:.0f} MB before, means of its quarters {means} MB", flush=True)


def _owner(name: str, server: queries.Server, target: Target, seconds: int, viewers: int) -> list[int]:
    """Prints latencies of the owner and of viewers with a link; returns samples of the server's memory, bytes."""
    analysis = f"/api/v1/analyses/{target.analysis}"
    window = f"from_ns={target.from_ns}&to_ns={target.to_ns}&px=3200&lanes=node:0,cpu:0"
    requests = {
        "/healthz": ("GET", "/healthz"),
        "window": ("GET", f"{analysis}/timeline?{window}"),
        "select 1": ("POST", f"{analysis}/sql"),
    }
    millis: dict[str, list[float]] = {what: [] for what in requests}
    failures: collections.Counter[str] = collections.Counter()
    memories: list[int] = []
    stop = threading.Event()

    def ask() -> None:
        body = target.query("select 1")
        while not stop.wait(OWNER_EVERY_S):
            memories.append(memory(server.process.pid))
            for what, (method, path) in requests.items():
                started = time.monotonic()
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
                content = body if method == "POST" else None
                try:
                    connection.request(method, path, content, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status != http.client.OK:
                        failures[f"{what} {answer.status}"] += 1
                except OSError:
                    failures[f"{what} no answer"] += 1
                finally:
                    connection.close()
                millis[what].append(1000 * (time.monotonic() - started))

    owner = threading.Thread(target=ask)
    owner.start()
    if viewers:
        seen = watch(server, target.analysis, seconds, viewers, target.token)
        report(f"{name}, {viewers} viewers panning", seen)
    else:
        time.sleep(seconds)
    stop.set()
    owner.join()
    for what, values in millis.items():
        p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
        print(f"{name}, {what}  {len(values)} times, p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {max(values):.0f} ms")
    p99 = percentile([value for values in millis.values() for value in values], 0.99)
    print(
        f"{name}, all  p99 {p99:.0f} ms; at most {OWNER_MS} ms are wanted; failed  {dict(failures) or 'none'}",
        flush=True,
    )
    return memories


if __name__ == "__main__":
    print(json.dumps(greedy(Target(int(sys.argv[1]), *sys.argv[2:6]), float(sys.argv[6]))))

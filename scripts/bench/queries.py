"""Latencies of random window queries: through the native module in this process, and over HTTP from a real server."""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numalens_native
import pyarrow as pa

from measure import Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PIXELS = 2000
PAGE = 200
CHUNK = 16 << 20
SEED = 1
NARROWEST_NS = 100_000
SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Shape:
    """What to ask for: the lanes of every node and every CPU, and the whole time span in ns."""

    lanes: list[tuple[str, int]]
    from_ns: int
    to_ns: int


def shape_of(manifest: dict[str, Any]) -> Shape:
    """All lanes open, which is the most a page can ask for."""
    nodes = manifest["topology"]["nodes"]
    lanes = [("node", node["nid"]) for node in nodes]
    lanes += [("cpu", cpu) for node in nodes for cpu in node["cpus"]]
    return Shape(lanes, int(manifest["origin_ns"]), int(manifest["end_ns"]))


def windows(shape: Shape, count: int) -> Iterator[tuple[int, int]]:
    """Random windows, the same ones every time: widths from 0.1 ms to the whole span, evenly on a logarithmic scale."""
    dice = random.Random(SEED)  # noqa: S311 (not a secret)
    span = shape.to_ns - shape.from_ns
    for _ in range(count):
        width = min(span, int(NARROWEST_NS * (span / NARROWEST_NS) ** dice.random()))
        start = shape.from_ns + dice.randrange(span - width + 1)
        yield start, start + width


def timed(asks: Iterator[tuple[int, int]], ask: Callable[[int, int], bytes]) -> tuple[list[float], list[int]]:
    """Milliseconds and answer sizes of one query per window."""
    millis, sizes = [], []
    for from_ns, to_ns in asks:
        started = time.perf_counter()
        answer = ask(from_ns, to_ns)
        millis.append((time.perf_counter() - started) * 1000)
        sizes.append(len(answer))
    return millis, sizes


def native(bundle: Path, shape: Shape, count: int) -> tuple[list[float], list[int]]:
    """The engine's own answer time, in this process."""
    opened = numalens_native.Bundle(str(bundle))
    return timed(windows(shape, count), lambda a, b: opened.timeline(shape.lanes, a, b, PIXELS))


def findings(bundle: Path, shape: Shape, count: int) -> tuple[list[float], list[int]]:
    """The engine's answer time for the findings of a window, in this process."""
    opened = numalens_native.Bundle(str(bundle))
    return timed(windows(shape, count), lambda a, b: opened.analysis("findings", a, b, "{}"))


def stories(bundle: Path, shape: Shape, count: int) -> dict[str, list[float]]:
    """Milliseconds of answers about random tasks: the sleep at a moment, and the time of a second and of the whole recording."""
    opened = numalens_native.Bundle(str(bundle))
    pids = sorted(set(pa.ipc.open_stream(opened.tasks()).read_all()["pid"].to_pylist()) - {0})
    dice = random.Random(SEED)  # noqa: S311 (not a secret)
    millis: dict[str, list[float]] = {"moment": [], "second": [], "whole": []}
    for _ in range(count):
        task = json.dumps({"pid": dice.choice(pids)})
        at = dice.randrange(shape.from_ns, shape.to_ns)
        questions = {
            "moment": ("sleeps", at, at + 1),
            "second": ("explain", at, min(at + SECOND_NS, shape.to_ns)),
            "whole": ("explain", shape.from_ns, shape.to_ns),
        }
        for name, question in questions.items():
            started = time.perf_counter()
            opened.analysis(*question, task)
            millis[name].append((time.perf_counter() - started) * 1000)
    return millis


@dataclass(frozen=True)
class Pages:
    """Pages of events at one place of a recording: milliseconds of each, and bytes that were asked for besides the tables' ends."""

    millis: list[float]
    queries: list[int]


def pages(bundle: Path, shape: Shape, place: float, count: int) -> Pages:
    """First pages of narrow windows from a place on, 0 the begin and 1 the end, with a filter that every event fits.

    Each window is another one, since how many events one has is kept. The bytes are those that a bucket would be asked for.
    """
    millis, queries = [], []
    now = 0

    def fetch(_name: str, begin: int, end: int) -> None:
        nonlocal now
        now += end - begin

    opened = numalens_native.Bundle(str(bundle), fetch)
    opened.check_filter("")
    span = shape.to_ns - shape.from_ns
    width = span // 1000
    begin = shape.from_ns + int(span * place)
    for number in range(count):
        from_ns = begin + number * width // count
        now = 0
        started = time.perf_counter()
        opened.events_page("cpu >= 0", from_ns, from_ns + width, limit=PAGE)
        millis.append((time.perf_counter() - started) * 1000)
        queries.append(now)
    return Pages(millis, queries)


class Asker:
    """One kept connection to a server."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """One request on the kept connection; the answer's body must be read before the next one."""
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        if answer.status >= http.client.BAD_REQUEST:
            raise Failed(f"{method} {path} answered {answer.status}: {answer.read()[:300].decode(errors='replace')}")
        return answer

    def upload(self, file: Path) -> str:
        """Uploads a file by tus and returns the upload's id."""
        size = file.stat().st_size
        name = base64.b64encode(file.name.encode()).decode()
        tus = {"Tus-Resumable": "1.0.0"}
        about = {"Upload-Length": str(size), "Upload-Metadata": f"filename {name}"}
        created = self.ask("POST", "/api/v1/uploads/", headers=tus | about)
        created.read()
        place = re.sub(r"^https?://[^/]+", "", created.headers["Location"])
        offset = 0
        with file.open("rb") as source:
            while chunk := source.read(CHUNK):
                about = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
                self.ask("PATCH", place, chunk, tus | about).read()
                offset += len(chunk)
        return place.rstrip("/").rsplit("/", 1)[-1]

    def analyse(self, *uploads: str) -> str:
        """Makes an analysis of uploads, waits until it is ready, and returns its id."""
        body = json.dumps({"uploads": uploads, "title": None}).encode()
        made = json.loads(self.ask("POST", "/api/v1/analyses", body, {"Content-Type": "application/json"}).read())
        while True:
            now = json.loads(self.ask("GET", f"/api/v1/analyses/{made['id']}").read())
            if now["status"] == "ready":
                return str(made["id"])
            if now["status"] == "failed":
                raise Failed(now["error"]["sentence"])
            time.sleep(0.2)


class Server(Asker):
    """A `numalens serve` on a free port with its own data folder, stopped when the block ends."""

    def __init__(self, data: Path, settings: dict[str, str] | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        super().__init__(self.port)
        self.data = data
        self.settings = settings or {}

    def __enter__(self) -> Self:
        command = [str(Path(sys.executable).with_name("numalens")), "serve"]
        command += ["--port", str(self.port), "--data", str(self.data)]
        env = {**os.environ, "NUMALENS_MAX_UPLOAD_BYTES": str(8 << 30), **self.settings}
        with Path(os.devnull).open("wb") as nowhere:
            self.process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=env)
        for _ in range(300):
            try:
                self.connection.connect()
            except OSError:
                if self.process.poll() is not None:
                    raise Failed("numalens serve did not start") from None
                time.sleep(0.1)
            else:
                return self
        raise Failed("numalens serve did not answer within 30 s")

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def over_http(server: Server, analysis: str, shape: Shape, count: int) -> tuple[list[float], list[int]]:
    """The same windows asked over HTTP on one kept connection, as a page does."""
    lanes = ",".join(f"{kind}:{number}" for kind, number in shape.lanes)

    def ask(from_ns: int, to_ns: int) -> bytes:
        query = f"from_ns={from_ns}&to_ns={to_ns}&px={PIXELS}&lanes={lanes}"
        return server.ask("GET", f"/api/v1/analyses/{analysis}/timeline?{query}").read()

    return timed(windows(shape, count), ask)

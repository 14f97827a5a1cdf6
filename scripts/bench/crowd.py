"""Many viewers who pan at once while the server reads two recordings: latencies of window queries, and its memory.

`python crowd.py ADDRESS ANALYSIS SECONDS VIEWERS LINK` is the viewers' own process; `crowd` starts everything and prints.
`LINK` is the token of a share link, empty for the owner.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import queries
from measure import Failed, percentile

WIDTH_PX = 1600
"""Of a viewer's plot; a query asks for twice that, as the page does, to have room on both sides."""
STEP = 0.5
"""Share of a screen that is panned until the next query is needed."""
EVERY_S = 1.0
"""Time in which a viewer pans that far."""
PARSED_AT_ONCE = 2
LINK = "X-NumaLens-Share"
MB = 1e6


@dataclass
class Seen:
    """What the viewers met."""

    millis: list[float]
    late_ms: list[float]
    """By how much queries began after they were due: what the viewers' own process could not keep up with."""
    bytes: int
    failures: int


async def viewers(address: str, analysis: str, seconds: float, count: int, link: str) -> Seen:
    """Runs all viewers; each has a connection of its own and at most one query under way, as a page has."""
    base = urlsplit(address)
    about = await _json(base.hostname or "", base.port or 80, f"/api/v1/analyses/{analysis}")
    timeline = about["timeline"]
    first, last = int(timeline["origin_ns"]), int(timeline["end_ns"])
    nodes = timeline["nodes"]
    lanes = [f"node:{node['nid']}" for node in nodes] + [f"cpu:{cpu}" for node in nodes for cpu in node["cpus"]]
    seen = Seen([], [], 0, 0)
    end = time.monotonic() + seconds
    one = [
        _viewer(base.hostname or "", base.port or 80, analysis, (first, last), ",".join(lanes), end, seed, seen, link)
        for seed in range(count)
    ]
    await asyncio.gather(*one)
    return seen


async def _viewer(
    host: str,
    port: int,
    analysis: str,
    span: tuple[int, int],
    lanes: str,
    end: float,
    seed: int,
    seen: Seen,
    link: str,
) -> None:
    fields = f"Host: {host}\r\n" + (f"{LINK}: {link}\r\n" if link else "")
    dice = random.Random(seed)  # noqa: S311 (not a secret)
    reader, writer = await asyncio.open_connection(host, port)
    await asyncio.sleep(dice.random() * EVERY_S)
    screen = int((span[1] - span[0]) * 10 ** dice.uniform(-3, -0.5))
    at, way = dice.randrange(span[0], span[1] - screen), 1
    due = time.monotonic()
    while due < end:
        from_ns, to_ns = max(span[0], at - screen // 2), min(span[1], at + screen + screen // 2)
        query = f"from_ns={from_ns}&to_ns={to_ns}&px={2 * WIDTH_PX}&lanes={lanes}"
        seen.late_ms.append(1000 * (time.monotonic() - due))
        started = time.monotonic()
        writer.write(f"GET /api/v1/analyses/{analysis}/timeline?{query} HTTP/1.1\r\n{fields}\r\n".encode())
        status, body = await _answer(reader)
        seen.millis.append(1000 * (time.monotonic() - started))
        seen.bytes += len(body)
        seen.failures += status != 200  # noqa: PLR2004
        at += int(way * STEP * screen)
        if not span[0] <= at <= span[1] - screen:
            at, way = min(max(at, span[0]), span[1] - screen), -way
        # A view that waited for an answer has not moved further in the meantime.
        due = max(due + EVERY_S, started)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    if "content-length" in fields:
        return int(head[0].split()[1]), await reader.readexactly(int(fields["content-length"]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return int(head[0].split()[1]), body


async def _json(host: str, port: int, path: str) -> dict[str, Any]:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    _, body = await _answer(reader)
    writer.close()
    answer: dict[str, Any] = json.loads(body)
    return answer


def crowd(path: Path, cache: Path, seconds: int, count: int) -> None:
    """Measures once without and once with two recordings being read all the time, and prints a line each."""
    with (
        tempfile.TemporaryDirectory(dir=cache, prefix="crowd-") as folder,
        queries.Server(Path(folder) / "data", {"NUMALENS_JOBS": str(PARSED_AT_ONCE)}) as server,
    ):
        analysis = server.analyse(server.upload(path))
        alone = watch(server, analysis, max(10, seconds // 4), count)
        report(f"{count} viewers panning, nothing read", alone)
        before = memory(server.process.pid)
        stop = threading.Event()
        parsed: list[float] = []
        feeders = feed(server.port, path, stop, parsed, PARSED_AT_ONCE)
        memories: list[tuple[float, int]] = []
        sampler = threading.Thread(target=_sample, args=(server.process.pid, stop, memories), daemon=True)
        sampler.start()
        busy = watch(server, analysis, seconds, count)
        stop.set()
        for thread in (*feeders, sampler):
            thread.join()
        report(f"{count} viewers panning, {PARSED_AT_ONCE} recordings read at a time ({len(parsed)} in all)", busy)
        p99 = percentile(busy.millis, 0.99)
        print(f"p99 while reading / p99 without  {p99 / percentile(alone.millis, 0.99):.1f} x")
        print(
            f"server's memory over {seconds} s   {before / MB:.0f} MB before, means of its quarters"
            f" {', '.join(f'{size / MB:.0f}' for size in quarters([size for _, size in memories]))} MB,"
            f" most {max(size for _, size in memories) / MB:.0f} MB"
        )


def quarters(sizes: list[int]) -> list[float]:
    """Means of four parts, so that what fills up once can be told from what grows for ever."""
    edges = [at * len(sizes) // 4 for at in range(5)]
    return [sum(part) / max(1, len(part)) for part in (sizes[a:b] for a, b in pairwise(edges))]


def watch(server: queries.Server, analysis: str, seconds: int, count: int, link: str = "") -> Seen:
    """Runs the viewers in a process of their own."""
    command = [sys.executable, str(Path(__file__).resolve()), f"http://127.0.0.1:{server.port}", analysis]
    done = subprocess.run([*command, str(seconds), str(count), link], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"the viewers ended with status {done.returncode}: {done.stderr[-300:]}")
    return Seen(**json.loads(done.stdout))


def report(name: str, seen: Seen) -> None:
    """Prints a line."""
    p50, p99 = percentile(seen.millis, 0.5), percentile(seen.millis, 0.99)
    print(
        f"{name}  {len(seen.millis):,} queries, {seen.failures} failed, p50 {p50:.1f} ms, p99 {p99:.1f} ms,"
        f" max {max(seen.millis):.0f} ms; answers {seen.bytes / len(seen.millis) / 1000:.0f} kB each;"
        f" queries begun late p99 {percentile(seen.late_ms, 0.99):.0f} ms",
        flush=True,
    )


def feed(port: int, path: Path, stop: threading.Event, parsed: list[float], count: int) -> list[threading.Thread]:
    """Starts so many threads that each have the recording read until `stop`; `parsed` gets the seconds of each reading."""
    feeders = [threading.Thread(target=_feed, args=(port, path, stop, parsed), daemon=True) for _ in range(count)]
    for feeder in feeders:
        feeder.start()
    return feeders


def _feed(port: int, path: Path, stop: threading.Event, parsed: list[float]) -> None:
    """Uploads the recording and has it read, again and again, and deletes what came of it."""
    mine = queries.Asker(port)
    while not stop.is_set():
        started = time.monotonic()
        made = mine.analyse(mine.upload(path))
        parsed.append(time.monotonic() - started)
        mine.ask("DELETE", f"/api/v1/analyses/{made}").read()


def _sample(pid: int, stop: threading.Event, into: list[tuple[float, int]]) -> None:
    while not stop.wait(1.0):
        into.append((time.monotonic(), memory(pid)))


def memory(pid: int) -> int:
    """What a process has in memory for itself, bytes: mapped files do not count, they are the system's to drop."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    result = asyncio.run(viewers(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
    print(json.dumps(asdict(result)))

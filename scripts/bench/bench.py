"""Measures the readers, ingest and window queries on large recordings, against the recorders' own readers."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import exports
import fleet
import formats
import queries
import replays
import wide
from abuse import abuse
from browser import browser
from cli_start import cli_start
from crowd import crowd
from flight import flight
from measure import Failed, Usage, measure, percentile, spread
from options import options
from page import page
from recording import obtain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

MB = 1e6
SPLIT_BY = (2, 8, 64)
"""Workers that one trace would be split among."""
EVENT_PAGES = 50
STORIES = 20


def main() -> int:
    """Gets the recording, runs everything, prints one line per result."""
    args = options()
    # As an exception, so that what was started is ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if args.service_only:
        service(args.cache, args.rounds)
        return 0
    if args.flight_only:
        flight(args.pairs)
        return 0
    if args.file:
        path, origin = args.file.resolve(), "given"
    else:
        made = obtain(args.cache, generated=args.generated)
        path, origin = made.path, made.origin
    if only(args, path, origin):
        return 0
    args.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.cache, prefix="run-") as folder:
        scratch = Path(folder)
        runs, manifest, bundle = alternate(path, args.decoder, scratch, args.rounds)
        size, events = path.stat().st_size, int(manifest["inputs"][0]["events"])
        print(f"\nmachine    {platform.machine()}, {os.cpu_count()} CPUs, Linux {platform.release()}")
        print(f"recording  {path.name} ({origin}): {size / MB:.1f} MB, {events:,} events, {args.rounds} runs of each")
        for name, usages in runs.items():
            report(name, usages, events, size)
        compare(runs, size)
        profiles(runs)
        browser(path, scratch, args.rounds)
        split(runs)
        widths(args.cache, scratch, args.rounds)
        replays.replays(args.replayer, bundle, manifest, args.rounds, runs.get("trace-cmd report"))
        exports.exports(path, bundle, manifest, scratch, args.rounds, args.decoder)
        replays.sample_replays("NUMA replays", args.numa_replayer, scratch, args.rounds)
        replays.sample_replays("idle load balancer", args.ilb_replayer, scratch, args.rounds)
        ask_windows(path, manifest, bundle, scratch, args)
    service(args.cache, args.rounds)
    flight(args.pairs)
    if not args.no_http:
        crowd(path, args.cache, args.crowd_seconds, args.viewers or 100)
    formats.perf(args.cache, args.decoder, args.rounds)
    formats.text(args.cache, args.decoder, args.rounds, path)
    if not args.no_page:
        sys.stdout.flush()
        page(path, args.cache, args.loads, args.seconds)
    return 0


def only(args: argparse.Namespace, path: Path, origin: str) -> bool:
    """The one measurement of a recording that was chosen; False when all are wanted."""
    if not (args.abuse or args.crowd_only or args.browser_only or args.page_only):
        return False
    print(f"recording          {path.name} ({origin}): {path.stat().st_size / MB:.1f} MB", flush=True)
    if args.abuse:
        abuse(path, args.cache, args.crowd_seconds, args.viewers or 200)
    elif args.crowd_only:
        crowd(path, args.cache, args.crowd_seconds, args.viewers or 100)
    elif args.browser_only:
        with tempfile.TemporaryDirectory(dir=args.cache, prefix="run-") as folder:
            browser(path, Path(folder), args.rounds)
    else:
        page(path, args.cache, args.loads, args.seconds)
    return True


def service(cache: Path, rounds: int) -> None:
    """The lines that need no recording of their own."""
    cli_start()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="run-") as scratch:
        fleet.fleet(Path(scratch), rounds)


def alternate(
    path: Path, decoder: Path, scratch: Path, rounds: int
) -> tuple[dict[str, list[Usage]], dict[str, Any], Path]:
    """Runs peer and ours in turn, so that a change of the machine's speed meets both alike."""
    peer = shutil.which("trace-cmd")
    here = Path(__file__).parent
    bundle = scratch / "bundle"
    programs: dict[str, Callable[[], list[str]]] = {}
    if peer:
        programs["trace-cmd report"] = lambda: [peer, "report", "-i", str(path)]
    else:
        print("trace-cmd is not installed: no comparison with it", file=sys.stderr)
    programs["decode"] = lambda: [str(decoder), str(path), str(empty(scratch / "columns"))]
    ingest = [sys.executable, str(here / "once.py"), "ingest", str(path)]
    programs["ingest"] = lambda: [*ingest, str(empty(bundle))]
    # Without the released engine in front of it, Python imports the one of `npm start`.
    programs["ingest (start)"] = lambda: ["env", "-u", "PYTHONPATH", *ingest, str(empty(scratch / "start"))]
    warm(path)
    runs: dict[str, list[Usage]] = {name: [] for name in programs}
    for turn in range(rounds):
        for name, command in programs.items():
            usage = measure(command())
            runs[name].append(usage)
            print(f"run {turn + 1}/{rounds} {name}: {usage.cpu_s:.2f} CPU s, {usage.wall_s:.2f} s", file=sys.stderr)
    return runs, json.loads((bundle / "manifest.json").read_text()), bundle


def empty(folder: Path) -> Path:
    """A fresh, empty folder of that name."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def warm(path: Path) -> None:
    """Reads the file once, so that the first program does not pay for the disk."""
    with path.open("rb") as source:
        while source.read(16 << 20):
            pass


def report(name: str, usages: list[Usage], events: int, size: int) -> None:
    """One program's rates, CPU time and memory."""
    wall = [usage.wall_s for usage in usages]
    cpu = [usage.cpu_s for usage in usages]
    peak = [usage.peak_bytes / MB for usage in usages]
    rate = spread([size / s / MB for s in wall], "{:.0f}")
    print(
        f"{name:<17}  {spread([events / s / 1e6 for s in wall])} M events/s, {rate}"
        f" MB/s, {spread(cpu)} CPU s, {spread(wall)} s, peak {spread(peak, '{:.0f}')} MB"
        f" = {statistics.median(peak) * MB / size:.2f} of the file"
    )


def compare(runs: dict[str, list[Usage]], size: int) -> None:
    """Ratios of CPU time and of memory, run by run."""
    peer = runs.get("trace-cmd report")
    if peer is None:
        print("no trace-cmd on this machine: no ratio")
        return
    for name in ("decode", "ingest"):
        cpu = [theirs.cpu_s / ours.cpu_s for theirs, ours in zip(peer, runs[name], strict=True)]
        peak = [theirs.peak_bytes / ours.peak_bytes for theirs, ours in zip(peer, runs[name], strict=True)]
        print(f"trace-cmd / {name:<7} CPU time {spread(cpu, '{:.1f}')} x, peak memory {spread(peak, '{:.1f}')} x")
    print(f"trace-cmd peak memory {statistics.median(usage.peak_bytes for usage in peer) / size:.2f} of the file")


def profiles(runs: dict[str, list[Usage]]) -> None:
    """CPU time of a reading by the engine of `npm start`, against the released one."""
    pairs = zip(runs["ingest (start)"], runs["ingest"], strict=True)
    ratio = spread([start.cpu_s / released.cpu_s for start, released in pairs])
    print(f"start / release   CPU time of a reading {ratio} x; at most 1.15 x is wanted")


def split(runs: dict[str, list[Usage]]) -> None:
    """How much sooner a reading would end at best if several workers each decoded the buffers of some of the CPUs.

    The passes over all CPUs' events cannot begin before the last one has ended, and what it takes to send and merge the parts
    is not even counted.
    """
    pairs = list(zip(runs["decode"], runs["ingest"], strict=True))
    shares = [decode.cpu_s / ingest.cpu_s for decode, ingest in pairs]
    bounds = ", ".join(f"{spread([1 / (1 - share + share / n) for share in shares])} x by {n}" for n in SPLIT_BY)
    answer = spread([100 * share for share in shares], "{:.0f}")
    print(f"split by CPU buffer  decoding is {answer} % of a reading, which would be at best {bounds} as fast")


def widths(cache: Path, scratch: Path, rounds: int) -> None:
    """What an event of a machine of many CPUs costs, against one of as many events of a machine of few."""
    program = str(Path(__file__).with_name("once.py"))
    cpu_s: dict[wide.Machine, list[float]] = {wide.WIDE: [], wide.NARROW: []}
    for _ in range(rounds):
        for machine, took in cpu_s.items():
            inputs = map(str, wide.obtain(cache, machine))
            took.append(measure([sys.executable, program, "ingest", *inputs, str(empty(scratch / "width"))]).cpu_s)
    many, few = cpu_s.values()
    each = ", ".join(spread([s / wide.EVENTS * 1e6 for s in took]) for took in (many, few))
    ratio = spread([wide_s / narrow_s for wide_s, narrow_s in zip(many, few, strict=True)])
    print(f"384 CPUs / 8 CPUs  CPU time of an event {ratio} x ({each} us); at most 1.5 x is wanted")


def ask_windows(path: Path, manifest: dict[str, Any], bundle: Path, scratch: Path, args: argparse.Namespace) -> None:
    """Query latencies, in the process and over HTTP."""
    shape = queries.shape_of(manifest)
    said = f"{len(shape.lanes)} lanes, {queries.PIXELS} px, {args.queries} random windows"
    latencies(f"query in process  ({said})", *queries.native(bundle, shape, args.queries))
    latencies("findings in process", *queries.findings(bundle, shape, args.queries // 10))
    stories(bundle, shape)
    event_pages(bundle, shape)
    if args.no_http:
        return
    try:
        with queries.Server(scratch / "data") as server:
            started = time.monotonic()
            upload = server.upload(path)
            uploaded = time.monotonic()
            analysis = server.analyse(upload)
            ready = time.monotonic()
            rate = path.stat().st_size / (uploaded - started) / MB
            print(
                f"upload by tus      {uploaded - started:.1f} s ({rate:.0f} MB/s), ready {ready - uploaded:.1f} s later"
            )
            latencies("query over HTTP  ", *queries.over_http(server, analysis, shape, args.queries))
    except Failed as why:
        print(f"query over HTTP   failed: {why}")


def stories(bundle: Path, shape: queries.Shape) -> None:
    """Answers about a task in a part of the recording, against those about the whole."""
    millis = queries.stories(bundle, shape, STORIES)
    whole = statistics.median(millis.pop("whole"))
    said = [
        f"{name} {statistics.median(took) / whole:.3f} x (p50 {statistics.median(took):.2f} ms, max {max(took):.2f} ms)"
        for name, took in millis.items()
    ]
    print(f"story of a task    {', '.join(said)} of the whole recording's ({whole:.0f} ms)")


def event_pages(bundle: Path, shape: queries.Shape) -> None:
    """Pages of events of narrow windows late in the recording, against those early in it."""
    early, late = (queries.pages(bundle, shape, place, EVENT_PAGES) for place in (0.05, 0.95))
    times = [statistics.median(pages.millis) for pages in (early, late)]
    requests = [statistics.median(pages.queries) / MB for pages in (early, late)]
    print(
        f"page of events     late / early {times[1] / times[0]:.1f} x ({times[1]:.2f} ms, {times[0]:.2f} ms);"
        f" bytes asked for {requests[1]:.1f} MB late, {requests[0]:.1f} MB early"
    )


def latencies(name: str, millis: list[float], sizes: list[int]) -> None:
    """Percentiles of one kind of query."""
    p50, p99 = percentile(millis, 0.5), percentile(millis, 0.99)
    print(
        f"{name}  p50 {p50:.2f} ms, p99 {p99:.2f} ms, max {max(millis):.2f} ms;"
        f" answers p50 {percentile([float(s) for s in sizes], 0.5) / 1000:.0f} kB, max {max(sizes) / 1000:.0f} kB"
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, subprocess.CalledProcessError) as why:
        sys.exit(f"numalens bench: {why}")

"""Measures the replay: the pass over a bundle's events, and reading windows from what it stored."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import numalens_native

from measure import Failed, Usage, spread

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "cling-2x4-heavy"
SECTIONS = (
    "psi",
    "utilisation",
    "residency",
    "latency",
    "waste",
    "findings",
    "numa_balancing",
    "page_migration",
    "idle_balancing",
)
PART = re.compile(r"^(?P<name>[a-z, ]+?)\s+user\s+(?P<user>[\d.]+) s .*system\s+(?P<system>[\d.]+) s")

# CPU time is counted in steps of 10 ms on some kernels: a part of a small recording may take none.
LEAST_S = 0.005


def replays(replayer: Path, bundle: Path, manifest: dict[str, Any], rounds: int, peer: list[Usage] | None) -> None:
    """The pass, part by part, with its files written to nowhere; then each section of the whole window, read again.

    `replayer` is the engine's example `replay_pass`, `peer` what `trace-cmd report` took for the same recording in this run.
    """
    recorded = sum(entry.get("events") or 0 for entry in manifest["inputs"])
    parts: dict[str, list[float]] = {}
    read = 0
    for _ in range(rounds):
        said = subprocess.run(
            [str(replayer), str(bundle), "1", "null"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        read = int(said[0].split()[0])
        for line in said[1:]:
            found = PART.match(line)
            if found:
                took_s = float(found["user"]) + float(found["system"])
                parts.setdefault(found["name"].strip(), []).append(max(took_s, LEAST_S))
    if not parts:
        raise Failed("the replay printed no times")
    for name, took in parts.items():
        rates = spread([read / s / 1e6 for s in took])
        whole = spread([recorded / s / 1e6 for s in took])
        print(f"replay: {name:<24} {rates} M events/s of the {read:,} it reads, {whole} of the {recorded:,} recorded")
    took = parts["whole pass"]
    if peer is not None:
        ratio = [theirs.cpu_s / ours for theirs, ours in zip(peer, took, strict=False)]
        print(f"trace-cmd / whole pass  CPU time {spread(ratio, '{:.1f}')} x")
    second_reading(bundle, manifest, statistics.median(took))


def sample_replays(what: str, replayer: Path, scratch: Path, rounds: int) -> None:
    """What replays add to the run-state pass, on the recording of a kernel with cling that is a sample.

    `replayer` is the engine's example `numa_replays` or `idle_balancing_replays`. Two thirds of the sample's events that
    any replay reads are of migrated pages, which only the NUMA replays read; it has no ticks, so that the idle load balancer's
    are made up.
    """
    bundle = scratch / "sample"
    names = ("trace.dat", "numactl-H.txt")
    numalens_native.ingest([(name, str(SAMPLE / name)) for name in names], str(bundle))
    said = subprocess.run([str(replayer), str(bundle), str(rounds)], capture_output=True, text=True, check=True).stdout
    print(f"{what}, {SAMPLE.name}: {said.strip()}")
    shutil.rmtree(bundle, ignore_errors=True)


def second_reading(bundle: Path, manifest: dict[str, Any], whole_pass: float) -> None:
    """Reads the sections of the common window from the stored bundle, its events taken away."""
    without = bundle.with_name("bundle-without-events")
    shutil.rmtree(without, ignore_errors=True)
    shutil.copytree(bundle, without, ignore=shutil.ignore_patterns("events"))
    engine = numalens_native.Bundle(str(without))
    first, last = (int(edge) for edge in manifest["window_ns"])
    middle = (first + last) // 2
    windows = {"the whole": (first, last), "1 % of it": (middle, middle + (last - first) // 100)}
    for name, (begin, end) in windows.items():
        times = {}
        for section in SECTIONS:
            started = time.process_time()
            answer = json.loads(engine.analysis(section, begin, end, "{}"))
            times[section] = time.process_time() - started
            if isinstance(answer, dict) and answer.get("available") is False:
                raise Failed(f"{section} of a stored bundle: {answer['reason']}")
        each = ", ".join(f"{section} {1000 * s:.1f}" for section, s in times.items())
        total = sum(times.values())
        print(
            f"stored window, {name:<9} {1000 * total:.0f} CPU ms for all sections without any event ({each} ms):"
            f" pass / reading {whole_pass / total:.1f} x"
        )
    shared(without, first, last)
    shutil.rmtree(without, ignore_errors=True)


def shared(bundle: Path, first: int, last: int) -> None:
    """The sections of the common window one after another on one open bundle, against each on a newly opened one.

    The first keeps what several sections need, the second computes it for each.
    """
    engine = numalens_native.Bundle(str(bundle))
    together, apart = 0.0, 0.0
    for section in SECTIONS:
        for kept in (True, False):
            opened = engine if kept else numalens_native.Bundle(str(bundle))
            started = time.process_time()
            opened.analysis(section, first, last, "{}")
            took = time.process_time() - started
            together, apart = (together + took, apart) if kept else (together, apart + took)
    print(
        f"sections of one window   with what they share / each by itself {together / apart:.2f} x"
        f" ({1000 * together:.0f} and {1000 * apart:.0f} CPU ms)"
    )

"""Measures the readers of perf.data and of text, against perf script and against Perfetto's import of the same text."""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Failed, Usage, measure, spread

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "samples" / "fixtures"
MB = 1e6
PERF_BYTES = (25_000_000, 100_000_000)
"""Two sizes of each input: the peak memory must be the same for both."""
TEXT_BYTES = (75_000_000, 300_000_000)
PEER_TEXT_BYTES = 30_000_000
"""The trace processor reads text at about 10 MB/s: a smaller piece tells its rate."""


def perf(cache: Path, decoder: Path, rounds: int) -> None:
    """`perf script` and our reader on perf.data files of two sizes."""
    peer = shutil.which("perf")
    if peer is None:
        print("perf.data          perf is not installed: not measured")
        return
    try:
        files = [recorded(cache / f"sched.{size // 1_000_000}MB.perf.data", peer, size) for size in PERF_BYTES]
    except Failed as why:
        print(f"perf.data          {why}: not measured")
        return
    large = files[-1]
    runs = turns(
        rounds,
        {
            "perf script": lambda: [peer, "script", "--force", "-i", str(large)],
            "ours": lambda: [str(decoder), str(large)],
        },
    )
    small = [measure([str(decoder), str(files[0])]) for _ in range(rounds)]
    ratio = [theirs.cpu_s / ours.cpu_s for theirs, ours in zip(runs["perf script"], runs["ours"], strict=True)]
    rate = [large.stat().st_size / ours.cpu_s / MB for ours in runs["ours"]]
    print(
        f"perf script / perf.data reader  CPU time {spread(ratio, '{:.1f}')} x; {spread(rate, '{:.0f}')} MB per CPU s"
    )
    memory("perf.data reader", [file.stat().st_size for file in files], [small, runs["ours"]])


def text(cache: Path, decoder: Path, rounds: int, recording: Path) -> None:
    """Our reader on event text of two sizes, and the trace processor on a piece of it."""
    files = [cache / f"report.{size // 1_000_000}MB.txt" for size in TEXT_BYTES]
    if not all(file.exists() for file in files):
        written(files, recording)
    large = files[-1]
    ours = [measure([str(decoder), str(large)]) for _ in range(rounds)]
    small = [measure([str(decoder), str(files[0])]) for _ in range(rounds)]
    rates = [large.stat().st_size / usage.cpu_s / MB for usage in ours]
    print(f"text reader        {spread(rates, '{:.0f}')} MB per CPU s of {large.name}")
    memory("text reader", [file.stat().st_size for file in files], [small, ours])
    piece = cache / "report.piece.txt"
    cut(large, piece, PEER_TEXT_BYTES)
    peer = [measure([sys.executable, str(HERE / "once.py"), "processor", str(piece)]) for _ in range(rounds)]
    theirs = [PEER_TEXT_BYTES / usage.cpu_s / MB for usage in peer]
    ratio = statistics.median(rates) / statistics.median(theirs)
    print(
        f"text reader / trace processor's import of the same  {ratio:.0f} x ({spread(theirs, '{:.1f}')} MB per CPU s)"
    )


def turns(rounds: int, programs: dict[str, Callable[[], list[str]]]) -> dict[str, list[Usage]]:
    """Runs the programs in turn, so that a change of the machine's speed meets all alike."""
    runs: dict[str, list[Usage]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            runs[name].append(measure(command()))
    return runs


def memory(name: str, sizes: list[int], runs: list[list[Usage]]) -> None:
    """Peak memory at both sizes."""
    small, large = (statistics.median(usage.peak_bytes for usage in usages) / MB for usages in runs)
    print(
        f"{name}: peak memory {small:.0f} MB at {sizes[0] / MB:.0f} MB, {large:.0f} MB at {sizes[1] / MB:.0f} MB of input"
    )


def recorded(target: Path, peer: str, size: int) -> Path:
    """A perf.data file of at least `size` bytes of scheduler events, recorded here under load."""
    if target.exists():
        return target
    part = target.with_suffix(".part")
    command = [peer, "record", "-q", "-k", "CLOCK_MONOTONIC", "-e", "sched:*", "-a", "-m", "1024", "-o", str(part)]
    load = subprocess.Popen([sys.executable, str(HERE / "load.py")])
    recorder = subprocess.Popen([*command, "--", "sleep", "300"], stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 290
        while recorder.poll() is None and time.monotonic() < until:
            if part.exists() and part.stat().st_size >= size:
                break
            time.sleep(0.2)
    finally:
        if recorder.poll() is None:
            recorder.send_signal(signal.SIGINT)
        _, words = recorder.communicate()
        load.send_signal(signal.SIGTERM)
        load.wait()
    if not part.exists() or part.stat().st_size < size:
        part.unlink(missing_ok=True)
        last = words.decode(errors="replace").strip().splitlines()
        raise Failed(f"perf cannot record here ({last[-1] if last else 'no message'})")
    part.rename(target)
    return target


def written(files: list[Path], recording: Path) -> None:
    """The text of a recording as trace-cmd prints it, cut to the wanted sizes at the end of a line."""
    peer = shutil.which("trace-cmd")
    if peer is None:
        raise Failed("trace-cmd is needed to make the text")
    whole = files[-1].with_suffix(".part")
    with whole.open("wb") as out:
        report = subprocess.Popen([peer, "report", "-i", str(recording)], stdout=subprocess.PIPE)
        if report.stdout is None:
            raise Failed("trace-cmd gave no output")
        left = TEXT_BYTES[-1] + (1 << 20)
        while left > 0 and (piece := report.stdout.read(min(left, 1 << 20))):
            out.write(piece)
            left -= len(piece)
        report.kill()
        report.wait()
    for file, size in zip(files, TEXT_BYTES, strict=True):
        cut(whole, file, size)
    whole.unlink()


def cut(source: Path, target: Path, size: int) -> None:
    """The first `size` bytes of a text, less what is after the last whole line."""
    with source.open("rb") as text, target.open("wb") as out:
        left = min(size, os.fstat(text.fileno()).st_size)
        while left > 0:
            piece = text.read(min(left, 1 << 20))
            left -= len(piece)
            out.write(piece if left > 0 else piece[: piece.rfind(b"\n") + 1])

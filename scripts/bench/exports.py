"""Measures the export as a Perfetto trace, against reading the recording and against `trace-cmd report` writing text.

Also how fast the trace processor takes the same events from the export and from text.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Failed, Usage, measure, spread

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
MB = 1e6
TEXT_BYTES = 30_000_000
"""The trace processor reads text at about 10 MB/s: a smaller piece tells its rate."""
LINE = re.compile(rb"^(.*?\[\d{3,}\])(?: +\S{4,5})? +(\d+\.\d+): (.*)$")


def exports(path: Path, bundle: Path, manifest: dict[str, Any], scratch: Path, rounds: int, decoder: Path) -> None:
    """All lines about the export of `path`, whose events are in `bundle`."""
    trace = scratch / "trace.pftrace"
    columns = scratch / "columns-again"
    peer = shutil.which("trace-cmd")
    once = [sys.executable, str(HERE / "once.py"), "export", str(bundle), str(trace)]
    programs: dict[str, Callable[[], list[str]]] = {
        "events": lambda: [*once, "events"],
        "events and tracks": lambda: once,
        "decode": lambda: [str(decoder), str(path), str(_empty(columns))],
    }
    if peer:
        programs["trace-cmd report"] = lambda: [peer, "report", "-i", str(path)]
    start = measure([sys.executable, "-c", "import numalens_native"]).cpu_s
    runs: dict[str, list[Usage]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            runs[name].append(measure(command()))
    events = sum(entry.get("events") or 0 for entry in manifest["inputs"])
    size = trace.stat().st_size
    took = {
        name: [usage.cpu_s - (start if name.startswith("events") else 0) for usage in runs[name]] for name in programs
    }
    for name in ("events", "events and tracks"):
        rate = spread([events / s / 1e6 for s in took[name]])
        peak = spread([usage.peak_bytes / MB for usage in runs[name]], "{:.0f}")
        print(f"export, {name:<17} {rate} M events per CPU s, {size / MB:.0f} MB, peak {peak} MB")
    tracks = [both - alone for both, alone in zip(took["events and tracks"], took["events"], strict=True)]
    print(f"export, tracks alone      {spread([1000 * s for s in tracks], '{:.0f}')} CPU ms")
    for name in ("decode", "trace-cmd report"):
        if name in took:
            ratio = [theirs / ours for theirs, ours in zip(took[name], took["events"], strict=True)]
            print(f"{name + ' / export of events':<34} CPU time {spread(ratio, '{:.1f}')} x")
    shutil.rmtree(columns, ignore_errors=True)
    if peer:
        loads(path, trace, events, scratch, rounds, peer)
    trace.unlink()


def loads(path: Path, trace: Path, events: int, scratch: Path, rounds: int, peer: str) -> None:
    """The trace processor's rate on the export and on a piece of the same events as text."""
    text = scratch / "piece.trace.txt"
    lines = tracefs_text(path, text, peer)
    load = [sys.executable, str(HERE / "once.py"), "processor"]
    start = [sys.executable, "-c", "from numalens.perfetto.engine import Engine; Engine().close()"]
    of_trace, of_text = [], []
    for _ in range(rounds):
        idle = measure(start).cpu_s
        of_trace.append(events / (measure([*load, str(trace)]).cpu_s - idle))
        of_text.append(lines / (measure([*load, str(text)]).cpu_s - idle))
    ratio = [ours / theirs for ours, theirs in zip(of_trace, of_text, strict=True)]
    rate = spread([rate / 1e6 for rate in of_trace])
    print(
        f"trace processor's load: export / text of the same events  {spread(ratio, '{:.1f}')} x ({rate} M events per CPU s)"
    )
    text.unlink()


def tracefs_text(path: Path, out: Path, peer: str) -> int:
    """The first events of a recording as text that the trace processor takes times from; gives their number.

    trace-cmd leaves the column of flags out, and the trace processor of version 52 then takes digits of the time for it.
    """
    report = subprocess.Popen([peer, "report", "-N", "-i", str(path)], stdout=subprocess.PIPE)
    if report.stdout is None:
        raise Failed("trace-cmd gave no output")
    lines = written = 0
    with out.open("wb") as file:
        file.write(b"# tracer: nop\n#\n")
        for line in report.stdout:
            if found := LINE.match(line.rstrip()):
                written += file.write(b"%s ..... %s: %s\n" % found.groups())
                lines += 1
            if written > TEXT_BYTES:
                break
    report.kill()
    report.wait()
    if not lines:
        raise Failed("trace-cmd printed no events")
    return lines


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder

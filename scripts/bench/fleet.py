"""Measures a question over a thousand summaries, against a plain loop over the same files by pyarrow, and over many merged ones."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from fleet_once import QUESTIONS
from measure import Failed, Usage, measure, spread

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDINGS = (
    ("samples/cling-2x4-heavy",),
    ("samples/fixtures/cling-2x4-small.v7-zstd.dat", "samples/cling-2x4-heavy/lscpu-p.txt"),
    ("samples/fixtures/tc-small.v7-zstd.dat",),
)
COUNT = 1000
TIMES = 100
"""How often each of them is there in the fleet of many: as another analysis, by another name of the same file."""
MB = 1e6


def fleet(scratch: Path, rounds: int) -> None:
    """All lines about the fleet: the same question by DuckDB, as the service asks it, and by a loop."""
    folder = made(scratch / "fleet")
    ours = [sys.executable, str(HERE / "fleet_once.py"), "service", str(folder)]
    peer = [sys.executable, str(HERE / "fleet_once.py"), "loop", str(folder)]
    answers = [subprocess.run(command, capture_output=True, check=True).stdout for command in (ours, peer)]
    if answers[0] != answers[1]:
        raise Failed("the service and the loop answer the question differently")
    # Starting Python and loading the libraries is not part of a query.
    starts = [measure([*command[:-2], f"{command[-2]}-idle", str(folder)]).cpu_s for command in (ours, peer)]
    runs: dict[str, list[Usage]] = {"service": [], "loop": []}
    for _ in range(rounds):
        runs["service"].append(measure(ours))
        runs["loop"].append(measure(peer))
    took = {
        name: [usage.cpu_s - start for usage in usages]
        for (name, usages), start in zip(runs.items(), starts, strict=True)
    }
    size = sum(path.stat().st_size for path in folder.glob("*/*.parquet"))
    peak = spread([usage.peak_bytes / MB for usage in runs["service"]], "{:.0f}")
    print(
        f"fleet              {COUNT:,} summaries, {size / MB:.1f} MB: {spread(took['service'])} CPU s, peak {peak} MB"
    )
    cpu = [theirs / mine for theirs, mine in zip(took["loop"], took["service"], strict=True)]
    memory = [theirs.peak_bytes / mine.peak_bytes for theirs, mine in zip(runs["loop"], runs["service"], strict=True)]
    print(f"pyarrow loop / fleet  CPU time {spread(cpu, '{:.1f}')} x, peak memory {spread(memory, '{:.1f}')} x")
    many(folder)
    shutil.rmtree(folder)


def many(folder: Path) -> None:
    """The lines about a hundred thousand summaries: merging them, once, and each question in a process of its own."""
    catalog = json.loads((folder / "catalog.json").read_text())
    analyses = catalog["analysis"]
    for analysis in analyses:
        (summary,) = (folder / analysis).glob("*.parquet")
        for number in range(1, TIMES):
            place = folder / f"{analysis}-{number:02d}"
            place.mkdir()
            os.link(summary, place / summary.name)
    more = {name: cells * TIMES for name, cells in catalog.items()}
    more["analysis"] = analyses + [f"{analysis}-{number:02d}" for number in range(1, TIMES) for analysis in analyses]
    (folder / "catalog.json").write_text(json.dumps(more))
    once = [sys.executable, str(HERE / "fleet_once.py")]
    usage = measure([*once, "merge", str(folder)])
    size = sum(path.stat().st_size for path in (folder / "merged").iterdir())
    print(f"fleet, merging     {COUNT * TIMES:,} summaries, once: {usage.cpu_s:.1f} CPU s; {size / MB:.0f} MB")
    for question in QUESTIONS:
        usage = measure([*once, question, str(folder)])
        print(
            f"fleet, {question:10}  {COUNT * TIMES:,} summaries: {usage.wall_s:.1f} s, {usage.cpu_s:.1f} CPU s (at most 5),"
            f" peak {usage.peak_bytes / MB:.0f} MB (at most 1,000)",
            flush=True,
        )


def made(folder: Path) -> Path:
    """A folder with summaries made up of those of the samples."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    numalens = Path(sys.executable).with_name("numalens")
    sources = []
    for place, files in enumerate(RECORDINGS):
        bundle = folder / f"source-{place}"
        paths = [str(ROOT / file) for file in files]
        subprocess.run([str(numalens), "analyze", *paths, "-o", str(bundle)], capture_output=True, check=True)
        subprocess.run([sys.executable, "-m", "numalens.fleet.make", str(bundle)], check=True)
        sources.append(next(bundle.glob("summary-*.parquet")))
    command = [sys.executable, "-m", "tests.made_fleet", str(folder), *map(str, sources), "--count", str(COUNT)]
    subprocess.run(command, cwd=ROOT / "backend", check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "backend")})
    for place in range(len(RECORDINGS)):
        shutil.rmtree(folder / f"source-{place}")
    if len(json.loads((folder / "catalog.json").read_text())["analysis"]) != COUNT:
        raise Failed("the fleet was not made")
    return folder

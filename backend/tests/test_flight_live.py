"""A flight recorder on this machine; skipped with a reason where recording is not permitted."""

import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from numalens.flight.triggers import wakeup_refusal
from numalens.recorder.bundle import bundle_name
from numalens.recorder.cgroups import mounts
from tests.test_recorder_live import instances, tracing  # noqa: F401  (a fixture)
from tests.until import until

NUMALENS = [sys.executable, "-m", "numalens"]
FLIGHT = ["record", "--flight", "--psi", "off", "--seconds", "3", "--after", "0.2"]

# A real-time task that never lets go of the CPU that another one is bound to.
STALL = """
import os, signal, sys, time
cpu = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
runs, says = os.pipe()
victim = os.fork()
if not victim:
    open("/proc/self/comm", "w").write("victim")
    os.write(says, b".")
    while True:
        time.sleep(0.01)
os.read(runs, 1)
open("/proc/self/comm", "w").write("hog")
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    end = time.monotonic() + 0.7
    while time.monotonic() < end:
        pass
    # Seen as what it is when it leaves the CPU.
    time.sleep(0.01)
finally:
    os.kill(victim, signal.SIGKILL)
"""


@contextmanager
def recorder(out: Path, *options: object) -> Iterator[subprocess.Popen[str]]:
    """A running one, which has begun; ended by SIGTERM unless it has ended."""
    command = [*NUMALENS, *FLIGHT, "--out", out, *options]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(list(map(str, command)), **pipes) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line.startswith("flight recorder"), line + process.stderr.read()
            yield process
        finally:
            process.terminate()
            process.wait(60)


def snap(process: subprocess.Popen[str]) -> Path:
    """The path that `numalens snap` prints, which the recorder prints, too."""
    done = subprocess.run(
        [*NUMALENS, "snap", "--pid", str(process.pid)], capture_output=True, text=True, check=True, timeout=120
    )
    path = done.stdout.strip()
    assert process.stdout is not None
    assert process.stdout.readline().strip() == path
    return Path(path)


def description(bundle: Path) -> dict[str, Any]:
    with tarfile.open(bundle) as archive:
        member = next(one for one in archive.getmembers() if one.name.endswith("/record.json"))
        reader = archive.extractfile(member)
        assert reader is not None
        found: dict[str, Any] = json.loads(reader.read())
        return found


def report(bundle: Path) -> dict[str, Any]:
    done = subprocess.run(
        [*NUMALENS, "analyze", str(bundle), "--json", "-"], capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_a_stall_is_caught_with_its_cause(tmp_path: Path) -> None:
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except OSError as error:
        pytest.skip(f"real-time tasks are not permitted here: {error}")
    with recorder(tmp_path) as process:
        subprocess.run([sys.executable, "-c", STALL], check=True, timeout=120)
        bundle = snap(process)
    found = report(bundle)
    # What the ring has from before is not called a loss.
    assert found["inputs"][0]["lost_events"] == 0
    begin, end = found["window_ns"]
    assert end - begin < 5_000_000_000
    # Other work on this machine may keep the other CPUs busy, too: which cause is the first depends on it.
    latency = found["latency"]
    rows = [row for part in (latency, latency["preempted"]) for row in part["worst"]]
    behind = [other for row in rows for other in row["antagonists"] if other["comm"] == "hog"]
    assert max(other["ns"] for other in behind) >= 200_000_000
    # The samples of the same time lie next to it, and no others.
    described = description(bundle)
    assert described["flight"]["trigger"] == "numalens snap"
    with tarfile.open(bundle) as archive:
        archive.extractall(tmp_path / "all", filter="data")
    lines = (tmp_path / "all" / bundle.name.removesuffix(".tar.gz") / "vmstat.jsonl").read_text().splitlines()
    stamps = [json.loads(line)["mono_ns"] for line in lines]
    assert described["begin"]["mono_ns"] - 2_000_000_000 < stamps[0] <= stamps[-1] <= described["end"]["mono_ns"]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_it_arms_again_and_the_oldest_bundles_go(tmp_path: Path) -> None:
    with recorder(tmp_path, "--keep", 2) as process:
        first, second = snap(process), snap(process)
        process.send_signal(signal.SIGUSR1)
        assert process.stdout is not None
        third = Path(process.stdout.readline().strip())
        until(lambda: not first.exists())
        process.terminate()
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert f"deleted {first.name}" in process.stderr.read()
    assert sorted(path for path in tmp_path.iterdir() if path.is_file()) == sorted([second, third])
    assert description(third)["flight"]["trigger"] == "SIGUSR1"
    assert [path for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
    assert report(third)["inputs"][0]["events"] > 0


@pytest.mark.usefixtures("tracing")
def test_a_command_that_fails_is_a_trigger(tmp_path: Path) -> None:
    command = [*NUMALENS, *FLIGHT, "--out", str(tmp_path), "--"]
    failing = subprocess.run(
        [*command, "sh", "-c", "sleep 0.3; exit 3"], capture_output=True, text=True, check=True, timeout=120
    )
    assert description(Path(failing.stdout.strip()))["flight"]["trigger"] == "the command's end with status 3"
    fine = subprocess.run([*command, "true"], capture_output=True, text=True, check=True, timeout=120)
    assert fine.stdout == ""
    always = [*command[:-1], "--on-exit", "always", "--", "true"]
    assert subprocess.run(always, capture_output=True, text=True, check=True, timeout=120).stdout != ""


@pytest.mark.exhaustive
def test_slow_wakeups_are_watched_or_refused(tmp_path: Path, tracing: Path) -> None:  # noqa: F811
    refusal = wakeup_refusal(tracing)
    if refusal is None:
        with recorder(tmp_path, "--wakeup", 1000):
            assert "numalens_wakeup_" in (tracing / "synthetic_events").read_text()
        assert "numalens_wakeup_" not in (tracing / "synthetic_events").read_text()
        return
    command = [*NUMALENS, *FLIGHT, "--out", str(tmp_path), "--wakeup", "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert done.stderr == f"numalens: {refusal}\n"
    assert list(tmp_path.iterdir()) == []


HOSTILE = os.fsdecode(b"numalens-\xff\x1b[2J")


@pytest.fixture
def hostile_cgroup() -> Iterator[Path | None]:
    """A cgroup whose name is not UTF-8; None where cgroups cannot be made."""
    places = mounts(Path("/proc/self/mountinfo").read_text())
    place = places.unified or places.cpu
    group = None if place is None else place / HOSTILE
    if group is not None:
        try:
            group.mkdir(exist_ok=True)
        except OSError:
            group = None
    yield group
    if group is not None:
        group.rmdir()


@pytest.mark.usefixtures("tracing")
def test_names_and_links_of_others_stop_nothing(tmp_path: Path, hostile_cgroup: Path | None) -> None:
    host = bundle_name(os.uname().nodename, 0).rsplit("-", 2)[0]
    for name in ("00000101-000000", "99991231-235959"):
        (tmp_path / f"{host}-{name}-flight.tar.gz").symlink_to(tmp_path / "nowhere")
    with recorder(tmp_path, "--keep", 1) as process:
        first, second = snap(process), snap(process)
        assert process.poll() is None
        until(lambda: not first.exists())
    with tarfile.open(second) as archive:
        archive.extractall(tmp_path / "all", filter="data")
    (inside,) = (tmp_path / "all").iterdir()
    samples = [json.loads(line) for line in (inside / "cgroup.jsonl").read_text().splitlines()]
    assert len(samples) >= 2
    if hostile_cgroup is not None:
        assert any("numalens-\N{REPLACEMENT CHARACTER}\x1b[2J/" in path for path in samples[-1]["files"])
    assert report(second)["inputs"][0]["events"] > 0


@pytest.mark.exhaustive
def test_a_killed_one_leaves_nothing(tmp_path: Path, tracing: Path) -> None:  # noqa: F811
    before = instances(tracing)
    with recorder(tmp_path) as process:
        assert instances(tracing) != before
        process.kill()
        process.wait()
        until(lambda: instances(tracing) == before and list(tmp_path.iterdir()) == [])


def test_nobody_is_there_to_snap() -> None:
    done = subprocess.run([*NUMALENS, "snap", "--pid", "1"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert (
        done.stderr == "numalens: process 1 is not a flight recorder here; start one with `numalens record --flight`\n"
    )

"""Real recordings of this machine; skipped with a reason where recording is not permitted."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numalens_native
import pytest

from numalens.recorder.tracefs import CannotRecordError, open_tracefs
from tests.recordings import put

COMMAND = [sys.executable, "-m", "numalens", "record"]


def instances(root: Path) -> set[str]:
    """Names of the instances, without those of other recorders that run on this machine."""
    own = f"PYTEST_CURRENT_TEST={os.environ['PYTEST_CURRENT_TEST'].split('::')[0]}::".encode()

    def other(name: str) -> bool:
        pid = re.search(r"numalens-(?:test-)?(\d+)", name)
        try:
            return pid is None or own not in Path(f"/proc/{pid[1]}/environ").read_bytes()
        except OSError:
            return False

    return {path.name for path in (root / "instances").iterdir() if not other(path.name)}


@pytest.fixture
def tracing() -> Iterator[Path]:
    """The tracing files; nothing of ours may be left in them after a test."""
    if os.geteuid() != 0:
        pytest.skip("recording needs root")
    try:
        tracefs = open_tracefs()
        probe = tracefs.root / "instances" / f"numalens-test-{os.getpid()}"
        probe.mkdir()
        probe.rmdir()
    except (CannotRecordError, OSError) as error:
        pytest.skip(f"recording is not permitted here: {error}")
    before = instances(tracefs.root)
    yield tracefs.root
    left = instances(tracefs.root) - before
    tracefs.unmount()
    assert left == set()


def record(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == status, ended.stderr
    return ended


def opened(ended: subprocess.CompletedProcess[str], folder: Path) -> tuple[Path, dict[str, Any]]:
    """Unpacks the bundle whose path was printed; returns its folder and its description."""
    path = Path(ended.stdout.strip())
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    inside = folder / path.name.removesuffix(".tar.gz")
    description: dict[str, Any] = json.loads((inside / "record.json").read_text())
    return inside, description


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.usefixtures("tracing")
def test_one_second_of_this_machine(tmp_path: Path) -> None:
    ended = record("--out", tmp_path / "new" / "folder", "--via", "tracefs", "--duration", 1)
    inside, description = opened(ended, tmp_path)
    manifest = json.loads(
        numalens_native.ingest(
            [(name, str(inside / name)) for name in ("trace.dat", "topology.txt")], str(tmp_path / "bundle")
        )
    )
    counts = manifest["event_counts"]
    # What the kernel counted, what the reader finds, and what users were shown are the same number.
    assert sum(counts.values()) == description["recorded_events"] > 0
    assert f"{description['recorded_events']:,} events" in ended.stderr
    assert counts["sched_switch"] > 0
    assert manifest["inputs"][0]["clock"] == "mono"
    assert manifest["topology"]["source"] == "sidecar"
    begin, end = description["begin"]["mono_ns"], description["end"]["mono_ns"]
    assert begin - 1_000_000_000 < manifest["origin_ns"] < manifest["end_ns"] < end
    assert end - begin > 900_000_000
    assert description["via"] == "tracefs"
    assert description["command"] is None
    # Every sample is in the trace.
    samples = lines(inside / "vmstat.jsonl")
    assert counts["print"] > samples[-1]["idx"] >= 2
    assert samples[0]["vmstat"].startswith("nr_free_pages")
    if description["psi"]:
        pressure = lines(inside / "psi.jsonl")
        assert [line["idx"] for line in pressure] == list(range(counts["print"]))
        assert all(line["cpu"].startswith("some avg10=") for line in pressure)
    assert lines(inside / "cgroup.jsonl")[0]["files"]
    assert (inside / "uname.txt").read_text().startswith("Linux ")
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == [Path(ended.stdout.strip()).name]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_as_long_as_the_command_runs(tmp_path: Path) -> None:
    ended = record("--out", tmp_path, "--light", "--via", "tracefs", "--", "sh", "-c", "echo said --light; exit 7")
    inside, description = opened(ended, tmp_path)
    assert description["command"] == {"arguments": ["sh", "-c", "echo said --light; exit 7"], "status": 7}
    assert "the command ended with status 7" in ended.stderr
    assert "said --light" in ended.stderr
    assert len(ended.stdout.splitlines()) == 1
    assert description["light"]
    assert not any(name.startswith("irq:") for name in description["events"])
    assert not (inside / "tasks.jsonl").exists()


# Begins after the first sample and ends before the last one.
BOUND = """
import os, threading, time
time.sleep(1.5)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
thread = threading.Thread(target=time.sleep, args=(3,))
thread.start()
thread.join()
"""


@pytest.mark.exhaustive
def test_where_threads_may_run(tmp_path: Path, tracing: Path) -> None:
    ended = record("--out", tmp_path, "--via", "tracefs", "--", sys.executable, "-c", BOUND)
    inside, description = opened(ended, tmp_path)
    samples = [line for line in lines(inside / "tasks.jsonl") if "cpus_allowed" in line]
    assert {1, os.getpid()} <= {line["pid"] for line in samples if line["idx"] == 0}
    assert all(line["stat"].startswith(f"{line['tid']} ({line['comm']}) ") for line in samples)
    own = str(min(os.sched_getaffinity(0)))
    between = [line for line in samples if 0 < line["idx"] < samples[-1]["idx"] and line["pid"] != line["tid"]]
    assert any(line["cpus_allowed"] == own for line in between if line["comm"].startswith("python"))
    # The lines without `sched` do not change what the file is recognised as.
    assert numalens_native.sniff(str(inside / "tasks.jsonl"), "tasks.jsonl") == "proc-sched"
    event = "syscalls:sys_enter_sched_setaffinity"
    if (tracing / "events" / event.replace(":", "/")).exists():
        manifest = json.loads(
            numalens_native.ingest([("trace.dat", str(inside / "trace.dat"))], str(tmp_path / "bundle"))
        )
        assert manifest["event_counts"]["sys_enter_sched_setaffinity"] >= 1
        assert manifest["event_counts"]["sys_exit_sched_setaffinity"] >= 1
    else:
        assert event in description["missing_events"]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_the_duration_ends_a_longer_command(tmp_path: Path) -> None:
    ended = record("--out", tmp_path, "--via", "tracefs", "--duration", 0.5, "sleep", "60")
    assert "the command was stopped with the recording" in ended.stderr
    assert "signal 15" in ended.stderr


def until_tracing(tracing: Path, pid: int) -> Path:
    """The instance of a recorder, when it is on."""
    instance = tracing / "instances" / f"numalens-{pid}"
    end = time.monotonic() + 60
    while not (instance / "tracing_on").exists() or (instance / "tracing_on").read_text().strip() != "1":
        assert time.monotonic() < end
        time.sleep(0.02)
    return instance


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_the_bundle(tmp_path: Path, tracing: Path, number: int) -> None:
    command = [*COMMAND, "--out", str(tmp_path), "--via", "tracefs", "--duration", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        until_tracing(tracing, running.pid)
        running.send_signal(number)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert Path(out.strip()).exists()


@pytest.mark.exhaustive
def test_killed_it_leaves_nothing(tmp_path: Path, tracing: Path) -> None:
    before = instances(tracing)
    with subprocess.Popen([*COMMAND, "--out", str(tmp_path), "--via", "tracefs", "--duration", "600"]) as running:
        own = until_tracing(tracing, running.pid)
        running.kill()
    end = time.monotonic() + 60
    while (own.exists() or list(tmp_path.iterdir())) and time.monotonic() < end:
        time.sleep(0.05)
    assert instances(tracing) == before
    assert list(tmp_path.iterdir()) == []


def test_the_owner_of_the_folder_leads_root_nowhere(tmp_path: Path, tracing: Path) -> None:
    out, others = tmp_path / "out", tmp_path / "others"
    put(others, {"side/record.json": "theirs"})
    command = [*COMMAND, "--out", str(out), "--via", "tracefs", "--duration", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        until_tracing(tracing, running.pid)
        (spool,) = out.iterdir()
        moved = spool.rename(out / "moved")
        spool.symlink_to(others)
        running.send_signal(signal.SIGTERM)
        printed, _ = running.communicate(timeout=60)
    assert (others / "side" / "record.json").read_text() == "theirs"
    assert [path.name for path in others.iterdir()] == ["side"]
    with tarfile.open(Path(printed.strip())) as archive:
        assert any(name.endswith("/record.json") for name in archive.getnames())
    assert list(moved.iterdir()) == []


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_lost_events_are_reported(tmp_path: Path) -> None:
    # A thousand markers at once, far more than the smallest buffer holds between two visits of the reader.
    load = "import os\nfor i in range(200000): os.sched_yield()"
    ended = record(
        "--out",
        tmp_path,
        "--via",
        "tracefs",
        "--buffer-kb",
        64,
        "--events",
        "raw_syscalls:*",
        "--",
        sys.executable,
        "-c",
        load,
    )
    _, description = opened(ended, tmp_path)
    if description["lost_events"] == 0:
        pytest.skip("this machine reads faster than the load writes")
    assert f"the kernel lost {description['lost_events']:,} events" in ended.stderr


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_it_stops_at_the_size_that_is_allowed(tmp_path: Path) -> None:
    load = "import os\nwhile True: os.sched_yield()"
    ended = record(
        "--out",
        tmp_path,
        "--via",
        "tracefs",
        "--max-mb",
        1,
        "--events",
        "raw_syscalls:*",
        "--",
        sys.executable,
        "-c",
        load,
    )
    assert "stopped early: the trace has reached 1 MB" in ended.stderr


@pytest.mark.exhaustive
@pytest.mark.usefixtures("tracing")
def test_trace_cmd_is_used_only_where_it_works(tmp_path: Path) -> None:
    """Both ways give a bundle; a trace-cmd that fails is said to."""
    if shutil.which("trace-cmd") is None:
        pytest.skip("trace-cmd is not installed")
    ended = record("--out", tmp_path, "--duration", 1)
    _, description = opened(ended, tmp_path)
    if description["via"] == "tracefs":
        assert "trace-cmd does not work here (" in ended.stderr
        refused = record("--out", tmp_path, "--via", "trace-cmd", "--duration", 1, status=1)
        assert "leave --via out" in refused.stderr
        assert refused.stdout == ""


@pytest.mark.usefixtures("tracing")
def test_no_trace_is_left_by_what_cannot_begin(tmp_path: Path) -> None:
    assert "nosuch" in record("--out", tmp_path, "--events", "nosuch", status=2).stderr
    assert "/nosuch/command" in record("--out", tmp_path, "--", "/nosuch/command", status=1).stderr
    assert list(tmp_path.iterdir()) == []


# Everything is imported before root's rights are given up: the interpreter may lie in a folder of root's.
NOBODY = """
import os, sys
from pathlib import Path
from numalens.recorder.session import Request
from numalens.recorder.session import record
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
record(Request(Path(sys.argv[1])), print)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_without_root_it_refuses_in_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-c", NOBODY, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    sentence = "recording needs root, since the kernel's tracing files are root's; run it with sudo"
    assert ended.stderr.endswith(f"CannotRecordError: {sentence}\n")
    assert ended.stdout == ""


def test_wrong_usage_is_two(tmp_path: Path) -> None:
    for arguments in (
        ["--duration", "0"],
        ["--duration", "nan"],
        ["--via", "perf"],
        ["--buffer-kb", "1"],
        ["--max-mb", "0"],
    ):
        record("--out", tmp_path, *arguments, status=2)
    assert list(tmp_path.iterdir()) == []

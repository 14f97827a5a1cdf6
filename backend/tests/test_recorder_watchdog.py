"""The watchdog: cleans up after a recorder that is gone, leaves everything alone after one that said goodbye."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from numalens.recorder.instance import Instance, sweep
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.watchdog import Guard, Spool, remove_instance, start_time
from tests.recordings import put

RECORDER = """
import sys, time
from pathlib import Path
from numalens.recorder.watchdog import Guard, Spool
spool = Spool(Path(sys.argv[2]))
(spool.path / "side").mkdir()
(spool.path / "cpu0.pages").write_bytes(b"pages")
guard = Guard(Path(sys.argv[1]), spool, None)
if len(sys.argv) > 3:
    guard.helper(int(sys.argv[3]))
print(guard.pid, flush=True)
time.sleep(60)
"""


def until(there: Callable[[], bool], seconds: float = 120) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if there():
            return True
        time.sleep(0.02)
    return there()


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """A folder that is removed as an instance is: by rmdir, when its files are gone."""
    folder = tmp_path / "instances" / "numalens-1"
    folder.mkdir(parents=True)
    return folder


def killed_recorder(*arguments: object, number: int = signal.SIGKILL) -> int:
    """Starts a process with a guard, kills it, returns the watchdog's number."""
    command = [sys.executable, "-c", RECORDER, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as recorder:
        assert recorder.stdout is not None
        watchdog = int(recorder.stdout.readline())
        recorder.send_signal(number)
    return watchdog


def test_a_killed_recorder_leaves_nothing(tmp_path: Path, instance: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    watchdog = killed_recorder(instance, out)
    assert until(lambda: not instance.exists() and not list(out.iterdir()))
    assert until(lambda: start_time(watchdog) is None or _defunct(watchdog))


def test_a_killed_recorder_leaves_no_probes(tmp_path: Path, instance: Path) -> None:
    put(tmp_path, {"dynamic_events": "", "events/numalens/task_numa_work/enable": "0\n"})
    killed_recorder(instance, tmp_path)
    assert until(lambda: (tmp_path / "dynamic_events").read_text() == "-:numalens/task_numa_work")


def test_tracing_is_switched_off_before_the_instance_goes(tmp_path: Path, instance: Path) -> None:
    # An ordinary folder with files cannot be removed by rmdir: what was written to them stays to be seen.
    (instance / "events").mkdir()
    (instance / "tracing_on").write_text("1")
    (instance / "events" / "enable").write_text("1")
    assert not remove_instance(instance, patience_s=0.1)
    assert (instance / "tracing_on").read_text() == "0"
    assert (instance / "events" / "enable").read_text() == "0"
    assert remove_instance(tmp_path / "never there")


def test_it_outlives_the_signals_that_end_a_recorder(tmp_path: Path, instance: Path) -> None:
    guard = Guard(instance, Spool(tmp_path), None)
    assert os.getsid(guard.pid) == guard.pid
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    assert until(lambda: all(ignores(guard.pid, number) for number in numbers))
    for number in numbers:
        os.kill(guard.pid, number)
    assert not _defunct(guard.pid)
    assert instance.exists()
    with guard:
        pass
    assert not instance.exists()


def test_after_done_it_touches_nothing(tmp_path: Path, instance: Path) -> None:
    spool = Spool(tmp_path)
    with Guard(instance, spool, None) as guard:
        guard.dismiss()
    assert instance.exists()
    assert Path(spool.name).exists()


def test_a_folder_that_is_exchanged_stays_what_it_was(tmp_path: Path) -> None:
    out, others = tmp_path / "out", tmp_path / "others"
    put(others, {"side/record.json": "theirs", "kept": "theirs"})
    out.mkdir()
    spool = Spool(out)
    (spool.path / "side").mkdir()
    moved = out / "moved"
    Path(spool.name).rename(moved)
    (out / Path(spool.name).name).symlink_to(others)
    (spool.path / "side" / "record.json").write_text("ours")
    assert (moved / "side" / "record.json").read_text() == "ours"
    spool.remove()
    assert list(moved.iterdir()) == []
    assert (others / "side" / "record.json").read_text() == (others / "kept").read_text() == "theirs"


def test_helpers_end_with_the_recorder(tmp_path: Path, instance: Path) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as helper:
        killed_recorder(instance, tmp_path, helper.pid)
        assert helper.wait(120) == -signal.SIGKILL
    assert until(lambda: not instance.exists())


def test_a_process_number_used_again_is_not_killed(tmp_path: Path, instance: Path) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        guard = Guard(instance, Spool(tmp_path), None)
        guard._tell(f"kill {other.pid} 1\n")
        with guard:
            pass
        assert not instance.exists()
        assert other.poll() is None
        other.kill()


def test_what_died_with_its_watchdog_is_swept(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name in (f"numalens-{gone.pid}", f"numalens-{os.getpid()}", "numalens-mine", "other"):
        (tmp_path / "instances" / name).mkdir(parents=True)
    sweep(tmp_path)
    assert {path.name for path in (tmp_path / "instances").iterdir()} == {
        f"numalens-{os.getpid()}",
        "numalens-mine",
        "other",
    }


def test_an_instance_of_another_recorder_is_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "instances" / "numalens-5"
    foreign.mkdir(parents=True)
    (foreign / "tracing_on").write_text("1")
    instance = Instance(tmp_path, 5)
    with pytest.raises(CannotRecordError):
        instance.create()
    assert instance.remove()
    assert (foreign / "tracing_on").read_text() == "1"


def ignores(pid: int, number: signal.Signals) -> bool:
    """Whether a process has said that it ignores a signal."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigIgn:")]
    return bool(int(line.split()[1], 16) & 1 << (number - 1))


def _defunct(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True

"""The way through trace-cmd, with a stand-in for trace-cmd that does what it is asked about."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from numalens.recorder.events import Event
from numalens.recorder.instance import Instance
from numalens.recorder.trace_cmd import TraceCmdTracer, probe
from numalens.recorder.tracers import Plan
from tests.until import until

OUT = 'while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done\n'
RECORDS = f"{OUT}trap 'echo data > \"$out\"; exit 0' INT\necho $$ > pid\nwhile :; do sleep 0.02; done\n"
WRITES_NOTHING = "trap 'echo cannot write; exit 1' INT\necho $$ > pid\nwhile :; do sleep 0.02; done\n"
EVENTS = (Event("sched", "sched_switch"), Event("workqueue", "workqueue_execute_start", ("function == psi_avgs_work",)))


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """A shell cannot trap what it was started with ignored, as jobs in the background of a script are."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    """A folder that looks like a tracing instance which somebody has switched on."""
    made = Instance(tmp_path, 77)
    for name, text in {
        "tracing_on": "1\n",
        "set_event": "sched:sched_switch\nworkqueue:workqueue_execute_start\n",
        "trace_clock": "",
        "buffer_size_kb": "",
        "trace_marker": "",
        "events/enable": "",
        "events/sched/sched_switch/enable": "",
        "events/workqueue/workqueue_execute_start/enable": "",
        "events/workqueue/workqueue_execute_start/filter": "",
        "per_cpu/cpu0/stats": "entries: 4\noverrun: 2\nread events: 6\n",
    }.items():
        (made.path / name).parent.mkdir(parents=True, exist_ok=True)
        (made.path / name).write_text(text)
    return made


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script that is called trace-cmd; tests write into it."""
    script = tmp_path / "bin" / "trace-cmd"
    script.parent.mkdir()
    script.touch()
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    return script


def tracer(instance: Instance, spool: Path, started: list[int]) -> TraceCmdTracer:
    return TraceCmdTracer(instance, Plan(EVENTS, 128, light=False, spool=spool), started.append)


def written(file: Path) -> bool:
    """Whether a line is there: the shell makes the file before it writes into it."""
    return file.exists() and file.read_text().endswith("\n")


def test_a_recording(instance: Instance, spool: Path, stand_in: Path) -> None:
    stand_in.write_text(f'#!/bin/sh\necho "$@" > args\n{RECORDS}')
    started: list[int] = []
    running = tracer(instance, spool, started)
    running.start()
    running.mark(b"psi_sample idx=0\n")
    until(lambda: written(spool / "pid"))
    assert started == [int((spool / "pid").read_text())]
    assert running.trouble() is None
    running.stop()
    running.close()
    (part,) = running.trace()
    assert part.path is not None
    assert part.path.read_text() == "data\n"
    assert (instance.path / "trace_marker").read_text() == "psi_sample idx=0\n"
    assert (spool / "args").read_text().split() == [
        *("record", "-B", "numalens-77", "-C", "mono", "-b", "128", "-e", "sched:sched_switch"),
        *("-e", "workqueue:workqueue_execute_start", "-f", "function", "==", "psi_avgs_work"),
        *("-o", "trace.dat"),
    ]
    (cpu,) = running.stats()
    assert (cpu.events, cpu.lost) == (10, 2)
    assert (instance.path / "tracing_on").read_text() == "0"


def test_it_ends_with_the_tracer(instance: Instance, spool: Path, stand_in: Path) -> None:
    stand_in.write_text(f"#!/bin/sh\n{RECORDS}")
    started: list[int] = []
    running = tracer(instance, spool, started)
    running.start()
    running.close()
    assert not Path(f"/proc/{started[0]}").exists()


def test_it_ended_early(instance: Instance, spool: Path, stand_in: Path) -> None:
    stand_in.write_text("#!/bin/sh\nsleep 0.2\necho no space on device\nexit 1\n")
    running = tracer(instance, spool, [])
    running.start()
    until(lambda: running.trouble() is not None)
    assert running.trouble() == "trace-cmd ended early: no space on device"
    running.close()


def test_no_file_and_no_start_are_said(instance: Instance, spool: Path, stand_in: Path) -> None:
    stand_in.write_text(f"#!/bin/sh\n{WRITES_NOTHING}")
    running = tracer(instance, spool, [])
    running.start()
    until(lambda: written(spool / "pid"))
    with pytest.raises(RuntimeError, match="trace-cmd wrote no file: cannot write"):
        running.stop()
    running.close()
    (instance.path / "tracing_on").write_text("0\n")
    stand_in.write_text("#!/bin/sh\necho no such event\nexit 2\n")
    running = tracer(instance, spool, [])
    with pytest.raises(RuntimeError, match="did not begin to record: no such event"):
        running.start()
    running.close()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo probe > probe.dat\n", None),
        ('echo trace-cmd: Operation not permitted\necho "  Can\'t enable ftrace" >&2\nexit 1\n', "Can't enable ftrace"),
        ("exit 3\n", "status 3"),
        ("exit 0\n", "status 0"),
    ],
)
def test_the_probe(
    instance: Instance, spool: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str | None
) -> None:
    monkeypatch.setattr(instance, "create", lambda: None)
    stand_in.write_text(f"#!/bin/sh\n{script}")
    found = probe(instance, spool, lambda _: None)
    assert (found is None) == (reason is None)
    assert reason is None or reason in str(found)
    assert list(spool.iterdir()) == []


def test_without_trace_cmd(instance: Instance, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(spool))
    assert probe(instance, spool, lambda _: None) == "it is not installed"

"""Probes of the recorder on a folder that stands for tracefs."""

import errno
import os
from pathlib import Path

import pytest

from numalens.recorder import probes
from numalens.recorder.events import Event
from numalens.recorder.probes import UnknownProbeError, functions, install, symbol
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.watchdog import append, remove_probes
from tests.small_files import put

SYMBOLS = """
ffffffff81000000 t __pfx_task_numa_work
ffffffff81000010 t task_numa_work.isra.0
ffffffff81000020 d task_numa_data
ffffffff81000030 T schedule
"""
NAMES = ("task_numa_work", "task_numa_work_ret")
KPROBES = (
    "p:numalens/task_numa_work task_numa_work.isra.0",
    "r256:numalens/task_numa_work_ret task_numa_work.isra.0",
)
FPROBES = (
    "f:numalens/task_numa_work task_numa_work.isra.0",
    "f:numalens/task_numa_work_ret task_numa_work.isra.0%return",
)


@pytest.fixture
def tracefs(tmp_path: Path) -> Path:
    put(tmp_path, {"dynamic_events": "", "events/sched/sched_switch/enable": "0\n"})
    return tmp_path


def lines(tracefs: Path, monkeypatch: pytest.MonkeyPatch, refused: str = "") -> list[str]:
    """What is written into `dynamic_events`, a kernel refusing lines that begin with `refused`."""
    written: list[str] = []

    def kernel(_: Path, line: str) -> None:
        if refused and line.startswith(tuple(refused)):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        written.append(line)

    monkeypatch.setattr(probes, "append", kernel)
    events = install(tracefs, ["task_numa_work"], SYMBOLS)
    assert events == tuple(Event("numalens", name) for name in NAMES)
    return written


def test_a_preset_is_functions_and_an_unknown_one_is_refused() -> None:
    assert functions(["numa", "numa"]) == ("task_numa_work",)
    with pytest.raises(UnknownProbeError, match="--probe nume is not known; there is numa"):
        functions(["nume"])


def test_functions_are_found_by_what_compilers_make_of_their_names() -> None:
    assert symbol("task_numa_work", SYMBOLS) == "task_numa_work.isra.0"
    assert symbol("schedule", SYMBOLS) == "schedule"
    assert symbol("task_numa_data", SYMBOLS) is None
    assert symbol("task_numa", SYMBOLS) is None


def test_entry_and_return_are_set_by_kprobes_or_else_by_fprobes(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuple(lines(tracefs, monkeypatch)) == KPROBES
    assert tuple(lines(tracefs, monkeypatch, refused="pr")) == FPROBES


def test_probes_that_another_recorder_has_set_are_used(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tracefs, {f"events/numalens/{name}/enable": "1\n" for name in NAMES})
    assert lines(tracefs, monkeypatch) == []


@pytest.mark.parametrize(
    ("refused", "symbols", "says"),
    [
        ("prf", SYMBOLS, "sets no probe on task_numa_work .Invalid argument.: CONFIG_KPROBE_EVENTS and CONFIG_FPROBE"),
        ("", "ffffffff81000030 T schedule", "has no function task_numa_work"),
    ],
)
def test_a_kernel_without_them_is_refused(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch, refused: str, symbols: str, says: str
) -> None:
    def kernel(_: Path, line: str) -> None:
        assert line.startswith(tuple(refused))
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(probes, "append", kernel)
    with pytest.raises(CannotRecordError, match=says):
        install(tracefs, ["task_numa_work"], symbols)


def test_a_kernel_without_the_file_is_refused(tracefs: Path) -> None:
    (tracefs / "dynamic_events").unlink()
    with pytest.raises(CannotRecordError, match="this kernel has no probes"):
        install(tracefs, ["task_numa_work"], SYMBOLS)
    remove_probes(tracefs)


@pytest.mark.parametrize("name", ["dynamic_events", "kprobe_events"])
def test_what_was_set_is_taken_away_and_nothing_else(tracefs: Path, name: str) -> None:
    file = tracefs / name
    (tracefs / "dynamic_events").rename(file)
    append(file, "p:theirs/probe schedule\n")
    put(tracefs, {f"events/numalens/{one}/enable": "0\n" for one in NAMES})
    put(tracefs, {"events/theirs/probe/enable": "1\n"})
    remove_probes(tracefs)
    before, _, removed = file.read_text().partition("\n")
    assert before == "p:theirs/probe schedule"
    assert sorted(part for part in removed.split("-:") if part) == [f"numalens/{one}" for one in NAMES]

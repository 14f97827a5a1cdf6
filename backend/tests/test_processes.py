"""The processes of threads, by each source that names them, and by nothing that only looks like it."""

import io
import json
import tarfile
from pathlib import Path

import numalens_native as native
import pytest
from pyarrow import ipc

from numalens.jobs.reading import read_inputs
from numalens.perfetto.rpc import bytes_field, number_field
from tests import perfetto_traces as traces
from tests import wprof_traces as wprof
from tests.exported import exported, read_back
from tests.perfetto_traces import Trace
from tests.recordings import FIXTURES
from tests.sql_helpers import section
from tests.test_perfetto_wprof import trace as wprof_trace
from tests.test_sched_ext import SWITCH

SCHED = "db ({0}, #threads: 2)\n-------------\nse.exec_start   :   10000.0\nprio            :   120\nnuma_pages_migrated : 0\n"

PERF = FIXTURES / "perf"


def read(folder: Path, *files: Path) -> native.Bundle:
    read_inputs([(file.name, str(file)) for file in files], folder / "bundle", folder / "scratch")
    return native.Bundle(str(folder / "bundle"))


def text(folder: Path, content: str, name: str = "trace.txt") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    return folder / name


def processes(bundle: native.Bundle) -> dict[int, int | None]:
    """By pid, as the page shows them."""
    return {one["pid"]: one["tgid"] for one in section(bundle, "threads")["threads"]}


def tasks(folder: Path) -> list[tuple[int, str, int | None]]:
    table = ipc.open_file(folder / "bundle" / "tasks.arrow").read_all().to_pylist()
    return [(row["pid"], row["comm"], row["tgid"]) for row in table if row["pid"] > 0]


def event(at: float, what: str, who: str = "<idle>-0", tgid: str = "") -> str:
    return f"{who} {tgid}[000] d..2. {at:.6f}: {what}\n"


def run(at: float, comm: str, pid: int, tgid: str = "") -> str:
    """A task runs for 1 ms."""
    return event(at, SWITCH.format("swapper/0", 0, "R", comm, pid), tgid="(-------) " if tgid else "") + event(
        at + 0.001, SWITCH.format(comm, pid, "S", "swapper/0", 0), f"{comm}-{pid}", tgid
    )


def newtask(at: float, who: str, pid: int, flags: int) -> str:
    return event(at, f"task_newtask: pid={pid} comm=db clone_flags={flags:x} oom_score_adj=0", who)


THREAD = 0x10000


def test_record_tgid_tells_processes_and_names_do_not(tmp_path: Path) -> None:
    """Two processes have threads of one name."""

    def lines(*, tgid: bool) -> str:
        threads = [(11, 10), (12, 10), (21, 20)]
        return "".join(run(10 + n, "db", tid, f"({of:5}) " if tgid else "") for n, (tid, of) in enumerate(threads))

    found = processes(read(tmp_path / "with", text(tmp_path / "with", lines(tgid=True))))
    assert found == {11: 10, 12: 10, 21: 20}
    found = processes(read(tmp_path / "without", text(tmp_path / "without", lines(tgid=False))))
    assert found == {11: None, 12: None, 21: None}


def test_forks_tell_threads_from_processes(tmp_path: Path) -> None:
    lines = (
        event(9.0, "sched_process_exec: filename=/bin/db pid=10 old_pid=10", "db-10")
        + run(9.1, "db", 10)
        + newtask(9.2, "db-10", 11, THREAD)
        + newtask(9.3, "db-10", 20, 0)
        + newtask(9.4, "db-20", 21, THREAD)
        + newtask(9.5, "cron-30", 31, THREAD)
        + "".join(run(10 + pid, "db", pid) for pid in (11, 20, 21, 31))
    )
    # What the parent of the last one is a thread of, nothing shows.
    assert processes(read(tmp_path, text(tmp_path, lines))) == {10: 10, 11: 10, 20: 20, 21: 20, 31: None}


def test_a_number_that_is_given_again_is_another_thread(tmp_path: Path) -> None:
    def found(between: str, comm: str) -> list[tuple[int, str, int | None]]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        lines = run(10.0, "db", 11, "(   10) ") + between + run(12.0, comm, 11)
        read(folder, text(folder, lines))
        return tasks(folder)

    ended = event(11.0, "sched_process_exit: comm=db pid=11 prio=120", "db-11")
    again = newtask(11.5, "cron-30", 11, 0)
    assert found(ended + again, "cron") == [(11, "db", 10), (11, "cron", 11)]
    assert found(again, "cron") == [(11, "db", 10), (11, "cron", 11)]
    # Nothing names the task after the exit; one whose name changes is still the same.
    assert found(ended, "cron") == [(11, "db", 10), (11, "cron", None)]
    assert found("", "db2") == [(11, "db", 10), (11, "db2", 10)]
    # Both under one name are one task here, of no process.
    assert found(ended + again, "db") == [(11, "db", None)]


LTTNG = "[{at:.9f}] box {event}: {{ cpu_id = 0 }}, {context}{{ {fields} }}\n"


def lttng_switch(at: float, tid: int, context: str) -> str:
    fields = 'prev_comm = "{}", prev_tid = {}, prev_prio = 20, prev_state = 1, next_comm = "{}", next_tid = {}, '
    fields += "next_prio = 20"
    of_idle = "{ tid = 0, pid = 0 }, " if context else ""
    return LTTNG.format(
        at=at, event="sched_switch", context=of_idle, fields=fields.format("swapper/0", 0, "db", tid)
    ) + LTTNG.format(
        at=at + 0.001, event="sched_switch", context=context, fields=fields.format("db", tid, "swapper/0", 0)
    )


def test_lttng_tells_them_by_contexts_and_by_its_statedump(tmp_path: Path) -> None:
    threads = [(11, 10), (21, 20)]
    contexts = "".join(lttng_switch(tid, tid, f"{{ tid = {tid}, pid = {pid} }}, ") for tid, pid in threads)
    assert processes(read(tmp_path / "a", text(tmp_path / "a", contexts))) == {11: 10, 21: 20}
    state = 'tid = 11, vtid = 1, pid = 10, vpid = 1, ppid = 1, name = "db", type = 0'
    plain = LTTNG.format(at=9, event="lttng_statedump_process_state", context="", fields=state) + "".join(
        lttng_switch(10 + tid, tid, "") for tid in (11, 21)
    )
    assert processes(read(tmp_path / "b", text(tmp_path / "b", plain))) == {11: 10, 21: None}


def test_perfetto_tells_them_by_its_process_tree(tmp_path: Path) -> None:
    path = tmp_path / "processes.pftrace"
    trace = Trace()
    switch: dict[str, int | str] = {"prev_prio": 120, "prev_state": 1, "next_prio": 120}
    events = []
    for n, tid in enumerate((10, 11, 21)):
        idle: dict[str, int | str] = {"prev_comm": "swapper/0", "prev_pid": 0, "next_comm": "db", "next_pid": tid}
        back: dict[str, int | str] = {"prev_comm": "db", "prev_pid": tid, "next_comm": "swapper/0", "next_pid": 0}
        events += [
            traces.Event(10**10 + n * 10**7, 0, 0, "sched_switch", {**switch, **idle}),
            traces.Event(10**10 + n * 10**7 + 10**6, 0, tid, "sched_switch", {**switch, **back}),
        ]
    traces.head(trace, "6.18.0", 10**10, 10**18)
    traces.bundles(trace, events)
    tree = bytes_field(1, number_field(1, 10) + number_field(2, 1) + bytes_field(3, b"db"))
    for tid in (10, 11):
        tree += bytes_field(2, number_field(1, tid) + bytes_field(2, b"db") + number_field(3, 10))
    trace.packet(bytes_field(2, tree))
    path.write_bytes(trace.encode())
    bundle = read(tmp_path, path)
    assert processes(bundle) == {10: 10, 11: 10, 21: None}
    # So does what it is exported to.
    again = tmp_path / "again"
    again.mkdir()
    assert processes(read_back(exported(tmp_path / "bundle").trace, again)) == {10: 10, 11: 10, 21: None}


def test_wprof_tells_them_and_its_made_up_processes_are_none(tmp_path: Path) -> None:
    made = wprof_trace()
    kthread = wprof.Task(77, 2_000_000_002, "kthread")
    made.switch(960_000, 0, wprof.idle(0), kthread, end={}, begin={})
    made.event(970_000, kthread, wprof.END, "ONCPU", None, {"cpu": 0, "switch_to": "swapper/0"})
    (tmp_path / "wprof.pb").write_bytes(made.encode())
    assert processes(read(tmp_path, tmp_path / "wprof.pb")) == {101: 100, 200: 200, 77: None}


def test_perf_tells_them_by_its_records(tmp_path: Path) -> None:
    found = processes(read(tmp_path, PERF / "perf-sched-all-file.data.zst"))
    known = {pid: tgid for pid, tgid in found.items() if tgid is not None}
    assert len(known) > len(found) // 2
    assert all(tgid in (known.get(tgid), None) or tgid not in found for tgid in known.values())


@pytest.mark.parametrize("saved", ["{0} 7\n{1} 7\n", ""])
def test_saved_tgids_of_tracefs_tell_them(tmp_path: Path, saved: str) -> None:
    copy = tmp_path / "pages.tar"
    with tarfile.open(FIXTURES / "pages.tar.gz") as old, tarfile.open(copy, "w") as new:
        for member in old.getmembers():
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
        pids = list(processes(read(tmp_path / "plain", FIXTURES / "pages.tar.gz")))[:2]
        content = saved.format(*pids).encode()
        info = tarfile.TarInfo("schedviz/saved_tgids")
        info.size = len(content)
        new.addfile(info, io.BytesIO(content))
    found = processes(read(tmp_path / "with", copy))
    expected = 7 if saved else None
    assert [found[pid] for pid in pids] == [expected] * 2
    assert {found[pid] for pid in found if pid not in (*pids, 7)} == {None}


def test_samples_tell_them(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    trace = text(folder, run(10.0, "db", 11) + run(10.1, "db", 10) + run(10.2, "db", 12))
    sample = {"idx": 0, "mono_ns": 10_010_000_000, "pid": 10, "tid": 11, "comm": "db", "sched": SCHED.format(11)}
    samples = text(folder, json.dumps(sample) + "\n", "tasks.jsonl")
    expected = {10: 10, 11: 10, 12: None}
    assert processes(read(folder, trace, samples)) == expected

"""What the recorder samples: pressure, counters, cgroups, threads, and when."""

import errno
import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from numalens.flight.memory import MemorySink
from numalens.recorder import tasks
from numalens.recorder.cgroups import ROUNDS_PER_WALK, Cgroups, Mounts, NumaGroups, Pressure, SchedExt, System, mounts
from numalens.recorder.sampler import Files, FileSink, Instant, Line, Sampler, Writer
from numalens.recorder.tasks import Tasks, Threads, parse_stat
from tests.recordings import put
from tests.until import until

AT = Instant(7, 100, 200, 300)
FIRST = Instant(0, 100, 200, 300, edge=True)


def test_pressure_is_verbatim(tmp_path: Path) -> None:
    put(tmp_path, {"cpu": "some avg10=0.00 total=1\n", "io": "some avg10=0.10 total=2\n"})
    pressure = Pressure(tmp_path)
    assert pressure
    put(tmp_path, {"cpu": "some avg10=0.00 total=12345\n"})
    assert list(pressure.take(AT)) == [{"cpu": "some avg10=0.00 total=12345\n", "io": "some avg10=0.10 total=2\n"}]
    pressure.close()
    assert not Pressure(tmp_path / "nowhere")


def test_vmstat_and_its_neighbours(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "proc/vmstat": "nr_free_pages 1\n",
            "proc/stat": "cpu  1 2\nintr 9 9 9\nctxt 5\n",
            "proc/loadavg": "0.1 0.2 0.3 1/2 3\n",
            "nodes/node0/vmstat": "numa_hit 1\n",
            "nodes/node10/vmstat": "numa_hit 3\n",
            "nodes/node2/vmstat": "numa_hit 2\n",
        },
    )
    (line,) = System(tmp_path / "proc", tmp_path / "nodes").take(AT)
    assert line["vmstat"] == "nr_free_pages 1\n"
    assert line["stat"] == "cpu  1 2\nctxt 5\n"
    assert line["schedstat"] == ""
    nodes = line["node_vmstat"]
    assert isinstance(nodes, dict)
    assert list(nodes.values()) == ["numa_hit 1\n", "numa_hit 2\n", "numa_hit 3\n"]
    (alone,) = System(tmp_path / "proc", tmp_path / "none").take(AT)
    assert "node_vmstat" not in alone


def test_cgroups_and_memberships(tmp_path: Path) -> None:
    group = "cg/a/b"
    put(
        tmp_path,
        {
            "cg/cpu.stat": "usage_usec 1\n",
            f"{group}/cpu.pressure": "some avg10=0.00 total=1\n",
            f"{group}/cgroup.threads": "7\n",
            "proc/7/cgroup": "0::/a/b\n",
        },
    )
    source = Cgroups(Mounts(tmp_path / "cg"), 10, tmp_path / "proc")
    (first,) = source.take(FIRST)
    assert first["files"] == {
        f"{tmp_path}/cg/cpu.stat": "usage_usec 1\n",
        f"{tmp_path}/{group}/cpu.pressure": "some avg10=0.00 total=1\n",
        f"{tmp_path}/{group}/cgroup.threads": "7\n",
        f"{tmp_path}/proc/7/cgroup": "0::/a/b\n",
    }
    ids = first["ids"]
    assert isinstance(ids, dict)
    assert ids[f"{tmp_path}/{group}"] == (tmp_path / group).stat().st_ino
    put(tmp_path, {"proc/8/cgroup": "0::/a\n"})
    (later,) = source.take(AT)
    assert isinstance(later["files"], dict)
    # Only what is new: the process that was there at the first sample is not read again.
    assert [path for path in later["files"] if path.startswith(f"{tmp_path}/proc")] == [f"{tmp_path}/proc/8/cgroup"]
    assert not source.notes


def test_limits_of_cgroups(tmp_path: Path) -> None:
    limits = {
        "cg/cpuset.cpus.effective": "0-7\n",
        "cg/cpuset.cpus.isolated": "6-7\n",
        "cg/a/cpu.max": "20000 100000\n",
        "cg/a/cpu.max.burst": "5000\n",
        "cg/a/cpu.idle": "1\n",
        "cg/a/cpu.weight": "100\n",
        "cg/a/cpuset.cpus.effective": "6-7\n",
        "cg/a/cpuset.cpus.partition": "isolated\n",
    }
    put(tmp_path, {**limits, "cg/a/pids.max": "max\n"})
    (line,) = Cgroups(Mounts(tmp_path / "cg"), 10, tmp_path / "proc").take(AT)
    assert line["files"] == {f"{tmp_path}/{name}": text for name, text in limits.items()}


def test_limits_of_cgroups_of_the_first_version(tmp_path: Path) -> None:
    limits = {
        "cpu/a/cpu.cfs_quota_us": "20000\n",
        "cpu/a/cpu.cfs_period_us": "100000\n",
        "cpu/a/cpu.shares": "1024\n",
        "cpu/a/cpu.stat": "nr_periods 5\nnr_throttled 2\nthrottled_time 12345\n",
        "cpuset/a/cpuset.cpus": "0-1\n",
        "cpuset/a/cpuset.effective_cpus": "0-1\n",
        "unified/cpu.stat": "usage_usec 1\n",
    }
    put(tmp_path, {**limits, "cpu/a/tasks": "7\n", "cpu/a/cpu.max": "20000 100000\n"})
    places = Mounts(tmp_path / "unified", tmp_path / "cpu", tmp_path / "cpuset")
    (line,) = Cgroups(places, 10, tmp_path / "proc").take(FIRST)
    assert line["files"] == {f"{tmp_path}/{name}": text for name, text in limits.items()}
    # The kernel numbers groups by hierarchy: a group of another one may have the number of one of these.
    assert line["ids"] == {f"{tmp_path}/unified": (tmp_path / "unified").stat().st_ino}


def test_a_cgroup_that_is_new_is_sampled_at_once(tmp_path: Path) -> None:
    put(tmp_path, {"cg/a/cpu.max": "max 100000\n"})
    source = Cgroups(Mounts(tmp_path / "cg"), 10, tmp_path / "proc")
    list(source.take(FIRST))
    (same,) = source.take(AT)
    assert "ids" not in same
    put(tmp_path, {"cg/a/new/cpu.max": "20000 100000\n"})
    (line,) = source.take(AT)
    assert isinstance(line["files"], dict)
    assert line["files"][f"{tmp_path}/cg/a/new/cpu.max"] == "20000 100000\n"
    assert isinstance(line["ids"], dict)
    assert f"{tmp_path}/cg/a/new" in line["ids"]
    # A controller that a group gets later is no other group; the next walk finds its files.
    put(tmp_path, {"cg/a/new/cpu.idle": "1\n"})
    later = [line["files"] for _ in range(ROUNDS_PER_WALK) for line in source.take(AT)]
    assert f"{tmp_path}/cg/a/new/cpu.idle" not in str(later[0])
    assert f"{tmp_path}/cg/a/new/cpu.idle" in str(later[-1])


def test_too_many_cgroups_are_cut_and_reported(tmp_path: Path) -> None:
    put(tmp_path, {f"cg/g{index}/cpu.stat": "usage_usec 1\n" for index in range(9)})
    source = Cgroups(Mounts(tmp_path / "cg"), 4, tmp_path / "proc")
    (line,) = source.take(FIRST)
    assert isinstance(line["files"], dict)
    assert len(line["files"]) == 3
    assert source.notes == {"only the 4 topmost cgroups were sampled"}


def test_numa_groups_where_the_kernel_has_them(tmp_path: Path) -> None:
    put(tmp_path, {"cg/a/cpu.numa_group": "disabled\n", "cg/cpu.stat": ""})
    source = NumaGroups([tmp_path / "cg"], 10)
    assert source
    (line,) = source.take(AT)
    groups = line["groups"]
    assert isinstance(groups, list)
    (group,) = groups
    assert group["text"] == "disabled\n"
    assert group["path"].endswith("a/cpu.numa_group")
    assert group["t0_ns"] <= group["t1_ns"]
    assert not NumaGroups([tmp_path / "none"], 10)


def test_state_and_counters_of_bpf_schedulers(tmp_path: Path) -> None:
    assert not SchedExt(tmp_path / "none")
    off = {"state": "disabled\n", "switch_all": "0\n", "nr_rejected": "0\n"}
    put(tmp_path, {**{f"scx/{name}": text for name, text in off.items()}, "scx/other": "1\n"})
    source = SchedExt(tmp_path / "scx")
    assert source
    (line,) = source.take(AT)
    assert line["files"] == {f"{tmp_path}/scx/{name}": text for name, text in off.items()}
    # A scheduler's directory comes with it and goes.
    on = {"state": "enabled\n", "root/ops": "hold\n", "root/events": "SCX_EV_BYPASS_ACTIVATE 1\n"}
    put(tmp_path, {f"scx/{name}": text for name, text in on.items()})
    (line,) = source.take(AT)
    assert isinstance(line["files"], dict)
    assert {f"{tmp_path}/scx/{name}": text for name, text in on.items()}.items() <= line["files"].items()


def test_where_cgroups_are_mounted() -> None:
    mountinfo = (
        "31 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
        "32 23 0:29 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
    )
    places = mounts(mountinfo)
    assert places.unified == Path("/sys/fs/cgroup/unified")
    assert places.v1 == (Path("/sys/fs/cgroup/cpu,cpuacct"), Path("/sys/fs/cgroup/cpuset"))
    assert mounts(mountinfo.replace("rw,cpuset", "rw,memory")).v1 == (Path("/sys/fs/cgroup/cpu,cpuacct"),)
    assert mounts("31 23 0:28 / /both rw - cgroup cgroup rw,cpuset,cpu\n").v1 == (Path("/both"),)
    assert mounts("") == Mounts()


def stat_line(pid: int, comm: str, ticks: int, threads: int) -> str:
    return f"{pid} ({comm}) S 1 1 1 0 -1 4194560 0 0 0 0 {ticks} 0 0 0 20 0 {threads} 0 100 0 0\n"


def test_the_busiest_processes_with_threads(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "5/stat": stat_line(5, "one thread", 900, 1),
            "6/stat": stat_line(6, "a) (b", 10, 2),
            "6/cgroup": "0::/\n",
            "6/numa_maps": "7f00 default\n",
            "6/task/6/stat": stat_line(6, "a) (b", 5, 2),
            "6/task/6/sched": "numa_preferred_nid : 1\n",
            "6/task/7/stat": stat_line(7, "a) (b", 5, 2),
        },
    )
    first, second = Tasks(numa_maps=True, proc=str(tmp_path)).take(FIRST)
    assert (first["pid"], first["tid"], first["comm"]) == (6, 6, "a) (b")
    assert first["sched"] == "numa_preferred_nid : 1\n"
    assert (first["cgroup"], first["numa_maps"]) == ("0::/\n", "7f00 default\n")
    assert (second["tid"], second["sched"], "cgroup" in second) == (7, "", False)
    assert "numa_maps" not in next(iter(Tasks(numa_maps=False, proc=str(tmp_path)).take(FIRST)))
    assert parse_stat("") is None
    assert parse_stat("nonsense (") is None


def thread(pid: int, tid: int, comm: str, cpus: str, *, folder: str = "") -> dict[str, str]:
    """The files of a thread, whose folder is that of a process of its own when it is looked up by number."""
    place = folder or f"{pid}/task/{tid}"
    status = f"Name:\t{comm}\nTgid:\t{pid}\nPid:\t{tid}\nCpus_allowed:\tff\nCpus_allowed_list:\t{cpus}\n"
    return {f"{place}/status": status, f"{place}/stat": stat_line(tid, comm, 5, 1)}


def test_where_every_thread_may_run(tmp_path: Path) -> None:
    put(tmp_path, {"loadavg": "0.00 0.01 0.05 1/3 8\n", "5/task/6/comm": "ended meanwhile\n"})
    put(tmp_path, thread(2, 2, "kthreadd", "0-3"))
    put(tmp_path, thread(7, 7, "a) (b", "0-3"))
    put(tmp_path, thread(7, 8, "io/3", "3"))
    source = Tasks(numa_maps=False, proc=str(tmp_path))
    assert list(source.take(FIRST)) == [
        {"pid": 2, "tid": 2, "comm": "kthreadd", "stat": stat_line(2, "kthreadd", 5, 1), "cpus_allowed": "0-3"},
        {"pid": 7, "tid": 7, "comm": "a) (b", "stat": stat_line(7, "a) (b", 5, 1), "cpus_allowed": "0-3"},
        {"pid": 7, "tid": 8, "comm": "io/3", "stat": stat_line(8, "io/3", 5, 1), "cpus_allowed": "3"},
    ]
    assert list(source.take(AT)) == []
    # A thread of an old process and one that has ended: neither is in a listing of the processes.
    put(tmp_path, {"loadavg": "0.00 0.01 0.05 1/4 10\n", **thread(7, 9, "new", "1", folder="9/task/9")})
    assert [(line["pid"], line["tid"], line["cpus_allowed"]) for line in source.take(AT)] == [(7, 9, "1")]
    assert list(source.take(AT)) == []
    assert not source.notes
    last = Instant(9, 100, 200, 300, edge=True)
    assert [line["tid"] for line in source.take(last)] == [2, 7, 8, 9]


def test_numbers_of_threads_begin_anew(tmp_path: Path) -> None:
    put(tmp_path, {"loadavg": "0 0 0 1/4 32766\n", "sys/kernel/pid_max": "32768\n"})
    put(tmp_path, {**thread(32767, 32767, "last", "0"), **thread(300, 300, "first", "1")})
    source = Threads(str(tmp_path))
    list(source.take(FIRST))
    put(tmp_path, {"loadavg": "0 0 0 1/4 301\n"})
    assert [line["comm"] for line in source.take(AT)] == ["last", "first"]


def test_too_many_threads_are_cut_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MOST_THREADS", 2)
    monkeypatch.setattr(tasks, "MOST_CREATED", 1)
    put(tmp_path, {"loadavg": "0 0 0 1/4 6\n"})
    for tid in (4, 5, 6):
        put(tmp_path, thread(tid, tid, "x", "0"))
    source = Threads(str(tmp_path))
    assert [line["tid"] for line in source.take(FIRST)] == [4, 5]
    sentence = "there were more than {}; affinity of the remaining ones was not sampled"
    assert source.notes == {sentence.format("2 threads")}
    put(tmp_path, {"loadavg": "0 0 0 1/4 8\n", **thread(7, 7, "x", "0"), **thread(8, 8, "x", "0")})
    assert [line["tid"] for line in source.take(AT)] == [7]
    assert source.notes == {sentence.format("2 threads"), sentence.format("1 new threads")}


def test_the_busiest_are_read_every_other_second(tmp_path: Path) -> None:
    put(tmp_path, {"6/stat": stat_line(6, "x", 10, 2), "6/task/6/stat": stat_line(6, "x", 5, 2)})
    source = Tasks(numa_maps=False, proc=str(tmp_path))
    assert [len(list(source.take(at))) for at in (FIRST, AT, AT, AT, AT, FIRST)] == [1, 0, 1, 0, 1, 1]


class Counting:
    """A source that says which sample it is."""

    def __init__(self, file: str, every_s: float) -> None:
        self.file = file
        self.every_s = every_s

    def take(self, at: Instant) -> Iterable[Line]:
        yield {"text": f'quoted "{at.idx}"\n'}


def test_samples_are_marked_stamped_and_complete(tmp_path: Path) -> None:
    marks: list[bytes] = []
    sampler = Sampler(Files(tmp_path), [Counting("quick.jsonl", 0)], [Counting("slow.jsonl", 60)], marks.append)
    sampler.start()
    until(lambda: sampler.samples >= 3)
    sampler.stop()
    quick = [json.loads(line) for line in (tmp_path / "quick.jsonl").read_text().splitlines()]
    slow = [json.loads(line) for line in (tmp_path / "slow.jsonl").read_text().splitlines()]
    assert len(quick) == len(marks) == sampler.samples >= 3
    assert [line["idx"] for line in quick] == list(range(len(quick)))
    # Slow or not, the first and the last instant are always there.
    assert [line["idx"] for line in slow] == [0, len(quick) - 1]
    for line, mark in zip(quick, marks, strict=True):
        assert mark.decode() == f"psi_sample idx={line['idx']} mono_ns={line['mono_ns']} real_ns={line['real_ns']}\n"
        assert line["mono_ns"] <= line["mono_end_ns"]
        assert line["text"] == f'quoted "{line["idx"]}"\n'
    assert sampler.error is None


def test_names_that_are_no_text_end_nothing(tmp_path: Path) -> None:
    group = tmp_path / "cg" / os.fsdecode(b"\xff")
    put(group, {"cpu.stat": "usage_usec 1\n"})
    source = Cgroups(Mounts(tmp_path / "cg"), 10, tmp_path / "proc")
    kept = MemorySink("cgroup.jsonl", 10.0, quick=True)
    for sink in (FileSink(tmp_path / "cgroup.jsonl"), kept):
        Writer(source, sink).take(FIRST)
        sink.close()
    (line,) = kept.since(0)
    for written in (line, (tmp_path / "cgroup.jsonl").read_bytes()):
        files = json.loads(written)["files"]
        assert files[f"{tmp_path}/cg/\N{REPLACEMENT CHARACTER}/cpu.stat"] == "usage_usec 1\n"


def test_a_source_that_fails_ends_the_sampling(tmp_path: Path) -> None:
    class Failing(Counting):
        def take(self, at: Instant) -> Iterable[Line]:  # type: ignore[explicit-override]
            del at
            raise OSError(errno.ENOSPC, "No space left on device")

    sampler = Sampler(Files(tmp_path), [Failing("quick.jsonl", 0.1)], [Counting("slow.jsonl", 0.1)], lambda _: None)
    sampler.start()
    sampler.stop()
    assert sampler.error is not None

"""The recorder's parts that need no permission: which events, what is refused, what is read once, what comes out."""

import errno
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numalens_native
import pytest

from numalens.cli.record import summary
from numalens.recorder import facts, tracefs
from numalens.recorder.bundle import bundle_name, pack
from numalens.recorder.events import GROUPS, MOST_THREADS, WHY, UnknownEventError, choose, of_tasks
from numalens.recorder.instance import parse_stats
from numalens.recorder.session import Outcome, available_kb, default_buffer_kb
from numalens.recorder.trace_dat import Part
from numalens.recorder.tracers import kallsyms, names
from tests.recordings import put

LIGHT = {
    "sched:sched_switch",
    "sched:sched_waking",
    "sched:sched_wakeup",
    "sched:sched_wakeup_new",
    "sched:sched_migrate_task",
    "sched:sched_process_fork",
    "sched:sched_process_exec",
    "sched:sched_process_exit",
    "sched:sched_move_numa",
    "sched:sched_stick_numa",
    "sched:sched_swap_numa",
    "migrate:mm_migrate_pages",
    "sched_ext:sched_ext_dump",
    "sched_ext:sched_ext_exit",
    "sched_ext:sched_ext_bypass_lb",
}


def events_folder(root: Path, events: Iterable[str]) -> Path:
    for event in events:
        put(root, {f"events/{event.replace(':', '/')}/enable": "0\n"})
    put(root, {"events/ftrace/print/format": "name: print\n"})
    return root / "events"


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """A kernel with all events of the table and one more."""
    names = [f"{group.system}:{name}" for group in (*GROUPS, *WHY) for name in group.names]
    return events_folder(tmp_path, [*names, "block:block_plug", "sched:sched_kthread_stop"])


def test_all_events_of_the_table_that_the_kernel_has(everything: Path) -> None:
    choice = choose(everything, light=False)
    assert choice.missing == ()
    chosen = {event.full_name for event in choice.events}
    assert chosen > LIGHT
    assert {"timer:tick_stop", "power:cpu_idle", "csd:csd_queue_cpu", "cgroup:cgroup_attach_task"} < chosen
    assert {f"syscalls:sys_{way}_sched_setaffinity" for way in ("enter", "exit")} < chosen
    assert {f"syscalls:sys_{way}_sched_setscheduler" for way in ("enter", "exit")} < chosen
    assert {f"syscalls:sys_{way}_sched_setattr" for way in ("enter", "exit")} < chosen
    assert {"cpuhp:cpuhp_enter", "cpuhp:cpuhp_exit"} < chosen
    assert {"block:block_rq_issue", "lock:contention_begin", "signal:signal_generate", "cgroup:cgroup_freeze"} < chosen
    assert "block:block_plug" not in chosen
    assert "raw_syscalls:sys_enter" not in chosen
    assert [event.filters for event in choice.events if event.system == "workqueue"] == [
        ("function.function == psi_avgs_work",)
    ]


def test_light_takes_the_scheduler_numa_and_bpf_schedulers_only(everything: Path) -> None:
    assert {event.full_name for event in choose(everything, light=True).events} == LIGHT


def test_an_old_kernel_has_less_and_that_is_said(tmp_path: Path) -> None:
    choice = choose(events_folder(tmp_path, ["sched:sched_switch", "sched:sched_wakeup"]), light=False)
    assert [event.full_name for event in choice.events] == ["sched:sched_switch", "sched:sched_wakeup"]
    assert "csd:csd_queue_cpu" in choice.missing
    assert {"syscalls:sys_enter_sched_setaffinity", "cpuhp:cpuhp_enter"} < set(choice.missing)
    assert "sched:sched_waking" in choice.missing


def test_more_events_by_name(everything: Path) -> None:
    usual = {event.full_name for event in choose(everything, light=True).events}
    for wanted, more in (
        ("block_plug", {"block:block_plug"}),
        ("sched:sched_kthread_stop", {"sched:sched_kthread_stop"}),
        ("csd:*", {"csd:csd_queue_cpu", "csd:csd_function_entry", "csd:csd_function_exit"}),
    ):
        assert {event.full_name for event in choose(everything, light=True, more=[wanted]).events} - usual == more
    (queries,) = [e for e in choose(everything, light=False, more=["workqueue:*"]).events if e.system == "workqueue"]
    assert queries.filters == ()


def test_why_adds_what_chosen_tasks_sleep_for(everything: Path, tmp_path: Path) -> None:
    tasks = of_tasks(["redis-server"], [7, 8])
    assert tasks == 'common_pid == 7 || common_pid == 8 || comm == "redis-server"'
    usual = {event.full_name for event in choose(everything, light=False).events}
    chosen = {event.full_name: event.filters for event in choose(everything, light=False, why=tasks).events}
    assert chosen["raw_syscalls:sys_enter"] == chosen["exceptions:page_fault_user"] == (tasks,)
    # A timer expires on whatever task runs.
    assert chosen["timer:timer_expire_entry"] == ()
    assert set(chosen) - usual == {f"{group.system}:{name}" for group in WHY for name in group.names}
    everybody = choose(everything, light=False, why="")
    assert {event.full_name: event.filters for event in everybody.events}["raw_syscalls:sys_enter"] == ()
    old = choose(events_folder(tmp_path / "old", ["sched:sched_switch"]), light=False, why="")
    assert "raw_syscalls:sys_enter" in old.missing


def test_a_filter_holds_names_as_the_kernel_keeps_them() -> None:
    with pytest.raises(ValueError, match="15 bytes"):
        of_tasks(["a-name-that-is-too-long"], [])
    with pytest.raises(ValueError, match="15 bytes"):
        of_tasks(["\u00e4" * 8], [])
    with pytest.raises(ValueError, match="no quote"):
        of_tasks(['"'], [])
    with pytest.raises(ValueError, match=f"at most {MOST_THREADS}"):
        of_tasks([], range(1, MOST_THREADS + 2))


@pytest.mark.parametrize("wanted", ["nosuch", "sched:nosuch", "print", "../events/sched:sched_switch", "sched:", "[a"])
def test_an_unknown_event_is_named(everything: Path, wanted: str) -> None:
    with pytest.raises(UnknownEventError, match="event"):
        choose(everything, light=False, more=[wanted])


def test_the_place_of_tracefs(tmp_path: Path) -> None:
    first, second = tmp_path / "with blank", tmp_path / "debug"
    put(first, {"events/enable": "0"})
    put(second, {"tracing/events/enable": "0"})
    lines = [
        "22 27 0:21 / /proc rw,relatime - proc proc rw",
        f"61 23 0:7 / {second} rw,relatime shared:9 - debugfs debugfs rw",
        f"60 23 0:12 / {str(first).replace(' ', chr(92) + '040')} rw,relatime shared:8 - tracefs tracefs rw",
    ]
    assert tracefs.mounted("\n".join(lines)) == first
    assert tracefs.mounted("\n".join(lines[:2])) == second / "tracing"
    assert tracefs.mounted(lines[0]) is None


def test_the_reason_of_a_refusal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refused = PermissionError(errno.EPERM, "Operation not permitted", "/sys/kernel/tracing/instances")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "needs root" in tracefs.not_permitted(refused)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(tracefs, "LOCKDOWN", tmp_path / "lockdown")
    assert "Operation not permitted" in tracefs.not_permitted(refused)
    assert "read-only" in tracefs.not_permitted(OSError(errno.EROFS, "Read-only file system", "/x"))
    (tmp_path / "lockdown").write_text("none integrity [confidentiality]\n")
    assert "lockdown" in tracefs.not_permitted(refused)
    for sentence in (tracefs.not_permitted(refused), tracefs.not_permitted(OSError(errno.EROFS, "", "/x"))):
        assert "\n" not in sentence


def test_the_kernels_counters() -> None:
    stats = parse_stats(
        3,
        "entries: 5\noverrun: 100\ncommit overrun: 2\nbytes: 24\noldest event ts:  1975.655270\ndropped events: 7\n"
        "read events: 537\n",
    )
    assert (stats.cpu, stats.events, stats.lost) == (3, 542, 109)
    assert parse_stats(0, "").lost == 0


def test_topology_is_what_the_reader_reads(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "sys/devices/system/node/online": "0-1,10\n",
            "sys/devices/system/node/node0/cpulist": "0-1\n",
            "sys/devices/system/node/node1/cpulist": "2-3\n",
            "sys/devices/system/node/node10/cpulist": "\n",
            "sys/devices/system/node/node0/distance": "10 20 30\n",
            "sys/devices/system/node/node1/distance": "20 10 30\n",
            "sys/devices/system/node/node10/distance": "30 30 10\n",
            "sys/devices/system/cpu/online": "0-3\n",
            "sys/devices/system/cpu/cpu0/topology/core_id": "0\n",
            "sys/devices/system/cpu/cpu0/topology/core_cpus_list": "0-1\n",
            "sys/devices/system/cpu/cpu0/topology/die_cpus_list": "0-3\n",
            "sys/devices/system/cpu/cpu0/cache/index3/level": "3\n",
            "sys/devices/system/cpu/cpu0/cache/index3/type": "Unified\n",
            "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list": "0-1\n",
            "sys/devices/system/cpu/cpu0/cache/index3/size": "32768K\n",
            "sys/devices/system/cpu/cpufreq/x": "",
        },
    )
    text = facts.topology(tmp_path)
    assert text is not None
    assert "/sys/devices/system/node/node1/cpulist: 2-3\n" in text
    assert "/sys/devices/system/cpu/cpu0/topology/core_id: 0\n" in text
    assert "/sys/devices/system/cpu/cpu0/topology/core_cpus_list: 0-1\n" in text
    assert "/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list: 0-1\n" in text
    assert "size" not in text
    (tmp_path / "topology.txt").write_text(text)
    assert numalens_native.sniff(str(tmp_path / "topology.txt"), "topology.txt") == "topology"
    assert facts.topology(tmp_path / "none") is None


def test_settings_and_configuration(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "proc/sys/kernel/numa_balancing": "1\n",
            "proc/sys/kernel/sched_rt_period_us": "1000000\n",
            "proc/sys/kernel/sched_rt_runtime_us": "950000\n",
            "sys/devices/system/cpu/isolated": "3\n",
            "sys/devices/system/cpu/nohz_full": "\n",
            "sys/devices/system/cpu/offline": "2\n",
            "sys/devices/system/cpu/online": "0-1,3\n",
            "proc/sys/kernel/hostname": "secret\n",
            "sys/kernel/debug/sched/features": "A B\nC\n",
            "sys/kernel/debug/sched/debug": "very long\n",
            "sys/kernel/debug/sched/llc_balancing/enabled": "Y\n",
            "sys/devices/virtual/memory_tiering/memory_tier4/nodelist": "0-1\n",
            "sys/devices/virtual/memory_tiering/power/control": "auto\n",
            "sys/kernel/mm/numa/demotion_enabled": "true\n",
            "boot/config-9.9": "CONFIG_HZ_250=y\nCONFIG_HZ=250\nCONFIG_NUMA_BALANCING=y\nCONFIG_KEYS=y\n# CONFIG_PSI is not set\n",
            "proc/cmdline": "root=/dev/sda1 password=x psi=1 numa_balancing=enable isolcpus=3 tsc=reliable\n",
        },
    )
    assert facts.settings(tmp_path) == (
        "/proc/sys/kernel/numa_balancing: 1\n/proc/sys/kernel/sched_rt_period_us: 1000000\n"
        "/proc/sys/kernel/sched_rt_runtime_us: 950000\n"
        "/sys/devices/system/cpu/isolated: 3\n/sys/devices/system/cpu/nohz_full: \n"
        "/sys/devices/system/cpu/offline: 2\n/sys/devices/system/cpu/online: 0-1,3\n"
        "/sys/kernel/debug/sched/features: A B C\n/sys/kernel/debug/sched/llc_balancing/enabled: Y\n"
        "/sys/kernel/mm/numa/demotion_enabled: true\n"
        "/sys/devices/virtual/memory_tiering/memory_tier4/nodelist: 0-1\n"
    )
    config = facts.kernel_config(tmp_path, "9.9")
    assert config == {"CONFIG_HZ_250": "y", "CONFIG_HZ": "250", "CONFIG_NUMA_BALANCING": "y"}
    assert facts.hz(config) == "CONFIG_HZ_250=y\nCONFIG_HZ=250\n"
    assert facts.hz({}) is None
    assert facts.parameters(tmp_path) == ["psi=1", "numa_balancing=enable", "isolcpus=3", "tsc=reliable"]


def test_the_bundle_holds_its_parts(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "spool").write_bytes(b"0123456789")
    steps: list[tuple[int, int]] = []
    target = tmp_path / f"{bundle_name('a host/../x', 1_795_257_499_000_000_000)}.tar.gz"
    assert target.name.startswith("numalens-a-host-..-x-2026112")
    parts = [Part(3, data=b"abc"), Part(0), Part(4, path=tmp_path / "spool"), Part(2, data=b"yz")]
    side = [Part(10, path=tmp_path / "spool")]
    pack(target, tmp_path / "work", [("trace.dat", parts), ("side.txt", side)], lambda *step: steps.append(step))
    folder = target.name.removesuffix(".tar.gz")
    with tarfile.open(target) as archive:
        members = archive.getmembers()
        assert [member.name for member in members] == [f"{folder}/trace.dat", f"{folder}/side.txt"]
        contents = [file.read() for member in members if (file := archive.extractfile(member)) is not None]
    assert contents == [b"abc0123yz", b"0123456789"]
    assert steps[-1] == (19, 19)
    assert target.stat().st_mode & 0o777 == 0o600
    assert list((tmp_path / "work").iterdir()) == []


def test_a_part_that_shrank_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "spool").write_bytes(b"short")
    with pytest.raises(OSError, match="became shorter"):
        pack(tmp_path / "x.tar.gz", tmp_path, [("a", [Part(100, path=tmp_path / "spool")])], lambda *_: None)


def test_buffers_fit_into_memory() -> None:
    assert default_buffer_kb(2, 1 << 24, light=False) == 16384
    assert default_buffer_kb(2, 1 << 24, light=True) == 8192
    assert default_buffer_kb(512, 1 << 30, light=False) == 2048
    assert default_buffer_kb(2, 65536, light=False) == 4096
    assert default_buffer_kb(4096, 65536, light=False) == 64
    assert available_kb() > 0


def test_names_and_symbols(tmp_path: Path) -> None:
    put(tmp_path, {"7/task/7/comm": "seven\n", "7/task/8/comm": "eight\n"})
    assert names("7 saved name\n", str(tmp_path)) == "7 saved name\n8 eight\n"
    put(tmp_path, {"8/task/8/comm": "a\n1 forged\n"})
    assert names("7 saved name\n8 x\n", str(tmp_path)).splitlines() == ["7 saved name", "8 x"]
    assert "8 a 1 forged\n" in names("", str(tmp_path))
    assert kallsyms("0000000000000000 T _stext\n0000000000000000 T _text\n") == b""
    assert kallsyms("ffffffff81000000 T _stext\n0000000000000000 A x\n") != b""
    variables = "".join(f"00000000000{offset:05x} A x{offset}\n" for offset in range(500))
    assert kallsyms(variables) == kallsyms(f"{variables}0000000000000000 T _stext\n") == b""
    assert kallsyms(f"{variables}ffffffff81000000 T _stext\n").startswith(b"0000000000000000 A x0")


def test_the_summary_tells_what_happened(tmp_path: Path) -> None:
    bundle = tmp_path / "b.tar.gz"
    bundle.write_bytes(b"x" * 100_000)
    assert summary(Outcome(bundle, 10.04, "tracefs", 1_234_567, 12, 101, True, 3, ["a note"])) == [
        "recorded 10.0 s through tracefs: 1,234,567 events, 12 lost, 101 samples, 0.1 MB",
        "the command ended with status 3",
    ]
    assert "signal 15" in summary(Outcome(bundle, 1, "tracefs", 1, 0, 1, True, -15))[1]


def test_no_link_is_given_to_the_user_of_sudo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, others = tmp_path / "work", tmp_path / "shadow"
    work.mkdir()
    others.touch()
    given: list[int] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, _user, _group: given.append(Path(path).stat().st_ino))
    monkeypatch.setattr(os, "fchown", lambda file, _user, _group: given.append(os.fstat(file).st_ino))
    monkeypatch.setenv("SUDO_UID", "1000")
    monkeypatch.setenv("SUDO_GID", "1000")
    written: list[int] = []

    def swap(_done: int, _total: int) -> None:
        unfinished = work / "x.tar.gz"
        written.append(unfinished.stat().st_ino)
        unfinished.rename(work / "moved")
        unfinished.symlink_to(others)

    pack(tmp_path / "x.tar.gz", work, [("trace.dat", [Part(3, data=b"abc")])], swap)
    assert given == written

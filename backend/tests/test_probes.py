"""Probes of the recorder on a folder that stands for tracefs."""

import errno
import os
import struct
from pathlib import Path

import pytest

from numalens.recorder import probes as module
from numalens.recorder.btf import layout
from numalens.recorder.events import Event
from numalens.recorder.probes import PRESETS, UnknownProbeError, fetched, install, probes, symbol
from numalens.recorder.tracefs import CannotRecordError
from numalens.recorder.watchdog import append, remove_probes
from tests.recordings import put

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

    monkeypatch.setattr(module, "append", kernel)
    events, lacking = install(tracefs, PRESETS["numa"], SYMBOLS)
    assert events == tuple(Event("numalens", name) for name in NAMES)
    assert lacking == []
    return written


def test_presets_are_probes_and_an_unknown_one_is_refused() -> None:
    assert [probe.names for probe in probes(["numa", "numa"])] == [("task_numa_work",)]
    with pytest.raises(UnknownProbeError, match="--probe nume is not known; available: numa, ilb"):
        probes(["nume"])


def test_functions_are_found_by_what_compilers_make_of_their_names() -> None:
    assert symbol("task_numa_work", SYMBOLS) == "task_numa_work.isra.0"
    assert symbol("schedule", SYMBOLS) == "schedule"
    assert symbol("task_numa_data", SYMBOLS) is None
    assert symbol("task_numa", SYMBOLS) is None
    cold = "ffffffff80000000 t pick_eevdf.cold\n"
    assert symbol("pick_eevdf", cold) is None
    assert symbol("pick_eevdf", f"{cold}ffffffff81000050 t pick_eevdf\n") == "pick_eevdf"
    assert symbol("pick_eevdf", f"{cold}ffffffff81000050 t pick_eevdf.isra.0\n") == "pick_eevdf.isra.0"


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

    monkeypatch.setattr(module, "append", kernel)
    with pytest.raises(CannotRecordError, match=says):
        install(tracefs, PRESETS["numa"], symbols)


def test_a_kernel_without_the_file_is_refused(tracefs: Path) -> None:
    (tracefs / "dynamic_events").unlink()
    with pytest.raises(CannotRecordError, match="this kernel has no probes"):
        install(tracefs, PRESETS["numa"], SYMBOLS)
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


def btf(structures: dict[str, list[tuple[str, int]]]) -> bytes:
    """A description of types: an integer, a function's prototype with two parameters, and structures; `_` has no name."""
    text = bytearray(b"\0")

    def name(word: str) -> int:
        at = len(text)
        text.extend(word.encode() + b"\0")
        return at

    types = struct.pack("=IIII", name("int"), 1 << 24, 4, 32) + struct.pack("=III4I", 0, 13 << 24 | 2, 1, 0, 1, 0, 1)
    for called, members in structures.items():
        types += struct.pack("=III", 0 if called == "_" else name(called), 4 << 24 | len(members), 64)
        for member, at in members:
            types += struct.pack("=III", name(member), 1, at * 8)
    return struct.pack("=HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(text)) + types + text


KERNEL = {
    "other": [("nr_running", 1)],
    "_": [
        ("idle_cpus_mask", 0),
        ("has_blocked_load", 8),
        ("needs_update", 12),
        ("next_balance", 16),
        ("next_blocked", 24),
    ],
    "rq": [("nr_running", 4), ("cpu", 20), ("nohz_flags", 40), ("idle_balance", 33), ("next_balance", 48)],
    "__call_single_node": [("llist", 0), ("", 8), ("src", 12)],
    "__call_single_data": [("node", 0), ("func", 16)],
}
ILB_SYMBOLS = """
ffffffff81000000 t nohz_csd_func
ffffffff81000010 t _nohz_idle_balance.isra.0
ffffffff81000020 T trigger_load_balance
ffffffff81000030 t newidle_balance
ffffffff81000040 T __smp_call_single_queue
ffffffff81000048 T smp_call_function_single_async
ffffffff81000050 T sched_ttwu_pending
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    file = tmp_path / "btf"
    file.write_bytes(btf(KERNEL))
    return file


def test_members_are_found_by_the_kernels_description_of_types() -> None:
    found = layout(btf(KERNEL), ["rq", "sched_domain"], {"nohz": "idle_cpus_mask"})
    assert found == {"nohz": dict(KERNEL["_"]), "rq": dict(KERNEL["rq"])}


@pytest.mark.parametrize("cut", [0, 10, 23, 60, 200])
def test_a_description_that_ends_early_tells_no_wrong_member(cut: int) -> None:
    whole = layout(btf(KERNEL), ["rq"], {"nohz": "idle_cpus_mask"})
    found = layout(btf(KERNEL)[:cut], ["rq"], {"nohz": "idle_cpus_mask"})
    assert all(found[name].items() <= whole[name].items() for name in found)
    assert layout(b"\0" * 64, ["rq"], {}) == {}


def test_members_that_have_several_names_or_none_decide_what_is_fetched() -> None:
    members = {"nohz": {"has_blocked_load": 8}, "rq": {"cpu": 20}}
    groups = ("cpu=+{rq.cpu}($arg1):s32", "sd=+{rq.sd}($arg1)", "blocked=@nohz+{nohz.has_blocked|has_blocked_load}:s32")
    assert list(fetched(groups, members)) == [
        "cpu=+20($arg1):s32 blocked=@nohz+8:s32",
        "cpu=+20($arg1):s32",
        "",
    ]
    assert list(fetched(groups, {})) == [""]


def ilb(
    tracefs: Path,
    monkeypatch: pytest.MonkeyPatch,
    btf_file: Path,
    refused: tuple[str, ...] = (),
    symbols: str = ILB_SYMBOLS,
) -> tuple[list[str], list[str]]:
    """What is written for the preset `ilb`, a kernel refusing lines that hold one of some words, and what is lacking."""
    written: list[str] = []

    def kernel(_: Path, line: str) -> None:
        if any(word in line for word in refused):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        written.append(line)

    monkeypatch.setattr(module, "append", kernel)
    events, lacking = install(tracefs, PRESETS["ilb"], symbols, btf_file)
    assert [event.name for event in events] == [line.partition("/")[2].partition(" ")[0] for line in written]
    return written, lacking


def test_the_idle_balancer_is_probed_under_the_names_that_the_kernel_has(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch, kernel: Path
) -> None:
    # One that has events of calls needs no probes for them.
    put(tracefs, {f"events/csd/csd_{name}/enable": "0\n" for name in ("queue_cpu", "function_entry")})
    written, lacking = ilb(tracefs, monkeypatch, kernel)
    assert written == [
        "p:numalens/nohz_csd_func nohz_csd_func nohz_flags=+40($arg1):u32",
        "r256:numalens/nohz_csd_func_ret nohz_csd_func",
        "p:numalens/_nohz_idle_balance _nohz_idle_balance.isra.0 flags=$arg2:u32",
        "r256:numalens/_nohz_idle_balance_ret _nohz_idle_balance.isra.0",
        (
            "p:numalens/trigger_load_balance trigger_load_balance nr_running=+4($arg1):u32 idle_balance=+33($arg1):u8 "
            "next_balance=+48($arg1):u64 jiffies=@jiffies:u64 nohz_next_balance=@nohz+16:u64 nohz_next_blocked=@nohz+24:u64 "
            "has_blocked=@nohz+8:s32 needs_update=@nohz+12:s32"
        ),
        "p:numalens/newidle_balance newidle_balance cpu=+20($arg1):s32",
        "r256:numalens/newidle_balance_ret newidle_balance moved=$retval:s32",
        (
            "t:numalens/sched_update_nr_running_tp sched_update_nr_running_tp cpu=+20($arg1):s32 change=$arg2:s32 "
            "nr_running=+4($arg1):u32"
        ),
    ]
    assert lacking == [
        "nohz_balance_enter_idle",
        "nohz_balancer_kick",
        "kick_ilb",
        "sched_balance_domains",
        "sched_balance_rq",
    ]


def test_a_kernel_without_events_of_calls_has_them_probed(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch, kernel: Path
) -> None:
    written, _ = ilb(tracefs, monkeypatch, kernel)
    calls = [line for line in written if "call_" in line or "ttwu" in line]
    assert calls == [
        (
            "p:numalens/smp_call_function_single_async smp_call_function_single_async cpu=$arg1:s32 func=+16($arg2):symbol"
        ),
        "p:numalens/__smp_call_single_queue __smp_call_single_queue cpu=$arg1:s32 type=+8($arg2):u32",
        "p:numalens/sched_ttwu_pending sched_ttwu_pending",
    ]
    older = ILB_SYMBOLS.replace("T __smp_call_single_queue", "T generic_exec_single")
    assert "__smp_call_single_queue" in ilb(tracefs, monkeypatch, kernel, symbols=older)[1]


def test_a_kernel_that_reads_no_variables_and_has_no_tprobes_gets_fewer_fetches(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch, kernel: Path
) -> None:
    written, lacking = ilb(tracefs, monkeypatch, kernel, refused=("@", "t:numalens"))
    tick = next(line for line in written if "trigger_load_balance" in line)
    assert tick.endswith("next_balance=+48($arg1):u64")
    assert "sched_update_nr_running_tp" in lacking


def test_a_kernel_that_does_not_describe_its_types_gets_functions_alone(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, lacking = ilb(tracefs, monkeypatch, tracefs / "none")
    assert "p:numalens/nohz_csd_func nohz_csd_func" in written
    assert "p:numalens/trigger_load_balance trigger_load_balance" in written
    assert "sched_update_nr_running_tp" in lacking


def test_without_the_arrival_of_kicks_the_preset_is_refused(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch, kernel: Path
) -> None:
    with pytest.raises(
        CannotRecordError, match="this kernel has no function nohz_csd_func, on which --probe sets a probe"
    ):
        ilb(tracefs, monkeypatch, kernel, symbols=ILB_SYMBOLS.replace("nohz_csd_func", "nohz_csd_func_data"))
    with pytest.raises(CannotRecordError, match=r"sets no probe on nohz_csd_func .Invalid argument."):
        ilb(tracefs, monkeypatch, kernel, refused=("nohz_csd_func",))


def test_a_tracepoint_that_says_nothing_is_no_probe(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without its arguments it would only cost.
    assert not any("sched_update" in line for line in ilb(tracefs, monkeypatch, tracefs / "none")[0])


EEVDF = {
    "rq": [("cpu", 20)],
    "cfs_rq": [("avg_vruntime", 40), ("avg_load", 48), ("min_vruntime", 56), ("curr", 80), ("rq", 312)],
    "sched_entity": [
        *(("load", 0), ("deadline", 40), ("on_rq", 80), ("vruntime", 112), ("slice", 128), ("parent", 152)),
        *(("cfs_rq", 160), ("my_q", 168)),
    ],
    "task_struct": [("se", 128), ("pid", 2432)],
}
EEVDF_SYMBOLS = "ffffffff81000000 t __enqueue_entity\nffffffff81000010 t pick_eevdf\n"


def eevdf(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch, structures: dict[str, list[tuple[str, int]]], symbols: str
) -> list[str]:
    written: list[str] = []
    monkeypatch.setattr(module, "append", lambda _, line: written.append(line))
    file = tracefs / "types"
    file.write_bytes(btf(structures))
    events, lacking = install(tracefs, PRESETS["eevdf"], symbols, file)
    assert [event.name for event in events] == ["__enqueue_entity", "pick_eevdf_ret"]
    assert lacking == []
    return written


def test_picks_are_probed_by_the_names_that_the_kernel_has(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entity, pick = eevdf(tracefs, monkeypatch, EEVDF, EEVDF_SYMBOLS)
    assert entity.startswith("p:numalens/__enqueue_entity __enqueue_entity cpu=+20(+312($arg1)):s32 cfs_rq=$arg1:u64")
    # The task is around its entity.
    assert " pid=+2304($arg2):s32 " in entity
    assert pick.startswith("r256:numalens/pick_eevdf_ret pick_eevdf cpu=+20(+312(+160($retval))):s32")
    assert " zero=+56(+160($retval)):u64 sum=+40(+160($retval)):s64 load=+48(+160($retval)):s64 " in pick
    assert "shift" not in pick
    newer = [("sum_w_vruntime", 32), ("sum_weight", 40), ("sum_shift", 56), ("zero_vruntime", 48)]
    pick = eevdf(tracefs, monkeypatch, EEVDF | {"cfs_rq": [*newer, ("curr", 80), ("rq", 312)]}, EEVDF_SYMBOLS)[1]
    assert " zero=+48(+160($retval)):u64 sum=+32(+160($retval)):s64 load=+40(+160($retval)):s64 " in pick
    assert pick.endswith(" shift=+56(+160($retval)):u8")


def test_a_kernel_that_does_not_pick_so_is_refused(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        CannotRecordError, match="this kernel has no function __pick_eevdf, on which --probe sets a probe"
    ):
        eevdf(tracefs, monkeypatch, EEVDF, EEVDF_SYMBOLS.partition("\n")[0])
    with pytest.raises(CannotRecordError, match=r"what --probe reads of __enqueue_entity is not in this kernel's BTF"):
        eevdf(tracefs, monkeypatch, {"rq": EEVDF["rq"]}, EEVDF_SYMBOLS)


AVERAGES = {
    **EEVDF,
    "rq": [("cpu", 20), ("cpu_capacity", 600), ("avg_rt", 700), ("avg_dl", 800)],
    "cfs_rq": [("avg", 192), ("rq", 312), ("tg", 320)],
    "sched_entity": [("cfs_rq", 160), ("my_q", 168), ("avg", 256)],
    "sched_avg": [("load_avg", 32), ("runnable_avg", 40), ("util_avg", 48), ("util_est", 56)],
    "task_group": [("parent", 400)],
}


def pelt(
    tracefs: Path,
    monkeypatch: pytest.MonkeyPatch,
    structures: dict[str, list[tuple[str, int]]],
    refused: tuple[str, ...] = (),
) -> tuple[dict[str, str], list[str]]:
    """What is fetched by each tprobe of the preset `pelt`, a kernel refusing lines that hold one of some words; what is lacking."""
    written: dict[str, str] = {}

    def kernel(_: Path, line: str) -> None:
        if any(word in line for word in refused):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        event, name, fetches = line.split(" ", 2)
        assert event == f"t:numalens/{name}"
        written[name] = fetches

    monkeypatch.setattr(module, "append", kernel)
    file = tracefs / "types"
    file.write_bytes(btf(structures))
    events, lacking = install(tracefs, PRESETS["pelt"], "", file)
    assert [event.name for event in events] == list(written)
    return written, lacking


def test_averages_are_read_where_they_lie_in_other_structures(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written, lacking = pelt(tracefs, monkeypatch, AVERAGES)
    assert written["pelt_cfs_tp"] == (
        "cpu=+20(+312($arg1)):s32 cfs_rq=$arg1:u64 parent=+400(+320($arg1)):u64 load_avg=+224($arg1):u64 "
        "runnable_avg=+232($arg1):u64 util_avg=+240($arg1):u64 capacity=+600(+312($arg1)):u64 util_est=+248($arg1):u32"
    )
    assert written["pelt_rt_tp"].endswith(
        "load_avg=+732($arg1):u64 runnable_avg=+740($arg1):u64 util_avg=+748($arg1):u64"
    )
    # The task is around its entity.
    assert " pid=+2304($arg1):s32 load_avg=+288($arg1):u64 " in written["pelt_se_tp"]
    assert written["sched_overutilized_tp"] == "overutilized=$arg2:u8"
    # Not every kernel counts interrupts' time.
    assert lacking == ["pelt_irq_tp"]


def test_a_kernel_that_probes_no_tracepoints_is_refused(tracefs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        CannotRecordError,
        match=r"sets no probe on the tracepoint pelt_cfs_tp .Invalid argument., as kernels from 6\.5 on",
    ):
        pelt(tracefs, monkeypatch, AVERAGES, refused=("t:",))
    with pytest.raises(CannotRecordError, match="what --probe reads of pelt_cfs_tp is not in this kernel's BTF"):
        pelt(tracefs, monkeypatch, {"rq": AVERAGES["rq"]})


def test_selections_of_cpus_are_probed_as_far_as_they_are_functions(
    tracefs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(module, "append", lambda _, line: written.append(line))
    file = tracefs / "types"
    structures = {
        "task_struct": [("pid", 2432)],
        "sched_domain": [("shared", 296)],
        "sched_domain_shared": [("nr_idle_scan", 12)],
    }
    file.write_bytes(btf(structures))
    symbols = "ffffffff81000000 t select_task_rq_fair\nffffffff81000010 t select_idle_cpu\n"
    events, lacking = install(tracefs, PRESETS["placement"], symbols, file)
    assert [event.name for event in events] == [
        *("select_task_rq_fair", "select_task_rq_fair_ret", "select_idle_cpu", "select_idle_cpu_ret"),
    ]
    # Compilers inline the others.
    assert lacking == ["wake_affine", "select_idle_sibling"]
    assert written[0] == (
        "p:numalens/select_task_rq_fair select_task_rq_fair pid=+2432($arg1):s32 prev=$arg2:s32 wake_flags=$arg3:u32"
    )
    assert written[1] == "r256:numalens/select_task_rq_fair_ret select_task_rq_fair chosen=$retval:s32"
    assert written[2].endswith(" target=$arg4:s32 nr_idle_scan=+12(+296($arg2)):s32")

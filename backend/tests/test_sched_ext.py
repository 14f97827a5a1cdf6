"""BPF schedulers: what tasks waited for, the kernel's dump, and what the balancers are not accused of."""

import json
from pathlib import Path

import numalens_native as native
import pytest

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section

SWITCH = "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120"


def line(cpu: int, seconds: float, text: str, who: str = "<idle>-0") -> str:
    return f"{who} [{cpu:03}] d..2. {seconds:.6f}: {text}\n"


def idle_to(cpu: int, seconds: float, comm: str, pid: int) -> str:
    return line(cpu, seconds, SWITCH.format(f"swapper/{cpu}", 0, "R", comm, pid))


def to_idle(cpu: int, seconds: float, comm: str, pid: int) -> str:
    return line(cpu, seconds, SWITCH.format(comm, pid, "S", f"swapper/{cpu}", 0), f"{comm}-{pid}")


def woken(seconds: float, comm: str, pid: int) -> str:
    return line(0, seconds, f"sched_waking: comm={comm} pid={pid} prio=120 target_cpu=000") + line(
        0, seconds, f"sched_wakeup: comm={comm} pid={pid} prio=120 target_cpu=000"
    )


MARK = "tracing_mark_write: psi_sample idx={} mono_ns={} real_ns={}"


def trace(dump: str = "") -> str:
    """CPU 1 idles, CPU 0 runs a task, behind which another waits for 40 ms; then it runs."""
    return (
        idle_to(1, 10.0, "b", 9)
        + to_idle(1, 10.001, "b", 9)
        + idle_to(0, 10.002, "a", 7)
        + line(0, 10.003, MARK.format(0, 10_003_000_000, 1_795_256_520_000_000_000), "a-7")
        + woken(10.010, "held", 8)
        + dump
        + line(0, 10.050, SWITCH.format("a", 7, "S", "held", 8), "a-7")
        + line(0, 10.090, MARK.format(1, 10_090_000_000, 1_795_256_520_087_000_000), "held-8")
        + to_idle(0, 10.1, "held", 8)
    )


def dumped(seconds: float) -> str:
    """The kernel's lines (7.2), of a task that had waited for 35 ms."""
    lines = [
        "hold: root",
        "kworker/u17:2[155] triggered exit kind 1026 on CPU 0:",
        "  runnable task stall (held[8] failed to run for 0.035s)",
        "CPU 0   : nr_run=1 flags=0x1 cpu_rel=0 ksync=57",
        "          curr=a[7] class=ext_sched_class",
        "  R held[8] *root -35ms",
        "      scx_state/flags=4/0xb dsq_flags=0x0 ops_state/qseq=0/0",
        "      sticky/holding_cpu=-1/-1 dsq_id=0x4e1d",
        "      cpus=f no_mig=0",
    ]
    return "".join(line(1, seconds, f"sched_ext_dump: {text}") for text in lines)


def samples(*, switch_all: int, state: str = "enabled") -> str:
    files = {
        "state": f"{state}\n",
        "switch_all": f"{switch_all}\n",
        "root/ops": "hold\n",
        "root/events": "SCX_EV_X {}\n",
    }
    lines = [
        {
            "idx": idx,
            "mono_ns": mono,
            "files": {f"/sys/kernel/sched_ext/{name}": text.format(idx) for name, text in files.items()},
        }
        for idx, mono in ((0, 10_003_000_000), (1, 10_090_000_000))
    ]
    return "".join(json.dumps(one) + "\n" for one in lines)


def bundle(folder: Path, text: str, sampled: str | None) -> native.Bundle:
    folder.mkdir()
    inputs = [("trace.txt", text)] + ([("sched-ext.jsonl", sampled)] if sampled is not None else [])
    for name, content in inputs:
        (folder / name).write_text(content)
    read_inputs([(name, str(folder / name)) for name, _ in inputs], folder / "bundle", folder / "scratch")
    return native.Bundle(str(folder / "bundle"))


def causes(open_bundle: native.Bundle, pid: int = 8) -> dict[str, int]:
    tasks = section(open_bundle, "latency", limit=20)["by_task"]
    (task,) = [task for task in tasks if task["pid"] == pid]
    return {cause["cause"]: cause["ns"] for cause in task["causes"]}


def ids(open_bundle: native.Bundle) -> set[str]:
    return {finding["id"] for finding in section(open_bundle, "findings")["findings"]}


def test_a_task_that_its_scheduler_holds_is_no_balancers(tmp_path: Path) -> None:
    held = bundle(tmp_path / "held", trace(), samples(switch_all=1))
    assert causes(held) == {"scx_queued": pytest.approx(40e6, rel=0.02)}
    assert ids(held) & {"SCX_QUEUED", "ILB_LATE", "PASSED_OVER"} == {"SCX_QUEUED"}
    found = section(held, "sched_ext")
    assert [(one["ops"], one["switch_all"]) for one in found["loaded"]] == [("hold", True)]
    assert found["waiting"]["queued"]["label"] == "inferred"
    assert found["counters"] == [
        {"scheduler": "", "name": "switch_all", "first": 1, "last": 1},
        {"scheduler": "root", "name": "SCX_EV_X", "first": 0, "last": 1},
    ]
    assert "the BPF scheduler hold had all tasks" in found["balancers"]


def test_without_a_scheduler_or_with_another_policy_it_is_the_balancers(tmp_path: Path) -> None:
    for name, sampled in (
        ("partial", samples(switch_all=0)),
        ("off", samples(switch_all=1, state="disabled")),
        ("none", None),
    ):
        other = bundle(tmp_path / name, trace(), sampled)
        assert "scx_queued" not in causes(other)
        assert not ids(other) & {"SCX_QUEUED", "SCX_STALLED"}
        if sampled is None:
            assert "sched_ext was not recorded" in section(other, "sched_ext")["reason"]


def test_the_watchdog_names_the_task_and_where_it_was(tmp_path: Path) -> None:
    stalled = bundle(tmp_path / "stalled", trace(dumped(10.045)), None)
    found = causes(stalled)
    assert found["scx_stalled"] == pytest.approx(35e6, rel=0.02)
    (finding,) = [one for one in section(stalled, "findings")["findings"] if one["id"] == "SCX_STALLED"]
    # The dump is observed; how long the task waited follows from switches.
    assert finding["label"] == "replayed"
    assert (
        "in the scheduler's DSQ 0x4e1d and had been runnable for 35.0 ms, and a (7) ran on CPU 0" in finding["summary"]
    )
    (dump,) = section(stalled, "sched_ext")["dumps"]
    assert (dump["kind"], dump["scheduler"], dump["stalled"]["ms"]) == (1026, "hold", 35)
    assert [(task["task"]["comm"], task["dsq"], task["dsq_kind"]) for task in dump["tasks"]] == [
        ("held", "0x4e1d", "user")
    ]


def test_busy_cpus_are_not_the_schedulers_fault(tmp_path: Path) -> None:
    text = trace().replace(to_idle(1, 10.001, "b", 9), "")
    busy = bundle(tmp_path / "busy", text, samples(switch_all=1))
    assert causes(busy) == {"busy": pytest.approx(40e6, rel=0.02)}
    assert "SCX_QUEUED" not in ids(busy)

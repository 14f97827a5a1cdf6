"""Inputs that brought an earlier version down: each ends in an answer or in one message, strictly read and tolerantly."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import NUMA
from tests.service import API, Service

HEAD = "# tracer: nop\n#\n"
SWITCH = (
    "            bash-100   [000] d..2. {}: sched_switch: prev_comm=bash prev_pid={} prev_prio=120 prev_state=R"
    " ==> next_comm=x next_pid={} next_prio=120\n"
)
FAR_APART = HEAD + "".join(
    SWITCH.format(*row)
    for row in [("    1.000001", 100, 200), ("    1.500000", 200, 100), ("4000000.000001", 100, 200)]
)
"""Three switches, the last 4,000,000 s later."""
NEGATIVE_PID = HEAD + "".join(
    f" {line}\n"
    for line in [
        "a-1 [000] d.... 1.000000: sched_waking: comm=b pid=-7 prio=120 target_cpu=000",
        "a-1 [000] d.... 1.000100: sched_wakeup: comm=b pid=-7 prio=120 target_cpu=000",
        (
            "a-1 [000] d.... 1.005000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S"
            " ==> next_comm=b next_pid=-7 next_prio=120"
        ),
        (
            "b--7 [000] d.... 1.006000: sched_switch: prev_comm=b prev_pid=-7 prev_prio=120 prev_state=S"
            " ==> next_comm=a next_pid=1 next_prio=120"
        ),
    ]
)
"""A thread -7."""
HALF_LSCPU = "# CPU,Core,Socket,Node\n5,1,1,1\n6,2,1,1\n7,3,1,1\n"
OTHER_LSCPU = "# CPU,Core,Socket,Node,,L1d,L1i,L2\n" + "".join(f"{cpu},{cpu},0,{cpu % 2},,0,0,0\n" for cpu in range(8))
"""Topologies of other CPUs than the recording has."""


def pressure(mono_ns: int, real_ns: int, boot_ns: int, mono_end_ns: int, cpu_total: int, io_total: int) -> str:
    line = "{} avg10=0.00 avg60=0.00 avg300=0.00 total={}\n".format
    return json.dumps(
        {
            "mono_ns": mono_ns,
            "real_ns": real_ns,
            "boot_ns": boot_ns,
            "cpu": line("some", cpu_total) + line("full", 0),
            "memory": line("some", 0) + line("full", 0),
            "io": line("some", io_total) + line("full", min(io_total, 3616)),
            "mono_end_ns": mono_end_ns,
        }
    )


LATE_PSI = "\n".join(
    [
        pressure(4388887837, 1795228106143796837, 4388903420, 4390877192, 835355, 57),
        pressure(4639748373, 1795228106394651693, 4639751564, 4640616455, 835545, 57),
        pressure(16898373818, 1795228118653276555, 16898376361, 2**63 - 1, 9163701, 24630),
        "",
    ]
)
"""Samples of the recording, of which the last ends at 2^63-1 ns."""
INPUTS: dict[str, tuple[str, list[Path]]] = {
    "far-apart.txt": (FAR_APART, []),
    "negative-pid.txt": (NEGATIVE_PID, []),
    "half-lscpu-p.txt": (HALF_LSCPU, [NUMA]),
    "other-lscpu-p.txt": (OTHER_LSCPU, [NUMA]),
    "late-psi.jsonl": (LATE_PSI, [NUMA]),
}
"""Text of each input, and what it is given with."""
CPU_S = 20
MEMORY_BYTES = 1 << 30


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({CPU_S}, {CPU_S}))
from numalens.cli.main import main
sys.argv = ["numalens", "analyze", *sys.argv[1:]]
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""
    return subprocess.run(
        [sys.executable, "-c", command, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )


SIGNED = {"offset_ns", "drift_ppb", "mmtests", "prio"}
"""Fields that may be below 0: distances, priorities of deadline tasks, and the monitor's own sum."""
NONE = ("nid", "cpu", "pid")
"""Suffixes of the names of fields in which -1 means none."""


def negatives(value: Any, name: str = "") -> list[str]:
    """Numbers below 0 in a report, with the names of their fields."""
    if isinstance(value, dict):
        return [found for key, part in value.items() if key not in SIGNED for found in negatives(part, key)]
    if isinstance(value, list):
        return [found for part in value for found in negatives(part, name)]
    below = isinstance(value, int | float) and value < 0
    return [f"{name}={value}"] if below and not (value == -1 and name.endswith(NONE)) else []


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("name", INPUTS)
def test_the_command_answers_or_says_one_sentence(name: str, tolerant: bool, tmp_path: Path) -> None:
    text, others = INPUTS[name]
    (tmp_path / name).write_text(text)
    report = tmp_path / "report.json"
    options = ["--tolerant"] if tolerant else []
    done = analyze(*others, tmp_path / name, "--json", report, *options)
    lines = done.stderr.splitlines()
    assert "Traceback" not in done.stderr
    assert max(int(line) for line in lines if line.isdigit()) * 1024 < MEMORY_BYTES
    assert done.returncode in {0, 3}
    if done.returncode == 3:
        (message,) = [line for line in lines if line.startswith("numalens: ")]
        assert message.startswith(f"numalens: {name}: ")
        assert len(message) < 1000
    else:
        answer = json.loads(report.read_text())
        assert answer["headline"]
        assert negatives(answer) == []


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("name", INPUTS)
def test_what_is_ready_answers_every_section(service: Service, name: str, tolerant: bool) -> None:
    text, others = INPUTS[name]
    files = {name: text.encode()} | {file.name: file.read_bytes() for file in others}
    uploads = [service.upload(content, file) for file, content in files.items()]
    made = service.client.post(f"{API}/analyses", json={"uploads": uploads, "tolerant": tolerant}).json()["id"]
    state, detail = service.watch(made)[-1]
    if state == "failed":
        assert name in str(detail)
        return
    assert service.get(f"/analyses/{made}/report").status_code == 200
    for section in ("findings", "psi", "latency", "numa_balancing"):
        assert service.get(f"/analyses/{made}/sections/{section}").status_code == 200


def test_a_thread_below_0_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "negative-pid.txt"
    file.write_text(NEGATIVE_PID)
    done = analyze(file)
    assert "expected numbers of threads from 0 on in sched_waking, found -7 in pid" in done.stderr

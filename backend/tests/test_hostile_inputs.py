"""Inputs that brought an earlier version down: each ends in an answer or in one message, strictly read and tolerantly."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import FIXTURES, NUMA
from tests.service import API, Service

INPUTS: dict[str, list[Path]] = {
    "far-apart.txt": [],
    "negative-pid.txt": [],
    "half-lscpu-p.txt": [NUMA],
    "other-lscpu-p.txt": [NUMA],
    "late-psi.jsonl": [NUMA],
}
"""Files in fixtures/hostile, and what each is given with."""
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
"""Ends of the names of fields in which -1 stands for none."""


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
    report = tmp_path / "report.json"
    options = ["--tolerant"] if tolerant else []
    done = analyze(*INPUTS[name], FIXTURES / "hostile" / name, "--json", report, *options)
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
    files = [FIXTURES / "hostile" / name, *INPUTS[name]]
    uploads = [service.upload(file.read_bytes(), file.name) for file in files]
    made = service.client.post(f"{API}/analyses", json={"uploads": uploads, "tolerant": tolerant}).json()["id"]
    state, detail = service.watch(made)[-1]
    if state == "failed":
        assert name in str(detail)
        return
    assert service.get(f"/analyses/{made}/report").status_code == 200
    for section in ("findings", "psi", "latency", "numa_balancing"):
        assert service.get(f"/analyses/{made}/sections/{section}").status_code == 200


def test_a_thread_below_0_is_refused_by_name() -> None:
    done = analyze(FIXTURES / "hostile" / "negative-pid.txt")
    assert "expected numbers of threads from 0 on in sched_waking, found -7 in pid" in done.stderr

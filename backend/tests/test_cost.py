"""What a hostile recording costs: memory and answers are bounded whatever times and CPUs it claims."""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import command
from tests.recordings import FIXTURES
from tests.scope import examples

SWITCH: Final = (
    "            bash-100   [{cpu:03}] d..2. {at:.6f}: sched_switch: prev_comm=bash prev_pid={on} prev_prio=120 prev_state=R"
    " ==> next_comm=x next_pid={next} next_prio=120\n"
)
REPORT_BYTES: Final = 8 << 20
MEMORY_BYTES: Final = 400 << 20
SECONDS: Final = 300
CPU_SECONDS: Final = 30
"""Limit of the processor time for all sections of few events."""


def far_apart(path: Path, seconds: float, cpus: int = 1) -> Path:
    """Three switches on each CPU, the last one `seconds` later."""
    turns = ((1.000001, 100, 200), (1.5, 200, 100), (seconds, 100, 200))
    lines = [SWITCH.format(cpu=cpu, at=at, on=on, next=after) for at, on, after in turns for cpu in range(cpus)]
    path.write_text("# tracer: nop\n#\n" + "".join(lines))
    return path


def test_the_report_of_three_events_is_small_however_far_apart_they_are(tmp_path: Path) -> None:
    for seconds in (4_000_000.000001, 4_000_000_000.0):
        report = tmp_path / f"{seconds}.json"
        environment = os.environ | {"NUMALENS_JOB_MEMORY_BYTES": str(MEMORY_BYTES)}
        input_file = far_apart(tmp_path / "far-apart.txt", seconds)
        command.run("analyze", input_file, "--json", report, env=environment, timeout=SECONDS)
        assert report.stat().st_size < REPORT_BYTES
        series = json.loads(report.read_text())["psi"]["series"]
        assert len(series["cpu"]) < 12_300
        assert any("updates of the averages" in what for what in series["missing"])


def test_the_report_of_many_cpus_is_small_however_far_apart_their_events_are(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    input_file = far_apart(tmp_path / "far-apart-400-cpus.txt", 1_000_000, cpus=400)
    command.run("analyze", input_file, "--json", report, timeout=SECONDS)
    assert report.stat().st_size < REPORT_BYTES


STAMP: Final = re.compile(r"\[(\d+)\](.*?)(\d+)\.(\d{6}): ")
TEXT: Final = FIXTURES / "text" / "numa-6.1-2x4-small.report.8000.txt.zst"
EVENTS: Final = pa.input_stream(str(TEXT), compression="zstd").read().decode()
LONGEST_NS: Final = 1 << 62
"""Times from here on are refused."""
MOST_CPUS: Final = 1 << 14
ANSWER_BYTES: Final = 4 << 20
"""The longest series has 16,384 steps, whatever they are long."""
SECTIONS: Final = """
import json, resource, sys
from pathlib import Path
import numalens_native as native
from numalens.report import window_of

resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[3]),) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[4]),) * 2)
out = Path(sys.argv[2])
native.ingest([("trace.txt", sys.argv[1])], str(out))
bundle = native.Bundle(str(out))
window = window_of(json.loads(bundle.manifest()), None, None)
names = json.loads(native.schemas())["sections"]
print(json.dumps({name: len(bundle.analysis(name, *window, "{}", browser=True)) for name in names} | {
    "report": len(bundle.report()), "span": window[1] - window[0],
}))
"""


def spread(text: str, times: int, apart: int) -> str:
    """The events of a text with their times and the numbers of their CPUs multiplied."""
    stamps = [STAMP.search(line) for line in text.splitlines()]
    first = next(int(stamp[3]) * 10**9 + int(stamp[4]) * 1000 for stamp in stamps if stamp)

    def moved(stamp: re.Match[str]) -> str:
        ns = first + (int(stamp[3]) * 10**9 + int(stamp[4]) * 1000 - first) * times
        return f"[{int(stamp[1]) * apart:03}]{stamp[2]}{ns // 10**9}.{ns % 10**9:09}: "

    lines = [line for line in text.splitlines() if not line.startswith("cpus=")]
    return "\n".join(STAMP.sub(moved, line, 1) for line in lines) + "\n"


@settings(deadline=None, max_examples=examples(1, 6))
@given(times=st.integers(0, 32), apart=st.integers(1, MOST_CPUS // 8))
@example(times=32, apart=1)
@example(times=0, apart=MOST_CPUS // 8)
@example(times=32, apart=MOST_CPUS // 8)
def test_every_section_of_the_same_events_is_small_however_long_and_wide(times: int, apart: int) -> None:
    """Half a second of a machine of two nodes, made to last up to 80 years on CPUs of up to any number."""
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder, "trace.txt")
        recording.write_text(spread(EVENTS, 1 << times, apart))
        done = subprocess.run(
            [sys.executable, "-c", SECTIONS, recording, Path(folder, "out"), str(MEMORY_BYTES), str(CPU_SECONDS)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        sizes = json.loads(done.stdout)
    span = sizes.pop("span")
    assert 400_000_000 << times < span < 800_000_000 << times < LONGEST_NS
    assert len(sizes) > 15
    assert sizes.pop("report") < REPORT_BYTES
    assert {name: size for name, size in sizes.items() if size > ANSWER_BYTES} == {}


def test_times_that_no_clock_counts_are_refused_in_one_sentence(tmp_path: Path) -> None:
    input_file = far_apart(tmp_path / "far-apart.txt", 9_000_000_000.0)
    for tolerant in ([], ["--tolerant"]):
        ended = command.run("analyze", input_file, *tolerant, status=3, timeout=SECONDS)
        sentence = ended.stderr.decode()
        assert "expected times below" in sentence
        assert sentence.count("\n") == 1


def test_a_command_that_meets_its_memory_limit_ends_in_one_sentence(tmp_path: Path) -> None:
    lines = "".join(SWITCH.format(cpu=at % 7, at=1 + at / 1e6, on=at, next=at + 1) for at in range(100_000))
    recording = tmp_path / "recording.txt"
    recording.write_text("# tracer: nop\n#\n" + lines)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = os.environ | {"TMPDIR": str(temporary), "NUMALENS_JOB_MEMORY_BYTES": str(40 << 20)}
    kept: list[str | Path] = ["-o", tmp_path / "kept"]
    for out in (kept[:0], kept):
        ended = command.run("analyze", recording, *out, status=3, env=environment, timeout=SECONDS)
        sentence = "numalens: this import needs more memory than the limit of 41,943,040 bytes"
        assert ended.stderr.decode() == f"{sentence} (NUMALENS_JOB_MEMORY_BYTES)\n"
        assert ended.stdout == b""
        assert list(temporary.iterdir()) == []
        assert {path.name for path in tmp_path.iterdir()} == {"recording.txt", "temporary"}


def test_a_limit_that_is_no_number_is_refused() -> None:
    environment = os.environ | {"NUMALENS_JOB_MEMORY_BYTES": "much"}
    ended = command.run("analyze", "nothing.txt", status=2, env=environment)
    assert b"NUMALENS_JOB_MEMORY_BYTES" in ended.stderr


def test_a_command_may_be_given_less_than_it_asks_for(tmp_path: Path) -> None:
    input_file = far_apart(tmp_path / "short.txt", 2.0)
    hard = 1 << 30

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))

    command.run("analyze", input_file, preexec_fn=limited)


ABORT: Final = """
import os, sys, tempfile
from numalens.cli.limited import limit_memory, work_prefix
from numalens.cli.plain import print_plainly
print_plainly()
limit_memory()
tempfile.mkdtemp(prefix=work_prefix(os.getpid()))
sys.stderr.write("before\\n")
os.write(2, sys.argv[1].encode())
os.abort() if sys.argv[2] == "abort" else sys.exit(5)
"""


def test_what_a_native_module_says_at_its_end_is_a_sentence_or_passed_on(tmp_path: Path) -> None:
    for said, how, status, answer in (
        ("memory allocation of 8 bytes failed\n", "abort", 3, "before\nnumalens: this import needs more memory than"),
        ("something else\n", "abort", 1, "before\nsomething else\nnumalens: stopped unexpectedly (SIGABRT)\n"),
        ("a warning\n", "exit", 5, "before\na warning\n"),
    ):
        temporary = tmp_path / how
        temporary.mkdir(exist_ok=True)
        ended = subprocess.run(
            [sys.executable, "-c", ABORT, said, how],
            env=os.environ | {"TMPDIR": str(temporary)},
            check=False,
            capture_output=True,
            timeout=SECONDS,
        )
        assert ended.returncode == status
        assert ended.stderr.decode().startswith(answer)
        assert how == "exit" or list(temporary.iterdir()) == []

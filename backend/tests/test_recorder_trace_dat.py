"""The recorder's trace.dat, from real pages of a fixture: our reader and trace-cmd find the same in it."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numalens_native
import pytest

from numalens.recorder.trace_dat import Description, PageLayout, Part, page_layout, trace_dat
from tests.recordings import FIXTURES

FIXTURE = FIXTURES / "recorder"
"""Three sub-buffers of each of two CPUs, as the kernel gave them, and the formats of what they hold."""
EVENTS = {"sched_migrate_task": 5, "sched_switch": 235, "sched_wakeup": 113, "sched_waking": 88}
"""Events that `trace-cmd report` finds in the file that the writer makes of the pages."""
CPU_EVENTS = {0: 238, 1: 203}


def formats() -> dict[str, bytes]:
    """Texts of the kernel by their names: `header_page`, `sched/sched_switch`."""
    parts = (FIXTURE / "formats.txt").read_text().removeprefix("== ").split("\n== ")
    return {name: f"{text.rstrip()}\n".encode() for name, text in (part.split("\n", 1) for part in parts)}


FORMATS = formats()


def description() -> Description:
    systems = {
        system: [text for name, text in FORMATS.items() if name.startswith(f"{system}/")]
        for system in ("sched", "migrate")
    }
    return Description(
        header_page=FORMATS["header_page"],
        header_event=FORMATS["header_event"],
        ftrace_formats=[FORMATS["ftrace/print"]],
        event_formats=systems,
        kallsyms=b"ffffffff81000000 T _stext\n",
        printk_formats=b'0xffffffff8281972f : "a text"\n',
        saved_cmdlines=b"1 init\n",
        trace_clock=b"local global [mono] boot\n",
        uname="Linux 6.18.44 #1 SMP x86_64",
        recorder="numalens record",
        cpu_stats=["CPU: 0\nentries: 0\n", "CPU: 1\nentries: 0\n"],
    )


def written(folder: Path, pages: dict[int, Part]) -> Path:
    target = folder / "trace.dat"
    with target.open("wb") as file:
        for part in trace_dat(description(), pages):
            data = part.data if part.path is None else part.path.read_bytes()[: part.size]
            assert len(data) == part.size
            file.write(data)
    return target


def spooled(*cpus: int) -> dict[int, Part]:
    return {cpu: Part(3 * 4096, path=FIXTURE / f"cpu{cpu}.pages") for cpu in cpus}


def decoded(file: Path, folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(numalens_native.ingest([("trace.dat", str(file))], str(folder / "bundle")))
    return manifest


def test_our_reader_finds_every_event(tmp_path: Path) -> None:
    manifest = decoded(written(tmp_path, spooled(0, 1)), tmp_path)
    assert manifest["event_counts"] == EVENTS
    (first,) = manifest["inputs"]
    assert (first["clock"], first["cpus"]) == ("mono", 2)
    assert first["kernel"] == "Linux 6.18.44 #1 SMP x86_64"
    assert {span["cpu"]: span["events"] for span in first["cpu_spans"]} == CPU_EVENTS


@pytest.mark.skipif(shutil.which("trace-cmd") is None, reason="trace-cmd is not installed")
def test_trace_cmd_finds_every_event(tmp_path: Path) -> None:
    file = written(tmp_path, spooled(0, 1))
    report = subprocess.run(["trace-cmd", "report", "-i", file], capture_output=True, text=True, check=True)
    # "  comm-pid [cpu] seconds: event: ..."; the first line has the number of CPUs.
    found = Counter(line.split("] ", 1)[1].split()[1].rstrip(":") for line in report.stdout.splitlines()[1:])
    assert found == EVENTS
    assert report.stderr == ""


def test_a_cpu_without_pages_keeps_its_number(tmp_path: Path) -> None:
    manifest = decoded(written(tmp_path, spooled(1)), tmp_path)
    (first,) = manifest["inputs"]
    assert [(span["cpu"], span["events"]) for span in first["cpu_spans"] if span["events"]] == [(1, CPU_EVENTS[1])]


def test_a_spool_file_is_taken_only_as_far_as_it_is_whole(tmp_path: Path) -> None:
    torn = tmp_path / "cpu0.pages"
    torn.write_bytes((FIXTURE / "cpu0.pages").read_bytes()[:5000])
    manifest = decoded(written(tmp_path, {0: Part(4096, path=torn)}), tmp_path)
    (first,) = manifest["inputs"]
    assert 0 < first["events"] < CPU_EVENTS[0]


def test_a_recording_without_events_is_one() -> None:
    (only,) = trace_dat(description(), {0: Part(0), 1: Part(0)})
    assert only.size % 4096 == 0
    assert only.data.startswith(b"\x17\x08\x44tracing6\0")


def test_the_page_layout_comes_from_the_kernels_text() -> None:
    assert page_layout(FORMATS["header_page"]) == PageLayout(4096, 8)
    small = b"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n\tfield: char data;\toffset:12;\tsize:65524;\tsigned:1;\n"
    assert page_layout(small) == PageLayout(65536, 4)
    with pytest.raises(ValueError, match="no fields commit and data"):
        page_layout(b"something else\n")

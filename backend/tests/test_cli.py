"""The command line: exit status, what goes to which stream, the report's shape, kept bundles."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.ipc
import pytest

from tests.command import run
from tests.live import live_server
from tests.recordings import DROPPED, FIXTURES, GARBAGE, LSCPU, NUMA, NUMACTL, SMALL, TRUNCATED, counts
from tests.service import API


def report(*arguments: str | Path) -> dict[str, Any]:
    ended = run("analyze", *arguments, "--json", "-")
    assert ended.stderr == b""
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_the_report_alone_is_on_stdout() -> None:
    found = report(NUMA, "--topology", LSCPU)
    assert found["schema"] == "numalens.report/1"
    assert found["event_counts"] == counts("cling-2x4-small")
    assert found["topology"]["source"] == "sidecar"
    assert [node["nid"] for node in found["topology"]["nodes"]] == [0, 1]
    assert [entry["kind"] for entry in found["inputs"]] == ["trace.dat", "topology"]
    first = found["inputs"][0]
    for field in ("name", "kind", "bytes", "events", "lost_events", "clock", "kernel", "cpus"):
        assert field in first
    assert first["bytes"] == NUMA.stat().st_size
    assert first["kernel"].startswith("Linux")
    for section in (
        "psi",
        "utilisation",
        "residency",
        "placement",
        "numa_balancing",
        "vmstat",
        "cling",
        "idle_balancing",
        "page_migration",
        "latency",
        "waste",
        "headline",
        "findings",
        "quality",
        "other_waiting",
    ):
        assert section in found
    assert found["cling"]["degree"] == 20


def test_topology_without_a_side_file_says_where_it_is_from() -> None:
    assert report(SMALL)["topology"]["source"] in {"events", "assumed"}
    assert report(NUMA, NUMACTL)["topology"]["source"] == "sidecar"


def test_the_window_can_be_set() -> None:
    first, last = report(SMALL)["window_ns"]
    assert first < last
    assert report(SMALL, "--from", str(first + 5), "--to", str(last - 5))["window_ns"] == [first + 5, last - 5]
    assert report(SMALL, "--degree", "35")["cling"]["degree"] == 35


def test_the_replays_options_are_in_the_report(tmp_path: Path) -> None:
    found = report(NUMA, "--psi-rules", "4.20", "--hz", "300", "--step", "0.5", "-o", tmp_path / "bundle")
    assert (found["psi"]["rules"], found["psi"]["hz"]) == ("4.20", 300)
    assert found["utilisation"]["step_ns"] == 500_000_000
    # A kept bundle remembers the jiffies, and can be asked for others.
    assert report(tmp_path / "bundle")["psi"]["hz"] == 300
    assert report(tmp_path / "bundle", "--hz", "100")["psi"]["hz"] == 100


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--psi-rules", "5.8"),
        *(("--hz", value) for value in ("0", "10001", "many")),
        *(("--step", value) for value in ("0", "-1", "nan", "1e-8", "1e300")),
    ],
)
def test_the_replays_options_are_checked(option: str, value: str) -> None:
    assert option.encode() in run("analyze", SMALL, option, value, status=2).stderr


def test_the_summary_is_for_people(tmp_path: Path) -> None:
    ended = run("analyze", DROPPED, "--json", tmp_path / "report.json")
    text = ended.stdout.decode()
    assert DROPPED.name in text
    assert "clock mono" in text
    assert "11 places" in text
    assert "sched_switch" in text
    assert f"{counts('tc-dropped')['sched_switch']:,}" in text
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["event_counts"] == counts("tc-dropped")


def test_a_kept_bundle_is_opened_again(tmp_path: Path) -> None:
    bundle = tmp_path / "deep" / "bundle"
    text = run("analyze", SMALL, "-o", bundle).stdout.decode()
    assert str(bundle) in text
    assert [path.name for path in bundle.parent.iterdir()] == ["bundle"]
    assert report(bundle) == report(SMALL)
    events = run("events", bundle, "--type", "sched_switch").stdout
    assert events == run("events", SMALL, "--type", "sched_switch").stdout
    refused = run("analyze", SMALL, "-o", bundle, status=2)
    assert b"already exists; a bundle needs a new folder" in refused.stderr


def test_a_kept_bundle_is_served(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    run("analyze", NUMA, "-o", bundle)
    for _ in range(2):
        with live_server(tmp_path / "data", str(bundle)) as server, server.client() as client:
            listed = client.get(f"{API}/analyses").json()["analyses"]
            assert [(entry["title"], entry["status"]) for entry in listed] == [("bundle", "ready")]
            assert client.get(f"{API}/analyses/{listed[0]['id']}/tasks").status_code == 200


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run("analyze", SMALL, env=environment)
    run("analyze", tmp_path / "none.dat", status=3, env=environment)
    garbage = tmp_path / "garbage.dat"
    garbage.write_bytes(GARBAGE)
    run("analyze", garbage, "-o", tmp_path / "bundle", status=3, env=environment)
    assert [path.name for path in tmp_path.iterdir()] == ["garbage.dat"]


@pytest.mark.parametrize(("name", "content"), [("garbage.dat", GARBAGE), ("cut.dat", TRUNCATED), ("empty.dat", b"")])
@pytest.mark.parametrize("command", ["analyze", "events"])
def test_a_rejected_input_is_one_sentence_and_status_3(tmp_path: Path, command: str, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    more = ["--type", "sched_switch"] if command == "events" else ["--json", "-"]
    ended = run(command, SMALL, path, *more, status=3)
    assert ended.stdout == b""
    answer = ended.stderr.decode()
    assert answer.count("\n") == 1
    assert name in answer
    assert "Traceback" not in answer


def test_a_folder_is_read_whole_and_says_what_it_set_aside(tmp_path: Path) -> None:
    for path in (SMALL, NUMACTL):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "cmd.txt").write_text("trace-cmd record\n")
    answer = run("analyze", tmp_path).stdout.decode()
    assert "cmd.txt" in answer
    (tmp_path / "empty.dat").write_bytes(b"")
    ended = run("analyze", tmp_path)
    assert ended.stderr == b"not read: empty.dat, an empty file\n"
    assert ended.stdout.decode() == answer
    for path in tmp_path.iterdir():
        path.write_bytes(b"")
    assert "all empty" in run("analyze", tmp_path, status=2).stderr.decode()


def test_a_recording_becomes_a_perfetto_trace(tmp_path: Path) -> None:
    out = tmp_path / "trace.pftrace"
    answer = run("convert", SMALL, "--to", "pftrace", "-o", out).stderr.decode()
    assert answer.startswith(f"{out}: 2,739 events")
    assert run("convert", SMALL).stdout == out.read_bytes()
    alone = run("convert", NUMACTL, status=2).stderr.decode()
    assert alone.count("\n") == 1


def test_a_missing_file_is_a_rejected_input() -> None:
    answer = run("analyze", "/nowhere/trace.dat", status=3).stderr.decode()
    assert answer.count("\n") == 1
    assert "/nowhere/trace.dat" in answer


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "trace.dat"
    os.mkfifo(pipe)
    answer = run("analyze", pipe, status=3, timeout=60).stderr.decode()
    assert answer == f"numalens: {pipe}: not a regular file (a pipe or a device); expected a file on a disk\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["analyze"],
        ["analyze", str(SMALL), "--unknown"],
        ["analyze", str(SMALL), "--from", "9", "--to", "3"],
        ["analyze", str(SMALL), "--from", "soon"],
        ["analyze", str(SMALL), "--degree", "101"],
        ["analyze", str(SMALL), "--topology", str(NUMA)],
        ["analyze", str(SMALL), "--offset", "5"],
        ["analyze", str(SMALL), "--offset", f"{SMALL.name}=soon"],
        ["analyze", str(SMALL), "--offset", "=5"],
        ["analyze", str(SMALL), "--offset", f"{SMALL.name}={1 << 63}"],
        ["analyze", str(SMALL), "--offset", f"{SMALL.name}=1", "--offset", f"{SMALL.name}=2"],
        ["analyze", str(SMALL), "--offset", "other.dat=1"],
        ["inputs"],
        ["events", str(SMALL)],
        ["events", str(SMALL), "--type", "no_such_event"],
        ["events", str(SMALL), "--type", "sched_switch", "--format", "xml"],
        ["serve", "--port", "70000"],
        ["convert", str(SMALL), "--to", "json"],
        ["convert", str(SMALL), "--from", "9", "--to", "3"],
    ],
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    ended = run(*arguments, status=2)
    assert ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b'"schema"' not in ended.stdout


def test_a_wrong_setting_is_named() -> None:
    environment = {**os.environ, "NUMALENS_MAX_UPLOAD_BYTES": "much"}
    ended = run("serve", "--port", "0", status=2, env=environment)
    assert b"NUMALENS_MAX_UPLOAD_BYTES" in ended.stderr


def test_events_as_csv() -> None:
    ended = run("events", SMALL, "--type", "sched_switch")
    rows = list(csv.DictReader(io.StringIO(ended.stdout.decode())))
    assert ended.stdout.startswith(b"ts_ns,cpu,")
    assert len(rows) == counts("tc-small")["sched_switch"]
    times = [int(row["ts_ns"]) for row in rows]
    assert times == sorted(times)
    assert {"prev_comm", "prev_pid", "next_comm", "next_pid"} <= set(rows[0])


def test_events_in_other_forms_and_in_a_window(tmp_path: Path) -> None:
    run("events", SMALL, "--type", "sched:sched_switch", "--format", "arrow", "-o", tmp_path / "out.arrow")
    table = pyarrow.ipc.open_stream((tmp_path / "out.arrow").read_bytes()).read_all()
    times = table["ts_ns"].to_pylist()
    window = ["--from", str(times[10]), "--to", str(times[20])]
    lines = run("events", SMALL, "--type", "sched_switch", "--format", "ndjson", *window).stdout.splitlines()
    assert [json.loads(line)["ts_ns"] for line in lines] == [time for time in times if times[10] <= time < times[20]]


def test_a_reader_that_has_enough_is_no_drama() -> None:
    command = [sys.executable, "-m", "numalens", "events", str(NUMA), "--type", "sched_switch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"ts_ns")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def _all_of(leader: int) -> bytes:
    """What is printed to a terminal until nobody has it open any more."""
    shown = b""
    with os.fdopen(leader, "rb", buffering=0) as terminal:
        while True:
            try:
                piece = terminal.read(4096)
            except OSError:
                return shown
            if not piece:
                return shown
            shown += piece


def test_progress_is_a_bar_in_a_terminal(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "numalens", "analyze", str(NUMA), "--json", "-"]
    environment = {**os.environ, "TERM": "xterm-256color"}
    report = tmp_path / "report.json"
    # Into a file: the report is longer than a pipe holds, and this test reads the terminal first.
    with report.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = _all_of(leader)
    assert json.loads(report.read_bytes())["schema"] == "numalens.report/1"
    assert process.returncode == 0
    assert b"%" in shown


def test_help_names_only_what_there_is() -> None:
    text = run("--help").stdout.decode()
    for command in ("serve", "analyze", "compare", "events", "record"):
        assert command in text
    assert run("--version").stdout.startswith(b"numalens ")


def test_every_note_is_reported_once() -> None:
    notes = report(SMALL)["notes"]
    assert notes
    assert len(set(notes)) == len(notes)


def test_what_happened_is_printed_first_and_why() -> None:
    text = run("analyze", NUMA).stdout.decode()
    found = report(NUMA)
    lines = text.splitlines()
    assert " ".join(text.partition("\n\n")[0].split()) == found["headline"]["summary"]
    assert lines.index(f"findings  {len(found['findings'])}") < lines.index("inputs")
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in text
    # The longest of all, whatever began it, in the sentence that the page has for it.
    longest = max(found["latency"]["worst"] + found["latency"]["preempted"]["worst"], key=lambda wait: wait["wait_ns"])
    waits = text.partition("longest waits")[2].splitlines()
    assert f"{longest['comm']} ({longest['pid']}) waited {longest['wait_ns'] / 1e6:.1f} ms on CPU" in waits[1]


def test_a_summary_has_colours_on_a_terminal_only() -> None:
    shown = []
    for terminal in ({"TERM": "xterm-256color"}, {"TERM": "xterm-256color", "NO_COLOR": "1"}):
        leader, follower = pty.openpty()
        command = [sys.executable, "-m", "numalens", "analyze", str(NUMA)]
        environment = {**os.environ, "COLUMNS": "70", **terminal}
        with subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL, env=environment):
            os.close(follower)
            shown.append(_all_of(leader))
    assert b"\x1b[33m  medium\x1b[0m" in shown[0]
    assert b"\x1b[33m" not in shown[1]
    assert max(len(line) for line in shown[1].decode().splitlines() if "\x1b" not in line) <= 70


QUIET = ("No ", "Little was lost", "Waits unknown")


@pytest.mark.parametrize(
    "name", ["cling-2x4-heavy/trace.dat", *(f"fixtures/{path.name}" for path in FIXTURES.glob("*.dat*"))]
)
def test_headline_and_first_card_are_the_first_finding(name: str) -> None:
    found = report(FIXTURES.parent / name)
    first, *_ = findings = found["findings"]
    # The page's first card: the first finding that cost time, if any did.
    assert next((one for one in findings if one["impact_ms"] > 0), first) is first
    assert found["headline"]["summary"].startswith(QUIET) == (first["severity"] == "low")

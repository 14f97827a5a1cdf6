"""`numalens query`: forms, exit status, and what goes to which stream."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from tests.command import run
from tests.recordings import GARBAGE, LSCPU, NUMA, SAMPLE, SMALL, counts
from tests.sql_helpers import RECORDED

BY_NAME = f"select name, count(*) as events from ftrace_event where {RECORDED} group by name order by name"
EXPECTED = [[name, str(count)] for name, count in sorted(counts("tc-small").items())]


def test_a_table_has_the_rows_and_notes_go_to_stderr() -> None:
    ended = run("query", SMALL, BY_NAME)
    head, *lines = ended.stdout.decode().splitlines()
    assert head.split() == ["name", "events"]
    assert [line.split() for line in lines] == EXPECTED
    assert b"trace processor counted" in ended.stderr
    assert len({len(line) for line in (head, *lines)}) == 1


def test_every_form_has_the_same_rows(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    run("query", SMALL, BY_NAME, "--format", "csv", "-o", file)
    assert list(csv.reader(io.StringIO(file.read_text())))[1:] == EXPECTED
    run("query", SMALL, BY_NAME, "--format", "arrow", "-o", file)
    table = ipc.open_stream(pa.py_buffer(file.read_bytes())).read_all()
    assert [[row["name"], str(row["events"])] for row in table.to_pylist()] == EXPECTED
    answer = json.loads(run("query", SMALL, BY_NAME, "--format", "json").stdout)
    assert answer["rows"] == EXPECTED
    assert answer["columns"] == [{"name": "name", "kind": "text"}, {"name": "events", "kind": "integer"}]


def test_bundles_side_files_stretches_and_limits(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    run("analyze", NUMA, LSCPU, "-o", bundle)
    nodes = run(
        "query",
        bundle,
        "include perfetto module numalens.nodes; select nid, count(*) from numalens_cpu_node group by 1",
    )
    assert [line.split() for line in nodes.stdout.decode().splitlines()[1:]] == [["0", "4"], ["1", "4"]]
    first, last = (
        int(cell) for cell in run("query", bundle, "select min(ts), max(ts) from ftrace_event").stdout.split()[-2:]
    )
    middle = (first + last) // 2
    part = run("query", bundle, "-", "--from", str(middle), input=b"select min(ts) >= %d from ftrace_event" % middle)
    assert part.stdout.split()[-1] == b"1"
    few = run("query", bundle, "select ts from ftrace_event", "--limit", "3")
    assert len(few.stdout.splitlines()) == 4
    assert b"More rows exist" in few.stderr


def test_what_is_wrong_is_one_sentence() -> None:
    for status, arguments, says in (
        (2, (SMALL, "select\n nosuch"), b"at line 2, column 2: no such column: nosuch."),
        (2, (SMALL, "vacuum"), b"no query may do"),
        (2, ("select 1",), b"followed by one SQL query"),
        (2, (SMALL, "select 1", "--from", "5", "--to", "5"), b"the window is empty"),
        (2, (SAMPLE / "psi.jsonl", "select 1"), b"samples alone"),
        (
            1,
            (SMALL, "select count(*) from ftrace_event a, ftrace_event b, ftrace_event c", "--seconds", "0.2"),
            b"stopped after",
        ),
        (1, (SMALL, "select 1", "--trace-processor", "/nothing/here"), b"cannot be started"),
    ):
        ended = run("query", *arguments, status=status)
        assert says in ended.stderr
        assert ended.stderr.startswith(b"numalens: ")
        assert b"Traceback" not in ended.stderr
        assert ended.stdout == b""


def test_a_file_that_is_no_recording_is_rejected(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.dat"
    wrong.write_bytes(GARBAGE)
    run("query", wrong, "select 1", status=3)

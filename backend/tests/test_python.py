"""`import numalens`: windows, tables without a copy, and the page about them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import numalens
from numalens.analysis import Analysis, NotRecordedError, Table
from tests.recordings import GARBAGE, NUMA, ROOT, SAMPLE, counts

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
TABLES = (
    "waits",
    "wait_causes",
    "slices",
    "states",
    "findings",
    "pressure",
    "numa_attempts",
    "cling",
    "kicks",
    "sleeps",
)


@pytest.fixture(scope="module")
def analysis() -> Iterator[Analysis]:
    with numalens.open(NUMA) as opened:
        yield opened


def arrow(table: Table) -> pa.Table:
    return pa.table(table)


def table_of(analysis: Analysis, name: str) -> Table:
    found: Table = getattr(analysis, name)()
    return found


def test_the_examples_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLE)
    scope: dict[str, Any] = {}
    for example in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        exec(example, scope)  # noqa: S102  (our own page)
    with pytest.raises(ValueError, match="closed"):
        scope["a"].waits()
    # What was taken out of it before is still there.
    assert scope["table"].num_rows == len(scope["waits"])


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebooks_run(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ends with what it came to, asserted; nothing of a run is kept in it."""
    monkeypatch.chdir(notebook.parent)
    scope: dict[str, Any] = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec("".join(cell["source"]), scope)  # noqa: S102  (our own notebook)


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_columns_of_each_table(name: str) -> None:
    with numalens.open(*SAMPLE.glob("*.dat")) as sample:
        table = table_of(sample[12.0:14.0], name)
    section = PAGE.partition(f"### `{name}()`")[2].partition("\n##")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \|", section, re.MULTILINE)
    assert dict(rows) == {column: dtype.replace("non-null ", "") for column, dtype in table.columns.items()}
    assert arrow(table).num_rows == len(table)


def test_events_are_those_that_other_tools_count(analysis: Analysis) -> None:
    # The common window of all buffers leaves out what only some recorded.
    assert len(analysis[0:1e6].events("sched_switch")) == counts("cling-2x4-small")["sched_switch"]
    assert analysis.event_counts == counts("cling-2x4-small")
    with pytest.raises(KeyError):
        analysis.events("sched_none")


def test_a_window_has_what_lies_in_it(analysis: Analysis) -> None:
    part = analysis[11.0:12.5]
    begin, end = part.window_ns
    assert (begin, end) == (11_000_000_000, 12_500_000_000)
    times = arrow(part.events("sched_switch"))["ts_ns"].to_pylist()
    whole = arrow(analysis.events("sched_switch"))["ts_ns"].to_pylist()
    assert times == [time for time in whole if begin <= time < end]
    waits = arrow(part.waits())
    assert min(waits["end_ns"].to_pylist()) >= begin
    assert max(waits["start_ns"].to_pylist()) <= end
    assert analysis[:12.5].window_ns == (analysis.window_ns[0], end)
    # A window of a window is one of the recording: seconds are those of the axis.
    assert part[11.5:12.0].seconds == (11.5, 12.0)


def test_waits_are_those_of_the_section(analysis: Analysis) -> None:
    waits, latency = arrow(analysis.waits()), analysis.section("latency")
    assert analysis.waits().provenance == latency["label"]
    kinds = (latency["preempted"], latency["new"], latency["unfinished"])
    assert waits.num_rows == latency["wakeups"] + sum(kind["count"] for kind in kinds)
    assert pc.sum(waits["wait_ns"]).as_py() == latency["wait_ns"] + sum(kind["wait_ns"] for kind in kinds)
    causes = arrow(analysis.wait_causes())
    by_wait = causes.group_by("wait").aggregate([("ns", "sum")]).sort_by("wait")
    assert by_wait["ns_sum"].to_pylist() == [ns for ns in waits["wait_ns"].to_pylist() if ns]


def test_findings_are_those_of_the_report(analysis: Analysis) -> None:
    findings = arrow(analysis.findings()).to_pylist()
    report = analysis.report()["findings"]
    assert [(each["id"], each["from_ns"], each["pids"]) for each in findings] == [
        (each["id"], each["from_ns"], each["pids"]) for each in report
    ]
    assert {each["provenance"] for each in findings} <= {"observed", "replayed", "inferred", "what-if"}


def test_slices_are_as_long_as_the_cpus_were_busy(analysis: Analysis) -> None:
    begin, end = analysis.window_ns
    slices = arrow(analysis.slices()).to_pylist()
    inside = sum(min(each["end_ns"], end) - max(each["start_ns"], begin) for each in slices if each["pid"] != 0)
    used = analysis.section("utilisation")
    assert inside == pytest.approx(sum(node["busy_ns"] for node in used["nodes"]), rel=1e-3)


def test_rows_of_events_are_not_copied(analysis: Analysis) -> None:
    table = arrow(analysis.events("sched_switch"))
    maps = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
    files = {tuple(int(edge, 16) for edge in each[0].split("-")): each[5] for each in maps if len(each) > 5}
    for chunk in table["next_pid"].chunks:
        address = chunk.buffers()[1].address
        [path] = [path for (begin, end), path in files.items() if begin <= address < end]
        assert "sched_switch" in path


def test_tables_outlive_the_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = numalens.open(NUMA)
    assert list(tmp_path.iterdir()) != []
    part = opened[8.0:]
    table = part.events("sched_wakeup")
    opened.close()
    assert list(tmp_path.iterdir()) == []
    assert pc.min(arrow(table)["ts_ns"]).as_py() >= part.window_ns[0]
    for closed in (opened, part):
        with pytest.raises(ValueError, match="closed"):
            closed.waits()


def test_an_analysis_that_nobody_has_any_more_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    part = numalens.open(NUMA)[8.0:9.0]
    assert len(part.slices()) > 0
    del part
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_recorded_is_no_empty_table() -> None:
    with numalens.open(SAMPLE / "psi.jsonl") as samples:
        for name in ("waits", "slices", "states", "numa_attempts", "cling", "kicks", "sleeps"):
            with pytest.raises(NotRecordedError):
                table_of(samples, name)
        assert "no input is a recording" in samples.headline
        assert "no input is a recording" in samples._repr_html_()


def test_what_is_wrong_is_one_sentence(tmp_path: Path, analysis: Analysis) -> None:
    garbage = tmp_path / "garbage.dat"
    garbage.write_bytes(GARBAGE)
    for wrong in ((), (garbage,), (tmp_path / "none",), (tmp_path,)):
        if wrong == (tmp_path,):
            garbage.unlink()
        with pytest.raises(ValueError, match=r"\w"):
            numalens.open(*wrong)
    for begin, end in ((13, 12), (-1, 12), (float("nan"), 12), (1e300, None), (1, 2), (50, 60)):
        with pytest.raises(ValueError, match=r"seconds from 0|window is empty|recording is from 6.270 to 20.468 s"):
            analysis[begin:end].waits()
    with pytest.raises(TypeError):
        analysis[1:2:3]
    with pytest.raises(ValueError, match="section"):
        analysis.section("none")


def test_a_notebook_shows_the_headline_and_the_nodes(analysis: Analysis) -> None:
    shown = analysis._repr_html_()
    assert analysis.headline in shown
    assert shown.count('<path d="M') == 4
    assert "node 1" in shown
    assert analysis.headline in repr(analysis)
    assert "wait_ns: UInt64" in repr(analysis.waits())
    assert json.dumps(analysis.waits().columns)


def test_a_notebook_shows_hostile_names_as_text(tmp_path: Path) -> None:
    name = "<img/src=x>"
    switch = "prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120"
    events = [
        (10.0, "sched_switch", switch.format("swapper/0", 0, "R", name, 6)),
        (10.1, "sched_wakeup", "comm=victim pid=5 prio=120 target_cpu=000"),
        (10.9, "sched_switch", switch.format(name, 6, "R", "victim", 5)),
        (11.0, "sched_switch", switch.format("victim", 5, "S", name, 6)),
    ]
    lines = [f"    task-6  [000] d..2.  {at:.6f}: {event}: {fields}" for at, event, fields in events]
    text = tmp_path / "trace.txt"
    text.write_text("# tracer: nop\n#\n" + "\n".join(lines) + "\n")
    with numalens.open(text) as hostile:
        assert name in hostile.headline
        shown = hostile._repr_html_()
    assert name not in shown
    assert "&lt;img/src=x&gt;" in shown


def test_data_frames_have_the_columns_and_rows(analysis: Analysis) -> None:
    part = analysis[11.0:12.5]
    for table in (part.waits(), part.wait_causes(), part.findings(), part.events("sched_switch")):
        rows = arrow(table)
        polars, pandas = table.to_polars(), table.to_pandas()
        assert polars.columns == list(pandas.columns) == rows.column_names
        assert polars.height == len(pandas) == rows.num_rows > 0
        # Values come over as they are: numbers as numbers, and what is missing as missing.
        assert polars.to_dicts() == rows.to_pylist()
        for column in rows.column_names:
            assert pandas[column].isna().sum() == rows[column].null_count
    waits = part.waits()
    assert (
        waits.to_polars()["wait_ns"].sum()
        == waits.to_pandas()["wait_ns"].sum()
        == pc.sum(arrow(waits)["wait_ns"]).as_py()
    )

"""One trace and its questions: what answers are, that no question leaves anything behind, and how a trace is refused."""

import io
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numalens_native as native
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc

from numalens.perfetto.errors import EngineMemoryError, EngineTimeoutError, PerfettoError, SqlError
from numalens.perfetto.sql import statements
from numalens.perfetto.sql.protocol import Limits
from numalens.perfetto.sql.session import Session, sql_sentence
from tests.recordings import counts
from tests.sql_helpers import ENDLESS, EVENTS, GREEDY, LIMITS, MIB, RECORDED, ROWS, Bytes, rows, run_query, session

NODES = "include perfetto module numalens.nodes;"
EVERY_KIND = (
    "select 9223372036854775807 as i, 2.0 as r, 'a\u00fc\"' as t, x'00ff' as b, null as n, 1 as m, 7 as i"
    " union all select -9223372036854775808, -1e999, '', x'', null, 'x', null"
    " union all select null, 1e999, null, null, null, 2.5, 9007199254740993"
)


@pytest.fixture(scope="module")
def small(bundles: Path) -> Iterator[Session]:
    with session(native.Bundle(str(bundles / "small"))) as made:
        yield made


def trace_of(bundle: Path) -> bytes:
    pieces: list[bytes] = []
    native.Bundle(str(bundle)).export_trace(pieces.append)
    return b"".join(pieces)


def exported(made: Session, sql: str, fmt: Any, limit: int = 1_000_000) -> tuple[bytes, bool]:
    pieces: list[bytes] = []
    truncated = made.export(sql, fmt, limit, pieces.append)
    made.tidy()
    return b"".join(pieces), truncated


def test_cells_of_every_kind_are_exact(small: Session) -> None:
    answer = run_query(small, EVERY_KIND)
    assert [(column["name"], column["kind"]) for column in answer["columns"]] == [
        ("i", "integer"),
        ("r", "real"),
        ("t", "text"),
        ("b", "blob"),
        ("n", "empty"),
        ("m", "mixed"),
        ("i", "integer"),
    ]
    assert answer["rows"] == [
        ["9223372036854775807", 2.0, 'aü"', "00ff", None, "1", "7"],
        ["-9223372036854775808", "-inf", "", "", None, "x", None],
        [None, "inf", None, None, None, "2.5", "9007199254740993"],
    ]
    assert not answer["truncated"]


# The trace processor takes a blank that does not break for one that does.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\xa0"), max_size=20)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**40), 2**40), TEXTS), min_size=1, max_size=5)
)
def test_values_come_back_as_they_went(small: Session, values: list[tuple[int, int, str]]) -> None:
    def literal(number: int, parts: int, text: str) -> str:
        # No literal of SQLite reaches the lowest number, and it does not read every fraction to the last bit.
        whole = f"{number + 1} - 1" if number < 0 else str(number)
        return f"({whole}, {parts} / 1024.0, '" + text.replace("'", "''") + "')"

    found = rows(small, "values " + ", ".join(literal(*row) for row in values))
    assert [(int(number), real * 1024, text) for number, real, text in found] == values


PIECES = st.sampled_from(
    [
        "select",
        "*",
        " ",
        ";",
        "'x'",
        '"',
        "from",
        "sched",
        "(",
        ")",
        "1",
        ",",
        "as",
        "with",
        "--",
        "\n",
        "!",
        "$a",
        "\0",
        "\ud800",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=20).map(" ".join))
def test_any_text_is_answered_or_refused(small: Session, sql: str) -> None:
    with suppress(SqlError):
        run_query(small, sql, limit=1)
    assert small.alive


def test_rows_are_cut_at_the_limit_and_the_answer_says_so(small: Session) -> None:
    answer = run_query(small, "select ts from ftrace_event", limit=7)
    assert (len(answer["rows"]), answer["truncated"]) == (7, True)
    all_of_them = counts("tc-small")
    answer = run_query(small, f"select ts from ftrace_event where {RECORDED}", limit=sum(all_of_them.values()))
    assert (len(answer["rows"]), answer["truncated"]) == (sum(all_of_them.values()), False)


def test_what_has_no_rows_or_no_columns_is_an_answer(small: Session) -> None:
    assert run_query(small, "select 1 as a where false")["columns"] == [{"name": "a", "kind": "empty"}]
    for sql in ("create perfetto table x as select 1 as a", "include perfetto module numalens.psi"):
        assert run_query(small, sql)["rows"] == []
        for fmt in ("csv", "ndjson", "arrow"):
            exported(small, sql, fmt)


def test_rows_are_those_of_the_last_statement(small: Session) -> None:
    assert rows(small, "select 1; select 2 as x;; -- done") == [["2"]]


@pytest.mark.parametrize(
    ("sql", "sentence", "place"),
    [
        (
            "select 1;\n select nosuch",
            "The trace processor refused the query at line 2, column 9: no such column: nosuch.",
            (2, 9),
        ),
        ("selec", "The trace processor refused the query at line 1, column 1: syntax error.", (1, 1)),
        ("  ", "The trace processor refused the query: No valid SQL to run.", None),
        ("include perfetto module no.such", "Package 'no.such' not found.", None),
        ("attach 'x' as y", "ATTACH opens another database, which no query may do here.", (1, 1)),
    ],
)
def test_a_refused_query_is_a_sentence_with_its_place(
    small: Session, sql: str, sentence: str, place: tuple[int, int] | None
) -> None:
    with pytest.raises(SqlError) as caught:
        run_query(small, sql)
    assert sql_sentence(caught.value).endswith(sentence)
    assert place is None or (caught.value.line, caught.value.column) == place
    assert rows(small, "select 1") == [["1"]]


LEAVINGS = [
    "create perfetto table mine as select 1 as x",
    "create table mine(x); insert into mine values (1)",
    "create temp table mine as select 1 as x",
    "create perfetto view mine as select 1 as x",
    "begin; create table mine(x)",
    "create perfetto table mine as select 1 as x; select nosuch",
]


@pytest.mark.parametrize("sql", LEAVINGS)
def test_what_a_query_makes_is_gone(small: Session, sql: str) -> None:
    try:
        run_query(small, sql)
    except SqlError:
        assert "nosuch" in sql
    with pytest.raises(SqlError, match="no such table: mine"):
        run_query(small, "select * from mine")


@pytest.mark.parametrize(
    ("sql", "then"),
    [
        ("create or replace perfetto view sched as select 1 as ts", "select count(*) > 100 from sched"),
        (
            "create perfetto table spare as select 1 as x; drop view sched",
            "select count(*) > 100 from sched",
        ),
        (
            f"{NODES} create or replace perfetto table numalens_cpu_node as select 99 as cpu, 99 as nid",
            f"{NODES} select count(*) = coalesce(sum(nid != 99), 0) from numalens_cpu_node",
        ),
        ("create or replace perfetto function trace_end() returns long as select 5", "select trace_end() > 5"),
        ("pragma case_sensitive_like = 1", "select 'A' like 'a'"),
        (
            "create perfetto macro m(x Expr) returns Expr as 5",
            "create perfetto macro m(x Expr) returns Expr as 1; select m!(0)",
        ),
        (
            "select create_function('f()', 'INT', 'select 5')",
            "select count(*) = 0 from pragma_function_list where name = 'f'",
        ),
    ],
)
def test_what_a_query_changes_is_as_before_for_the_next_one(small: Session, sql: str, then: str) -> None:
    run_query(small, sql)
    assert rows(small, then) == [["1"]]


def test_what_a_query_s_words_do_not_tell_is_undone_too(small: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "included", lambda _sql: frozenset())
    run_query(small, "create perfetto table mine as select 1 as x")
    with pytest.raises(SqlError, match="no such table: mine"):
        run_query(small, "select * from mine")


def test_an_engine_that_cannot_be_put_right_is_given_up(bundles: Path) -> None:
    with session(native.Bundle(str(bundles / "small"))) as made:
        run_query(made, "drop view thread")
        assert not made.alive


def test_modules_stay_only_for_those_who_include_them(small: Session) -> None:
    include = "include perfetto module numalens.latency;"
    waits = rows(small, f"{include} select count(*) from numalens_wait")
    assert rows(small, f"{include} select count(*) from numalens_wait") == waits
    made = "select name from sqlite_schema where name = 'numalens_wait'"
    assert rows(small, f"{include} {made}") == [["numalens_wait"]]
    assert rows(small, made) == []
    # A query changes a table of ours after the first has included it: the third gets the module's.
    run_query(small, f"{include} drop table numalens_wait")
    assert rows(small, f"{include} select count(*) from numalens_wait") == waits


def test_files_have_the_same_rows(small: Session) -> None:
    sql = "select ts, cpu, name, null as none, ts / 2.0 as half from ftrace_event order by id"
    shown = rows(small, sql)
    content, truncated = exported(small, sql, "arrow")
    table = ipc.open_stream(pa.py_buffer(content)).read_all()
    assert not truncated
    assert [str(field.type) for field in table.schema] == ["int64", "int64", "string", "null", "double"]
    assert [[str(row["ts"]), str(row["cpu"]), row["name"], None, row["half"]] for row in table.to_pylist()] == shown
    lines = exported(small, sql, "csv")[0].decode().splitlines()
    assert lines[0] == "ts,cpu,name,none,half"
    assert [line.split(",")[:3] for line in lines[1:]] == [row[:3] for row in shown]
    objects = [json.loads(line) for line in io.BytesIO(exported(small, sql, "ndjson")[0])]
    assert [[str(row["ts"]), str(row["cpu"]), row["name"], None, row["half"]] for row in objects] == shown
    assert exported(small, sql, "csv", limit=3) == (("\n".join(lines[:4]) + "\n").encode(), True)


def test_files_have_every_kind(small: Session) -> None:
    content, _ = exported(small, EVERY_KIND, "arrow")
    table = ipc.open_stream(pa.py_buffer(content)).read_all()
    assert [str(field.type) for field in table.schema] == [
        "int64", "double", "string", "binary", "null", "string", "int64",
    ]  # fmt: skip
    assert table.column(0).to_pylist() == [2**63 - 1, -(2**63), None]
    assert table.column(3).to_pylist() == [b"\0\xff", b"", None]
    assert table.column(5).to_pylist() == ["1", "x", "2.5"]


def test_the_trace_is_reported(small: Session, bundles: Path) -> None:
    trace = run_query(small, "select 1")["trace"]
    assert trace["events"] == sum(counts("tc-small").values())
    assert (trace["from_ns"], trace["to_ns"]) == (None, None)
    assert trace["bytes"] > 10_000
    with session(native.Bundle(str(bundles / "small"))) as made:
        assert [run_query(made, "select 1")["trace"]["loaded"] for _ in range(2)] == ["now", "before"]


def test_a_stretch_has_its_events_and_times_are_the_recording_s(bundles: Path) -> None:
    bundle = native.Bundle(str(bundles / "numa"))
    manifest = json.loads(bundle.manifest())
    first, last = (int(edge) for edge in manifest["window_ns"])
    window = first + (last - first) // 3, last - (last - first) // 3
    with session(bundle, window=window) as made:
        ((least, most, events),) = rows(made, f"select min(ts), max(ts), count(*) from ftrace_event where {RECORDED}")
        trace = run_query(made, "select 1")["trace"]
    assert window[0] <= int(least) < int(most) <= window[1]
    assert trace["events"] == int(events)
    assert (trace["from_ns"], trace["to_ns"]) == tuple(map(str, window))
    page = json.loads(bundle.events_page("", window[0], window[1] + 1, limit=1))
    assert page["matched"] == int(events)
    assert int(page["events"][0]["ts_ns"]) == int(least)


def test_a_stretch_without_events_says_so(bundles: Path) -> None:
    with session(native.Bundle(str(bundles / "small")), window=(1, 2)) as made:
        answer = run_query(made, "select count(*) from ftrace_event")
    assert answer["rows"] == [["0"]]
    assert "There is no event in this time range of the recording." in answer["notes"]


def test_what_was_not_read_is_reported_with_every_answer(bundles: Path) -> None:
    with session(native.Bundle(str(bundles / "dropped"))) as made:
        notes = run_query(made, "select 1")["notes"]
        errors = rows(made, "select distinct name from stats where severity = 'error' and value != 0")
    for (name,) in errors:
        assert any(str(name) in note for note in notes)
    made_up = [note for note in notes if "sched_waking with success = 0" in note]
    assert len(errors) + len(made_up) == len(notes)
    assert len(errors) > 0


def test_what_was_made_is_reported(small: Session) -> None:
    found = rows(small, f"select count(*) from ftrace_event where not {RECORDED}")
    (note,) = [note for note in run_query(small, "select 1")["notes"] if "sched_waking" in note]
    assert note.startswith(f"{int(found[0][0]):,} sched_waking")
    assert int(found[0][0]) > 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\0" * 4000, "cannot read this trace"),
        (b"no trace at all\n" * 50, "cannot read this trace"),
        (b"", "read none of the 1 events"),
        # A packet that is only a clock: read, and nothing of it is an event.
        (b"\x0a\x04\x40\x05\x50\x01", "read none of the 1 events"),
    ],
)
def test_a_trace_that_gives_nothing_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(PerfettoError, match=says), session(Bytes(content)):
        pass


def test_a_long_query_is_stopped(bundles: Path) -> None:
    limits = Limits(LIMITS.memory_bytes, 0.3, 30)
    with session(native.Bundle(str(bundles / "small")), limits) as made:
        with pytest.raises(EngineTimeoutError, match=r"after its limit of 0\.3 seconds.*NUMALENS_SQL_SECONDS"):
            run_query(made, ENDLESS)
        assert not made.alive


def test_the_limit_of_a_query_is_not_that_of_what_stands_around_it(bundles: Path) -> None:
    limits = Limits(LIMITS.memory_bytes, 1e-4, 30)
    with session(native.Bundle(str(bundles / "small")), limits) as made:
        assert len(json.loads(made.schema())["tables"]) > 20
        made.tidy()
        assert made.alive
        with pytest.raises(EngineTimeoutError):
            run_query(made, ENDLESS)


def test_a_query_that_has_given_enough_rows_is_an_answer(bundles: Path) -> None:
    limits = Limits(LIMITS.memory_bytes, 0.5, 30)
    with session(native.Bundle(str(bundles / "small")), limits) as made:
        answer = run_query(made, "select a.id from ftrace_event a, ftrace_event b, ftrace_event c", limit=3)
        assert not made.alive
    assert (len(answer["rows"]), answer["truncated"]) == (3, True)
    assert "The query was stopped after the maximum number of rows." in answer["notes"]


def test_rows_that_are_too_long_together_are_cut(small: Session) -> None:
    wide = "select printf('%.*c', 20000000, 'x') as x from (values (1), (2), (3), (4), (5))"
    answer = run_query(small, wide)
    assert answer["truncated"]
    assert len(answer["rows"]) == 3
    assert any(note.startswith("Only 3 rows are returned") for note in answer["notes"])


def test_memory_has_a_cap(bundles: Path) -> None:
    limits = Limits(64 * MIB, 20, 30)
    with session(native.Bundle(str(bundles / "small")), limits) as made:
        with pytest.raises(EngineMemoryError, match=r"The query needed more memory than the 67,108,864 bytes"):
            run_query(made, GREEDY)
        assert not made.alive
    with (
        pytest.raises(EngineMemoryError, match=r"does not fit into the 67,108,864 bytes.*choose a shorter time range"),
        session(Bytes(trace_of(bundles / "numa") * 3), limits),
    ):
        pass


def test_loading_has_a_time_limit(bundles: Path) -> None:
    with (
        pytest.raises(EngineTimeoutError, match="NUMALENS_SQL_LOAD_SECONDS"),
        session(native.Bundle(str(bundles / "numa")), Limits(LIMITS.memory_bytes, 20, 0.01)),
    ):
        pass


def test_more_memory_than_32_bits_reach_takes_the_wide_engine(bundles: Path) -> None:
    with session(native.Bundle(str(bundles / "small")), Limits(5 << 30, 20, 30)) as made:
        assert made._engine._width == 8  # type: ignore[union-attr]
        assert rows(made, EVENTS) == ROWS["small"]


def test_the_schema_is_the_engine_s_own(small: Session) -> None:
    schema = json.loads(small.schema())
    small.tidy()
    assert schema["engine"]["kind"] == "wasm"
    assert schema["engine"]["name"].startswith("Perfetto v")
    tables = {table["name"]: table for table in schema["tables"]}
    assert {"sched", "thread_state", "thread", "slice", "counter", "ftrace_event", "stats"} <= tables.keys()
    assert {"ts", "dur", "cpu", "utid"} <= {column["name"] for column in tables["sched"]["columns"]}
    assert not any(name.startswith(("_", "sqlite")) for name in tables)
    assert {"extract_arg", "percentile", "trace_end"} <= set(schema["functions"])
    assert "export_json" not in schema["functions"]
    for name, table in tables.items():
        include = f"include perfetto module {table['module']}; " if table["module"] else ""
        assert table["kind"] in {"table", "view", "ours"}
        if table["kind"] == "ours":
            answer = run_query(small, f"{include} select * from {name} limit 0")
            assert answer["columns"] == [{"name": column["name"], "kind": "empty"} for column in table["columns"]]
            assert table["description"]

"""Perfetto traces as event rows: against the recordings that they were made of, and against what can be wrong."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numalens.perfetto import rpc
from numalens.perfetto.engine import Engine
from numalens.perfetto.errors import EngineMemoryError, EngineTimeoutError, PerfettoError
from numalens.perfetto.importer import Limits, convert, convert_with
from tests import perfetto_traces as traces
from tests.perfetto_traces import CLING, COMPACT, TC_SMALL, Capture, Event, Trace
from tests.recordings import counts

Rows = dict[str, list[dict[str, Any]]]
FIXED = ("seq", "ts", "cpu", "utid")


def quiet(_done: int, _total: int) -> None:
    """A progress that nobody looks at."""


class Decoded(Capture):
    """A RowWriter that decodes: rows by event, with the thread instead of its number."""

    def read(self) -> tuple[Rows, dict[str, Any]]:
        found: Rows = {}
        threads: dict[Any, Any] = {}
        plan: dict[str, Any] = {}
        info: dict[str, Any] = {}
        for kind, content in self.calls:
            if kind == b"P":
                plan = json.loads(content)
            elif kind == b"F":
                info = json.loads(content)
            elif plan["kind"] == "threads":
                threads.update((utid, tid) for utid, tid in rpc.result_rows([content]))
            elif plan["kind"] == "events":
                keys = [column["key"] for column in plan["columns"]]
                for row in rpc.result_rows([content]):
                    head, args = dict(zip(FIXED, row, strict=False)), dict(zip(keys, row[len(FIXED) :], strict=True))
                    found.setdefault(plan["event"], []).append({**head, "tid": threads.get(head["utid"]), "args": args})
        return found, info


def imported(path: Path, limits: Limits | None = None) -> tuple[Rows, dict[str, Any]]:
    writer = Decoded()
    convert(path, writer, quiet, limits)
    return writer.read()


def trace_of(tmp_path: Path, *events: Event, flags: bool = False) -> Path:
    trace = Trace()
    traces.bundles(trace, events, flags=flags)
    path = tmp_path / "made.pftrace"
    path.write_bytes(trace.encode())
    return path


def generic(ts: int, name: str, cpu: int = 0, **args: int | str) -> Event:
    return Event(ts, cpu, 7, name, args)


def waking(ts: int, cpu: int = 0) -> Event:
    return Event(ts, cpu, 7, "sched_waking", {"comm": "a", "pid": 8, "prio": 120, "target_cpu": 1})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Event]]:
    return traces.small(tmp_path_factory.mktemp("small") / "out")


def test_the_fixtures_are_what_the_writer_makes(small: tuple[bytes, list[Event]], tmp_path: Path) -> None:
    data, events = small
    assert TC_SMALL.read_bytes() == data
    assert COMPACT.read_bytes() == traces.small_compact(events)
    assert CLING.read_bytes() == traces.cling(tmp_path / "out")[0]


@pytest.mark.parametrize("path", [TC_SMALL, COMPACT, CLING], ids=lambda path: path.stem)
def test_the_reader_s_own_tests_run_on_what_is_sent_today(path: Path, tmp_path: Path) -> None:
    with pa.input_stream(str(path.with_suffix(".answers.zst")), compression="zstd") as file:
        assert file.read() == traces.answers_of(path, tmp_path / "answers")


def test_every_event_is_there_with_every_value(small: tuple[bytes, list[Event]]) -> None:
    rows, info = imported(TC_SMALL)
    assert {name: len(found) for name, found in rows.items()} == counts("tc-small")
    expected = Counter(
        (event.ts, event.cpu, event.tid, event.name, frozenset(_carried(event).items())) for event in small[1]
    )
    found = Counter(
        (row["ts"], row["cpu"], row["tid"], name, frozenset(row["args"].items()))
        for name, named in rows.items()
        for row in named
    )
    assert found == expected
    assert (info["clock"], info["kernel"], info["cpus"]) == ("boot", "6.18.44 #1 SMP", 2)
    assert info["clock_pairs"] == [[small[1][0].ts, traces.REAL]]
    assert info["facts"]["mono minus trace clock, ns"] == "-500"


def _carried(event: Event) -> dict[str, int | str]:
    """What a Perfetto trace carries of an event; numbers as 64 bits with a sign."""
    args = {key.removeprefix("arg_"): value for key, value in event.args.items() if key != "group_dead"}
    return {k: v - (1 << 64) if isinstance(v, int) and v >= 1 << 63 else v for k, v in args.items()}


def test_ranks_are_dense_and_ascend_with_time() -> None:
    for path in (TC_SMALL, COMPACT, CLING):
        rows, _ = imported(path)
        events = sorted((row["seq"], row["ts"]) for named in rows.values() for row in named)
        assert [seq for seq, _ in events] == list(range(len(events)))
        assert events == sorted(events, key=lambda event: event[1])


def test_rows_that_are_no_events_take_no_rank(tmp_path: Path) -> None:
    rows, info = imported(trace_of(tmp_path, waking(5), waking(6), flags=True))
    assert [row["seq"] for row in rows["sched_waking"]] == [0, 1]
    assert info["facts"]["rows without an event"] == "2"


def test_compact_switches_are_events() -> None:
    rows, _ = imported(COMPACT)
    # The first of each CPU is missing: the compact form does not say what ran before.
    assert len(rows["sched_switch"]) == counts("tc-small")["sched_switch"] - 2
    assert rows["sched_switch"][0]["args"].keys() == set(traces.KNOWN["sched_switch"][1])


def test_switches_are_made_of_run_times_where_there_are_none(small: tuple[bytes, list[Event]]) -> None:
    writer = Decoded()
    with Engine() as engine:
        engine.reset(raw=False)
        convert_with(engine, TC_SMALL, writer, quiet)
    rows, info = writer.read()

    def key(ts: int, cpu: int, args: dict[str, Any]) -> tuple[Any, ...]:
        return ts, cpu, args["prev_pid"], args["prev_prio"], args["prev_state"], args["next_pid"], args["next_prio"]

    expected = Counter(key(e.ts, e.cpu, dict(e.args)) for e in small[1] if e.name == "sched_switch")
    found = Counter(key(row["ts"], row["cpu"], row["args"]) for row in rows["sched_switch"])
    assert sum(found.values()) == sum(expected.values()) - 2
    # The recorder's own switches are not in the recording: behind 26 of them something else ran than the one before.
    assert found.total() - (found & expected).total() == 26
    assert any("made from the trace processor's table of run times" in note for note in info["notes"])
    events = sorted((row["seq"], row["ts"]) for named in rows.values() for row in named)
    assert [seq for seq, _ in events] == list(range(len(events)))
    assert events == sorted(events, key=lambda event: event[1])


def test_an_event_without_arguments_does_not_take_those_of_another(tmp_path: Path) -> None:
    events = [waking(5), generic(6, "bare"), waking(7), generic(8, "own", x=1), generic(9, "own", x=2)]
    rows, _ = imported(trace_of(tmp_path, *events))
    assert rows["sched_waking"][0]["args"] == dict(events[0].args)
    assert [row["args"] for row in rows["own"]] == [{"x": 1}, {"x": 2}]
    (bare,) = rows["bare"]
    assert set(bare["args"].values()) <= {None}


def test_kinds_of_values(tmp_path: Path) -> None:
    writer = Decoded()
    events = [generic(5, "e", a=1, b="x", c=(1 << 64) - 1), generic(6, "e", a=-1, b="y", c=3, d="late")]
    convert(trace_of(tmp_path, *events), writer, quiet)
    plans = [json.loads(content) for kind, content in writer.calls if kind == b"P"]
    (plan,) = (plan for plan in plans if plan["kind"] == "events")
    kinds = {column["key"]: column["kind"] for column in plan["columns"]}
    assert kinds == {"a": "int", "b": "text", "c": "int", "d": "text"}
    rows, _ = writer.read()
    assert [row["args"]["d"] for row in rows["e"]] == [None, "late"]


def test_names_that_no_kernel_gives_are_left_out(tmp_path: Path) -> None:
    events = [generic(5, "../../etc/passwd", a=1), waking(6), generic(7, "it's", a=1), generic(8, "x" * 200, a=1)]
    rows, info = imported(trace_of(tmp_path, *events))
    assert list(rows) == ["sched_waking"]
    assert rows["sched_waking"][0]["seq"] == 0
    assert any(note.startswith("3 events have invalid names") for note in info["notes"])


def test_keys_are_no_sql(tmp_path: Path) -> None:
    rows, _ = imported(trace_of(tmp_path, generic(5, "e", **{"a'b": 1, "c--": 2, '"': 3})))
    assert rows["e"][0]["args"] == {"a'b": 1, "c--": 2, '"': 3}


def test_losses_are_reported() -> None:
    _, info = imported(CLING)
    assert info["lossy_cpus"] == [3]
    assert any("ftrace_cpu_has_data_loss" in note and "3: 1" in note for note in info["notes"])


def test_an_unknown_clock_is_reported(tmp_path: Path) -> None:
    _, info = imported(trace_of(tmp_path, waking(5)))
    assert info["clock"] is None
    assert any("clock" in note for note in info["notes"])


@pytest.mark.parametrize(
    "data",
    [b"", b"\x0a\x02\x50\x01", b"\x0a" * 100, b"\x0a\xff\xff\xff\xff\x7f", b"rubbish\n" * 100],
    ids=["empty", "no events", "no packets", "a length without end", "text"],
)
def test_a_load_without_events_is_no_success(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.pftrace"
    path.write_bytes(data)
    with pytest.raises(PerfettoError, match=r"^The trace.+\.$"):
        imported(path)


@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_ends_in_a_sentence_or_in_rows(tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(CLING.read_bytes())
    for _ in range(data.draw(st.integers(0, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.pftrace"
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
    try:
        imported(path, Limits(memory_bytes=256 << 20, seconds=20))
    except PerfettoError as error:
        assert str(error).endswith(".")  # noqa: PT017  (both ends are right)


def test_time_and_memory_have_limits(tmp_path: Path) -> None:
    path = tmp_path / "large.pftrace"
    path.write_bytes(TC_SMALL.read_bytes() * 150)
    with pytest.raises(EngineTimeoutError):
        imported(path, Limits(seconds=0.001))
    with pytest.raises(EngineMemoryError):
        imported(path, Limits(memory_bytes=80 << 20))


def test_progress_goes_to_its_end_and_may_stop_the_import() -> None:
    answer: list[tuple[int, int]] = []
    convert(TC_SMALL, Capture(), lambda done, total: answer.append((done, total)))
    assert answer == sorted(answer)
    assert answer[-1][0] == answer[-1][1]

    def stop(_done: int, _total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        convert(TC_SMALL, Capture(), stop)

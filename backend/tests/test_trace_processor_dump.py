"""The file between the trace processor and the compiled module."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numalens_native
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numalens.jobs import trace_processor_dump
from numalens.jobs.trace_processor_dump import MAGIC, DumpFile, dump
from numalens.perfetto.errors import EngineMemoryError
from tests.recordings import FIXTURES

if TYPE_CHECKING:
    from numalens.perfetto.importer import RowWriter

CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("trace"), st.binary(max_size=50)),
        st.tuples(st.just("rows"), st.binary(max_size=50)),
        st.tuples(st.sampled_from(["table", "finish"]), st.text(max_size=20)),
    )
)
TAGS = {"trace": "t", "table": "p", "rows": "r", "finish": "i"}


def frames(content: bytes) -> Iterator[tuple[str, bytes]]:
    assert content.startswith(MAGIC)
    at = len(MAGIC)
    while at < len(content):
        length = int.from_bytes(content[at + 1 : at + 9], "little")
        yield chr(content[at]), content[at + 9 : at + 9 + length]
        at += 9 + length


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(calls=CALLS)
def test_every_call_is_a_frame(tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("answers") / "x"
    with DumpFile(path, "x.pftrace", None) as file:
        for name, content in calls:
            getattr(file, name)(content)
    expected = [(TAGS[name], text.encode() if isinstance(text, str) else text) for name, text in calls]
    assert list(frames(path.read_bytes())) == expected


def test_the_cap_is_named(tmp_path: Path) -> None:
    with DumpFile(tmp_path / "x", "x.pftrace", 10) as file:
        file.rows(b"12345")
        with pytest.raises(numalens_native.LimitError, match=r"x\.pftrace: .* more than 10 bytes") as raised:
            file.rows(b"123456")
    assert (raised.value.cap, raised.value.limit, raised.value.name) == ("max_bytes", 10, "x.pftrace")


def test_what_the_trace_processor_refuses_is_a_rejected_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(_trace: Path, writer: "RowWriter", _progress: object, _limits: object) -> None:
        writer.trace(b"x")
        raise EngineMemoryError("It is too large.")

    monkeypatch.setattr(trace_processor_dump, "convert", convert)
    (tmp_path / "x").write_bytes(b"x")
    with pytest.raises(numalens_native.InputError) as raised:
        dump(tmp_path / "x", "x.pftrace", tmp_path / "out", lambda _done, _total: None, None)
    assert str(raised.value) == "x.pftrace: It is too large."
    assert (raised.value.name, raised.value.offset, raised.value.expected) == (
        "x.pftrace",
        None,
        EngineMemoryError.expected,
    )


def test_a_large_trace_gets_the_wide_engine_and_the_same_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = FIXTURES / "perfetto" / "tc-small.pftrace"
    answered = []
    for name, wide_from in [("narrow", trace.stat().st_size + 1), ("wide", trace.stat().st_size)]:
        monkeypatch.setattr(trace_processor_dump, "WIDE_FROM_BYTES", wide_from)
        assert trace_processor_dump._limits(trace.stat().st_size).wide is (name == "wide")
        dump(trace, trace.name, tmp_path / name, lambda _done, _total: None, None)
        answered.append((tmp_path / name).read_bytes())
    assert answered[0] == answered[1]

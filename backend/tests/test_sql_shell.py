"""The operator's own trace processor: asked over its standard input and output, limited, and ended."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import numalens_native as native
import pytest

from numalens.perfetto import rpc, shell
from numalens.perfetto.errors import EngineMemoryError, EngineTimeoutError, MissingEngineError, PerfettoError, SqlError
from numalens.perfetto.sql.pool import EnginePool, PoolLimits
from numalens.perfetto.sql.protocol import Done, Limits
from tests.recordings import ROOT, counts
from tests.servers import children_of
from tests.sql_helpers import (
    ENDLESS,
    EVENTS,
    LIMITS,
    MIB,
    Bytes,
    ask,
    gone,
    process_of,
    rows,
    run_query,
    session,
    until,
    until_computing,
)

STAND_IN = """#!{python}
# Speaks what `trace_processor_shell --stdiod` does, by running Perfetto's WebAssembly; some words make it misbehave.
import importlib.util, os, sys
os.environ["NUMALENS_CACHE"] = {cache!r}
# The package alone may be read, not the folder that it lies in.
package = {backend!r} + "/numalens"
spec = importlib.util.spec_from_file_location("numalens", package + "/__init__.py", submodule_search_locations=[package])
sys.modules["numalens"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["numalens"])
from numalens.perfetto import rpc
from numalens.perfetto.engine import Engine

assert sys.argv[1:] == ["--stdiod"]
engine, frames = Engine(), rpc.Frames()

def send(message):
    data = rpc.bytes_field(1, message)
    while data:
        data = data[os.write(1, data):]

while piece := os.read(0, 1 << 16):
    for message in frames.take(piece):
        if b"please crash" in message:
            os.abort()
        if b"please take everything" in message:
            sys.stderr.write("terminate called after throwing an instance of 'std::bad_alloc'\\n")
            sys.stderr.flush()
            os.abort()
        if b"please talk nonsense" in message:
            os.write(1, b"nonsense")
        if b"please write a file" in message:
            try:
                with open({written!r}, "w") as file:
                    file.write("text")
            except OSError:
                pass
        engine._exchange(rpc.bytes_field(1, message), b"", send)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "trace_processor_shell"
    backend, cache = str(ROOT / "backend"), os.environ["NUMALENS_CACHE"]
    written = str(tmp_path / "written")
    file.write_text(STAND_IN.format(python=sys.executable, cache=cache, backend=backend, written=written))
    file.chmod(0o755)
    return file


def test_it_answers_as_the_webassembly_does(program: Path, bundles: Path) -> None:
    bundle = native.Bundle(str(bundles / "idle"))
    sql = "include perfetto module numalens.latency; select * from numalens_wait order by ts, utid"
    with session(bundle) as wasm, session(bundle, program=program) as native_one:
        assert rows(native_one, sql) == rows(wasm, sql)
        assert rows(native_one, "select * from ftrace_event order by id") == rows(
            wasm, "select * from ftrace_event order by id"
        )
        schema = sent_schema(native_one.schema())
        assert schema["engine"]["kind"] == "native"
        assert schema["tables"] == sent_schema(wasm.schema())["tables"]
        with pytest.raises(SqlError, match="no such column: nosuch") as caught:
            run_query(native_one, "select 1;\n select nosuch")
        assert (caught.value.line, caught.value.column) == (2, 9)
        run_query(native_one, "create or replace perfetto view sched as select 1 as ts")
        assert rows(native_one, "select count(*) > 100 from sched") == [["1"]]


def sent_schema(text: bytes) -> dict[str, dict[str, str]]:
    import json  # noqa: PLC0415

    found: dict[str, dict[str, str]] = json.loads(text)
    return found


@pytest.mark.parametrize(
    ("result", "last"),
    [
        (rpc.bytes_field(3, rpc.number_field(6, 1)), True),
        (rpc.bytes_field(3, rpc.number_field(6, 0)), False),
        (rpc.bytes_field(1, b"column") + rpc.bytes_field(3, b""), False),
        (rpc.bytes_field(2, b"no such table"), True),
    ],
)
def test_a_query_s_answer_ends_with_its_last_batch_or_an_error(result: bytes, *, last: bool) -> None:
    message = rpc.number_field(3, rpc.Method.QUERY) + rpc.bytes_field(rpc.Field.QUERY_RESULT, result)
    assert shell._is_last(message) is last
    assert shell._is_last(rpc.number_field(3, rpc.Method.RESTORE))


def test_its_limits_are_there_before_it_starts(program: Path, bundles: Path, tmp_path: Path) -> None:
    limits = Limits(300 * MIB, 20, 30)
    with session(native.Bundle(str(bundles / "small")), limits, program=program) as native_one:
        sent_limits = Path(f"/proc/{native_one._engine._process.pid}/limits").read_text()  # type: ignore[union-attr]
        for name, most in (("Max data size", 300 * MIB), ("Max file size", 0), ("Max core file size", 0)):
            (line,) = [line for line in sent_limits.splitlines() if line.startswith(name)]
            assert line.split()[-3:-1] == [str(most)] * 2
        rows(native_one, "select 'please write a file'")
        assert not (tmp_path / "written").exists() or not (tmp_path / "written").read_text()


def test_a_long_query_is_stopped(program: Path, bundles: Path) -> None:
    limits = Limits(LIMITS.memory_bytes, 0.5, 30)
    with session(native.Bundle(str(bundles / "small")), limits, program=program) as native_one:
        with pytest.raises(EngineTimeoutError, match=r"after its limit of 0\.5 seconds"):
            run_query(native_one, ENDLESS)
        assert not native_one.alive


@pytest.mark.parametrize(
    ("word", "error", "says"),
    [
        ("please crash", PerfettoError, "ended by signal SIGABRT"),
        ("please take everything", EngineMemoryError, "more memory than"),
        ("please talk nonsense", PerfettoError, "failed on this trace: a message that begins with byte 0x6e"),
    ],
)
def test_its_death_is_a_sentence(
    program: Path, bundles: Path, word: str, error: type[PerfettoError], says: str
) -> None:
    with session(native.Bundle(str(bundles / "small")), program=program) as native_one:
        with pytest.raises(error, match=says):
            run_query(native_one, f"select '{word}'")
        assert not native_one.alive


def test_a_trace_that_is_none_is_refused(program: Path) -> None:
    with pytest.raises(PerfettoError, match="cannot read this trace"), session(Bytes(b"\0" * 4000), program=program):
        pass


@pytest.mark.parametrize("name", ["nothing", "a folder", "no program"])
def test_a_program_that_cannot_be_started_is_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "no program").write_bytes(b"\0")
    (tmp_path / "no program").chmod(0o755)
    with pytest.raises(MissingEngineError, match=r"NUMALENS_TRACE_PROCESSOR\) cannot be started: .+\."):
        session(Bytes(b""), program=tmp_path / name).__enter__()


def test_in_a_pool_it_ends_with_its_process(program: Path, bundles: Path) -> None:
    async def run() -> None:
        pool = EnginePool(PoolLimits(2, 20, 60, LIMITS, program), lambda name: bundles / name)
        events = [[str(sum(counts("tc-small").values()))]]
        assert await ask(pool, "small", EVENTS) == (events, Done())
        worker = process_of(pool, "small")
        (shell,) = children_of(worker)
        slow = asyncio.create_task(ask(pool, "small", ENDLESS))
        await until_computing(shell)
        os.kill(worker, signal.SIGKILL)
        await slow
        await until(lambda: gone(shell))
        assert (await ask(pool, "small", EVENTS))[0] == events
        (shell,) = children_of(process_of(pool, "small"))
        await pool.stop()
        await until(lambda: gone(shell))

    asyncio.run(run())

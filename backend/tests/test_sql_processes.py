"""Processes of engines: whatever one dies of ends nothing else, and is told in a sentence."""

import asyncio
import os
import random
import signal
from pathlib import Path

import numalens_native as native
import pytest

from numalens.perfetto.sql import process
from numalens.perfetto.sql.pool import EnginePool
from numalens.perfetto.sql.protocol import Done, Failure, Limits, Order, Schema
from numalens.sandbox.child import started, tail
from tests.live import hooked
from tests.sql_helpers import (
    ENDLESS,
    EVENTS,
    GREEDY,
    LIMITS,
    MIB,
    ROWS,
    ask,
    gone,
    process_of,
    process_started,
    until,
    until_computing,
    with_pool,
)


def test_a_process_that_does_not_stop_is_killed(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PATIENCE_S", 0.2)

    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        pid = process_of(pool, "small")
        os.kill(pid, signal.SIGSTOP)
        _, end = await ask(pool, "small", EVENTS)
        assert isinstance(end, Failure)
        assert end.trouble == "time"
        await until(lambda: gone(pid))
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles, limits=Limits(LIMITS.memory_bytes, 3, 30))


def test_an_engine_that_is_killed_in_a_query_ends_alone(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        await asyncio.gather(ask(pool, "small", EVENTS), ask(pool, "idle", EVENTS))
        other = process_of(pool, "idle")
        slow = asyncio.create_task(ask(pool, "small", ENDLESS))
        await until_computing(process_of(pool, "small"))
        os.kill(process_of(pool, "small"), signal.SIGKILL)
        rows, end = await slow
        assert rows == b""
        assert isinstance(end, Failure)
        assert (end.trouble, end.alive) == ("engine", False)
        assert end.sentence.endswith("the next query starts a new one.")
        assert await ask(pool, "idle", EVENTS) == (ROWS["idle"], Done())
        assert process_of(pool, "idle") == other
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles)


def test_an_engine_that_died_while_nobody_queried_is_replaced(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        started = process_started(pool, "small")
        os.kill(process_of(pool, "small"), signal.SIGKILL)
        # It ends after the one of its namespace, which computes.
        await until(lambda: started.returncode is not None)
        assert await ask(pool, "small", EVENTS) == (ROWS["small"], Done())

    with_pool(work, bundles)


def test_an_engine_that_cannot_be_put_right_is_replaced(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        _, end = await ask(pool, "small", "drop view thread")
        assert end == Done(alive=False)
        assert await ask(pool, "small", "select count(*) > 1 from thread") == ([["1"]], Done())

    with_pool(work, bundles)


def test_an_engine_that_needs_too_much_memory_ends_alone(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        await asyncio.gather(ask(pool, "small", EVENTS), ask(pool, "idle", EVENTS))
        other = process_of(pool, "idle")
        (_, end), (rows, _) = await asyncio.gather(ask(pool, "small", GREEDY), ask(pool, "idle", EVENTS))
        assert isinstance(end, Failure)
        assert end.trouble == "memory"
        assert rows == ROWS["idle"]
        assert process_of(pool, "idle") == other
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles, limits=Limits(96 * MIB, 20, 30))


def test_a_hostile_trace_ends_its_engine_and_nothing_else(
    bundles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in hooked("traces=given").items():
        monkeypatch.setenv(name, value)
    pieces: list[bytes] = []
    native.Bundle(str(bundles / "small")).export_trace(pieces.append)
    whole = b"".join(pieces)
    (tmp_path / "idle").symlink_to(bundles / "idle")
    hostile = {
        "noise": random.Random(1).randbytes(1 << 16),
        "endless length": b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f" + whole,
        "cut": whole[: len(whole) // 2],
        "nested": b"\x0a\xfe\xff\x03" * 20_000,
    }
    for seed in range(4):
        damaged, dice = bytearray(whole), random.Random(seed)
        for _ in range(300):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        hostile[f"damaged {seed}"] = bytes(damaged)
    for name, content in hostile.items():
        (tmp_path / name).write_bytes(content)

    async def work(pool: EnginePool) -> None:
        await ask(pool, "idle", EVENTS)
        kept = process_of(pool, "idle")
        ends = []
        for name in hostile:
            ends.append((await ask(pool, name, EVENTS))[1])
            assert await ask(pool, "idle", EVENTS) == (ROWS["idle"], Done())
        assert process_of(pool, "idle") == kept
        refused = [end for end in ends if isinstance(end, Failure)]
        assert refused
        for end in refused:
            assert end.trouble in {"engine", "memory", "time"}
            assert end.sentence.endswith(".")
            assert "\n" not in end.sentence

    with_pool(work, tmp_path, limits=Limits(LIMITS.memory_bytes, 5, 5))


def test_there_are_never_more_processes_than_allowed(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[process.EngineProcess] = []
    most = 0
    start = process.EngineProcess.start

    async def counted(self: process.EngineProcess) -> Failure | None:
        nonlocal most
        started.append(self)
        most = max(most, 1 + sum(one._process is not None and one._process.returncode is None for one in started))
        return await start(self)

    monkeypatch.setattr(process.EngineProcess, "start", counted)

    async def work(pool: EnginePool) -> None:
        for name in ("small", "idle", "small", "idle"):
            await ask(pool, name, EVENTS)
        assert len(started) == 4
        assert most == 1

    with_pool(work, bundles, engines=1)


def test_engines_end_with_the_process_that_queried(bundles: Path, tmp_path: Path) -> None:
    code = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.sql_helpers import *\n"
        "async def main():\n"
        f"    pool = make_pool(Path({str(bundles)!r}))\n"
        "    await ask(pool, 'small', 'select 1')\n"
        "    task = asyncio.create_task(ask(pool, 'small', ENDLESS))\n"
        "    await asyncio.sleep(0.1)\n"
        f"    Path({str(tmp_path / 'pid')!r}).write_text(str(process_of(pool, 'small')))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )

    async def run() -> None:
        import sys  # noqa: PLC0415

        parent = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
        assert await parent.wait() == -signal.SIGKILL
        pid = int((tmp_path / "pid").read_text())
        await until(lambda: gone(pid))

    asyncio.run(run())


async def queries_of(script: str, limits: Limits) -> Done | Failure:
    """What is told of a process that does this when it is asked."""
    one = process.EngineProcess(Order("", None, None, limits, None))
    one._process = await started(["sh", "-c", f"read line; {script}"])
    assert one._process.stderr is not None
    one._errors = asyncio.create_task(tail(one._process.stderr, process.STDERR_KEPT))

    async def forget(_piece: bytes) -> None:
        pass

    end = await one.ask(Schema(), forget)
    one.kill()
    await one.wait()
    return end


def test_rows_may_take_longer_than_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PATIENCE_S", 5.0)
    piece, end = r"p\001\000\000\000\000\000\000\000x", r"d\002\000\000\000\000\000\000\000{}"
    script = f"printf '{piece}'; sleep 1.8; printf '{piece}'; sleep 1.8; printf '{piece}'; sleep 1.8; printf '{end}'"
    limits = Limits(LIMITS.memory_bytes, 0.1, 1)
    assert asyncio.run(queries_of(script, limits)) == Done()
    silent = asyncio.run(queries_of(f"sleep 60; printf '{end}'", limits))
    assert isinstance(silent, Failure)
    assert silent.trouble == "time"


def test_a_process_that_ends_by_itself_is_not_said_to_have_been_ended(caplog: pytest.LogCaptureFixture) -> None:
    # Its output ends first, as that of a process does which another one waits for.
    own = asyncio.run(queries_of("exec 1>&-; sleep 0.2; exit 7", LIMITS))
    assert isinstance(own, Failure)
    assert own.sentence == "The engine stopped on this query; the next query starts a new one."
    assert "status 7" in caplog.text
    killed = asyncio.run(queries_of("kill -9 $$", LIMITS))
    assert isinstance(killed, Failure)
    assert killed.sentence.startswith("The engine was killed")


def test_a_process_that_cannot_be_started_is_reported(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object, **_more: object) -> None:
        raise OSError("no more processes")

    async def work(pool: EnginePool) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(asyncio, "create_subprocess_exec", refuse)
            _, end = await ask(pool, "small", EVENTS)
        assert isinstance(end, Failure)
        assert end.sentence.startswith("No engine could be started")
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles)


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("echo memory allocation of 5 bytes failed >&2; kill -ABRT $$", "memory"),
        ("kill -SEGV $$", "engine"),
        ("exit 0", "engine"),
        ("printf 'd\\002\\000\\000\\000\\000\\000\\000\\000[]'", "engine"),
        ("printf 'p\\377\\377\\377\\377\\000\\000\\000\\000'", "engine"),
        ("printf 'd\\005\\000\\000'", "engine"),
    ],
)
def test_whatever_a_process_ends_with_is_a_sentence(script: str, trouble: str) -> None:
    end = asyncio.run(queries_of(script, LIMITS))
    assert isinstance(end, Failure)
    assert (end.trouble, end.alive) == (trouble, False)
    assert end.sentence.endswith(".")


def test_a_trace_that_cannot_be_opened_is_reported(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        _, end = await ask(pool, "nothing", EVENTS)
        assert isinstance(end, Failure)
        assert end.trouble == "engine"
        assert not pool.traces

    with_pool(work, bundles)

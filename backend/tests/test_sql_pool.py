"""Engines in processes: who gets one, who gives way, and that what ends one ends nothing else."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from numalens.perfetto.sql import pool as pools
from numalens.perfetto.sql.pool import BusyError, EnginePool, TraceKey
from numalens.perfetto.sql.process import EngineProcess
from numalens.perfetto.sql.protocol import Done, Failure, Limits, Schema
from tests.servers import worker_of
from tests.sql_helpers import ENDLESS, EVENTS, LIMITS, ROWS, ask, gone, process_of, until, until_computing, with_pool

SLOW = "with recursive c(x) as (select 1 union all select x + 1 from c limit 1500000) select count(*) from c"


def names(pool: EnginePool) -> list[str]:
    return [key.analysis_id for key in pool.traces]


def test_the_engine_queried_least_recently_gives_way(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        for name in ("small", "numa", "small"):
            assert await ask(pool, name, EVENTS) == (ROWS[name], Done())
        kept, given_up = process_of(pool, "small"), process_of(pool, "numa")
        assert (await ask(pool, "idle", EVENTS))[0] == ROWS["idle"]
        assert names(pool) == ["small", "idle"]
        assert process_of(pool, "small") == kept
        assert gone(given_up)
        assert (await ask(pool, "numa", EVENTS))[0] == ROWS["numa"]
        assert names(pool) == ["idle", "numa"]

    with_pool(work, bundles)


def test_those_who_came_by_a_link_have_what_nobody_else_wants_of_the_cpus(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        for linked in (False, True):
            assert await ask(pool, "small", EVENTS, linked=linked) == (ROWS["small"], Done())
        own, linked_ones = (worker_of(seat.process._process.pid) for seat in pool._seats.values())  # type: ignore[union-attr]
        assert os.getpriority(os.PRIO_PROCESS, own) < os.getpriority(os.PRIO_PROCESS, linked_ones) == 19

    with_pool(work, bundles)


def test_another_stretch_is_another_trace(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        whole, _ = await ask(pool, "small", "select min(ts), max(ts) from ftrace_event")
        middle = (int(whole[0][0]) + int(whole[0][1])) // 2
        part, _ = await ask(pool, "small", "select min(ts) from ftrace_event", from_ns=middle)
        assert int(part[0][0]) >= middle
        assert pool.traces == [TraceKey("small"), TraceKey("small", from_ns=middle)]

    with_pool(work, bundles)


def test_twenty_at_once_over_three_traces_and_two_engines(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        queries = [list(ROWS)[at % 3] for at in range(20)]
        answers = await asyncio.gather(*(ask(pool, name, EVENTS) for name in queries))
        assert [rows for rows, _ in answers] == [ROWS[name] for name in queries]
        assert len(pool.traces) == 2

    with_pool(work, bundles)


def test_two_busy_traces_do_not_shut_out_a_third(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "LONG_WAIT_S", 0.05)
    ended: list[str] = []

    async def one(pool: EnginePool, name: str, sql: str) -> None:
        await ask(pool, name, sql)
        ended.append(name)

    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        await asyncio.gather(
            *(one(pool, "small", SLOW) for _ in range(4)), one(pool, "idle", EVENTS), one(pool, "small", EVENTS)
        )
        assert ended.index("idle") < len(ended) - 1

    with_pool(work, bundles, engines=1)


def test_an_engine_with_others_waiting_is_not_taken_from_them_at_once(bundles: Path) -> None:
    ended: list[str] = []

    async def one(pool: EnginePool, name: str, sql: str) -> None:
        await ask(pool, name, sql)
        ended.append(name)

    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        await asyncio.gather(
            one(pool, "small", EVENTS),
            one(pool, "idle", EVENTS),
            one(pool, "small", EVENTS),
            one(pool, "small", EVENTS),
        )
        assert ended == ["small", "small", "small", "idle"]

    with_pool(work, bundles, engines=1)


def test_who_waits_too_long_is_reported(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        slow = asyncio.create_task(ask(pool, "small", ENDLESS))
        await asyncio.sleep(0)
        for name in ("small", "idle"):
            with pytest.raises(BusyError):
                await ask(pool, name, EVENTS)
        assert (await slow)[1].trouble == "time"  # type: ignore[union-attr]
        assert (await ask(pool, "idle", EVENTS))[0] == ROWS["idle"]

    with_pool(work, bundles, engines=1, wait_seconds=0.3, limits=Limits(LIMITS.memory_bytes, 3, 30))


def test_a_query_without_end_is_stopped_and_the_very_next_one_works(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        begin = time.monotonic()
        rows, end = await ask(pool, "small", ENDLESS)
        assert isinstance(end, Failure)
        assert (rows, end.trouble) == (b"", "time")
        assert time.monotonic() - begin < 60
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles, limits=Limits(LIMITS.memory_bytes, 3, 30))


def test_a_trace_that_fits_into_no_engine_is_refused_at_once_until_it_is_read_again(
    bundles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    start = EngineProcess.start

    async def counted(process: EngineProcess) -> Failure | None:
        started.append(Path(process.order.bundle))
        return await start(process)

    async def refused(pool: EnginePool, **window: bool) -> None:
        end = (await ask(pool, "idle", EVENTS, **window))[1]
        assert isinstance(end, Failure)
        assert end.trouble == "memory"

    async def work(pool: EnginePool) -> None:
        # Those who came by a link are not kept waiting for the owner's engine; the second of the owner's waits for the first.
        await asyncio.gather(refused(pool), refused(pool, linked=True), refused(pool))
        await refused(pool, linked=True)
        assert len(started) == 2
        pool.forget("idle")
        await asyncio.sleep(0)
        await refused(pool)
        assert len(started) == 3

    monkeypatch.setattr(EngineProcess, "start", counted)
    with_pool(work, bundles, limits=Limits(40 << 20, 3, 30))


def test_a_query_that_nobody_waits_for_is_stopped(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        pid = process_of(pool, "small")
        seat = pool._seats[TraceKey("small")]
        for sql, patience_s, stays in ((SLOW, 120.0, True), (ENDLESS, 0.2, False)):
            monkeypatch.setattr(pools, "GONE_S", patience_s)
            queries = asyncio.create_task(ask(pool, "small", sql))
            await until_computing(pid)
            queries.cancel()
            await until(lambda: not seat.busy)
            assert (pool._seats.get(TraceKey("small")) is seat) is stays
            assert not stays or not gone(pid)
        await until(lambda: gone(pid))
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles)


def test_who_goes_away_while_waiting_leaves_the_place_to_the_next(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        tasks = [asyncio.create_task(ask(pool, "small", SLOW)) for _ in range(2)]
        last = asyncio.create_task(ask(pool, "small", EVENTS))
        await until(lambda: pool.waiting == 2)
        tasks[1].cancel()
        assert (await last)[0] == ROWS["small"]
        assert not pool._waiting

    with_pool(work, bundles, engines=1)


def test_a_place_that_comes_in_the_moment_of_going_away_is_given_back(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        seat = await pool._acquire(TraceKey("small"))
        late = asyncio.create_task(pool._acquire(TraceKey("small")))
        await asyncio.sleep(0)
        pool._release(seat)
        # Between these two the place is theirs, and they have not noticed.
        late.cancel()
        with pytest.raises(asyncio.CancelledError):
            await late
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles, engines=1, wait_seconds=2)


def test_an_analysis_that_changed_is_queried_anew(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        await asyncio.gather(ask(pool, "small", EVENTS), ask(pool, "idle", EVENTS))
        before = process_of(pool, "small")
        slow = asyncio.create_task(ask(pool, "small", ENDLESS))
        await until_computing(before)
        await asyncio.to_thread(pool.forget, "small")
        _, end = await slow
        assert end == Failure("engine", pools.CHANGED)
        assert names(pool) == ["idle"]
        await until(lambda: gone(before))
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles)


def test_engines_end_when_nobody_asks_and_when_the_server_stops(bundles: Path) -> None:
    pids = []

    async def work(pool: EnginePool) -> None:
        await ask(pool, "small", EVENTS)
        pids.append(process_of(pool, "small"))
        await until(lambda: not pool.traces)
        await until(lambda: gone(pids[0]))
        await ask(pool, "idle", EVENTS)
        pids.append(process_of(pool, "idle"))

    with_pool(work, bundles, idle_seconds=0.3)
    asyncio.run(until(lambda: all(gone(pid) for pid in pids)))


def test_a_schema_does_not_disturb(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        first, end = await ask(pool, "small", Schema())
        assert end == Done()
        assert (await ask(pool, "small", Schema()))[0] == first
        assert (await ask(pool, "small", EVENTS))[0] == ROWS["small"]

    with_pool(work, bundles)

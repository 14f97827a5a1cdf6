"""Engines under test: small bundles, what a session tells, and traces that no export would write."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numalens_native as native

from numalens.jobs.reading import read_inputs
from numalens.perfetto.sql.pool import EnginePool, PoolLimits, TraceKey
from numalens.perfetto.sql.protocol import Done, Failure, Limits, Query, Request
from numalens.perfetto.sql.session import Session
from tests.recordings import DROPPED, FIXTURES, NUMA, NUMACTL, SMALL, counts
from tests.servers import cpu_ticks, worker_of

IDLE = FIXTURES / "idle-6.1-2x4.part.v7-none.dat.zst"
FILES = {"small": [SMALL], "numa": [NUMA, NUMACTL], "dropped": [DROPPED], "idle": [IDLE]}
MIB = 1 << 20
LIMITS = Limits(memory_bytes=512 * MIB, seconds=60, load_seconds=180)
ENDLESS = "select count(*) from ftrace_event a, ftrace_event b, ftrace_event c"
GREEDY = "select length(hex(zeroblob(400000000)))"


RECORDED = "(name != 'sched_waking' or coalesce(extract_arg(arg_set_id, 'success'), 1) != 0)"
"""True of events that were recorded: wakings without success were made for the trace processor."""
EVENTS = f"select count(*) from ftrace_event where {RECORDED}"  # noqa: S608  (of our own parts)
ROWS = {
    "small": [[str(sum(counts("tc-small").values()))]],
    "numa": [[str(sum(counts("cling-2x4-small").values()))]],
    "idle": [[str(sum(counts("idle-6.1-2x4.part").values()))]],
}
"""The answers to EVENTS."""


def make_bundles(folder: Path) -> Path:
    """Reads the recordings of FILES below `folder`."""
    for name, files in FILES.items():
        read_inputs([(file.name, str(file)) for file in files], folder / name, folder / f"{name}.scratch")
    return folder


@dataclass(frozen=True)
class Bytes:
    """In the place of a bundle: exports these bytes."""

    content: bytes
    events: int = 1

    def export_trace(self, out: Callable[[bytes], None], _from_ns: int | None, _to_ns: int | None) -> int:
        out(self.content)
        return self.events


@contextmanager
def session(
    bundle: Any, limits: Limits = LIMITS, window: tuple[int | None, int | None] = (None, None), **more: Any
) -> Iterator[Session]:
    """A session that holds a bundle."""
    made = Session(limits, **more)
    try:
        made.load(bundle, *window)
        yield made
    finally:
        made.close()


def run_query(made: Session, sql: str, limit: int = 100) -> Any:
    """The answer to a query; then the session is ready for the next one, as in its process."""
    try:
        return json.loads(made.query(sql, limit))
    finally:
        made.tidy()


def rows(made: Session, sql: str, limit: int = 100_000) -> list[list[Any]]:
    found: list[list[Any]] = run_query(made, sql, limit)["rows"]
    return found


def section(bundle: native.Bundle, name: str, **options: Any) -> dict[str, Any]:
    """A section of the whole recording."""
    manifest = json.loads(bundle.manifest())
    window = int(manifest["origin_ns"]), int(manifest["end_ns"])
    found: dict[str, Any] = json.loads(bundle.analysis(name, *window, json.dumps(options)))
    return found


def make_pool(folder: Path, limits: Limits = LIMITS, engines: int = 2, **more: Any) -> EnginePool:
    """A pool whose analyses are the folders in `folder`."""
    chosen = {"wait_seconds": 120.0, "idle_seconds": 60.0, **more}
    return EnginePool(PoolLimits(engines, each=limits, **chosen), lambda name: folder / name)


async def ask(pool: EnginePool, name: str, request: Request | str, **window: Any) -> tuple[Any, Done | Failure]:
    """The rows of a query, or the bytes of another request; and how it ended."""
    pieces: list[bytes] = []
    queries = Query(request, 100) if isinstance(request, str) else request

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    end = await pool.ask(TraceKey(name, **window), queries, keep)
    text = b"".join(pieces)
    return (json.loads(text)["rows"] if isinstance(queries, Query) and text else text), end


def process_started(pool: EnginePool, name: str) -> asyncio.subprocess.Process:
    """The process that was started for a trace."""
    process = pool._seats[TraceKey(name)].process._process
    assert process is not None
    return process


def process_of(pool: EnginePool, name: str) -> int:
    """The number of the process that holds a trace."""
    return worker_of(process_started(pool, name).pid)


async def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  (what is waited for happens in another process)
            await asyncio.sleep(0.01)


async def until_computing(pid: int) -> None:
    """Waits until a process has used CPU time, as one does that has begun with an endless query."""
    begin = cpu_ticks(pid)
    await until(lambda: cpu_ticks(pid) > begin + 2)


def with_pool(work: Callable[[EnginePool], Coroutine[Any, Any, None]], folder: Path, **options: Any) -> None:
    """Runs `work` with a pool, and ends the pool."""

    async def run() -> None:
        pool = make_pool(folder, **options)
        try:
            async with asyncio.timeout(300):
                await work(pool)
        finally:
            await pool.stop()

    asyncio.run(run())


def gone(pid: int) -> bool:
    """Whether there is no such process, or only its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True

"""Questions over the fleet, answered by the workers of a Dask scheduler.

Each worker gets a share of the summaries and answers for it; the parts are put together here (`fleet/answer.py`), so that the
answer is that of one machine. A query in somebody's own words cannot be taken apart: one worker answers it, over all summaries.
Dask gives the share of a worker that died to another.
"""

import asyncio
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import distributed
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from numalens import __version__
from numalens.errors import AwayError
from numalens.fleet.answer import Question, answer, sent
from numalens.fleet.asking import GRACE_S, SelectLimits
from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetError
from numalens.fleet.files import SummaryFile
from numalens.jobs.cluster_link import CONNECT_S, ClusterLink, is_lost, resources_of
from numalens.jobs.fleet_task import FleetTask, answer_of, ask_on_worker, fleet_resource
from numalens.store.folder import Place
from numalens.store.ids import new_id

LOOK_S: Final = 1.0
WAIT_S: Final = 30.0
"""How long a question may wait for workers, and for summaries that they fetch, on top of its own time."""
AWAY: Final = (
    "The scheduler of the workers that answer questions over the fleet does not answer; please try again in a moment."
)
NOBODY: Final = (
    "No worker of NumaLens {} is there to answer questions over the fleet; start some (numalens worker), and ask again."
)
LATE: Final = "The workers did not answer the question within {:g} seconds; please ask again."
KILLED: Final = "The question ended {} workers one after the other, most likely for want of memory."


Files = Callable[[Sequence[Entry]], Sequence[SummaryFile]]


class ClusterAsker:
    """The workers of one scheduler. All methods are called in the same event loop."""

    def __init__(self, scheduler: str, limits: SelectLimits, place: Place, files: Files) -> None:
        """Takes the scheduler's address, what each process of a worker may take, and where bundles are.

        Unless they are in a bucket, `files` tells the summaries that there are; workers must see them at the same paths.
        """
        self._link = ClusterLink(scheduler, AWAY)
        self._limits = limits
        self._bucket = None if place.url is None else place
        self._files = files

    async def answer(self, question: Question, entries: Sequence[Entry]) -> Any:  # noqa: ANN401  (each has its own)
        """The answer to a ready question. Raises FleetError, AwayError."""
        client = await self._link.client()
        shares = shares_of(entries, await self._workers(client))
        tasks = await asyncio.to_thread(lambda: [self._task(sent(question), share) for share in shares])
        parts = await self._asked(client, tasks)
        return await asyncio.to_thread(answer, question, parts)

    async def select(self, entries: Sequence[Entry], sql: str, limit: int) -> dict[str, Any]:
        """The answer to a query, from one worker. Raises FleetError, AwayError."""
        client = await self._link.client()
        await self._workers(client)
        task = await asyncio.to_thread(self._task, {"sql": sql, "limit": limit}, entries)
        told: list[dict[str, Any]] = await self._asked(client, [task])
        return told[0]

    async def close(self) -> None:
        """Leaves the scheduler."""
        await self._link.close()

    def _task(self, asked: dict[str, Any], share: Sequence[Entry]) -> FleetTask:
        bucket = self._bucket
        return FleetTask(
            asked=asked,
            entries=[entry.cells() for entry in share],
            seconds=self._limits.seconds,
            memory_bytes=self._limits.memory_bytes,
            confine=self._limits.confine,
            bucket=bucket,
            generations={} if bucket is None else {entry.analysis: entry.generation for entry in share},
            files={file.analysis: str(file.path) for file in self._files(share)} if bucket is None else {},
        )

    async def _workers(self, client: distributed.Client) -> int:
        """How many workers answer questions. Raises AwayError when there are none for too long: one that died comes back."""
        name = fleet_resource(__version__)
        end = asyncio.get_running_loop().time() + WAIT_S
        while not (count := sum(name in offered for offered in await self._offered(client))):
            if asyncio.get_running_loop().time() >= end:
                raise AwayError(NOBODY.format(__version__))
            await asyncio.sleep(LOOK_S)
        return count

    async def _offered(self, client: distributed.Client) -> list[dict[str, float]]:
        try:
            async with asyncio.timeout(WAIT_S):
                return await resources_of(client)
        except (OSError, TimeoutError) as error:
            raise AwayError(AWAY) from error

    async def _asked(self, client: distributed.Client, tasks: Sequence[FleetTask]) -> list[Any]:
        """The answers to tasks, in their order. Raises AwayError when they do not come in time, or the scheduler is gone."""
        name = new_id()
        futures = [
            client.submit(
                ask_on_worker,
                task.plain(),
                key=f"numalens-ask-{name}-{place}",
                resources={fleet_resource(__version__): 1},
                pure=False,
            )
            for place, task in enumerate(tasks)
        ]
        limit = self._limits.seconds + GRACE_S + WAIT_S
        try:
            async with asyncio.timeout(limit):
                told = await _gathered(client, futures)
        except TimeoutError:
            raise AwayError(LATE.format(limit)) from None
        except KilledWorker as error:
            raise FleetError(KILLED.format(error.allowed_failures + 1)) from error
        except (FutureCancelledError, OSError):
            raise AwayError(AWAY) from None
        finally:
            # Workers end the processes of what nobody waits for.
            with suppress(Exception):
                async with asyncio.timeout(CONNECT_S):
                    await client.cancel([future for future in futures if not future.done()], force=True)
        return [answer_of(each) for each in told]


def shares_of(entries: Sequence[Entry], count: int) -> list[list[Entry]]:
    """As many shares as there are workers, by the analyses' names, but none without analyses: at least one in any case."""
    shares: list[list[Entry]] = [[] for _ in range(count)]
    for entry in entries:
        shares[zlib.crc32(entry.analysis.encode()) % count].append(entry)
    return [share for share in shares if share] or [[]]


async def _gathered(client: distributed.Client, futures: Sequence[distributed.Future[Any]]) -> list[dict[str, Any]]:
    """What all tasks came to. Raises AwayError when the scheduler is gone, which a future alone does not always tell."""
    results = asyncio.gather(*(future.result() for future in futures))
    try:
        while not results.done():
            await asyncio.wait([results], timeout=LOOK_S)
            if is_lost(client):
                raise AwayError(AWAY)
        return list(results.result())
    finally:
        results.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await results

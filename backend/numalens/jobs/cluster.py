"""Imports by the workers of a Dask scheduler. Dask chooses the worker and repeats a dead worker's task elsewhere.

A task needs memory and a worker of this very version; workers declare both as resources (`numalens worker`). The progress of a
task comes as events of a topic of this server. Nothing that a worker does has an effect on its own: it stores a bundle under a
name that is not read yet, and returns that name.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import distributed
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from numalens import __version__
from numalens.errors import AwayError
from numalens.jobs.cluster_task import ENDED, MEMORY, METADATA, TOPIC, read_on_worker, result_of, version_resource
from numalens.jobs.protocol import Failure, Step
from numalens.jobs.task import OnStep, Result, Task
from numalens.store.names import new_id

LANES: Final = 256
LOOK_S: Final = 1.0
PATIENCE_S: Final = 10.0
"""Time to wait for the end of a cancelled task, and time after which the reason for a task's wait is shown."""
NO_WORKER: Final = "worker"
"""The stage of a task that no worker has taken."""
AWAY: Final = "The scheduler of the import jobs does not answer; imports continue when it does."
KILLED: Final = "The import stopped {} workers in a row, most likely for lack of memory; the files are kept."

log = logging.getLogger(__name__)


class _Running:
    """A task that was handed over."""

    def __init__(self, on_step: OnStep) -> None:
        self.on_step = on_step
        self.begun = False
        self.ended = asyncio.Event()


class ClusterExecutor:
    """The workers of one scheduler. All methods are called in the server's event loop."""

    lanes = LANES

    def __init__(self, address: str) -> None:
        """Takes the scheduler's address; connects when there is something to do."""
        self._link = ClusterLink(address, AWAY, self._on_connected)
        self._topic = f"{TOPIC}-{new_id()}"
        self._running: dict[str, _Running] = {}
        self._warned: str | None = None

    async def run(self, task: Task, on_step: OnStep) -> Result:
        """Has a worker run the task."""
        client = await self._link.client()
        running = self._running[task.attempt] = _Running(on_step)
        future = client.submit(
            read_on_worker,
            task.plain(),
            self._topic,
            key=f"numalens-read-{task.attempt}",
            resources={MEMORY: task.memory_bytes, version_resource(__version__): 1},
            pure=False,
        )
        try:
            return result_of(await self._result(client, future, running, task))
        except KilledWorker as error:
            return Failure(KILLED.format(error.allowed_failures + 1))
        except FutureCancelledError:
            raise AwayError(AWAY) from None
        except asyncio.CancelledError:
            await self._cancel(future, running)
            raise
        finally:
            del self._running[task.attempt]
            with suppress(Exception):
                future.release()

    async def close(self) -> None:
        """Leaves the scheduler, which gives up what is left of this server's tasks."""
        await self._link.close()

    async def _on_connected(self, client: distributed.Client) -> None:
        client.subscribe_topic(self._topic, self._on_event)
        # Workers look here before they offer themselves.
        await client.set_metadata([METADATA], {"version": __version__})

    async def _result(
        self, client: distributed.Client, future: distributed.Future[Any], running: _Running, task: Task
    ) -> dict[str, Any]:
        """The result of the task. Raises AwayError when the scheduler is gone, which a future alone does not always show."""
        result = asyncio.ensure_future(future.result())
        waited = 0.0
        try:
            while not result.done():
                await asyncio.wait([result], timeout=LOOK_S)
                if is_lost(client):
                    raise AwayError(AWAY)
                waited += LOOK_S
                if not running.begun and waited >= PATIENCE_S:
                    waited = 0.0
                    running.on_step(Step(NO_WORKER, 0, 0))
                    await self._warn(client, task)
            found: dict[str, Any] = result.result()
            return found
        finally:
            result.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await result

    async def _warn(self, client: distributed.Client, task: Task) -> None:
        """Says in the log what the tasks wait for, once until that changes."""
        with suppress(OSError, TimeoutError):
            why = await _why(client, task)
            if why is not None and why != self._warned:
                log.warning("%s", why)
            self._warned = why

    async def _cancel(self, future: distributed.Future[Any], running: _Running) -> None:
        """Has the task given up, and waits until its worker says that it has."""
        with suppress(Exception):
            await future.cancel(force=True)
            if running.begun:
                async with asyncio.timeout(PATIENCE_S):
                    await running.ended.wait()

    def _on_event(self, event: tuple[float, dict[str, Any]]) -> None:
        _, message = event
        running = self._running.get(message["attempt"])
        if running is None:
            return
        running.begun = True
        if message["stage"] == ENDED:
            running.ended.set()
        else:
            running.on_step(Step(message["stage"], message["done"], message["total"]))


async def _why(client: distributed.Client, task: Task) -> str | None:
    """Reason for which no worker takes a task, if none of the present ones ever can."""
    resources = await resources_of(client)
    ours = [found for found in resources if version_resource(__version__) in found]
    if not resources:
        return "the scheduler has no workers"
    if not ours:
        return f"the scheduler has {len(resources)} workers, but none of NumaLens {__version__}"
    if all(found.get(MEMORY, 0) < task.memory_bytes for found in ours):
        return f"no worker has the {task.memory_bytes:,} bytes of memory that a job may use"
    return None


CONNECT_S: Final = 5.0


async def _nothing(_client: distributed.Client) -> None:
    """Nothing is to be done with a new connection."""


class ClusterLink:
    """The connection to one scheduler. All methods are called in the same event loop."""

    def __init__(
        self, address: str, away: str, on_connected: Callable[[distributed.Client], Awaitable[None]] = _nothing
    ) -> None:
        """Takes the scheduler's address, the message for its absence, and the action for each new connection."""
        self._address = address
        self._away = away
        self._on_connected = on_connected
        self._client: distributed.Client | None = None
        self._connecting = asyncio.Lock()

    async def client(self) -> distributed.Client:
        """A client with a connection. Raises AwayError."""
        async with self._connecting:
            if self._client is not None and not is_lost(self._client):
                return self._client
            await self.close()
            client = distributed.Client(
                self._address, asynchronous=True, timeout=CONNECT_S, set_as_default=False, name="numalens"
            )
            try:
                await client
                await self._on_connected(client)
            except (OSError, TimeoutError) as error:
                log.warning("scheduler %s: %s", self._address, error)
                with suppress(OSError, TimeoutError):
                    await client.close(timeout=CONNECT_S)
                raise AwayError(self._away) from error
            self._client = client
            return client

    async def close(self) -> None:
        """Leaves the scheduler, which gives up what is left of this client's tasks."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, TimeoutError):
                await client.close(timeout=CONNECT_S)


def is_lost(client: distributed.Client) -> bool:
    """Returns whether a client has no connection to its scheduler; it may be reconnecting."""
    stream = client.scheduler_comm
    return client.status != "running" or stream is None or stream.comm.closed()


async def resources_of(client: distributed.Client) -> list[dict[str, float]]:
    """Resources of each worker of the scheduler."""
    known: dict[str, Any] = {} if client.scheduler is None else await client.scheduler.identity(n_workers=-1)
    return [worker.get("resources", {}) for worker in known.get("workers", {}).values()]

"""Who does the readings: something that is given tasks, and this server's own processes as the first of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

from numalens.jobs.protocol import Step
from numalens.jobs.task import OnStep, Result, Task, read_task
from numalens.store.blobs import Blobs
from numalens.store.bundles import Bundles

WAITING: Final = "memory"
"""The stage of a task that waits for memory that others use."""


class Executor(Protocol):
    """Runs tasks. All methods are called in the server's event loop."""

    lanes: int
    """How many tasks it takes at the same time."""

    async def run(self, task: Task, on_step: OnStep) -> Result:
        """Runs a task. Cancelling this ends the task's process, wherever it is.

        Raises AwayError when whoever is to do it, or what it needs, is away: nothing has had an effect, try again.
        """

    async def close(self) -> None:
        """Lets go of whatever is held."""


class LocalExecutor:
    """Processes of this machine, as many as `lanes` and as their memory allows."""

    def __init__(self, blobs: Blobs, bundles: Bundles, lanes: int, memory_bytes: int | None) -> None:
        """Takes the stores, and the memory that all processes together may use; None is as much as each of them may."""
        self.lanes = lanes
        self._blobs = blobs
        self._bundles = bundles
        self._left = memory_bytes
        self._freed = asyncio.Event()

    async def run(self, task: Task, on_step: OnStep) -> Result:
        """Runs a task once there is memory for it."""
        async with self._memory(task.memory_bytes, on_step):
            return await read_task(task, self._blobs, self._bundles, on_step)

    async def close(self) -> None:
        """Has nothing to let go of: the processes end with their tasks."""

    @asynccontextmanager
    async def _memory(self, wanted: int, on_step: OnStep) -> AsyncIterator[None]:
        if self._left is None:
            yield
            return
        if self._left < wanted:
            on_step(Step(WAITING, 0, 0))
        while self._left < wanted:
            self._freed.clear()
            await self._freed.wait()
        self._left -= wanted
        try:
            yield
        finally:
            self._left += wanted
            self._freed.set()

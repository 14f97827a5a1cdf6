"""A connection to a Dask scheduler: made when it is needed, and again when it was lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import distributed

from numalens.errors import AwayError

CONNECT_S: Final = 5.0

log = logging.getLogger(__name__)


async def _nothing(_client: distributed.Client) -> None:
    """Nothing is to be done with a new connection."""


class ClusterLink:
    """The connection to one scheduler. All methods are called in the same event loop."""

    def __init__(
        self, address: str, away: str, on_connected: Callable[[distributed.Client], Awaitable[None]] = _nothing
    ) -> None:
        """Takes the scheduler's address, the sentence for one that is away, and what is done with each new connection."""
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
    """Tells whether a client has no connection to its scheduler; it may be trying to have one again."""
    stream = client.scheduler_comm
    return client.status != "running" or stream is None or stream.comm.closed()


async def resources_of(client: distributed.Client) -> list[dict[str, float]]:
    """What each worker of the scheduler offers."""
    known: dict[str, Any] = {} if client.scheduler is None else await client.scheduler.identity(n_workers=-1)
    return [worker.get("resources", {}) for worker in known.get("workers", {}).values()]

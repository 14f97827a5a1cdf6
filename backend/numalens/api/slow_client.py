"""Limits how long a client may take to send a request: one sent byte by byte holds a connection that others need.

A head has one time limit as a whole. A body has that limit for every few kilobytes, so that a slow line does not count as an
attack and a large file may take hours.
"""

import asyncio
import resource
from collections import OrderedDict
from contextlib import suppress
from typing import Final

import h11
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from numalens.api.guards import HttpMiddleware
from numalens.errors import SentenceError

LEAST_BYTES: Final = 4096
"""Bytes of a body that must arrive in each span."""
FILES_KEPT: Final = 512
"""Open files other than connections: databases, bundles, pipes of processes."""
MOST_CONNECTIONS: Final = 16_384


class SlowBody(HttpMiddleware):
    """Ends requests whose bodies come too slowly with a 408; what came until then, an upload keeps."""

    @override
    async def around(self, scope: Scope, receive: Receive, send: Send) -> None:
        span: float = scope["app"].state.services.settings.slow_seconds
        loop = asyncio.get_running_loop()
        left, got, more = span, 0, True

        async def limited() -> Message:
            nonlocal left, got, more
            if not more:
                # All is here; a request that waits now waits for the client to leave.
                return await receive()
            # Only waiting counts, not the time that we take between two pieces.
            since = loop.time()
            try:
                async with asyncio.timeout(left):
                    message = await receive()
            except TimeoutError:
                raise SentenceError(
                    408,
                    f"The request body is arriving too slowly: fewer than {LEAST_BYTES:,} bytes in {span:g} seconds"
                    " (NUMALENS_SLOW_SECONDS).",
                    headers={"Connection": "close"},
                ) from None
            left -= loop.time() - since
            got += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
            if got >= LEAST_BYTES:
                left, got = span, 0
            return message

        await self._app(scope, limited, send)


def most_connections() -> int:
    """Raises the limit of open files to its maximum; returns the number of connections that leaves enough for other files.

    At the limit itself asyncio would try to accept, and log that it cannot, without end.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return min(max(soft - FILES_KEPT, soft // 3), MOST_CONNECTIONS)


class _Connections:
    """Connections of one server, and those that wait for the head of a request."""

    def __init__(self, span: float, most: int) -> None:
        self._span = span
        self._most = most
        self._every: set[H11Protocol] = set()
        self._idle: OrderedDict[H11Protocol, asyncio.TimerHandle] = OrderedDict()

    def begin(self, connection: H11Protocol) -> None:
        self._every.add(connection)
        self.look(connection)
        if len(self._every) > self._most:
            longest, timer = self._idle.popitem(last=False)
            timer.cancel()
            longest.timeout_keep_alive_handler()

    def look(self, connection: H11Protocol) -> None:
        """Sets the time for a head when a connection begins to wait for one."""
        if connection.conn.their_state is not h11.IDLE or connection.transport.is_closing():
            self._forget(connection)
        elif connection not in self._idle:
            close = connection.timeout_keep_alive_handler
            self._idle[connection] = connection.loop.call_later(self._span, close)

    def end(self, connection: H11Protocol) -> None:
        self._every.discard(connection)
        self._forget(connection)

    def _forget(self, connection: H11Protocol) -> None:
        if (timer := self._idle.pop(connection, None)) is not None:
            timer.cancel()


def slow_client_protocol(span: float, most: int) -> type[H11Protocol]:
    """Uvicorn's protocol, closing connections that have brought no whole head for `span` seconds.

    Of more than `most` connections, that which has waited longest for a head gives way; when all are at work, the newest.
    """
    connections = _Connections(span, most)

    class SlowClientProtocol(H11Protocol):
        """One connection."""

        @override
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            connections.begin(self)

        @override
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            connections.look(self)

        @override
        def on_response_complete(self) -> None:
            super().on_response_complete()
            connections.look(self)

        @override
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            connections.end(self)

    return SlowClientProtocol

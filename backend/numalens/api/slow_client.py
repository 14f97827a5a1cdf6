"""Limits how long a client may take to send a request: one sent byte by byte holds a connection that others need.

A head has one span of time for all of it; a body has that span for every few kilobytes, so that a slow line is no attack
and a large file may take its hours.
"""

import asyncio
from typing import Final

import h11
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from numalens.api.guards import HttpMiddleware
from numalens.errors import SentenceError

LEAST_BYTES: Final = 4096
"""Of a body, in each span."""


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
                # All is here; whoever waits now waits for the client to go.
                return await receive()
            # Only waiting counts, not the time that we take between two pieces.
            since = loop.time()
            try:
                async with asyncio.timeout(left):
                    message = await receive()
            except TimeoutError:
                raise SentenceError(
                    408,
                    f"The request's body comes too slowly: fewer than {LEAST_BYTES:,} bytes came in {span:g} seconds"
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


def slow_client_protocol(span: float) -> type[H11Protocol]:
    """Uvicorn's protocol, closing connections that have brought no whole head for `span` seconds."""

    class SlowClientProtocol(H11Protocol):
        """One connection."""

        _timer: asyncio.TimerHandle | None = None

        @override
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        @override
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        @override
        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        @override
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._forget()

        def _watch(self) -> None:
            if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
                self._forget()
            elif self._timer is None:
                self._timer = self.loop.call_later(span, self.timeout_keep_alive_handler)

        def _forget(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return SlowClientProtocol

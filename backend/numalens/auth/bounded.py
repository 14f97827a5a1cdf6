"""Bounds of an issuer's answers: bytes and time, whatever the issuer sends."""

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2
from typing_extensions import override

MOST_BYTES: Final = 1 << 20
"""Largest answer; discovery documents and key sets have some kilobytes."""


class _Bounded(httpx2.AsyncByteStream):
    """A stream that ends with an error where it is too long."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401  (a stream of bytes)
        self._stream = stream

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES:,} bytes")
            yield piece

    @override
    async def aclose(self) -> None:
        await self._stream.aclose()


async def _ask_plain(request: httpx2.Request) -> None:
    request.headers["accept-encoding"] = "identity"


async def _bound(response: httpx2.Response) -> None:
    # What is packed may unpack to any size.
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ValueError("a compressed answer, which was not asked for")
    response.stream = _Bounded(response.stream)


def bound(client: Any) -> Any:  # noqa: ANN401  (Authlib has no types)
    """Returns the client, which from now on raises ValueError for an answer that is too long or compressed."""
    client.event_hooks = {"request": [_ask_plain], "response": [_bound]}
    return client

"""Streams an export from the engine's thread to the client without keeping it in memory."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Literal

from starlette.responses import StreamingResponse

ExportFormat = Literal["csv", "ndjson", "arrow"]
Engine = Callable[[str, str, Callable[[bytes], None], int | None, int | None], int]
"""A bundle's export of events or of samples: name, format, where the pieces go, from, to."""
MEDIA_TYPES: Final[dict[ExportFormat, str]] = {
    "csv": "text/csv",
    "ndjson": "application/x-ndjson",
    "arrow": "application/vnd.apache.arrow.stream",
}
PIECES_AHEAD: Final = 8
MOST_STEM: Final = 100
POLL_S: Final = 0.5
# Of their own: a client that reads slowly holds its thread, and must not hold up uploads and jobs.
_threads: Final = ThreadPoolExecutor(max_workers=16, thread_name_prefix="export")


class ClientGoneError(Exception):
    """Raised into the engine to stop an export that nobody reads any more."""


class Export:
    """One export in a thread of its own, read as an asynchronous sequence of pieces."""

    def __init__(self, run: Callable[[Callable[[bytes], None]], int]) -> None:
        """Starts the export; must be made in the event loop. `run` is given what takes the pieces."""
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(PIECES_AHEAD)
        self._gone = threading.Event()

        def work() -> None:
            try:
                run(self._put)
            finally:
                self._put(None)

        self._work = self._loop.run_in_executor(_threads, work)
        # Looked at even when nobody reads to the end, else asyncio would complain about an unseen exception.
        self._work.add_done_callback(lambda ended: ended.exception())

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while (piece := await self._pieces.get()) is not None:
                yield piece
            # Raises what the engine raised, so that the client sees a broken download and not a short one.
            await self._work
        finally:
            self._gone.set()

    def _put(self, piece: bytes | None) -> None:
        """Called by the engine in its thread: waits until there is room."""
        put = asyncio.run_coroutine_threadsafe(self._pieces.put(piece), self._loop)
        while not self._gone.is_set():
            try:
                return put.result(POLL_S)
            except TimeoutError:
                continue
        put.cancel()
        raise ClientGoneError


async def export_stream(
    engine: Engine, name: str, fmt: ExportFormat, from_ns: int | None, to_ns: int | None
) -> StreamingResponse:
    """The download of one event type or sample table. Whatever goes wrong before the first piece is raised here."""

    def run(out: Callable[[bytes], None]) -> int:
        return engine(name, fmt, out, from_ns, to_ns)

    return await stream(run, name, fmt, MEDIA_TYPES[fmt])


def file_stem(name: str) -> str:
    """A part of a file name, and of a header, that is the same everywhere: names come from recordings."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:MOST_STEM] or "_"


async def stream(
    run: Callable[[Callable[[bytes], None]], int], name: str, suffix: str, media: str
) -> StreamingResponse:
    """The download `name.suffix` of what `run` hands on piece by piece. What goes wrong before the first piece is raised."""
    pieces = aiter(Export(run))
    first = await anext(pieces, b"")

    async def body() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    headers = {"Content-Disposition": f'attachment; filename="{file_stem(name)}.{suffix}"'}
    return StreamingResponse(body(), media_type=media, headers=headers)

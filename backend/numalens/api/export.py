"""Streams an export from the engine's thread to the client without keeping it in memory."""

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import StreamingResponse

from numalens.api.access import budgets_of, client_of
from numalens.api.services import services_of
from numalens.errors import ClientGoneError

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
_threads: Final = ThreadPoolExecutor(max_workers=64, thread_name_prefix="export")


class Export:
    """One export in a thread of its own, read as an asynchronous sequence of pieces."""

    def __init__(self, run: Callable[[Callable[[bytes], None]], int], patience_s: float) -> None:
        """Starts the export; must be made in the event loop. `run` is given what takes the pieces.

        A client that takes none for `patience_s` holds a thread for nothing: the export ends.
        """
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(PIECES_AHEAD)
        self._gone = threading.Event()

        def work() -> None:
            try:
                run(self._put)
            finally:
                self._put(None)

        self._work = self._loop.run_in_executor(_threads, work)
        # Looked at even when no client reads to the end, else asyncio would complain about an unseen exception.
        self._work.add_done_callback(lambda ended: ended.exception())

    def when_ended(self, then: Callable[[], None]) -> None:
        """Calls `then` when the thread is free again."""
        self._work.add_done_callback(lambda _: then())

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
        last = time.monotonic() + self._patience_s
        while not self._gone.is_set() and time.monotonic() < last:
            try:
                return put.result(POLL_S)
            except TimeoutError:
                continue
        put.cancel()
        self._loop.call_soon_threadsafe(self._give_up)
        raise ClientGoneError

    def _give_up(self) -> None:
        """Breaks the download for a client that resumes too late: no piece follows."""
        self._gone.set()
        while not self._pieces.empty():
            self._pieces.get_nowait()
        self._pieces.put_nowait(None)


async def export_stream(
    request: Request, engine: Engine, name: str, fmt: ExportFormat, from_ns: int | None, to_ns: int | None
) -> StreamingResponse:
    """The download of one event type or sample table. Errors before the first piece are raised here."""

    def run(out: Callable[[bytes], None]) -> int:
        return engine(name, fmt, out, from_ns, to_ns)

    return await stream(request, run, name, fmt, MEDIA_TYPES[fmt])


def file_stem(name: str) -> str:
    """A part of a file name, and of a header, that is the same everywhere: names come from recordings."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:MOST_STEM] or "_"


async def stream(
    request: Request, run: Callable[[Callable[[bytes], None]], int], name: str, suffix: str, media: str
) -> StreamingResponse:
    """The download `name.suffix` of what `run` hands on piece by piece. Errors before the first piece are raised.

    Raises 429 when the client has as many downloads as it may.
    """
    services = services_of(request)
    with ExitStack() as held:
        spend = held.enter_context(budgets_of(request).exports.hold(client_of(request)))
        export = Export(run, services.settings.slow_seconds)
        # A thread is what is scarce, so the use ends with it.
        export.when_ended(held.pop_all().close)
    pieces = aiter(export)
    first = await anext(pieces, b"")

    async def body() -> AsyncIterator[bytes]:
        spend(len(first))
        yield first
        async for piece in pieces:
            spend(len(piece))
            yield piece

    headers = {"Content-Disposition": f'attachment; filename="{file_stem(name)}.{suffix}"'}
    return StreamingResponse(body(), media_type=media, headers=headers)

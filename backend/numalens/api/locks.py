"""One request at a time per upload, the newest first.

A client whose connection broke comes back before the server has noticed the break. The newcomer therefore does not wait
for the old request to fail by itself: it asks it to stop, and gets the upload once the old one has kept what it received.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from numalens.errors import SentenceError

PATIENCE_S: Final = 10.0


@dataclass
class _Place:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    stop: asyncio.Event | None = None
    users: int = 0


class UploadLocks:
    """The locks of all uploads in use."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    @asynccontextmanager
    async def hold(self, upload_id: str) -> AsyncIterator[asyncio.Event]:
        """Holds an upload's lock; the event given is set when another request asks for it. Raises 423 when that takes too long."""
        place = self._places.setdefault(upload_id, _Place())
        place.users += 1
        try:
            if place.stop is not None:
                place.stop.set()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await place.lock.acquire()
            except TimeoutError:
                raise SentenceError(423, "Another request is writing to this upload; try again in a moment.") from None
            try:
                place.stop = asyncio.Event()
                if place.users > 1:
                    # Somebody newer already waits, and called only the one before.
                    place.stop.set()
                yield place.stop
            finally:
                place.stop = None
                place.lock.release()
        finally:
            place.users -= 1
            if not place.users:
                del self._places[upload_id]

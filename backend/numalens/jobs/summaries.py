"""Makes the summaries that are missing, one after the other, in the background.

Of bundles that an earlier version read, and of those whose server ended between reading and this.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from numalens.errors import SentenceError
from numalens.extras import has
from numalens.jobs.reading import MANIFEST
from numalens.sandbox.child import ended
from numalens.sandbox.confine import Confine
from numalens.settings import Settings
from numalens.store.summary_file import FILE

COMMAND: Final = (sys.executable, "-P", "-m", "numalens.fleet.make")
SECONDS: Final = 600.0
"""A summary asks each section once; the longest recordings take some seconds."""

log = logging.getLogger(__name__)


class SummaryMaker:
    """The missing summaries of one server. All methods are called in its event loop."""

    def __init__(
        self,
        settings: Settings,
        bundle: Callable[[str], Path],
        ready: Callable[[], Sequence[str]],
        merge: Callable[[], None],
    ) -> None:
        """Takes the limits, the folder of an analysis' bundle, the analyses that have one, and what merges many summaries."""
        self._settings = settings
        self._bundle = bundle
        self._ready = ready
        self._merge = merge
        self._wanted = asyncio.Event()
        self._one = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._tried: set[tuple[str, int]] = set()
        """Bundles of which a summary could not be made, by when they were written; they are not tried again."""
        self.pending = 0
        """Number of summaries still to be computed."""

    def start(self) -> None:
        """Looks for missing ones now, and whenever `look` is called; none are made without the extra fleet."""
        if not has("fleet"):
            return
        self._wanted.set()
        self._task = asyncio.create_task(self._work())

    def look(self) -> None:
        """Looks again, as soon as possible."""
        self._wanted.set()

    async def add(self, analysis_id: str) -> None:
        """Makes the summary of an analysis that was just read, unless its bundle came with one, or is elsewhere."""
        if (self._bundle(analysis_id) / MANIFEST).is_file():
            await self._make(self._bundle(analysis_id))

    async def stop(self) -> None:
        """Ends what is under way; it is taken up at the next start."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                missing = await asyncio.to_thread(self._missing)
                for done, key in enumerate(missing):
                    self.pending = len(missing) - done
                    if not await self._make(self._bundle(key[0])):
                        self._tried.add(key)
                self.pending = 0
                await asyncio.to_thread(self._merge)
            except SentenceError as error:
                log.warning("summaries: %s", error.sentence)
            except Exception:
                log.exception("summaries")
            self.pending = 0

    def _missing(self) -> list[tuple[str, int]]:
        found = []
        for analysis_id in self._ready():
            with suppress(OSError):
                key = analysis_id, (self._bundle(analysis_id) / MANIFEST).stat().st_mtime_ns
                if key not in self._tried and not (self._bundle(analysis_id) / FILE).is_file():
                    found.append(key)
        return found

    async def _make(self, bundle: Path) -> bool:
        settings = self._settings
        async with self._one:
            if (bundle / FILE).is_file():
                return True
            return await make(bundle, settings.job_memory_bytes, settings.job_file_bytes, settings.confine)


async def make(bundle: Path, memory_bytes: int, file_bytes: int, confine: Confine) -> bool:
    """Makes the summary of a bundle in a process of its own, which is logged when it fails; returns whether it is there."""
    if not has("fleet"):
        return False
    try:
        process = await ended([*COMMAND, str(bundle), str(memory_bytes), str(file_bytes), confine], SECONDS)
    except TimeoutError:
        log.warning("no summary of analysis %s: it took too long", bundle.name)
        return False
    if process.status != 0:
        log.warning(
            "no summary of analysis %s: %s", bundle.name, process.errors.decode(errors="replace")[-500:].strip()
        )
    return process.status == 0

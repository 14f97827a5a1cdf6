"""Takes queued analyses one after the other through storing, reading and keeping.

The database row is the queue: a job that a killed server left is found by its status at the next start and done again from
the beginning. Nothing of a half-done job is visible: the bundle gets its name only when it is whole.
"""

import asyncio
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final, TypeVar

from numalens.errors import SentenceError
from numalens.jobs.process import UNEXPECTED, run_order
from numalens.jobs.progress import ProgressBoard
from numalens.jobs.protocol import Done, Failure, Order, Step
from numalens.settings import Settings
from numalens.store.analyses import AnalysisStore
from numalens.store.folder import DataFolder

T = TypeVar("T")

STORING: Final = "storing"
KEEPING: Final = "keeping"
JOB_RESULTS: Final = ("ready", "failed", "ended")
"""How a job can end; `ended` by its deletion or the server's stop."""

log = logging.getLogger(__name__)


class JobRunner:
    """The jobs of one server. All methods are called in its event loop."""

    def __init__(
        self,
        settings: Settings,
        folder: DataFolder,
        analyses: AnalysisStore,
        board: ProgressBoard,
        on_kept: Callable[[str], None],
        on_ended: Callable[[str, float], None] = lambda _result, _seconds: None,
    ) -> None:
        """Takes the limits, the stores, the board on which progress is told, and who is told of each new bundle.

        `on_ended` is told how each job ended (one of JOB_RESULTS) and its seconds.
        """
        self._settings = settings
        self._folder = folder
        self._analyses = analyses
        self._board = board
        self._on_kept = on_kept
        self._on_ended = on_ended
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._lanes: list[asyncio.Task[None]] = []
        self._running: dict[str, asyncio.Task[None]] = {}

    @property
    def alive(self) -> bool:
        """Whether queued analyses are being worked on."""
        return bool(self._lanes) and not any(lane.done() for lane in self._lanes)

    @property
    def queued(self) -> int:
        """How many wait for a place."""
        return self._queue.qsize()

    @property
    def running(self) -> int:
        """How many are under way."""
        return len(self._running)

    async def start(self) -> None:
        """Takes up what is unfinished and begins to work."""
        for analysis_id in await asyncio.to_thread(self._analyses.unfinished):
            self.submit(analysis_id)
        self._lanes = [asyncio.create_task(self._work()) for _ in range(self._settings.jobs)]

    def submit(self, analysis_id: str) -> None:
        """Puts a queued analysis at the end of the line."""
        self._queue.put_nowait(analysis_id)

    async def cancel(self, analysis_id: str) -> None:
        """Ends the job of an analysis, if it has one, and returns when the job's process is gone."""
        job = self._running.get(analysis_id)
        if job is not None:
            job.cancel()
            await asyncio.wait([job])

    async def stop(self, grace_seconds: float = 0.0) -> None:
        """Begins no more jobs, lets those under way end for so long, and ends the others.

        Their analyses stay unfinished, as those of jobs that had not begun, and are taken up at the next start.
        """
        # Noted first: a lane that ends forgets its job.
        jobs = list(self._running.values())
        for task in self._lanes:
            task.cancel()
        if jobs:
            await asyncio.wait(jobs, timeout=grace_seconds)
            for job in jobs:
                job.cancel()
            await asyncio.wait(jobs)
        await asyncio.gather(*self._lanes, return_exceptions=True)

    async def _work(self) -> None:
        while True:
            analysis_id = await self._queue.get()
            job = asyncio.create_task(self._timed(analysis_id))
            self._running[analysis_id] = job
            try:
                # Not awaited directly: cancelling one job must not end the lane that works on it.
                await asyncio.wait([job])
            finally:
                self._running.pop(analysis_id, None)
                self._board.publish(analysis_id, None)

    async def _timed(self, analysis_id: str) -> None:
        started = time.monotonic()
        result = "ended"
        try:
            result = await self._run(analysis_id)
        finally:
            self._on_ended(result, time.monotonic() - started)

    async def _run(self, analysis_id: str) -> str:
        """One job, and how it ended."""
        try:
            failure = await self._read(analysis_id)
        except SentenceError as error:
            if error.status == 404:  # noqa: PLR2004  (deleted meanwhile)
                return "ended"
            failure = Failure(error.sentence)
        except Exception:
            log.exception("job of analysis %s", analysis_id)
            failure = Failure(UNEXPECTED)
        finally:
            await asyncio.to_thread(self._folder.new_scratch, analysis_id)
        if failure is not None:
            await asyncio.to_thread(self._folder.new_bundle, analysis_id)
            with suppress(SentenceError):
                await asyncio.to_thread(self._analyses.set_failed, analysis_id, asdict(failure))
        return "ready" if failure is None else "failed"

    async def _read(self, analysis_id: str) -> Failure | None:
        """One job from end to end; None when the analysis is ready."""
        self._board.publish(analysis_id, Step(STORING, 0, 0))
        options = await asyncio.to_thread(self._analyses.set_parsing, analysis_id)
        try:
            inputs = await self._store(analysis_id if options.cut is None else options.cut.source)
        except SentenceError as error:
            if options.cut is None or error.status != 404:  # noqa: PLR2004
                raise
            return Failure("The analysis that this was to be a copy of was deleted before the copy was made.")
        out = await asyncio.to_thread(self._folder.new_bundle, analysis_id)
        scratch = await asyncio.to_thread(self._folder.new_scratch, analysis_id)
        order = Order(
            inputs=[(name, str(path)) for name, path in inputs],
            out=str(out),
            scratch=str(scratch),
            parent=os.getpid(),
            memory_bytes=self._settings.job_memory_bytes,
            file_bytes=self._settings.job_file_bytes,
            max_events=self._settings.max_events,
            max_bytes=self._settings.max_bundle_bytes,
            tolerant=options.tolerant,
            offsets=options.offsets,
            cut=options.cut,
            confine=self._settings.confine,
        )
        result = await run_order(
            order, seconds=self._settings.job_seconds, on_step=lambda step: self._board.publish(analysis_id, step)
        )
        if not isinstance(result, Done):
            return result
        self._board.publish(analysis_id, Step(KEEPING, 0, 0))
        await _to_the_end(lambda: self._keep(analysis_id))
        return None

    async def _store(self, analysis_id: str) -> list[tuple[str, Any]]:
        """The stored files of an analysis."""
        loop = asyncio.get_running_loop()
        stopped = threading.Event()

        def progress(done: int, total: int) -> None:
            if stopped.is_set():
                raise InterruptedError
            loop.call_soon_threadsafe(self._board.publish, analysis_id, Step(STORING, done, total))

        return await _to_the_end(lambda: self._analyses.store_inputs(analysis_id, progress), stop=stopped.set)

    def _keep(self, analysis_id: str) -> None:
        self._folder.keep_bundle(analysis_id)
        self._on_kept(analysis_id)
        manifest = json.loads((self._folder.bundle(analysis_id) / "manifest.json").read_bytes())
        self._analyses.set_ready(analysis_id, manifest)


async def _to_the_end(work: Callable[[], T], stop: Callable[[], None] = lambda: None) -> T:
    """Runs `work` in a thread. When cancelled, calls `stop` and still waits, so that no thread touches files afterwards."""
    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop()
        await asyncio.wait([task])
        raise

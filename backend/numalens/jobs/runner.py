"""Takes queued analyses one after the other through storing, reading and keeping.

The database row is the queue: a job left by a killed server is found by its status at the next start and repeated. Each try has
a name, and only the latest one of an analysis has an effect, once: the row names the bundle to read, and it changes when that
one is complete. If a required service is unavailable, the job is retried until it is back. If one refuses, it is retried a few
times; if a disk is full, it fails at once. The result of a job is stored as soon as the database accepts it.
"""

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Final, TypeVar

from numalens.errors import DISK_FULL, AwayError, FullError, RefusedError, SentenceError, is_out_of_space
from numalens.jobs.protocol import Failure, Step
from numalens.jobs.task import UNEXPECTED, Executor, Result, Task, failure_of, to_the_end
from numalens.settings import Settings
from numalens.store.analyses import AnalysisStore
from numalens.store.folder import DataFolder
from numalens.store.options import ReadOptions


class ProgressBoard:
    """The latest step of each running job, and the watchers to wake when it changes."""

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self.closed = False
        """True when watchers must end."""

    def step(self, analysis_id: str) -> Step | None:
        """The latest step of a job; None when it is not running."""
        return self._steps.get(analysis_id)

    def publish(self, analysis_id: str, step: Step | None) -> None:
        """Sets the latest step (None: no longer running) and wakes the watchers."""
        if step is None:
            self._steps.pop(analysis_id, None)
        else:
            self._steps[analysis_id] = step
        for watcher in self._watchers.get(analysis_id, ()):
            watcher.set()

    def close(self) -> None:
        """Ends all watchers."""
        self.closed = True
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.set()

    @contextmanager
    def watch(self, analysis_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at every change; the watcher clears it before it looks."""
        changed = asyncio.Event()
        self._watchers[analysis_id].add(changed)
        try:
            yield changed
        finally:
            self._watchers[analysis_id].discard(changed)
            if not self._watchers[analysis_id]:
                del self._watchers[analysis_id]


T = TypeVar("T")

STORING: Final = "storing"
AWAY: Final = "away"
"""The stage of a job that waits for an unavailable service."""
JOB_RESULTS: Final = ("ready", "failed", "ended")
"""Possible results of a job; `ended` by its deletion or the server's stop."""
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 30.0
REFUSALS: Final = 5
"""Number of refusals before a job's last try: rights take a while to apply, and another worker may have others."""

log = logging.getLogger(__name__)


class JobRunner:
    """The jobs of one server. All methods but `look_again` are called in its event loop."""

    def __init__(
        self,
        settings: Settings,
        folder: DataFolder,
        analyses: AnalysisStore,
        board: ProgressBoard,
        executor: Executor,
        on_kept: Callable[[str], None],
        on_ready: Callable[[str], Awaitable[None]],
        on_ended: Callable[[str, float], None] = lambda _result, _seconds: None,
    ) -> None:
        """Takes the limits, the stores, where progress is shown, the executor, and what is called for each new bundle.

        `on_ready` does what is left to do of a job whose analysis can be read. `on_ended` is called with how each job ended
        (one of JOB_RESULTS) and its seconds.
        """
        self._settings = settings
        self._folder = folder
        self._analyses = analyses
        self._board = board
        self._executor = executor
        self._on_kept = on_kept
        self._on_ready = on_ready
        self._on_ended = on_ended
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._lanes: list[asyncio.Task[None]] = []
        self._running: dict[str, asyncio.Task[None]] = {}
        self._queued: set[str] = set()
        self._storing = asyncio.Semaphore(max(2, settings.jobs))
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def alive(self) -> bool:
        """Returns whether queued analyses are being imported."""
        return bool(self._lanes) and not any(lane.done() for lane in self._lanes)

    @property
    def queued(self) -> int:
        """Number of queued jobs."""
        return self._queue.qsize()

    @property
    def running(self) -> int:
        """Number of running jobs."""
        return len(self._running)

    async def start(self) -> None:
        """Takes up what is unfinished and begins to work."""
        self._loop = asyncio.get_running_loop()
        await self._take_up()
        self._lanes = [asyncio.create_task(self._work()) for _ in range(self._executor.lanes)]

    def submit(self, analysis_id: str) -> None:
        """Puts a queued analysis at the end of the line, unless it is there already."""
        if analysis_id not in self._queued:
            self._queued.add(analysis_id)
            self._queue.put_nowait(analysis_id)

    def look_again(self) -> None:
        """Takes up what another server may have left unfinished. May be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._take_up(), self._loop)

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
        await self._executor.close()

    async def _take_up(self) -> None:
        with suppress(AwayError, FullError):
            for analysis_id in await asyncio.to_thread(self._analyses.unfinished):
                if analysis_id not in self._running:
                    self.submit(analysis_id)

    async def _work(self) -> None:
        while True:
            analysis_id = await self._queue.get()
            self._queued.discard(analysis_id)
            if analysis_id in self._running:
                # Asked to be read again in the very moment in which another lane ends its reading.
                await asyncio.wait([self._running[analysis_id]])
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
        ended = "ended"
        try:
            ended = await self._run(analysis_id)
        finally:
            self._on_ended(ended, time.monotonic() - started)

    async def _run(self, analysis_id: str) -> str:
        """One job from start to end, retried while a service is unavailable; returns its result."""
        pause, refused = FIRST_PAUSE_S, 0
        while True:
            try:
                return await self._try(analysis_id, last=refused >= REFUSALS)
            except (AwayError, FullError) as error:
                # That something is full ends the reading; here it is the database, which could not note that one begins.
                refused += isinstance(error, RefusedError)
                log.warning("analysis %s is tried again in %g s: %s", analysis_id, pause, error.sentence)
                self._board.publish(analysis_id, Step(AWAY, 0, 0, error.sentence))
            except SentenceError as error:
                if error.status != 404:  # noqa: PLR2004  (deleted in the meantime)
                    log.exception("job of analysis %s", analysis_id)
                return "ended"
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _try(self, analysis_id: str, *, last: bool) -> str:
        self._board.publish(analysis_id, Step(STORING, 0, 0))
        begun = await asyncio.to_thread(self._analyses.set_parsing, analysis_id)
        if begun is None:
            return "ended"
        attempt, options = begun
        try:
            result = await self._read(analysis_id, attempt, options)
        except Exception as error:
            if isinstance(error, AwayError) and not (last and isinstance(error, RefusedError)):
                raise
            if isinstance(error, SentenceError) and error.status == 404:  # noqa: PLR2004
                raise
            failure = failure_of(error)
            if failure is None:
                log.exception("job of analysis %s", analysis_id)
            result = failure or Failure(UNEXPECTED)
        await self._surely(analysis_id, lambda: self._end(analysis_id, attempt, result))
        if isinstance(result, Failure):
            return "failed"
        self._board.publish(analysis_id, None)
        await self._on_ready(analysis_id)
        return "ready"

    async def _read(self, analysis_id: str, attempt: str, options: ReadOptions) -> Result:
        try:
            async with self._storing:
                inputs = await self._store(analysis_id if options.cut is None else options.cut.source)
        except SentenceError as error:
            if options.cut is None or error.status != 404:  # noqa: PLR2004
                raise
            return Failure("The original analysis was deleted before the copy was made.")
        task = Task(
            analysis_id=analysis_id,
            attempt=attempt,
            inputs=inputs,
            place=self._folder.place,
            memory_bytes=self._settings.job_memory_bytes,
            file_bytes=self._settings.job_file_bytes,
            max_events=self._settings.max_events,
            max_bytes=self._settings.max_bundle_bytes,
            seconds=self._settings.job_seconds,
            tolerant=options.tolerant,
            offsets=options.offsets,
            cut=options.cut,
            confine=self._settings.confine,
        )
        return await self._executor.run(task, lambda step: self._board.publish(analysis_id, step))

    async def _store(self, analysis_id: str) -> list[tuple[str, str]]:
        """The stored files of an analysis."""
        loop = asyncio.get_running_loop()
        stopped = threading.Event()

        def progress(done: int, total: int) -> None:
            if stopped.is_set():
                raise InterruptedError
            loop.call_soon_threadsafe(self._board.publish, analysis_id, Step(STORING, done, total))

        return await to_the_end(lambda: self._analyses.store_inputs(analysis_id, progress), stop=stopped.set)

    def _end(self, analysis_id: str, attempt: str, result: Result) -> None:
        """Stores the result of a try; repeating it, when the database failed in the middle, has no further effect."""
        if isinstance(result, Failure):
            self._analyses.set_failed(analysis_id, attempt, asdict(result))
        elif self._analyses.is_latest(analysis_id, attempt):
            self._folder.kept.show(analysis_id, result.generation)
            self._analyses.set_ready(analysis_id, attempt, result.generation, result.manifest)
        self._on_kept(analysis_id)
        self._analyses.tidy(analysis_id)

    async def _surely(self, analysis_id: str, work: Callable[[], None]) -> None:
        """Does what must not be lost as soon as the database is there, and has room for it."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                return await to_the_end(work)
            except (AwayError, FullError, OSError) as error:
                if isinstance(error, OSError) and not is_out_of_space(error):
                    raise
                sentence = DISK_FULL if isinstance(error, OSError) else error.sentence
                self._board.publish(analysis_id, Step(AWAY, 0, 0, sentence))
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
            except SentenceError as error:
                if error.status == 404:  # noqa: PLR2004  (deleted in the meantime)
                    return None
                raise

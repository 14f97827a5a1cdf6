"""One import from stored files to a kept bundle, wherever it runs: in the server's process or on a worker of a cluster."""

import asyncio
import json
import logging
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from numalens import __version__
from numalens.errors import FullError, RefusedError, SentenceError, is_out_of_space
from numalens.jobs.protocol import Done, Failure, Order, Step, decode
from numalens.jobs.summaries import make
from numalens.jobs.worker import DISK_FULL, memory_sentence
from numalens.report import kept_identity
from numalens.sandbox.child import gone, started, tail
from numalens.sandbox.confine import Confine
from numalens.sandbox.limits import OUT_OF_MEMORY_MARK
from numalens.store.blobs import Blobs
from numalens.store.bundles import MANIFEST, Bundles
from numalens.store.folder import Place
from numalens.store.names import new_id
from numalens.store.options import Cut

T = TypeVar("T")

FETCHING: Final = "fetching"
KEEPING: Final = "keeping"


@dataclass(frozen=True)
class Task:
    """Inputs, destination and limits of an import. Sent as plain values, so that any version can detect another one."""

    analysis_id: str
    attempt: str
    inputs: list[tuple[str, str]]
    """(name, SHA-256) in order."""
    place: Place
    memory_bytes: int
    file_bytes: int
    max_events: int
    max_bytes: int
    seconds: float
    tolerant: bool
    offsets: dict[str, int]
    cut: Cut | None = None
    confine: Confine = "auto"
    version: str = __version__

    def plain(self) -> dict[str, Any]:
        """The task as sent."""
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> "Task":
        """The task as received."""
        place, cut = Place(**plain["place"]), plain["cut"]
        inputs = [(name, sha256) for name, sha256 in plain["inputs"]]
        return cls(**{**plain, "place": place, "inputs": inputs, "cut": None if cut is None else Cut(**cut)})


@dataclass(frozen=True)
class Made:
    """A bundle that is whole and kept, but not yet the one that is read."""

    generation: str
    manifest: dict[str, Any]


Result = Made | Failure
OnStep = Callable[[Step], None]


async def read_task(task: Task, blobs: Blobs, bundles: Bundles, on_step: OnStep, *, summary: bool) -> Result:
    """Imports in a separate process. When cancelled or failed, no data remains except in an unavailable store.

    With `summary` the bundle has the fleet's summary when it is kept: who needs the bundle alone would wait for it.

    Raises AwayError when the store does not answer or refuses, FullError when it has no room, SentenceError when a file is
    missing there, OSError when the disk here does not do its part.
    """
    # Its own, also when a worker died and another one does the same task again: the two never write to one place.
    generation = f"{task.attempt}-{new_id()}"
    made = False
    try:
        on_step(Step(FETCHING, 0, 0))
        held = [(name, await to_the_end(partial(blobs.hold, sha256))) for name, sha256 in task.inputs]
        order = Order(
            inputs=[(name, str(hold.path)) for name, hold in held],
            out=str(bundles.workshop.new(task.analysis_id, generation)),
            scratch=str(bundles.workshop.scratch(task.analysis_id, generation)),
            memory_bytes=task.memory_bytes,
            file_bytes=task.file_bytes,
            max_events=task.max_events,
            max_bytes=task.max_bytes,
            tolerant=task.tolerant,
            offsets=task.offsets,
            cut=task.cut,
            confine=task.confine,
        )
        result = await run_order(order, seconds=task.seconds, on_step=on_step)
        if summary and isinstance(result, Done):
            # The process that read may start none.
            await make(Path(order.out), order.memory_bytes, order.file_bytes, order.confine)
        for _, hold in held:
            hold.release()
        if not isinstance(result, Done):
            return result
        on_step(Step(KEEPING, 0, 0))
        found = await to_the_end(lambda: _keep(task.analysis_id, generation, bundles))
        made = True
        return found
    finally:
        await asyncio.shield(asyncio.to_thread(_clear, task.analysis_id, generation, bundles, made))


def failure_of(error: Exception) -> Failure | None:
    """Failure for an import that met this error; None for a defect of NumaLens."""
    if isinstance(error, SentenceError):
        return Failure(error.sentence, again=isinstance(error, FullError | RefusedError))
    return Failure(DISK_FULL, again=True) if is_out_of_space(error) else None


def _keep(analysis_id: str, generation: str, bundles: Bundles) -> Made:
    folder = bundles.workshop.new(analysis_id, generation)
    manifest = {**json.loads((folder / MANIFEST).read_bytes()), "identity": kept_identity(folder)}
    bundles.keep(analysis_id, generation)
    return Made(generation, manifest)


def _clear(analysis_id: str, generation: str, bundles: Bundles, made: bool) -> None:
    if made:
        shutil.rmtree(bundles.workshop.scratch(analysis_id, generation), ignore_errors=True)
    else:
        # What is left in a store that does not do its part goes with the server's next sweep.
        with suppress(SentenceError):
            bundles.discard(analysis_id, generation)


async def to_the_end(work: Callable[[], T], stop: Callable[[], None] = lambda: None) -> T:
    """Runs `work` in a thread. When cancelled, calls `stop` and still waits, so that no thread touches files afterwards."""
    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop()
        await asyncio.wait([task])
        raise


STDERR_KEPT: Final = 8192
UNEXPECTED: Final = "The import stopped unexpectedly; the files are kept, and the server's log has the details."

log = logging.getLogger(__name__)


async def run_order(order: Order, *, seconds: float, on_step: Callable[[Step], None]) -> Done | Failure:
    """Runs `order` in a process of its own for at most `seconds`; the process is gone when this returns or is cancelled."""
    process = await started([sys.executable, "-P", "-m", "numalens.jobs.worker"])
    try:
        async with asyncio.timeout(seconds):
            return await _listen(process, order, on_step)
    except TimeoutError:
        return Failure(
            f"The import took longer than the {seconds:g} seconds that this server allows (NUMALENS_JOB_SECONDS)."
        )
    finally:
        await gone(process)


async def _listen(process: asyncio.subprocess.Process, order: Order, on_step: Callable[[Step], None]) -> Done | Failure:
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    if stdin is None or stdout is None or stderr is None:
        msg = "a process started with pipes has pipes"
        raise RuntimeError(msg)
    errors = asyncio.create_task(tail(stderr, STDERR_KEPT))
    try:
        with suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(order.line())
            await stdin.drain()
        result: Done | Failure | None = None
        async for line in stdout:
            message = decode(line)
            if isinstance(message, Step):
                on_step(message)
            else:
                result = message
        status = await process.wait()
        last = await errors
    finally:
        errors.cancel()
    if result is not None and status == 0:
        return result
    log.error("import process ended with status %d: %s", status, last.decode(errors="replace"))
    return Failure(_sentence(status, last, order.memory_bytes))


def _sentence(status: int, stderr: bytes, memory_bytes: int) -> str:
    if OUT_OF_MEMORY_MARK in stderr:
        return memory_sentence(memory_bytes)
    if status == -signal.SIGKILL:
        return "The system stopped the import, most likely because the machine ran out of memory; the files are kept."
    if status < 0:
        return f"The import stopped unexpectedly ({signal.Signals(-status).name}); the files are kept."
    return UNEXPECTED


WAITING: Final = "memory"
"""The stage of a task that waits for memory that others use."""


class Executor(Protocol):
    """Runs tasks. All methods are called in the server's event loop."""

    lanes: int
    """Number of tasks at the same time."""

    async def run(self, task: Task, on_step: OnStep) -> Result:
        """Runs a task. Cancelling this ends the task's process, wherever it is.

        Raises AwayError when the worker or a required service is unavailable: nothing has had an effect, try again.
        """

    async def close(self) -> None:
        """Lets go of whatever is held."""


class LocalExecutor:
    """Processes of this machine, as many as `lanes` and as their memory allows."""

    def __init__(self, blobs: Blobs, bundles: Bundles, lanes: int, memory_bytes: int | None) -> None:
        """Takes the stores, and the memory that all processes together may use; None is as much as each of them may."""
        self.lanes = lanes
        self._blobs = blobs
        self._bundles = bundles
        self._left = memory_bytes
        self._freed = asyncio.Event()

    async def run(self, task: Task, on_step: OnStep) -> Result:
        """Runs a task once there is memory for it."""
        async with self._memory(task.memory_bytes, on_step):
            # In a bucket a bundle does not change any more.
            return await read_task(task, self._blobs, self._bundles, on_step, summary=task.place.url is not None)

    async def close(self) -> None:
        """Has nothing to let go of: the processes end with their tasks."""

    @asynccontextmanager
    async def _memory(self, wanted: int, on_step: OnStep) -> AsyncIterator[None]:
        if self._left is None:
            yield
            return
        if self._left < wanted:
            on_step(Step(WAITING, 0, 0))
        while self._left < wanted:
            self._freed.clear()
            await self._freed.wait()
        self._left -= wanted
        try:
            yield
        finally:
            self._left += wanted
            self._freed.set()

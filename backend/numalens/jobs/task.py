"""One reading from stored files to a kept bundle, wherever it runs: in the server's process or on a worker of a cluster."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, TypeVar

from numalens import __version__
from numalens.errors import FullError, RefusedError, SentenceError, is_out_of_space
from numalens.jobs.process import run_order
from numalens.jobs.protocol import Done, Failure, Order, Step
from numalens.jobs.worker import DISK_FULL
from numalens.sandbox.confine import Confine
from numalens.store.blobs import Blobs
from numalens.store.bundles import MANIFEST, Bundles
from numalens.store.folder import Place
from numalens.store.ids import new_id
from numalens.store.options import Cut

T = TypeVar("T")

FETCHING: Final = "fetching"
KEEPING: Final = "keeping"


@dataclass(frozen=True)
class Task:
    """What to read, whereto, and under which limits. Sent as plain values, so that any version can tell that it is another."""

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


async def read_task(task: Task, blobs: Blobs, bundles: Bundles, on_step: OnStep) -> Result:
    """Reads in a process of its own. When cancelled or failed, nothing is left of it but what a store that is away keeps.

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
            parent=os.getpid(),
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
    """What a reading that met this error comes to; None for what is nobody's but ours."""
    if isinstance(error, SentenceError):
        return Failure(error.sentence, again=isinstance(error, FullError | RefusedError))
    return Failure(DISK_FULL, again=True) if is_out_of_space(error) else None


def _keep(analysis_id: str, generation: str, bundles: Bundles) -> Made:
    manifest = json.loads((bundles.workshop.new(analysis_id, generation) / MANIFEST).read_bytes())
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

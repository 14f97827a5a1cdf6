"""Work on a worker of a cluster: one task, in the thread that the worker gives it."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import distributed
from dask.typing import Key
from distributed.worker import get_worker

from numalens import __version__
from numalens.errors import AwayError, RefusedError
from numalens.jobs.protocol import Failure, Step
from numalens.jobs.task import Made, OnStep, Result, Task, failure_of, read_task
from numalens.jobs.worker import DISK_FULL
from numalens.store.blobs import Blobs
from numalens.store.bundles import Bundles
from numalens.store.cache import FULL as CACHE_FULL
from numalens.store.folder import Place, open_stores

T = TypeVar("T")

TOPIC: Final = "numalens"
METADATA: Final = "numalens"
MEMORY: Final = "memory"
ENDED: Final = "ended"
LOOK_S: Final = 0.1
TELL_S: Final = 0.3
EXECUTING: Final = frozenset({"executing", "long-running"})
REFUSED: Final = "The worker {} has NumaLens {}, and this server {}; both must be the same."
WORKER_FULL: Final = "The disk of the worker {} is full; import the files again when it has free space."

_stores: dict[tuple[Place, str], tuple[Blobs, Bundles]] = {}
_stores_lock: Final = threading.Lock()


def version_resource(version: str) -> str:
    """The resource that the workers of a version have, so that they get the tasks of that version only."""
    return f"numalens-{version}"


def read_on_worker(plain: dict[str, Any], topic: str) -> dict[str, Any]:
    """Runs a task and reports its progress; the answer is for `result_of`. Ends the import when the task is cancelled."""
    worker = get_worker()
    if plain.get("version") != __version__:
        sentence = REFUSED.format(worker.address, __version__, plain.get("version"))
        return {"failure": Failure(sentence).__dict__}
    task, key = Task.of(plain), worker.get_current_task()
    tell = _progress_callback(worker, topic, task.attempt)
    try:
        blobs, bundles = opened(task.place, Path(worker.local_directory))
        reading = read_task(task, blobs, bundles, tell, summary=True)
        result = asyncio.run(while_wanted(reading, lambda: is_wanted(worker, key)))
    except AwayError as error:
        return {"refused" if isinstance(error, RefusedError) else "away": error.sentence}
    except asyncio.CancelledError:
        return {"away": "The task was cancelled."}
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            raise
        return {"failure": _named(failure, worker).__dict__}
    finally:
        tell(Step(ENDED, 0, 0))
    if isinstance(result, Failure):
        return {"failure": _named(result, worker).__dict__}
    if task.place.url is not None:
        # It is in the store; only a server on the same disk could make use of the copy here.
        bundles.workshop.discard(task.analysis_id, result.generation)
    return {"made": result.__dict__}


def result_of(answer: dict[str, Any]) -> Result:
    """Result of a worker's answer. Raises AwayError for an unavailable service, RefusedError for one that refused."""
    if "refused" in answer:
        raise RefusedError(answer["refused"])
    if "away" in answer:
        raise AwayError(answer["away"])
    return Failure(**answer["failure"]) if "failure" in answer else Made(**answer["made"])


def _named(failure: Failure, worker: distributed.Worker) -> Failure:
    """A failure that says whose disk is full."""
    if failure.sentence in {DISK_FULL, CACHE_FULL}:
        return replace(failure, sentence=WORKER_FULL.format(worker.address))
    return failure


async def while_wanted(wanted: Coroutine[Any, Any, T], is_wanted: Callable[[], bool]) -> T:
    """The result of a coroutine; cancels it when it is no longer wanted."""
    work = asyncio.ensure_future(wanted)
    while not work.done():
        await asyncio.wait([work], timeout=LOOK_S)
        if not is_wanted():
            work.cancel()
    return await work


def is_wanted(worker: distributed.Worker, key: Key) -> bool:
    """Returns whether the scheduler still wants a task's result: Dask does not end a running thread, so this is polled."""
    state = worker.state.tasks.get(key)
    return worker.status.name == "running" and state is not None and state.state in EXECUTING


def _progress_callback(worker: distributed.Worker, topic: str, attempt: str) -> OnStep:
    """Function that sends steps to the server: the first and last of a stage, and some in between."""
    last = ("", 0.0)

    def tell(step: Step) -> None:
        nonlocal last
        now = time.monotonic()
        if step.stage != last[0] or step.done == step.total or now - last[1] >= TELL_S:
            last = (step.stage, now)
            message = {"attempt": attempt, "stage": step.stage, "done": step.done, "total": step.total}
            worker.log_event(topic, message)

    return tell


def opened(place: Place, work: Path) -> tuple[Blobs, Bundles]:
    """The stores of a place; those in a bucket have a cache below the worker's own folder, which goes with the worker."""
    with _stores_lock:
        key = (place, str(work))
        if key not in _stores:
            _stores[key] = open_stores(place, work / "numalens")
        return _stores[key]

"""What a worker of a cluster does for a question over the fleet: it answers for its share of the summaries, or one query for all.

A process of its own answers (`fleet/guest.py`), as it would on the server's machine: with the same limits, and confined.
"""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from distributed.worker import get_worker

from numalens import __version__
from numalens.errors import AwayError, SentenceError
from numalens.fleet.asking import SelectLimits, answered, order_of
from numalens.fleet.database import FleetError
from numalens.fleet.files import SummaryFile, summary_files
from numalens.fleet.rows import FILE
from numalens.jobs.cluster_task import REFUSED, is_wanted, opened, while_wanted
from numalens.sandbox.confine import Confine
from numalens.store.folder import Place
from numalens.store.summaries import Summaries

GIVEN_UP: Final = "The question was given up."
UNSEEN: Final = (
    "The worker {} has no {}; workers must see that folder at the same path, or server and workers need a bucket"
    " (NUMALENS_STORE)."
)

_summaries: dict[tuple[Place, str], Summaries] = {}
_summaries_lock: Final = threading.Lock()


def fleet_resource(version: str) -> str:
    """The resource that the workers of a version have for questions; readings leave it, so that no question waits for one."""
    return f"numalens-fleet-{version}"


@dataclass(frozen=True)
class FleetTask:
    """A share of the fleet and what it is asked. Sent as plain values, so that any version can tell that it is another."""

    asked: dict[str, Any]
    entries: list[dict[str, Any]]
    seconds: float
    memory_bytes: int
    confine: Confine
    bucket: Place | None = None
    """Where the bundles are; None: `files` says where each summary is."""
    generations: dict[str, str | None] = field(default_factory=dict)
    """Which bundle of each analysis in the bucket is read."""
    files: dict[str, str] = field(default_factory=dict)
    """Where the summary of each analysis is."""
    version: str = __version__

    def plain(self) -> dict[str, Any]:
        """The task as sent."""
        return asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "FleetTask":
        """The task as received."""
        return cls(**{**plain, "bucket": None if plain["bucket"] is None else Place(**plain["bucket"])})


def ask_on_worker(plain: dict[str, Any]) -> dict[str, Any]:
    """Runs a task; the answer is for `answer_of`. Ends the process when the task is given up."""
    worker = get_worker()
    if plain.get("version") != __version__:
        return {"away": REFUSED.format(worker.address, __version__, plain.get("version"))}
    task, key = FleetTask.of(plain), worker.get_current_task()
    limits = SelectLimits(task.seconds, task.memory_bytes, task.confine)
    try:
        files = _files(task, Path(worker.local_directory), worker.address)
        order = order_of(files, task.entries, task.asked, limits)
        return {"answer": asyncio.run(while_wanted(answered(order), lambda: is_wanted(worker, key)))}
    except SentenceError as error:
        return {"away": error.sentence}
    except FleetError as error:
        return {"sentence": str(error)}
    except asyncio.CancelledError:
        return {"away": GIVEN_UP}


def answer_of(told: Mapping[str, Any]) -> Any:  # noqa: ANN401  (of a query, or a part)
    """What a worker's answer means. Raises FleetError, and AwayError when something that it needed was away."""
    if "away" in told:
        raise AwayError(told["away"])
    if "sentence" in told:
        raise FleetError(told["sentence"])
    return told["answer"]


def _files(task: FleetTask, work: Path, address: str) -> list[SummaryFile]:
    """The summaries of the share. Raises AwayError when they are elsewhere, or cannot be had now."""
    if task.bucket is not None:
        folders = _kept(task.bucket, work).folders(task.generations)
        return summary_files(sorted(folders), folders.__getitem__)
    folders = {analysis: Path(path).parent for analysis, path in task.files.items()}
    if folders and not any(folder.parent.is_dir() for folder in folders.values()):
        # One of them may be gone meanwhile, but not what all of them are in.
        raise AwayError(UNSEEN.format(address, next(iter(folders.values())).parent))
    return summary_files(sorted(folders), folders.__getitem__)


def _kept(bucket: Place, work: Path) -> Summaries:
    """The summaries of a bucket, kept below the worker's own folder, which goes with the worker."""
    _, bundles = opened(bucket, work)
    with _summaries_lock:
        key = (bucket, str(work))
        if key not in _summaries:
            _summaries[key] = Summaries(work / "numalens" / "summaries", bundles, FILE)
        return _summaries[key]

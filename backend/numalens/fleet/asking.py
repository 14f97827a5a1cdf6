"""Who answers questions, and the process that answers one and ends (`guest.py`), with limits on what it takes."""

import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from numalens.fleet.answer import Question, ask
from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetError
from numalens.fleet.files import SummaryFile
from numalens.fleet.service import Fleet
from numalens.sandbox.child import ended
from numalens.sandbox.confine import Confine

COMMAND: Final = (sys.executable, "-P", "-m", "numalens.fleet.guest")
AT_ONCE: Final = 2
GRACE_S: Final = 10.0
"""For starting and loading, on top of the query's own time."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SelectLimits:
    """What a query may take."""

    seconds: float
    memory_bytes: int
    confine: Confine = "auto"


class Answers(Protocol):
    """Whoever answers questions over the analyses that it is told of each time. All methods are called in an event loop."""

    async def answer(self, question: Question, entries: Sequence[Entry]) -> Any:  # noqa: ANN401  (each has its own)
        """The answer to a ready question. Raises FleetError, and AwayError when whoever is to answer is away."""

    async def select(self, entries: Sequence[Entry], sql: str, limit: int) -> dict[str, Any]:
        """The answer to a query as `fleet.select.select` gives it. Raises likewise."""

    async def close(self) -> None:
        """Lets go of whatever is held."""


class Asker:
    """This server: ready questions are answered from memory, queries by processes of their own, few at a time."""

    def __init__(self, fleet: Fleet, limits: SelectLimits) -> None:
        """Every query has these limits."""
        self._fleet = fleet
        self._limits = limits
        self._room = asyncio.Semaphore(AT_ONCE)

    async def answer(self, question: Question, entries: Sequence[Entry]) -> Any:  # noqa: ANN401  (each has its own)
        """The answer to a ready question. Raises FleetError."""
        return await asyncio.to_thread(self._ask, question, entries)

    async def select(self, entries: Sequence[Entry], sql: str, limit: int) -> dict[str, Any]:
        """The answer to a query. Raises FleetError."""
        files = await asyncio.to_thread(self._fleet.files, entries)
        order = order_of(files, [entry.cells() for entry in entries], {"sql": sql, "limit": limit}, self._limits)
        async with self._room:
            answer: dict[str, Any] = await answered(order)
        return answer

    async def close(self) -> None:
        """Gives the memory back."""
        self._fleet.forget()

    def _ask(self, question: Question, entries: Sequence[Entry]) -> Any:  # noqa: ANN401  (each has its own)
        with self._fleet.asked(entries) as cursor:
            return ask(cursor, question)


def order_of(
    files: Sequence[SummaryFile], entries: Sequence[dict[str, Any]], asked: dict[str, Any], limits: SelectLimits
) -> dict[str, Any]:
    """The order for a process: which files, of which analyses (`Entry.cells`), and what it is asked."""
    return {
        "files": [(file.analysis, str(file.path)) for file in files],
        "entries": entries,
        "asked": asked,
        "seconds": limits.seconds,
        "memory_bytes": limits.memory_bytes,
        "confine": limits.confine,
    }


async def answered(order: dict[str, Any]) -> Any:  # noqa: ANN401  (of a query, or a part)
    """What a process answers. Raises FleetError for what it refuses, and when it ends without a word."""
    seconds = order["seconds"]
    try:
        told = await ended(COMMAND, seconds + GRACE_S, json.dumps(order).encode())
    except TimeoutError:
        raise FleetError(f"The query took longer than {seconds:g} seconds and was ended.") from None
    if told.status != 0:
        log.error(
            "query over the fleet ended with status %d: %s", told.status, told.errors.decode(errors="replace")[-2000:]
        )
        raise FleetError("The query stopped unexpectedly, most likely because it needed too much memory.")
    answer = json.loads(told.output)
    if "sentence" in answer:
        raise FleetError(answer["sentence"])
    return answer["answer"]

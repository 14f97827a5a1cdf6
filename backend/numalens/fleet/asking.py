"""Starts the process that answers a query, and says in one sentence how it ended if it could not say so itself."""

import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetError
from numalens.fleet.files import SummaryFile
from numalens.jobs.child import ended
from numalens.jobs.protocol import Confine

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


class Asker:
    """The queries of one server, few at a time."""

    def __init__(self, limits: SelectLimits) -> None:
        """Every query has these limits."""
        self._limits = limits
        self._room = asyncio.Semaphore(AT_ONCE)

    async def select(
        self, files: Sequence[SummaryFile], entries: Sequence[Entry], sql: str, limit: int
    ) -> dict[str, Any]:
        """The answer as `fleet.select.select` gives it. Raises FleetError."""
        order = {
            "files": [(file.analysis, str(file.path)) for file in files],
            "entries": [entry.cells() for entry in entries],
            "sql": sql,
            "limit": limit,
            "seconds": self._limits.seconds,
            "memory_bytes": self._limits.memory_bytes,
            "confine": self._limits.confine,
        }
        async with self._room:
            output = await _run(json.dumps(order).encode(), self._limits.seconds + GRACE_S)
        told = json.loads(output)
        if "sentence" in told:
            raise FleetError(told["sentence"])
        answer: dict[str, Any] = told["answer"]
        return answer


async def _run(order: bytes, seconds: float) -> bytes:
    try:
        told = await ended(COMMAND, seconds, order)
    except TimeoutError:
        raise FleetError(f"The query took longer than {seconds - GRACE_S:g} seconds and was ended.") from None
    if told.status != 0:
        log.error(
            "query over the fleet ended with status %d: %s", told.status, told.errors.decode(errors="replace")[-2000:]
        )
        raise FleetError("The query stopped unexpectedly, most likely because it needed too much memory.")
    return told.output

"""Who answers `numalens fleet`: this process, or the workers of a Dask scheduler."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from numalens.cli.fleet_source import Source
from numalens.fleet.answer import Question, ask
from numalens.fleet.asking import Answers, SelectLimits
from numalens.fleet.database import FleetDatabase
from numalens.fleet.select import select
from numalens.settings import Settings

T = TypeVar("T")


class Here:
    """This process, which reads all summaries."""

    def __init__(self, source: Source) -> None:
        """Reads them; `source.lost` gets those that cannot be."""
        self._entries = source.entries
        self._database = FleetDatabase(source.files)
        source.lost.extend(self._database.unread)

    def answer(self, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
        """The answer to a ready question. Raises FleetError."""
        with self._database.asked(self._entries) as cursor:
            return ask(cursor, question)

    def select(self, sql: str, limit: int, seconds: float) -> dict[str, Any]:
        """The answer to a query as `fleet.select.select` gives it. Raises FleetError."""
        return select(self._database, self._entries, sql, limit, seconds)


class Workers:
    """The workers of a scheduler, each of which reads a share."""

    def __init__(self, source: Source, settings: Settings, scheduler: str) -> None:
        """Takes the limits of a question from the settings."""
        self._source = source
        self._settings = settings
        self._scheduler = scheduler
        self._files = {file.analysis: file for file in source.files}

    def answer(self, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
        """The answer to a ready question. Raises FleetError and AwayError."""
        return self._asked(self._settings.sql_seconds, lambda asker: asker.answer(question, self._source.entries))

    def select(self, sql: str, limit: int, seconds: float) -> dict[str, Any]:
        """The answer to a query, from one of them. Raises likewise."""
        return self._asked(seconds, lambda asker: asker.select(self._source.entries, sql, limit))

    def _asked(self, seconds: float, work: Callable[[Answers], Awaitable[T]]) -> T:
        from numalens.jobs.fleet_cluster import ClusterAsker  # noqa: PLC0415  (its libraries take a second to load)

        # A lost connection is told in one sentence, and not in many lines of a log.
        for name in ("distributed", "numalens"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        limits = SelectLimits(seconds, self._settings.fleet_memory_bytes, self._settings.confine)

        async def asked() -> T:
            asker = ClusterAsker(
                self._scheduler,
                limits,
                self._source.place,
                lambda entries: [self._files[each.analysis] for each in entries if each.analysis in self._files],
            )
            try:
                return await work(asker)
            finally:
                await asker.close()

        return asyncio.run(asked())

"""Optional parts of the service: modules of this package that an installation can lack."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

from starlette.routing import BaseRoute

from numalens.settings import Settings
from numalens.store.analyses import AnalysisStore
from numalens.store.folder import DataFolder

if TYPE_CHECKING:
    from numalens.api.bundles import BundleCache

NAMES: Final = ("fleet", "sql", "perfetto_ui", "mcp")
"""Each has a function `make` that returns its `Part` for a `Host`, and may have a `router` of the API."""


@dataclass(frozen=True)
class Host:
    """Interface of the service for its parts."""

    settings: Settings
    folder: DataFolder
    analyses: AnalysisStore
    bundles: "BundleCache"


class Part:
    """An optional part of a running service, which does nothing."""

    routes: Sequence[BaseRoute] = ()
    """Routes outside of the API."""

    def gauges(self) -> Mapping[str, int]:
        """Values of metrics, by name."""
        return {}

    async def added(self, analysis_id: str) -> None:
        """Does what is to be done for an analysis that was just read."""

    def forget(self, analysis_id: str) -> None:
        """Lets go of everything that is held open of an analysis."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Context in which the part runs while the service does."""
        yield


@cache
def modules() -> Mapping[str, ModuleType]:
    """The modules that this installation has, by name."""
    found = {}
    for name in NAMES:
        try:
            found[name] = import_module(f"numalens.api.{name}")
        except ModuleNotFoundError as error:
            if not str(error.name).startswith("numalens."):
                raise
    return found

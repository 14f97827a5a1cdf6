"""Open bundles: the few that were used last stay mapped."""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numalens_native

from numalens.errors import SentenceError
from numalens.report import kept_findings
from numalens.store.cache import Hold
from numalens.store.folder import DataFolder

OPEN_BUNDLES: Final = 8

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpenBundle:
    """A mapped bundle with its manifest."""

    engine: numalens_native.Bundle
    manifest: dict[str, Any]
    findings: bytes | None = None
    """Findings of the whole recording, computed at import, as the API returns them."""
    hold: Hold | None = None
    """Keeps its files in place while this is in use."""
    generation: str | None = None
    """Generation of the analysis' bundle."""

    def whole(self) -> None:
        """Fetches all of its files, for a process that cannot fetch them. Raises AwayError."""
        if self.hold is not None:
            self.hold.whole()


class OtherVersionError(SentenceError):
    """A bundle cannot be opened: another version made it. Reading the files again makes one that can."""

    def __init__(self) -> None:
        super().__init__(409, "This analysis was imported by another version of NumaLens; import its files again.")


class BundleCache:
    """The last used bundles of a data folder, opened on demand. Safe to use from several threads."""

    def __init__(self, folder: DataFolder, on_used: Callable[[bool], None] = lambda _held: None) -> None:
        """Opens bundles below `folder`. `on_used` is called for each bundle that is used, with whether it was open."""
        self._folder = folder
        self._on_used = on_used
        self._lock = threading.Lock()
        self._open: OrderedDict[str, OpenBundle] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}

    @property
    def held(self) -> int:
        """Number of open bundles."""
        return len(self._open)

    def get(self, analysis_id: str, generation: str | None = None) -> OpenBundle:
        """The bundle of an analysis. Raises 404 when it is not there (any more), AwayError when it cannot be fetched.

        Raises OtherVersionError when it cannot be opened.
        """
        with self._lock:
            opening = self._opening.setdefault(analysis_id, threading.Lock())
        # A deletion takes the bundle's name away before it calls `forget`, and both sides hold the lock: a request that opened
        # the bundle before is forgotten, a later one finds no name; or the new one, when files were read again.
        # It is one of the analysis alone, since fetching takes long.
        with opening:
            found = self._open.get(analysis_id)
            held = found is not None and found.generation == generation
            self._on_used(held)
            if found is None or not held:
                found = self._map(analysis_id, generation)
            with self._lock:
                self._open[analysis_id] = found
                self._open.move_to_end(analysis_id)
                while len(self._open) > OPEN_BUNDLES:
                    self._open.popitem(last=False)
            return found

    def opened(self, analysis_id: str) -> OpenBundle | None:
        """The bundle of an analysis, if it is open. It is current: code that replaces a bundle calls `forget`."""
        with self._lock:
            found = self._open.get(analysis_id)
            if found is not None:
                self._open.move_to_end(analysis_id)
        if found is not None:
            self._on_used(True)
        return found

    def path(self, analysis_id: str) -> Path:
        """Path of the files of a bundle that was just opened."""
        found = self._open.get(analysis_id)
        return self._folder.bundle(analysis_id) if found is None or found.hold is None else found.hold.path

    def forget(self, analysis_id: str) -> None:
        """Lets go of a bundle; its disk space is free once the last running query has ended."""
        with self._lock:
            opening = self._opening.setdefault(analysis_id, threading.Lock())
        with opening, self._lock:
            self._open.pop(analysis_id, None)
            self._opening.pop(analysis_id, None)

    def _map(self, analysis_id: str, generation: str | None) -> OpenBundle:
        try:
            with self._folder.kept.opening(analysis_id, generation) as hold:
                engine = numalens_native.Bundle(str(hold.path), hold.fetch)
                findings = kept_findings(hold.path)
        except ValueError as error:
            log.warning("bundle %s: %s", analysis_id, error)
            raise OtherVersionError from error
        return OpenBundle(engine, json.loads(engine.manifest()), findings, hold, generation)

"""Open bundles: the few that were asked for last stay mapped."""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numalens_native

from numalens.errors import SentenceError, not_found
from numalens.report import kept_findings
from numalens.store.folder import DataFolder

OPEN_BUNDLES: Final = 8

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpenBundle:
    """A mapped bundle with its manifest."""

    engine: numalens_native.Bundle
    manifest: dict[str, Any]
    findings: dict[str, Any] | None = None
    """Those of the whole recording, told when it was read."""


class BundleCache:
    """The last used bundles of a data folder, opened on demand. Safe to use from several threads."""

    def __init__(self, folder: DataFolder, on_asked: Callable[[bool], None] = lambda _held: None) -> None:
        """Opens bundles below `folder`. `on_asked` is told of each bundle that is asked for whether it was open."""
        self._folder = folder
        self._on_asked = on_asked
        self._lock = threading.Lock()
        self._open: OrderedDict[str, OpenBundle] = OrderedDict()

    @property
    def held(self) -> int:
        """How many are open."""
        return len(self._open)

    def get(self, analysis_id: str) -> OpenBundle:
        """The bundle of an analysis. Raises 404 when it is not there (any more)."""
        # A deletion takes the bundle's name away before it calls `forget`, and both sides hold the lock: whoever opened
        # the bundle before is forgotten, whoever comes later finds no name; or the new one, when files were read again.
        with self._lock:
            found = self._open.get(analysis_id)
            self._on_asked(found is not None)
            if found is None:
                found = self._map(analysis_id)
                self._open[analysis_id] = found
                if len(self._open) > OPEN_BUNDLES:
                    self._open.popitem(last=False)
            self._open.move_to_end(analysis_id)
            return found

    def forget(self, analysis_id: str) -> None:
        """Lets go of a bundle; its disk space is free once the last running query has ended."""
        with self._lock:
            self._open.pop(analysis_id, None)

    def _map(self, analysis_id: str) -> OpenBundle:
        path = self._folder.bundle(analysis_id)
        try:
            with self._folder.bundle_lock:
                if not path.is_dir():
                    raise not_found("analysis")
                engine = numalens_native.Bundle(str(path))
                findings = kept_findings(path)
        except ValueError as error:
            log.warning("bundle %s: %s", analysis_id, error)
            raise SentenceError(
                409, "This analysis was read by another version of NumaLens; delete it and read its files again."
            ) from error
        return OpenBundle(engine, json.loads(engine.manifest()), findings)

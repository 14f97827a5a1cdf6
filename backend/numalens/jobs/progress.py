"""How far each job is, for those who watch. Lives in the server's event loop; nothing of it is kept."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from numalens.jobs.protocol import Step


class ProgressBoard:
    """The latest step of each running job, and the watchers to wake when it changes."""

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def step(self, analysis_id: str) -> Step | None:
        """The latest step of a job; None when it is not running."""
        return self._steps.get(analysis_id)

    def publish(self, analysis_id: str, step: Step | None) -> None:
        """Sets the latest step (None: no longer running) and wakes the watchers."""
        if step is None:
            self._steps.pop(analysis_id, None)
        else:
            self._steps[analysis_id] = step
        for watcher in self._watchers.get(analysis_id, ()):
            watcher.set()

    @contextmanager
    def watch(self, analysis_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at every change; the watcher clears it before it looks."""
        changed = asyncio.Event()
        self._watchers[analysis_id].add(changed)
        try:
            yield changed
        finally:
            self._watchers[analysis_id].discard(changed)
            if not self._watchers[analysis_id]:
                del self._watchers[analysis_id]

"""Small files of bundles that lie in a bucket, fetched one by one: the fleet asks for one of each, and for nothing else of them."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from numalens.errors import AwayError, SentenceError
from numalens.store.bundles import Bundles, FolderBundles


class Summaries:
    """A file of each bundle, as a file of this machine. Safe to use from several threads."""

    def __init__(self, root: Path, kept: Bundles, name: str) -> None:
        """Finds the file `name` of bundles; those in a bucket are kept below `root`, which is emptied first."""
        self._root = root
        self._kept = kept
        self._name = name
        # It holds copies only, and what was deleted since is not to be found among them.
        shutil.rmtree(root, ignore_errors=True)

    def folder(self, analysis_id: str, generation: Callable[[], str | None]) -> Path:
        """The folder with the file of an analysis, if there is one; `generation` tells which bundle is read."""
        if isinstance(self._kept, FolderBundles):
            return self._kept.path(analysis_id)
        folder = self._root / analysis_id
        if not folder.is_dir():
            # Without the file, or while the bucket is away, it is one of those that are not asked about.
            with suppress(AwayError, SentenceError):
                self._fetch(folder, analysis_id, generation())
        return folder

    def drop(self, analysis_id: str) -> None:
        """Forgets the file of an analysis."""
        shutil.rmtree(self._root / analysis_id, ignore_errors=True)

    def _fetch(self, folder: Path, analysis_id: str, generation: str | None) -> None:
        new = folder.with_name(f".new-{analysis_id}")
        shutil.rmtree(new, ignore_errors=True)
        with self._kept.opening(analysis_id, generation) as hold:
            there = hold.path / self._name
            new.mkdir(parents=True)
            if there.is_file():
                shutil.copyfile(there, new / self._name)
            hold.release()
        with suppress(OSError):
            new.replace(folder)

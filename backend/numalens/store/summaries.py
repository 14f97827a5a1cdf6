"""Small files of bundles that lie in a bucket, fetched one by one: the fleet asks for one of each, and for nothing else of them."""

import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

from numalens.store.bundles import Bundles, FolderBundles
from numalens.store.ids import new_id

AT_ONCE: Final = 8
"""An answer's way takes longer than the bytes of such a file."""


class Summaries:
    """A file of each bundle, as a file of this machine. Safe to use from several threads."""

    def __init__(self, root: Path, kept: Bundles, name: str) -> None:
        """Finds the file `name` of bundles; those in a bucket are kept below `root`, which is emptied first."""
        self._root = root
        self._kept = kept
        self._name = name
        # It holds copies only, and what was deleted since is not to be found among them.
        shutil.rmtree(root, ignore_errors=True)

    def folders(self, wanted: Mapping[str, str | None]) -> dict[str, Path]:
        """The folders in which the files of these analyses are, if there are any; with each the bundle that is read.

        Raises AwayError when one that is not here yet cannot be fetched: an answer without it would be another one.
        """
        if isinstance(self._kept, FolderBundles):
            return {analysis_id: self._kept.path(analysis_id) for analysis_id in wanted}
        found = {
            analysis_id: self._root / analysis_id / (generation or "none") for analysis_id, generation in wanted.items()
        }
        missing = [analysis_id for analysis_id, folder in found.items() if not folder.is_dir()]
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="summaries") as threads:
            fetched = [
                threads.submit(self._fetch, found[analysis_id], analysis_id, wanted[analysis_id])
                for analysis_id in missing
            ]
            try:
                for each in fetched:
                    each.result()
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise
        return found

    def drop(self, analysis_id: str) -> None:
        """Forgets the file of an analysis."""
        shutil.rmtree(self._root / analysis_id, ignore_errors=True)

    def _fetch(self, folder: Path, analysis_id: str, generation: str | None) -> None:
        new = self._root / f".new-{new_id()}"
        new.mkdir(parents=True)
        try:
            # Without the file the folder says that it was looked for.
            self._kept.copy(analysis_id, generation, self._name, new / self._name)
            folder.parent.mkdir(exist_ok=True)
            with suppress(OSError):
                new.replace(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)

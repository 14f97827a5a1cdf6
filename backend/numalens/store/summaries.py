"""One small file of each bundle, wherever bundles are: the fleet reads one of each analysis, and nothing else of them."""

import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from numalens.store.bundles import Bundles, FolderBundles
from numalens.store.names import new_id

AT_ONCE: Final = 32
"""Files that are fetched at the same time: a round trip takes longer than the bytes of such a file."""


class SummaryFile(NamedTuple):
    """A summary and the analysis that it is of. A tuple, for there may be a hundred thousand."""

    analysis: str
    path: str
    stamp: str
    """Differs when the summary is another one: time and size of a file, or the generation of a bundle in a bucket."""


class Summaries:
    """A file of each bundle, as a file of this machine. Safe to use from several threads."""

    def __init__(self, root: Path, kept: Bundles, name: str) -> None:
        """Finds the file `name` of bundles; those in a bucket are copied below `root`, which is emptied first."""
        self._root = root
        self._kept = kept
        self._name = name
        # It holds copies only, and what was deleted since is not to be found among them.
        shutil.rmtree(root, ignore_errors=True)

    def locate(self, wanted: Mapping[str, str | None]) -> list[SummaryFile]:
        """Paths of the files of these analyses, or of those in a bucket; with each the generation to read."""
        if isinstance(self._kept, FolderBundles):
            root = str(self._kept.root)
            # Text and no Path: of a hundred thousand that is half a second.
            return [file for each in wanted for file in located(each, os.path.join(root, each, self._name))]  # noqa: PTH118
        return [
            SummaryFile(analysis_id, os.path.join(self._root, analysis_id, generation, self._name), generation)  # noqa: PTH118
            for analysis_id, generation in wanted.items()
            if generation is not None
        ]

    def fetch(self, files: Iterable[SummaryFile]) -> list[SummaryFile]:
        """Fetches those in a bucket that are not here yet; returns the files that there are.

        Raises AwayError when one cannot be fetched: an answer without it would be wrong.
        """
        if isinstance(self._kept, FolderBundles):
            return list(files)
        located = list(files)
        missing = [file for file in located if not Path(file.path).parent.is_dir()]
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="summaries") as threads:
            fetched = [threads.submit(self._fetch, file) for file in missing]
            try:
                for each in fetched:
                    each.result()
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise
        return [file for file in located if Path(file.path).is_file()]

    def drop(self, analysis_id: str) -> None:
        """Removes the copy of an analysis' file."""
        shutil.rmtree(self._root / analysis_id, ignore_errors=True)

    def _fetch(self, file: SummaryFile) -> None:
        folder, new = Path(file.path).parent, self._root / f".new-{new_id()}"
        new.mkdir(parents=True)
        try:
            # Without the file the folder says that it was looked for.
            self._kept.copy(file.analysis, file.stamp, self._name, new / self._name)
            folder.parent.mkdir(exist_ok=True)
            with suppress(OSError):
                new.replace(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def located(analysis: str, path: str | Path) -> list[SummaryFile]:
    """The summary of an analysis at `path`, if there is one."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return []
    return [SummaryFile(analysis, str(path), f"{status.st_mtime_ns}-{status.st_size}")]

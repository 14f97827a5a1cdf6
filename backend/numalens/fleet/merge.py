"""Many small summaries merged into few Parquet files, in which a question over a hundred thousand reads a few megabytes.

A merged file is a copy: it counts for an analysis only as long as the analysis' own summary has the stamp that was merged. A
thousand make one, which is never changed; when one of its analyses is deleted or imported again it is removed, and the others
are merged again.
"""

from __future__ import annotations

import json
import logging
import threading
import zlib
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from numalens.extras import has
from numalens.fleet.database import AT_ONCE, Source, connect, load
from numalens.fleet.rows import COLUMNS
from numalens.store.names import new_id
from numalens.store.summary_file import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numalens.store.summaries import SummaryFile

with suppress(ModuleNotFoundError):  # the extra fleet
    import duckdb

PREFIX: Final = f"merged-{VERSION}-{zlib.crc32(json.dumps(COLUMNS).encode()):08x}-"
"""Differs for other columns, so that those of another version of NumaLens are not read."""
NEW: Final = ".new-"
MEMORY_BYTES: Final = 1 << 28
ROWS: Final = 1 << 14
"""Rows of a row group: rows are sorted by kind, so a question reads only the groups of its kind."""

log = logging.getLogger(__name__)


class MergedFiles:
    """The merged files in one folder. Safe to use from several threads; only one process merges and removes."""

    def __init__(self, folder: Path) -> None:
        """Reads what is in the folder, which may be missing."""
        self._folder = folder
        self._lock = threading.Lock()
        self._merging: set[str] = set()
        self._held = self._found() if has("fleet") else {}
        """By analysis: the stamp that was merged, and the file."""

    def _found(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        with closing(duckdb.connect()) as connection:
            for path in sorted(self._folder.glob(f"{PREFIX}*.parquet")):
                # A row that every summary has once; of the others not even the groups are opened.
                query = "SELECT analysis, stamp FROM read_parquet($1) WHERE part = 'recording' AND name = 'made_by'"
                try:
                    rows = connection.execute(query, [str(path)]).fetchall()
                except duckdb.Error:
                    continue
                if not any(analysis in found for analysis, _ in rows):
                    found.update({analysis: (stamp, str(path)) for analysis, stamp in rows})
        return found

    def source(self, files: Iterable[SummaryFile]) -> Source:
        """Merges these summaries as far as possible."""
        single, merged, parts = [], [], set()
        with self._lock:
            for file in files:
                held = self._held.get(file.analysis)
                if held and held[0] == file.stamp:
                    merged.append(file.analysis)
                    parts.add(held[1])
                else:
                    single.append(file)
        return Source(single, sorted(parts), merged)

    def merge(self, files: Sequence[SummaryFile]) -> list[str]:
        """Merges single summaries, a thousand at a time, and leaves the rest; returns the analyses of those that were."""
        done: list[str] = []
        for first in range(0, len(files) - AT_ONCE + 1, AT_ONCE):
            done += self._merge(files[first : first + AT_ONCE])
        return done

    def remove(self, analyses: Iterable[str]) -> None:
        """Removes the merged files that have rows of these analyses: now, and those that are just being written."""
        with self._lock:
            wanted = set(analyses)
            self._merging -= wanted
            paths = {self._held[analysis][1] for analysis in wanted & self._held.keys()}
            self._held = (
                {name: held for name, held in self._held.items() if held[1] not in paths} if paths else self._held
            )
        for path in paths:
            Path(path).unlink(missing_ok=True)

    def tidy(self, known: Iterable[str]) -> None:
        """Removes files with rows of unknown analyses, and unused files."""
        with self._lock:
            gone = {path for path in {path for _, path in self._held.values()} if not Path(path).exists()}
            unknown = self._held.keys() - set(known) | {name for name, held in self._held.items() if held[1] in gone}
        self.remove(unknown)
        with self._lock:
            read = {path for _, path in self._held.values()}
        for path in self._folder.glob("*"):
            if str(path) not in read:
                path.unlink(missing_ok=True)

    def _merge(self, files: Sequence[SummaryFile]) -> list[str]:
        self._folder.mkdir(exist_ok=True)
        name = new_id()
        new, path = self._folder / f"{NEW}{name}", self._folder / f"{PREFIX}{name}.parquet"
        with self._lock:
            self._merging = {file.analysis for file in files}
        try:
            stamps = _write(files, new)
            with self._lock:
                # One that was removed in the meantime must not come back.
                if not stamps.keys() <= self._merging or not stamps:
                    return []
                new.replace(path)
                self._held.update({analysis: (stamp, str(path)) for analysis, stamp in stamps.items()})
        except (OSError, duckdb.Error) as error:
            log.warning("summaries were not merged: %s", error)
            return []
        finally:
            new.unlink(missing_ok=True)
        return list(stamps)


def _write(files: Sequence[SummaryFile], path: Path) -> dict[str, str]:
    """Writes the rows of summaries as one file; returns the stamps of those that could be read."""
    with closing(connect(MEMORY_BYTES)) as connection:
        unread = set(load(connection, files))
        stamps = {file.analysis: file.stamp for file in files if file.analysis not in unread}
        if stamps:
            connection.execute(
                "CREATE TABLE stamps AS SELECT unnest($1::VARCHAR[]) AS analysis, unnest($2::VARCHAR[]) AS stamp",
                [list(stamps), list(stamps.values())],
            )
            rows = "SELECT * FROM single JOIN stamps USING (analysis) ORDER BY part, name, analysis"
            form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROWS}"
            connection.execute(f"COPY ({rows}) TO $1 ({form})", [str(path)])
    return stamps

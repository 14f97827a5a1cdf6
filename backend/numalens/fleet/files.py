"""Where the summaries of a fleet are. Nothing else knows: questions take the list that is made here.

Files that do not lie on this machine's disk would be fetched into a local folder here; a summary has some kilobytes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from numalens.fleet.rows import FILE


@dataclass(frozen=True)
class SummaryFile:
    """A summary and the analysis that it is of."""

    analysis: str
    path: Path
    stamp: tuple[int, int]
    """Differs when the file was written anew."""


def summary_files(analyses: Iterable[str], bundle: Callable[[str], Path]) -> list[SummaryFile]:
    """The summaries that there are of these analyses; `bundle` tells the folder of one."""
    found = (_summary_file(analysis, bundle(analysis) / FILE) for analysis in analyses)
    return [file for file in found if file is not None]


def _summary_file(analysis: str, path: Path) -> SummaryFile | None:
    try:
        told = path.stat()
    except OSError:
        return None
    return SummaryFile(analysis, path, (told.st_mtime_ns, told.st_size))

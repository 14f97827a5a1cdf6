"""NumaLens: who ran where on a NUMA machine, from a recording of its scheduler.

with numalens.open("trace.dat", "psi.jsonl") as a:
    a[12.5:13.0].waits().to_polars()
"""

from os import PathLike
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from numalens.analysis import Analysis

__version__: Final = "1.0.0"
__all__ = ["__version__", "open"]


def open(  # noqa: A001  (it is always numalens.open)
    *files: str | PathLike[str],
    topology: str | PathLike[str] | None = None,
    tolerant: bool = False,
    offsets: dict[str, int] | None = None,
    hz: int | None = None,
) -> "Analysis":
    """Reads recordings and side files as one analysis, or opens a bundle that `numalens analyze -o` kept.

    `topology`: a file with nodes and CPUs (`lscpu -p`, `numactl -H`). `tolerant`: skip damaged parts instead of failing.
    `offsets`: ns to add to the times of inputs, by name. `hz`: jiffies per second, where no input has it.

    The import goes into a temporary folder, which the result's `close`, or its deletion, removes. Raises ValueError,
    one sentence, for files that cannot go together, and `numalens_native.InputError` (a ValueError) for one that cannot be
    read.
    """
    # It takes a moment to load, and the command line starts without it.
    from numalens.analysis import open_files  # noqa: PLC0415

    return open_files(files, topology=topology, tolerant=tolerant, offsets=offsets, hz=hz)

"""Amount of output on standard error besides warnings and errors."""

import sys
from enum import IntEnum


class Verbosity(IntEnum):
    """Levels of output on standard error."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


_chosen = [Verbosity.NORMAL]


def set_verbosity(verbosity: Verbosity) -> None:
    """Sets the verbosity of this process."""
    _chosen[0] = verbosity


def verbosity() -> Verbosity:
    """Returns the verbosity of this process."""
    return _chosen[0]


def note(sentence: str) -> None:
    """Prints a sentence on standard error, unless the command is quiet."""
    if verbosity() > Verbosity.QUIET:
        sys.stderr.write(f"{sentence}\n")

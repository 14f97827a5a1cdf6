"""Where compiled forms of the trace processor are kept."""

import functools
import os
import sys
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled forms are kept: `NUMALENS_CACHE`, or the platform's folder for caches of this user."""
    if chosen := os.environ.get("NUMALENS_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = _home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache")
    return base / "numalens"


@functools.cache
def _home() -> Path:
    """This user's home; looked up once, for a confined process cannot look it up any more where no variable names it."""
    try:
        return Path.home()
    except RuntimeError:
        # A user that the machine has no entry of, as in some containers.
        return Path(tempfile.gettempdir()) / f"numalens-{os.getuid()}"

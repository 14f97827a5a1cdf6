"""Where compiled forms of the trace processor are kept."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled forms are kept: `NUMALENS_CACHE`, or the platform's folder for caches of this user."""
    if chosen := os.environ.get("NUMALENS_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "numalens"

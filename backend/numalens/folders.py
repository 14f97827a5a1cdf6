"""Folders of this user: data, configuration and caches, by the XDG base directory specification."""

import functools
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

NAME: Final = "numalens"
CLONE_MARK: Final = Path("backend", "numalens", "folders.py")


def data_folder() -> Path:
    """Returns the default folder of a server's data: `.data` of a clone, when called inside one, or the user's data folder."""
    here = Path.cwd()
    clone = next((folder for folder in (here, *here.parents) if (folder / CLONE_MARK).is_file()), None)
    if clone is not None:
        return clone / ".data"
    return _base("XDG_DATA_HOME", Path(".local", "share")) / NAME


def config_files() -> list[Path]:
    """Returns the places of the configuration file; the first file that exists counts."""
    system = [
        Path(folder) for folder in os.environ.get("XDG_CONFIG_DIRS", "").split(os.pathsep) if folder.startswith("/")
    ]
    folders = [_base("XDG_CONFIG_HOME", Path(".config")), *(system or [Path("/etc/xdg")])]
    return [folder / NAME / "config.toml" for folder in folders]


def cache_folder() -> Path:
    """Returns the folder of compiled forms: `NUMALENS_CACHE`, or the platform's folder for caches of this user."""
    if chosen := os.environ.get("NUMALENS_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = _home() / "Library" / "Caches"
    else:
        base = _base("XDG_CACHE_HOME", Path(".cache"))
    return base / NAME


def _base(variable: str, below_home: Path) -> Path:
    """A base folder; by the specification, a variable without an absolute path does not count."""
    chosen = os.environ.get(variable, "")
    return Path(chosen) if chosen.startswith("/") else _home() / below_home


@functools.cache
def _home() -> Path:
    """Home of this user; looked up once, since a confined process cannot look it up when no variable names it."""
    try:
        return Path.home()
    except RuntimeError:
        # A user without an entry in the machine's list, as in some containers.
        return Path(tempfile.gettempdir()) / f"numalens-{os.getuid()}"

"""The configuration file: settings as TOML, for variables that the environment does not have."""

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

from numalens.cli.usage import UsageError
from numalens.folders import config_files

PREFIX: Final = "NUMALENS_"
VARIABLE: Final = "NUMALENS_CONFIG"
"""Path of the configuration file to use; empty for none."""

from_file: Final[dict[str, Path]] = {}
"""Settings that the file set, by name, and the file."""


def apply_config(environment: MutableMapping[str, str] = os.environ) -> None:
    """Adds the settings of the configuration file to the environment, whose own variables take precedence.

    Raises UsageError for a file that cannot be read or holds anything but settings.
    """
    path = _path(environment)
    if path is None:
        return
    for name, value in _read(path).items():
        variable = f"{PREFIX}{name.upper()}"
        if variable not in environment:
            environment[variable] = _text(path, name, value)
            from_file[name] = path


def _path(environment: MutableMapping[str, str]) -> Path | None:
    chosen = environment.get(VARIABLE)
    if chosen is not None:
        return Path(chosen) if chosen else None
    return next((path for path in config_files() if path.is_file()), None)


def _read(path: Path) -> dict[str, object]:
    import tomllib  # noqa: PLC0415  (most users have no such file)

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the configuration file {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"the configuration file {path} is not valid TOML: {error}") from error


def _text(path: Path, name: str, value: object) -> str:
    """The value as a variable has it: a list is its items, comma separated."""
    match value:
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return str(value)
        case [*items] if all(isinstance(item, str) for item in items):
            return ",".join(map(str, items))
        case _:
            raise UsageError(
                f"{name} in {path} is not valid: expected a string, a number, true, false or a list of strings"
            )

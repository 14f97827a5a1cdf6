"""Wrong usage, and values of options that several commands have."""

import math
from typing import Final

import typer

FAILED: Final = 1
USAGE: Final = 2
REJECTED: Final = 3
NS_LIMIT: Final = 1 << 63


class UsageError(Exception):
    """The command cannot mean what it says."""


def new_app(text: str | None = None) -> typer.Typer:
    """The application of one command, or with `text` as its help that of a group of commands."""
    return typer.Typer(
        help=text,
        add_completion=False,
        no_args_is_help=text is not None,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def ns_of(option: str, seconds: float, least: int = 1) -> int:
    """Seconds as ns. Raises UsageError for what is no length of time."""
    ns = seconds * 1e9
    if not math.isfinite(ns) or not least <= round(ns) < NS_LIMIT:
        raise UsageError(f"{option} {seconds:g} is no number of seconds {'above' if least else 'from'} 0")
    return round(ns)


def parse_offsets(texts: list[str]) -> dict[str, int]:
    """The values of `--offset NAME=NS`. Raises UsageError for anything else, and for a name given twice."""
    offsets: dict[str, int] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            offset = int(number)
        except ValueError:
            offset = NS_LIMIT
        if not name or not -NS_LIMIT <= offset < NS_LIMIT:
            raise UsageError(f"--offset {text}: expected NAME=NS, the name of an input and a whole number of ns")
        if name in offsets:
            raise UsageError(f"--offset {text}: {name} is shifted twice")
        offsets[name] = offset
    return offsets

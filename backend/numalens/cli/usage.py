"""Wrong usage, and values of options that several commands have."""

import math
import re
from datetime import datetime, time, timedelta
from typing import Final

from numalens.cli.app import App, Group

NS_LIMIT: Final = 1 << 63


class UsageError(Exception):
    """The command cannot mean what it says."""


def new_app(text: str | None = None) -> App:
    """Returns the application of one command, or of a group of commands whose help is `text`."""
    return App(
        cls=Group,
        help=text,
        add_completion=False,
        no_args_is_help=text is not None,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def ns_of(option: str, seconds: float, least: int = 1) -> int:
    """Seconds as ns. Raises UsageError for an invalid length of time."""
    ns = seconds * 1e9
    if not math.isfinite(ns) or not least <= round(ns) < NS_LIMIT:
        raise UsageError(
            f"{option} {seconds:g} must be a number of seconds {'greater than 0' if least else 'of at least 0'}"
        )
    return round(ns)


def parse_offsets(texts: list[str]) -> dict[str, int]:
    """The values of `--offset NAME=NS`. Raises UsageError for other text, and for a repeated name."""
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


def moment(text: str, now_s: float) -> float:
    """A time as seconds since the epoch: HH:MM or HH:MM:SS is the next such local time, else ISO 8601, or @seconds.

    Raises UsageError, also for a time in the past.
    """
    try:
        if text.startswith("@"):
            at_s = float(text[1:])
        elif re.fullmatch(r"\d\d:\d\d(:\d\d)?", text):
            day = datetime.fromtimestamp(now_s).astimezone()
            at = datetime.combine(day.date(), time.fromisoformat(text)).astimezone()
            at_s = (
                at if at > day else datetime.combine(day.date() + timedelta(days=1), at.time()).astimezone()
            ).timestamp()
        else:
            at_s = datetime.fromisoformat(text).astimezone().timestamp()
    except ValueError:
        raise UsageError(
            f"{text!r} is not a time: use HH:MM[:SS], ISO 8601 (2026-11-25T14:05:00+01:00) or @epoch-seconds"
        ) from None
    if not now_s < at_s < math.inf:
        raise UsageError(f"the time {text} is in the past")
    return at_s

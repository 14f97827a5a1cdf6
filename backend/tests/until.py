"""Waiting for what happens in the background: for a condition, generously, and never for a time."""

import time
from collections.abc import Callable

LONGEST_S = 180.0


def until(condition: Callable[[], bool]) -> None:
    """Returns when the condition holds; fails when it never does."""
    end = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)

"""Nonces: values that may be used only once, such as the state of a sign-in."""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

KEPT: Final = 10_000


class UsedNonces:
    """Remembers the nonces that were used, for a time; the oldest are forgotten beyond `KEPT`."""

    def __init__(self, within_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Remembers each for `within_s` seconds of `clock`."""
        self._within_s = within_s
        self._clock = clock
        self._lock = Lock()
        self._used: OrderedDict[str, float] = OrderedDict()

    def use(self, nonce: str) -> bool:
        """Uses a nonce; False when it was used before."""
        now = self._clock()
        with self._lock:
            while self._used and (len(self._used) >= KEPT or next(iter(self._used.values())) <= now - self._within_s):
                self._used.popitem(last=False)
            if nonce in self._used:
                return False
            self._used[nonce] = now
            return True

"""Limits how often one address may try secrets (links, tokens) that open nothing."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from math import ceil
from threading import Lock
from typing import Final

from numalens.errors import SentenceError

MOST: Final = 20
WITHIN_S: Final = 60.0
UNKNOWN: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.UNAUTHORIZED})
PEERS_KEPT: Final = 10_000


class RateLimit:
    """At most `most` unknown secrets within `within_s` seconds from one peer are answered with 404 or 401, further ones with 429.

    A secret that opens something is answered all the same: it has too many bits to be met by guessing, and its holders may
    share an address with whoever guesses. The oldest peers are forgotten beyond `PEERS_KEPT`.
    """

    def __init__(
        self,
        most: int = MOST,
        within_s: float = WITHIN_S,
        clock: Callable[[], float] = time.monotonic,
        on_refused: Callable[[], None] = lambda: None,
    ) -> None:
        """Counts by `clock`, in seconds. `on_refused` is called for each 429."""
        self._on_refused = on_refused
        self._most = most
        self._within_s = within_s
        self._clock = clock
        self._lock = Lock()
        self._peers: OrderedDict[str, deque[float]] = OrderedDict()

    @contextmanager
    def counted(self, peer: str) -> Iterator[None]:
        """Around a look-up: its 404 or 401 is counted, and replaced by a 429 when there were too many."""
        try:
            yield
        except SentenceError as error:
            if error.status in UNKNOWN and (wait_s := self._count(peer)) > 0:
                self._on_refused()
                raise SentenceError(
                    429,
                    "Too many links or tokens that open nothing were tried from this address; wait a minute.",
                    headers={"Retry-After": str(ceil(wait_s))},
                ) from error
            raise

    def _count(self, peer: str) -> float:
        """Counts one; returns the seconds until the next is answered, 0 while that is at once."""
        now = self._clock()
        with self._lock:
            times = self._peers.setdefault(peer, deque(maxlen=self._most))
            self._peers.move_to_end(peer)
            while len(self._peers) > PEERS_KEPT:
                self._peers.popitem(last=False)
            while times and times[0] <= now - self._within_s:
                times.popleft()
            if len(times) == self._most:
                return times[0] + self._within_s - now
            times.append(now)
            return 0.0

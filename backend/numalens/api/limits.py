"""Bounds what one client may use of something that all share: at the same time, in a minute, by guessing, and once only."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from math import ceil
from threading import Lock
from typing import Final

from anyio import CapacityLimiter

from numalens.errors import SentenceError

MINUTE_S: Final = 60.0
CLIENTS_KEPT: Final = 10_000
AGAIN_S: Final = 5
"""Time after which a client whose requests still run may retry."""


@dataclass
class _Use:
    running: int = 0
    spent: deque[tuple[float, float]] = field(default_factory=deque)
    """Times and amounts."""


class Budget:
    """Use of one resource by clients. Lives in the server's event loop.

    The clients that used nothing for longest are forgotten beyond `CLIENTS_KEPT`.
    """

    def __init__(
        self, what: str, at_once: int, a_minute: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`what` (plural, for sentences) at most `at_once` times at once for a client, and while it spent less than `a_minute`."""
        self._what = what
        self._at_once = at_once
        self._a_minute = a_minute
        self._clock = clock
        self._clients: OrderedDict[str, _Use] = OrderedDict()

    @contextmanager
    def hold(self, client: str) -> Iterator[Callable[[float], None]]:
        """Counts a use while the block runs; yields a function that adds to the amount spent. Raises 429 beyond the budget."""
        use = self._clients.setdefault(client, _Use())
        self._clients.move_to_end(client)
        self._forget()
        if use.running >= self._at_once:
            raise self._refusal(f"At most {self._at_once} {self._what} of one client run at the same time", AGAIN_S)
        if (wait_s := self._wait(use)) > 0:
            raise self._refusal(f"The {self._what} of this client used up the limit for this minute", ceil(wait_s))
        use.running += 1
        try:
            yield lambda amount: use.spent.append((self._clock(), amount))
        finally:
            use.running -= 1

    def _wait(self, use: _Use) -> float:
        """Seconds until the client has spent less than its minute's share."""
        now = self._clock()
        while use.spent and use.spent[0][0] <= now - MINUTE_S:
            use.spent.popleft()
        over = sum(amount for _, amount in use.spent) - (self._a_minute or 0.0)
        if self._a_minute is None or over < 0:
            return 0.0
        for then, amount in use.spent:
            over -= amount
            if over < 0:
                return then + MINUTE_S - now
        return MINUTE_S

    def _forget(self) -> None:
        excess = len(self._clients) - CLIENTS_KEPT
        idle = [client for client, use in self._clients.items() if use.running == 0][: max(excess, 0)]
        for client in idle:
            del self._clients[client]

    @staticmethod
    def _refusal(sentence: str, seconds: int) -> SentenceError:
        return SentenceError(429, f"{sentence}; try again in {seconds} s.", headers={"Retry-After": str(seconds)})


@dataclass(frozen=True)
class Budgets:
    """Budgets of one kind of client."""

    exports: Budget
    """Downloads; spends bytes."""
    queries: Budget
    """Queries in SQL; spends seconds of an engine."""
    answers: CapacityLimiter
    """Threads that compute sections and reports, for all clients together. The rest waits in line: an answer, and what it is
    computed from, takes memory, and more threads than CPUs take no less time."""


GUESSES: Final = 20
GUESSES_WITHIN_S: Final = 60.0
UNKNOWN: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.UNAUTHORIZED})
PEERS_KEPT: Final = 10_000


class RateLimit:
    """At most `most` unknown secrets within `within_s` seconds from one peer are answered with 404 or 401, further ones with 429.

    Limits guesses. A valid secret is always accepted: it has too many bits to be guessed, and its holders may share an address
    with a guesser. The oldest peers are forgotten beyond `PEERS_KEPT`.
    """

    def __init__(
        self,
        most: int = GUESSES,
        within_s: float = GUESSES_WITHIN_S,
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
                    "Too many invalid links or tokens from this address; wait a minute.",
                    headers={"Retry-After": str(ceil(wait_s))},
                ) from error
            raise

    def _count(self, peer: str) -> float:
        """Counts one request; returns the seconds until the next one is allowed, or 0."""
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


NONCES_KEPT: Final = 10_000


class UsedNonces:
    """Remembers the nonces that were used, for a time; the oldest are forgotten beyond `NONCES_KEPT`."""

    def __init__(self, within_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Remembers each for `within_s` seconds of `clock`."""
        self._within_s = within_s
        self._clock = clock
        self._lock = Lock()
        self._used: OrderedDict[str, float] = OrderedDict()

    def use(self, nonce: str) -> bool:
        """Uses a nonce; returns False when it was used before."""
        now = self._clock()
        with self._lock:
            while self._used and (
                len(self._used) >= NONCES_KEPT or next(iter(self._used.values())) <= now - self._within_s
            ):
                self._used.popitem(last=False)
            if nonce in self._used:
                return False
            self._used[nonce] = now
            return True


PATIENCE_S: Final = 10.0


@dataclass
class _Place:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    stop: asyncio.Event | None = None
    users: int = 0


class UploadLocks:
    """One request at a time per upload, the newest first.

    A client whose connection broke comes back before the server has noticed the break. The newcomer therefore does not wait
    for the old request to fail by itself: it asks it to stop, and gets the upload once the old one has kept what it received.
    """

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    @asynccontextmanager
    async def hold(self, upload_id: str) -> AsyncIterator[asyncio.Event]:
        """Holds an upload's lock; the event given is set when another request asks for it. Raises 423 when that takes too long."""
        place = self._places.setdefault(upload_id, _Place())
        place.users += 1
        try:
            if place.stop is not None:
                place.stop.set()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await place.lock.acquire()
            except TimeoutError:
                raise SentenceError(423, "Another request is writing to this upload; try again in a moment.") from None
            try:
                place.stop = asyncio.Event()
                if place.users > 1:
                    # A newer request already waits, and called only the one before.
                    place.stop.set()
                yield place.stop
            finally:
                place.stop = None
                place.lock.release()
        finally:
            place.users -= 1
            if not place.users:
                del self._places[upload_id]

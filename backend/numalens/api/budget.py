"""Bounds what one client may use of something that all share: how much at the same time, and how much in a minute."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from numalens.errors import SentenceError

MINUTE_S: Final = 60.0
CLIENTS_KEPT: Final = 10_000
AGAIN_S: Final = 5
"""When somebody whose requests still run may try again."""


@dataclass
class _Use:
    running: int = 0
    spent: deque[tuple[float, float]] = field(default_factory=deque)
    """When, and how much."""


class Budget:
    """What clients use of one thing. Lives in the server's event loop.

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
        """Counts a use while the block runs; gives a function that counts what it spends. Raises 429 beyond the budget."""
        use = self._clients.setdefault(client, _Use())
        self._clients.move_to_end(client)
        self._forget()
        if use.running >= self._at_once:
            raise self._refusal(f"At most {self._at_once} {self._what} of one client run at the same time", AGAIN_S)
        if (wait_s := self._wait(use)) > 0:
            raise self._refusal(f"The {self._what} of this client used up what there is for a minute", ceil(wait_s))
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
    """Those of one kind of client."""

    exports: Budget
    """Downloads; spends bytes."""
    queries: Budget
    """Queries in SQL; spends seconds of an engine."""

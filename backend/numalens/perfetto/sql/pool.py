"""Assignment of queries to engines. Lives in the server's event loop, and keeps no more processes than allowed.

An engine holds one trace and answers one request at a time; the others wait in order of arrival. If another trace is wanted and
all engines are in use, the least recently used engine is replaced, first of those without waiting requests. A request that has
waited long may replace even others, so that two busy analyses do not lock out a third. Holders of links have separate engines,
one fewer than the maximum.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from numalens.perfetto.sql.process import EngineProcess
from numalens.perfetto.sql.protocol import Done, Failure, Limits, OnPiece, Order, Request
from numalens.sandbox.confine import Confine

LONG_WAIT_S: Final = 1.0
GONE_S: Final = 2.0
"""Time for an abandoned query to end: most do, and the engine stays useful."""
MOST_REFUSED: Final = 100
"""Maximum number of traces known to fit into no engine; the oldest are tried again."""
CHANGED: Final = "The analysis was deleted or imported again while the query ran."


class BusyError(Exception):
    """All engines were busy for longer than a request may wait."""


@dataclass(frozen=True)
class TraceKey:
    """Trace of an engine: an analysis, and its time range in ns."""

    analysis_id: str
    from_ns: int | None = None
    to_ns: int | None = None
    linked: bool = False
    """For those who came by a link: their queries take no engine from the owner, who has another for the same trace."""


@dataclass(frozen=True)
class PoolLimits:
    """Number and limits of the engines."""

    engines: int
    wait_seconds: float
    idle_seconds: float
    each: Limits
    native: Path | None = None
    confine: Confine = "auto"


@dataclass(eq=False)
class _Seat:
    """A place for an engine, and who has it."""

    key: TraceKey
    process: EngineProcess
    before: EngineProcess | None = None
    """Had the place before; must be gone first."""
    busy: bool = False
    gone: bool = False
    """Taken away: the trace is no longer that of the analysis, or the server stops."""
    released: float = 0.0


@dataclass(eq=False)
class _Ticket:
    key: TraceKey
    since: float
    seat: asyncio.Future[_Seat] = field(default_factory=asyncio.Future)


class EnginePool:
    """The engines of one server. Only `forget` may be called from other threads."""

    def __init__(self, limits: PoolLimits, bundle: Callable[[str], Path]) -> None:
        """Takes the limits, and where the bundle of an analysis is."""
        self._limits = limits
        self._bundle = bundle
        self._seats: OrderedDict[TraceKey, _Seat] = OrderedDict()
        self._waiting: list[_Ticket] = []
        self._too_large: OrderedDict[TraceKey, Failure] = OrderedDict()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def traces(self) -> list[TraceKey]:
        """The traces that engines hold or load now, the one used least recently first."""
        return list(self._seats)

    @property
    def waiting(self) -> int:
        """Number of requests without an engine."""
        return len(self._waiting)

    async def ask(self, key: TraceKey, request: Request, on_piece: OnPiece) -> Done | Failure:
        """Sends a request to the engine of a trace, which is started if needed. Raises BusyError after the longest wait.

        A trace that did not fit into an engine is not tried again until its analysis has been read again.

        When this is cancelled the query is stopped, unless it ends soon.
        """
        self._loop = asyncio.get_running_loop()
        if known := self._too_large.get(replace(key, linked=False)):
            return known
        seat = await self._acquire(key)
        work = self._spawn(self._work(seat, request, on_piece))
        work.add_done_callback(lambda _: self._release(seat))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._loop.call_later(GONE_S, work.cancel)
            raise

    def forget(self, analysis_id: str) -> None:
        """Ends the engines that hold an analysis as it was."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._forget, analysis_id)

    async def stop(self) -> None:
        """Ends all engines, and returns when their processes are gone."""
        for ticket in self._waiting:
            ticket.seat.cancel()
        for seat in list(self._seats.values()):
            self._take_away(seat)
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _acquire(self, key: TraceKey) -> _Seat:
        ticket = _Ticket(key, asyncio.get_running_loop().time())
        self._waiting.append(ticket)
        self._dispatch()
        try:
            async with asyncio.timeout(self._limits.wait_seconds):
                return await ticket.seat
        except BaseException as error:
            # The seat may have come in the very moment in which the wait ended.
            if ticket.seat.done() and not ticket.seat.cancelled():
                self._release(ticket.seat.result())
            if isinstance(error, TimeoutError):
                raise BusyError from None
            raise
        finally:
            if ticket in self._waiting:
                self._waiting.remove(ticket)

    async def _work(self, seat: _Seat, request: Request, on_piece: OnPiece) -> Done | Failure:
        end: Done | Failure | None = None
        if seat.before is not None:
            await seat.before.wait()
            seat.before = None
        if not (seat.process.alive or seat.gone):
            whose = replace(seat.key, linked=False)
            end = self._too_large.get(whose) or await seat.process.start()
            if end is not None and end.trouble == "memory" and not seat.gone:
                self._too_large[whose] = end
                if len(self._too_large) > MOST_REFUSED:
                    self._too_large.popitem(last=False)
        if end is None and not seat.gone:
            end = await seat.process.ask(request, on_piece)
        return Failure("engine", CHANGED) if end is None or (seat.gone and isinstance(end, Failure)) else end

    def _release(self, seat: _Seat) -> None:
        loop = asyncio.get_running_loop()
        seat.busy = False
        if seat.process.alive and not seat.gone:
            seat.released = loop.time()
            loop.call_later(self._limits.idle_seconds, self._end_idle, seat, seat.released)
        else:
            self._take_away(seat)
        self._dispatch()

    def _dispatch(self) -> None:
        """Gives free places to those who wait, oldest first, and those who came by a link last."""
        for ticket in sorted(self._waiting, key=lambda ticket: ticket.key.linked):
            seat = self._seats.get(ticket.key) or self._new_seat(ticket)
            if seat is None or seat.busy or ticket.seat.done():
                continue
            seat.busy = True
            self._seats.move_to_end(seat.key)
            self._waiting.remove(ticket)
            ticket.seat.set_result(seat)

    def _new_seat(self, ticket: _Ticket) -> _Seat | None:
        if ticket.seat.done():
            return None
        before = None
        linked = [seat for seat in self._seats.values() if seat.key.linked]
        if ticket.key.linked and len(linked) >= max(self._limits.engines - 1, 1):
            full, among = True, linked
        else:
            full, among = len(self._seats) >= self._limits.engines, list(self._seats.values())
        if full:
            victim = self._victim(ticket, among)
            if victim is None:
                return None
            self._take_away(victim)
            before = victim.process
        order = Order(
            bundle=str(self._bundle(ticket.key.analysis_id)),
            from_ns=ticket.key.from_ns,
            to_ns=ticket.key.to_ns,
            limits=self._limits.each,
            native=None if self._limits.native is None else str(self._limits.native),
            confine=self._limits.confine,
            linked=ticket.key.linked,
        )
        seat = self._seats[ticket.key] = _Seat(ticket.key, EngineProcess(order), before)
        return seat

    def _victim(self, ticket: _Ticket, among: list[_Seat]) -> _Seat | None:
        """Engine to replace: an idle one without waiting requests, except if this one has waited long."""
        free = [seat for seat in among if not seat.busy]
        wanted = {other.key for other in self._waiting}
        unwanted = [seat for seat in free if seat.key not in wanted]
        if unwanted:
            return unwanted[0]
        waited = asyncio.get_running_loop().time() - ticket.since
        return free[0] if free and waited >= LONG_WAIT_S else None

    def _take_away(self, seat: _Seat) -> None:
        """Ends an engine; its place is free at once, its process soon."""
        seat.gone = True
        if self._seats.get(seat.key) is seat:
            del self._seats[seat.key]
        seat.process.kill()
        self._spawn(seat.process.wait())

    def _end_idle(self, seat: _Seat, released: float) -> None:
        if not seat.busy and not seat.gone and seat.released == released:
            self._take_away(seat)

    def _forget(self, analysis_id: str) -> None:
        for key in [key for key in self._too_large if key.analysis_id == analysis_id]:
            del self._too_large[key]
        for seat in [seat for key, seat in self._seats.items() if key.analysis_id == analysis_id]:
            self._take_away(seat)
        self._dispatch()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Runs `work` in the background; the loop alone would forget an unreferenced task."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

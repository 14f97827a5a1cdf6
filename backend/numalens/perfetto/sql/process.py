"""One engine as the server sees it: a process that holds one trace and answers one request at a time."""

import asyncio
import logging
import signal
import sys
from contextlib import suppress
from typing import Final

from numalens.perfetto.sql.protocol import (
    HEAD_BYTES,
    MEMORY_CAP,
    MOST_FRAME,
    PIECE,
    About,
    Done,
    Failure,
    OnPiece,
    Order,
    Request,
    Schema,
    parse_end,
    request_line,
    time_cap,
)
from numalens.sandbox.child import kill, started, tail
from numalens.sandbox.limits import OUT_OF_MEMORY_MARK

STDERR_KEPT: Final = 4096
PATIENCE_S: Final = 5.0
"""After a limit of time the process gets so much longer to say so itself, then it is killed; and so long for each piece."""
ENDS_S: Final = 1.0
"""Time for a process whose output has ended to exit: its status shows the reason."""
OUT_OF_MEMORY: Final = (
    "The engine's process had no memory left for this {} "
    "(NUMALENS_SQL_MEMORY_BYTES); ask for less, or choose a shorter time range of the recording."
)
DIED: Final = "The engine stopped on this {}; the next query starts a new one."
KILLED: Final = "The engine was killed on this {}; the next query starts a new one."

log = logging.getLogger(__name__)


class EngineProcess:
    """The process of one engine. Whatever goes wrong but a refused query ends it."""

    def __init__(self, order: Order) -> None:
        """Takes what the process is to hold; `start` starts it."""
        self.order = order
        self._usable = False
        self._process: asyncio.subprocess.Process | None = None
        self._errors: asyncio.Task[bytes] | None = None

    @property
    def alive(self) -> bool:
        """Returns whether it can take a request."""
        return self._usable and self._process is not None and self._process.returncode is None

    async def start(self) -> Failure | None:
        """Starts the process and waits until it holds the trace; else says why not, and the process is gone."""
        try:
            self._process = await started([sys.executable, "-P", "-m", "numalens.perfetto.sql.worker"])
        except OSError:
            log.exception("starting an engine")
            return Failure("engine", "No engine could be started; the server's log has the details.")
        if self._process.stderr is not None:
            self._errors = asyncio.create_task(tail(self._process.stderr, STDERR_KEPT))
        self._usable = True
        end = await self._converse(self.order.line(), self.order.limits.load_seconds, _unexpected, "trace")
        return end if isinstance(end, Failure) else None

    async def ask(self, request: Request, on_piece: OnPiece) -> Done | Failure:
        """Has a request answered; when this is cancelled the process is gone."""
        limits = self.order.limits
        # What was undone for an earlier request counts as well; the catalogue is not a query of a client.
        seconds = limits.load_seconds if isinstance(request, Schema) else limits.seconds
        return await self._converse(request_line(request), seconds, on_piece, "query")

    def kill(self) -> None:
        """Ends the process at once; `wait` waits until it is gone."""
        self._usable = False
        if self._process is not None:
            kill(self._process)

    async def wait(self) -> None:
        """Waits until the process is gone."""
        if self._process is not None:
            await self._process.wait()
        if self._errors is not None:
            await self._errors

    async def _converse(self, line: bytes, seconds: float, on_piece: OnPiece, about: About) -> Done | Failure:
        done = False
        try:
            async with asyncio.timeout(seconds + PATIENCE_S) as limit:
                end = await self._answer(line, on_piece, limit)
            done = end.alive
        except TimeoutError:
            sentence = f"The engine was killed: it did not stop after {seconds:g} seconds."
            return Failure("time", sentence, time_cap(about))
        except (EOFError, OSError):
            return await self._death(about, ENDS_S)
        except ValueError:
            return await self._death(about, 0)
        finally:
            if not done:
                self.kill()
        return end

    async def _answer(self, line: bytes, on_piece: OnPiece, limit: asyncio.Timeout) -> Done | Failure:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            msg = "used before its start"
            raise RuntimeError(msg)
        process.stdin.write(line)
        await process.stdin.drain()
        while True:
            head = await process.stdout.readexactly(HEAD_BYTES)
            kind, length = head[:1], int.from_bytes(head[1:], "little")
            if length > MOST_FRAME:
                msg = f"a frame of {length} bytes"
                raise ValueError(msg)
            content = await process.stdout.readexactly(length)
            if kind != PIECE:
                return parse_end(kind, content)
            await on_piece(content)
            # Its rows are there, the query has ended; they may take a while to be written.
            limit.reschedule(asyncio.get_running_loop().time() + PATIENCE_S)

    async def _death(self, about: About, seconds: float) -> Failure:
        """The failure of a process that ends without an answer: within so many seconds by itself."""
        process = self._process
        if process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await process.wait()
        self.kill()
        status = await process.wait() if process is not None else None
        last = await self._errors if self._errors is not None else b""
        log.error("the process of an engine ended with status %s: %s", status, last.decode(errors="replace"))
        if OUT_OF_MEMORY_MARK in last:
            return Failure("memory", OUT_OF_MEMORY.format(about), MEMORY_CAP)
        if status == -signal.SIGKILL:
            return Failure("engine", KILLED.format(about))
        return Failure("engine", DIED.format(about))


async def _unexpected(_piece: bytes) -> None:
    msg = "an answer without a request"
    raise ValueError(msg)

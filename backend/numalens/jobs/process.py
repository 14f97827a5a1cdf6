"""Starts one reading process, listens to it, and says in one sentence how it ended if it could not say so itself."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from numalens.jobs.protocol import Done, Failure, Order, Step, decode
from numalens.jobs.summaries import make
from numalens.jobs.worker import memory_sentence
from numalens.sandbox.child import gone, started, tail
from numalens.sandbox.limits import OUT_OF_MEMORY_MARK

STDERR_KEPT: Final = 8192
UNEXPECTED: Final = "Reading stopped unexpectedly; the files are kept, and the server's log has the details."

log = logging.getLogger(__name__)


async def run_order(order: Order, *, seconds: float, on_step: Callable[[Step], None]) -> Done | Failure:
    """Runs `order` in a process of its own for at most `seconds`; the process is gone when this returns or is cancelled.

    Then the fleet's summary is made in another: the first one may start none. An analysis is whole without.
    """
    result = await _read(order, seconds, on_step)
    if isinstance(result, Done):
        await make(Path(order.out), order.memory_bytes, order.file_bytes, order.confine)
    return result


async def _read(order: Order, seconds: float, on_step: Callable[[Step], None]) -> Done | Failure:
    process = await started([sys.executable, "-P", "-m", "numalens.jobs.worker"])
    try:
        async with asyncio.timeout(seconds):
            return await _listen(process, order, on_step)
    except TimeoutError:
        return Failure(
            f"Reading took longer than the {seconds:g} seconds that this server allows (NUMALENS_JOB_SECONDS)."
        )
    finally:
        await gone(process)


async def _listen(process: asyncio.subprocess.Process, order: Order, on_step: Callable[[Step], None]) -> Done | Failure:
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    if stdin is None or stdout is None or stderr is None:
        msg = "a process started with pipes has pipes"
        raise RuntimeError(msg)
    errors = asyncio.create_task(tail(stderr, STDERR_KEPT))
    try:
        with suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(order.line())
            await stdin.drain()
        result: Done | Failure | None = None
        async for line in stdout:
            message = decode(line)
            if isinstance(message, Step):
                on_step(message)
            else:
                result = message
        status = await process.wait()
        last = await errors
    finally:
        errors.cancel()
    if result is not None and status == 0:
        return result
    log.error("reading process ended with status %d: %s", status, last.decode(errors="replace"))
    return Failure(_sentence(status, last, order.memory_bytes))


def _sentence(status: int, stderr: bytes, memory_bytes: int) -> str:
    if OUT_OF_MEMORY_MARK in stderr:
        return memory_sentence(memory_bytes)
    if status == -signal.SIGKILL:
        return "Reading was ended by the system, most likely because the machine ran out of memory; the files are kept."
    if status < 0:
        return f"Reading stopped unexpectedly ({signal.Signals(-status).name}); the files are kept."
    return UNEXPECTED

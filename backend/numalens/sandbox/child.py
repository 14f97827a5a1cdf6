"""Processes of the server: started with pipes, ended when they are no longer needed or out of time."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

PASSED_ON: Final = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "NUMALENS_CACHE",
    "PATH",
    "PYTHONPATH",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
)
"""Environment variables for a process. The rest holds the server's secrets: of its database, bucket and provider."""

PIECE: Final = 1 << 16


@dataclass(frozen=True)
class Ended:
    """Exit of a process."""

    status: int
    output: bytes
    errors: bytes


async def started(command: Sequence[str]) -> asyncio.subprocess.Process:
    """A process with pipes for input, output and errors."""
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
        # Ctrl-C in the server's terminal is for the server, which then ends its processes itself, each with all of its group.
        start_new_session=True,
    )


def kill(process: asyncio.subprocess.Process) -> None:
    """Ends a process that still runs, and those that it began (see `namespaces.py`), which cannot leave its group."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


async def gone(process: asyncio.subprocess.Process) -> None:
    """Ends a process that still runs, and waits until it and those that it began are gone, also when that is cancelled."""
    kill(process)
    await asyncio.shield(_end(process))


async def _end(process: asyncio.subprocess.Process) -> None:
    await process.wait()
    # Closed by the last one, after its last write to any file.
    while process.stdout is not None and await process.stdout.read(PIECE):
        pass


async def tail(stream: asyncio.StreamReader, most: int) -> bytes:
    """Reads a stream to its end and returns its last bytes, at most so many."""
    last = b""
    while chunk := await stream.read(most):
        last = (last + chunk)[-most:]
    return last


async def ended(command: Sequence[str], seconds: float, content: bytes = b"") -> Ended:
    """Runs a command with `content` on its standard input. Raises TimeoutError after `seconds`; the process is gone then."""
    process = await started(command)
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(content)
    finally:
        await gone(process)
    return Ended(process.returncode or 0, output, errors)

"""A process that is given something, answers, and ends: gone when nobody waits for it any more, or when its time is over."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    """How a process ended by itself."""

    status: int
    output: bytes
    errors: bytes


async def ended(command: Sequence[str], seconds: float, content: bytes = b"") -> Ended:
    """Runs a command with `content` on its standard input. Raises TimeoutError after `seconds`; the process is gone then."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        # Ctrl-C in the server's terminal is for the server.
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(content)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(process.wait())
    return Ended(process.returncode or 0, output, errors)

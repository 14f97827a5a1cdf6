"""Processes of the server: what is told of them, and that they are gone."""

import asyncio
import os

import pytest

from numalens.sandbox.child import Ended, ended, gone, started, tail


def test_a_process_answers_and_ends() -> None:
    answer = asyncio.run(ended(["sh", "-c", "cat; echo no >&2; exit 3"], 60, b"given"))
    assert answer == Ended(3, b"given", b"no\n")


def test_a_process_is_gone_when_its_time_is_over() -> None:
    async def late() -> int:
        process = await started(["sleep", "600"])
        assert os.getsid(process.pid) == process.pid
        await gone(process)
        # A second time does no harm.
        await gone(process)
        return process.pid

    pid = asyncio.run(late())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(TimeoutError):
        asyncio.run(ended(["sleep", "600"], 0.2))


@pytest.mark.parametrize(("written", "kept"), [("0123456789", b"6789"), ("01", b"01"), ("", b"")])
def test_of_what_a_process_complains_the_last_is_kept(written: str, kept: bytes) -> None:
    async def complaints() -> bytes:
        process = await started(["sh", "-c", f"printf '%s' '{written}' >&2"])
        assert process.stderr is not None
        last = await tail(process.stderr, 4)
        await process.wait()
        return last

    assert asyncio.run(complaints()) == kept

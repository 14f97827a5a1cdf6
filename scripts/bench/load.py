"""Keeps the scheduler busy until it is told to end: pairs of processes that wake each other through pipes.

Every round trip is two wake-ups and two context switches, which is what makes a scheduler trace large.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

PAIRS = 6


def ping(read_fd: int, write_fd: int) -> None:
    """Sends one byte and waits for its return, for ever; rests now and then so that CPUs also go idle."""
    rounds = 0
    while True:
        os.write(write_fd, b".")
        os.read(read_fd, 1)
        rounds += 1
        if rounds % 20_000 == 0:
            time.sleep(0.002)


def pong(read_fd: int, write_fd: int) -> None:
    """Returns every byte it receives."""
    while os.read(read_fd, 1):
        os.write(write_fd, b".")


def start(role: str, read_fd: int, write_fd: int) -> None:
    """Forks one process of a pair."""
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
            (ping if role == "ping" else pong)(read_fd, write_fd)
        os._exit(0)


def main() -> int:
    """Starts all pairs in a process group of their own; ends the group on SIGTERM, or when the starter is gone."""
    starter = os.getppid()
    os.setpgid(0, 0)
    for _ in range(PAIRS):
        there, back = os.pipe(), os.pipe()
        start("ping", back[0], there[1])
        start("pong", there[0], back[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        while os.getppid() == starter:
            time.sleep(0.5)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)
    return 0


if __name__ == "__main__":
    sys.exit(main())

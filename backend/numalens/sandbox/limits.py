"""Limits of an import process, and its end with the server.

Memory is limited by RLIMIT_DATA: since Linux 4.7 it counts private writable mappings (heap, anonymous memory, stacks of
threads) but not files mapped for reading. RLIMIT_AS would count the mapped recording itself, which may be far larger than
the memory that reading it takes.
"""

import ctypes
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PARENT_GONE: Final = 4
NICENESS: Final = 5
"""A third of the server's weight: the server has precedence, but imports also finish on a busy machine."""
LAST: Final = 19
"""Lowest priority, for work of guests."""
JOB_MEMORY_BYTES: Final = 4 << 30
"""Default memory of an import process."""
OUT_OF_MEMORY_MARK: Final = b"memory allocation of"
"""Text that Rust writes to standard error before it aborts for lack of memory."""
INPUT_PIECE: Final = 1 << 16
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""Parameters of mallopt, from glibc's malloc.h."""
ARENAS: Final = 2
LARGE_BYTES: Final = 4 << 20
"""Answers are smaller, what recordings are read into is larger."""
_LIBC: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def apply_limits(*, memory_bytes: int, file_bytes: int, niceness: int = NICENESS) -> None:
    """Limits this process for good: its memory, the size of a file it writes; no core dumps; lower priority than the server."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)


def keep_heap_small() -> None:
    """Has glibc's malloc give back what many threads need for a moment; nothing where there is another malloc.

    By itself it keeps up to eight heaps a CPU, and more in each after every large piece that was freed: a server under load grew to
    twice what it needs. To be called before threads are started (mallopt(3)).
    """
    if (mallopt := getattr(_LIBC, "mallopt", None)) is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_M_TRIM_THRESHOLD, LARGE_BYTES)


def end_with_parent(on_input: Callable[[bytes], None] | None = None) -> None:
    """Makes this process end when the one does that started it: killed by the kernel, or when its standard input closes.

    Further standard input goes to `on_input`, in a separate thread.

    The kernel's signal comes even when the server is killed with -9; the standard input covers what the signal does not,
    a parent that had ended before the signal was requested, and systems without it.
    """
    die_with_parent()
    threading.Thread(target=_exit_at_end_of_input, args=(on_input,), daemon=True).start()


def die_with_parent() -> None:
    """Has the kernel kill this process when the thread that started it ends, where it can."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def limit_child(memory_bytes: int) -> None:
    """Limits a program that this process starts: memory, and neither files nor core dumps."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _exit_at_end_of_input(on_input: Callable[[bytes], None] | None) -> None:
    while piece := os.read(0, INPUT_PIECE):
        if on_input is not None:
            on_input(piece)
    os._exit(PARENT_GONE)

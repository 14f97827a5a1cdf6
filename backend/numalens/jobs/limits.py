"""What a reading process may use, and how it ends when its server does.

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
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PARENT_GONE: Final = 4
NICENESS: Final = 5


def apply_limits(*, memory_bytes: int, file_bytes: int) -> None:
    """Limits this process for good: its memory, the size of a file it writes; no core dumps; lower priority than the server."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)


def end_with_parent(parent: int) -> None:
    """Makes this process end when process `parent` does: killed by the kernel, or when its standard input closes.

    The kernel's signal comes even when the server is killed with -9; the standard input covers what the signal does not,
    a parent that had ended before the signal was asked for, and systems without it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(PARENT_GONE)
    threading.Thread(target=_exit_at_end_of_input, daemon=True).start()


def _exit_at_end_of_input() -> None:
    while os.read(0, 1):
        pass
    os._exit(PARENT_GONE)

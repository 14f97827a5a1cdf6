"""Namespaces of a process' own (namespaces(7)): no other process, and no network, is there for it to see.

A PID namespace begins with the next child, and its first process gets only signals that it handles, even from itself. So there
are three: the started one stays outside and waits, the first of the namespace also waits, and the second continues with the
work.
"""

import ctypes
import os
import resource
import select
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from numalens.sandbox.limits import PARENT_GONE, die_with_parent

NEW_USER: Final = 0x1000_0000
NEW_PID: Final = 0x2000_0000
NEW_NETWORK: Final = 0x4000_0000
CAPABILITY_VERSION: Final = 0x2008_0522
BY_SIGNAL: Final = 128
"""A status above says by which signal the process ended."""
_LIBC: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def enter_namespaces() -> bool:
    """Continues as a process with separate namespaces; the calling one only waits, and ends with the same status.

    Returns False, in the calling process, where the kernel does not allow it; then nothing has changed. Raises OSError when
    it allows namespaces and not to be in them who one is. There must be no other thread.
    """
    if not _unshare():
        return False
    outside, held = os.pipe()
    if child := os.fork():
        _end_as(child, held)
    die_with_parent()
    os.close(held)
    if select.select([outside], [], [], 0)[0]:
        # The waiting process ended before the kernel was set to end this one with it.
        os._exit(PARENT_GONE)
    os.close(outside)
    if child := os.fork():
        _end_as(child)
    return True


def _unshare() -> bool:
    """Makes the namespaces for children of this process; without rights, inside of a user namespace without privileges."""
    if _LIBC is None:
        return False
    if _LIBC.unshare(NEW_PID | NEW_NETWORK) == 0:
        return True
    user, group = os.geteuid(), os.getegid()
    if _LIBC.unshare(NEW_USER | NEW_PID | NEW_NETWORK) != 0:
        return False
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")
    # What it may do in its own namespaces is of no use to it, and more of the kernel for a hostile file to reach.
    _LIBC.capset(struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))
    return True


def _end_as(child: int, *held: int) -> NoReturn:
    """Waits for the child and ends as it does. Of the files of this process only `held` stay open."""
    die_with_parent()
    first = 0
    for file in (*held, os.sysconf("SC_OPEN_MAX")):
        os.closerange(first, file)
        first = file + 1
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    by_signal = status - BY_SIGNAL if status > BY_SIGNAL else -status
    if by_signal > 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):
            signal.signal(by_signal, signal.SIG_DFL)
        # Without effect in the first process of a namespace.
        os.kill(os.getpid(), by_signal)
        status = BY_SIGNAL + by_signal
    os._exit(status)

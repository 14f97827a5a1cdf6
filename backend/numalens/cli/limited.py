"""The memory of a command that reads recordings: as much as an import process of the server has."""

import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from numalens.cli.app import FAILED, REJECTED
from numalens.cli.plain import PlainStream, unfiltered
from numalens.cli.usage import UsageError
from numalens.sandbox.limits import JOB_MEMORY_BYTES, OUT_OF_MEMORY_MARK, die_with_parent

VARIABLE: Final = "NUMALENS_JOB_MEMORY_BYTES"


def limit_memory(out: Path | None = None, more_bytes: int = 0) -> None:
    """Continues in a child process with limited memory; the calling process only waits, and exits with the child's status.

    The native modules abort when they get no memory, so that only another process can report it and remove leftovers: the
    temporary folders in the system's and next to `out`. `more_bytes` are for other work of the command. Raises UsageError when
    the environment variable is not a number of bytes.
    """
    if sys.platform == "linux" and not _is_child(out, more_bytes):
        sys.exit(0)


def run_limited(work: Callable[[], None], out: Path | None = None) -> None:
    """Does the work in such a child process, and continues here afterwards; exits with the child's status when it fails."""
    if sys.platform != "linux":
        work()
    elif _is_child(out, 0):
        work()
        sys.stdout.flush()
        sys.stderr.flush()
        # The blocks around this are the caller's to leave.
        os._exit(0)


def _is_child(out: Path | None, more_bytes: int) -> bool:
    """Returns twice: True in a child process with limited memory, False in the caller when the child has ended well."""
    limit = _limit() + more_bytes
    errors = os.memfd_create("stderr")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    child = os.fork()
    if child:
        _wait_for(child, errors, out)
        return False
    die_with_parent()
    # What Rust writes before it aborts goes to the file, what Python writes to where it always went.
    stderr = unfiltered(sys.stderr)
    own = os.fdopen(os.dup(2), "w", buffering=1, encoding=stderr.encoding, errors=stderr.errors)
    sys.stderr = PlainStream(own)
    os.dup2(errors, 2)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return True


def work_prefix(process: int) -> str:
    """Prefix of a process' temporary folders."""
    return f".numalens-{process}-"


def memory_sentence() -> str:
    """The sentence for a command that met its limit."""
    return f"this import needs more memory than the limit of {_limit():,} bytes ({VARIABLE})"


def _limit() -> int:
    text = os.environ.get(VARIABLE, str(JOB_MEMORY_BYTES))
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 1 << 63:
        raise UsageError(f"{VARIABLE} is not valid: expected a number of bytes, found {text!r}")
    return int(text)


def _wait_for(child: int, errors: int, out: Path | None) -> None:
    """Returns when the child has ended well; else exits with its status, after what it said."""
    # An interrupt reaches the child, too, and it is the child that has something to end.
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:
        # Another signal has a handler, and ends both.
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        _remove(child, out)
        raise
    finally:
        signal.signal(signal.SIGINT, on_interrupt)
    with os.fdopen(errors, "rb") as file:
        file.seek(0)
        said = file.read()
    if status < 0:
        _remove(child, out)
        if OUT_OF_MEMORY_MARK in said:
            sys.stderr.write(f"numalens: {memory_sentence()}\n")
            sys.exit(REJECTED)
    sys.stderr.write(said.decode(errors="replace"))
    if status < 0:
        sys.stderr.write(f"numalens: stopped unexpectedly ({signal.Signals(-status).name})\n")
        sys.exit(FAILED)
    if status:
        sys.exit(status)


def _remove(child: int, out: Path | None) -> None:
    """Removes the temporary folders of a process that could not do so."""
    for folder in {Path(tempfile.gettempdir()), *(() if out is None else (out.absolute().parent,))}:
        for left in folder.glob(f"{work_prefix(child)}*"):
            with suppress(OSError):
                shutil.rmtree(left)

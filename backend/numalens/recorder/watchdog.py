"""Takes a recording's tracing instance away, also when the recorder was killed.

As a program it reads orders from its standard input until `done` or the end, which comes at the latest with the recorder's
death. Without `done` it cleans up. It runs in a session of its own and imports nothing of ours.

Orders: `kill PID START` (a helper process to end; START is the 22nd field of its /proc/PID/stat, so that a number used
again is never killed), `done`.
"""

import argparse
import ctypes
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

PATIENCE_S: Final = 10.0
WAKEUP_SUFFIX: Final = "-wakeup"
SYNTHETIC: Final = "numalens_wakeup_"
PROBES: Final = "numalens"


def start_time(pid: int) -> str | None:
    """Start time of a process, as the kernel counts it; None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name in parentheses may hold blanks and parentheses.
    return text.rpartition(b")")[2].split()[19].decode()


def wakeup_of(instance: Path) -> Path:
    """The second instance of a recorder, which has the triggers that watch wakeups."""
    return instance.with_name(instance.name + WAKEUP_SUFFIX)


def remove_wakeup(instance: Path, pid: str, patience_s: float = PATIENCE_S) -> bool:
    """Removes what watches wakeups: histogram triggers, their instance, and the synthetic event that they make."""
    synthetic = instance.parent.parent / "synthetic_events"
    # The trigger that makes the event refers to the other one's variable and goes first.
    for event in ("sched_switch", "sched_waking"):
        trigger = instance / "events/sched" / event / "trigger"
        with suppress(OSError):
            lines = [line.partition("[")[0].strip() for line in trigger.read_text().splitlines()]
            for line in lines:
                if line.startswith("hist:"):
                    append(trigger, f"!{line}")
    gone = remove_instance(instance, patience_s)
    with suppress(OSError):
        if re.search(rf"^{SYNTHETIC}{pid}\b", synthetic.read_text(), re.MULTILINE):
            append(synthetic, f"!{SYNTHETIC}{pid}")
    return gone


def dynamic_events(tracefs: Path) -> Path | None:
    """The file that sets and removes probes; before 5.0 there is one for kprobes alone. None where there is neither."""
    return next((file for name in ("dynamic_events", "kprobe_events") if (file := tracefs / name).exists()), None)


def remove_probes(tracefs: Path) -> None:
    """Removes the recorders' probes; those that another recorder still uses stay."""
    file = dynamic_events(tracefs)
    if file is None:
        return
    for event in (tracefs / "events" / PROBES).glob("*/enable"):
        # Busy: the kernel refuses.
        with suppress(OSError):
            append(file, f"-:{PROBES}/{event.parent.name}")


def append(file: Path, text: str) -> None:
    """Gives one of tracefs' files one more line: truncated it would lose what others have in it. Raises OSError."""
    # Not by `open`, which seeks to the end: some of these files cannot.
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def remove_instance(instance: Path, patience_s: float = PATIENCE_S) -> bool:
    """Switches tracing off in an instance and removes it; true when it is gone."""
    end = time.monotonic() + patience_s
    while instance.is_dir():
        for file, value in (("tracing_on", b"0"), ("events/enable", b"0")):
            with suppress(OSError), (instance / file).open("r+b", buffering=0) as control:
                control.write(value)
        try:
            instance.rmdir()
        except OSError:
            # Busy: a process, such as a helper that is ending, still has one of its files open.
            if time.monotonic() >= end:
                return False
            time.sleep(0.05)
    return True


class Spool:
    """A new folder in the folder `out`, for the files of a recording until they are packed.

    `out` may belong to another user, who can rename what is in it and put a link there. Both folders are therefore opened
    once, and `folder` and `path` lead to the open ones whatever their names lead to by then.
    """

    def __init__(self, out: Path) -> None:
        """Raises OSError, also when another folder has the name of the new one already."""
        out_descriptor = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
        self.folder = Path(f"/proc/self/fd/{out_descriptor}")
        self.name = tempfile.mkdtemp(prefix=".numalens-", suffix=".part", dir=self.folder)
        descriptor = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        self.path = Path(f"/proc/self/fd/{descriptor}")
        self.descriptors = (out_descriptor, descriptor)
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077 or any(self.path.iterdir()):
            raise PermissionError(errno.EPERM, "another process replaced the new folder", self.name)

    def remove(self) -> None:
        """Removes the folder and all that is in it."""
        remove_spool(self.name, self.descriptors[1])
        for descriptor in self.descriptors:
            os.close(descriptor)


def remove_spool(name: str, descriptor: int) -> None:
    """Removes all that is in an open folder, and the folder if it still has its name."""
    shutil.rmtree(f"/proc/self/fd/{descriptor}/.", ignore_errors=True)
    with suppress(OSError):
        Path(name).rmdir()


def clean(instance: Path, spool: tuple[str, int], helpers: Iterable[tuple[int, str]], mount: Path | None) -> None:
    """Everything that a recorder leaves behind when it is killed."""
    for pid, start in helpers:
        if start_time(pid) == start:
            with suppress(OSError):
                # The helper leads a process group of its own, with its own children in it.
                os.killpg(pid, signal.SIGKILL)
    remove_wakeup(wakeup_of(instance), instance.name.rpartition("-")[2])
    remove_instance(instance)
    remove_probes(instance.parent.parent)
    remove_spool(*spool)
    if mount is not None:
        ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(mount), 0)


def main() -> None:
    """Waits for the end of standard input."""
    parser = argparse.ArgumentParser()
    parser.add_argument("instance", type=Path)
    parser.add_argument("spool")
    parser.add_argument("descriptor", type=int)
    parser.add_argument("--mount", type=Path)
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    helpers: list[tuple[int, str]] = []
    for line in sys.stdin:
        order = line.split()
        if order == ["done"]:
            return
        if order[:1] == ["kill"]:
            helpers.append((int(order[1]), order[2]))
    clean(options.instance, (options.spool, options.descriptor), helpers, options.mount)


class Guard:
    """A watchdog process for one recording: started before there is anything to clean up, dismissed after the cleanup.

    The pipe to it must reach no other process: its end is how death is noticed.
    """

    def __init__(self, instance: Path, spool: Spool, mount: Path | None) -> None:
        arguments = [str(instance), spool.name, str(spool.descriptors[1])]
        if mount is not None:
            arguments += ["--mount", str(mount)]
        self._process = subprocess.Popen(  # noqa: S603  (our own interpreter and script)
            [sys.executable, "-I", "-S", __file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            pass_fds=spool.descriptors,
        )

    @property
    def pid(self) -> int:
        """The watchdog's process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets the watchdog look after what our own cleaning up has left; usually that is nothing."""
        with suppress(OSError):
            self._process.communicate(timeout=PATIENCE_S + 5)

    def helper(self, pid: int) -> None:
        """A process that must not outlive us; it leads its own process group."""
        start = start_time(pid)
        if start is not None:
            self._tell(f"kill {pid} {start}\n")

    def dismiss(self) -> None:
        """Everything is cleaned up."""
        self._tell("done\n")

    def _tell(self, order: str) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(order.encode())
                self._process.stdin.flush()


if __name__ == "__main__":
    main()

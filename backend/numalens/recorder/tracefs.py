"""Location of tracefs, and the reason for which it cannot be used."""

import ctypes
import errno
import os
import re
from pathlib import Path
from typing import Final

USUAL: Final = Path("/sys/kernel/tracing")
LOCKDOWN: Final = Path("/sys/kernel/security/lockdown")
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


class CannotRecordError(RuntimeError):
    """Recording is not possible here; the sentence says what is missing and what to do."""


def mounted(mountinfo: str) -> Path | None:
    """The place of tracefs among the lines of `/proc/self/mountinfo` (proc_pid_mountinfo(5))."""
    places: list[Path] = []
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        kind, mount = right.split(" ")[:1], left.split(" ")[4:5]
        if not mount:
            continue
        place = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), mount[0]))
        if kind == ["tracefs"]:
            places.append(place)
        elif kind == ["debugfs"]:
            # Old kernels have the tracing files inside debugfs; newer ones mount tracefs there on first use.
            places.append(place / "tracing")
    places.sort(key=lambda place: (place != USUAL, place.name == "tracing" and place.parent.name == "debug"))
    return next((place for place in places if (place / "events").is_dir()), None)


class Tracefs:
    """The tracing files, mounted by the recorder if needed."""

    def __init__(self, root: Path, *, mounted_here: bool = False) -> None:
        self.root = root
        self.mounted_here = mounted_here

    @property
    def events(self) -> Path:
        """The folder of all events."""
        return self.root / "events"

    def unmount(self) -> None:
        """Removes the recorder's own mount; one that is in use by now stays."""
        if self.mounted_here:
            ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(self.root), 0)


def open_tracefs() -> Tracefs:
    """Finds tracefs or mounts it. Raises CannotRecordError."""
    try:
        found = mounted(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape"))
    except PermissionError as error:
        raise CannotRecordError(not_permitted(error)) from error
    except OSError:
        raise CannotRecordError(
            "recording works on Linux with /proc mounted; this machine has no /proc/self/mountinfo"
        ) from None
    mounted_here = False
    if found is None:
        _mount()
        found, mounted_here = USUAL, True
    tracefs = Tracefs(found, mounted_here=mounted_here)
    try:
        refusal = _refusal(found)
    except OSError as error:
        refusal = not_permitted(error)
    if refusal is not None:
        tracefs.unmount()
        raise CannotRecordError(refusal)
    return tracefs


def _refusal(root: Path) -> str | None:
    if not os.access(root / "instances", os.W_OK | os.X_OK):
        return not_permitted(PermissionError(errno.EACCES, "", str(root / "instances")))
    if not (root / "events" / "sched" / "sched_switch" / "format").exists():
        return (
            "this kernel has no scheduler events (CONFIG_FTRACE is off or incomplete); record on a kernel that has them"
        )
    return None


def _mount() -> None:
    if os.geteuid() != 0:
        raise CannotRecordError(not_permitted(PermissionError(errno.EPERM, "")))
    if "tracefs" not in Path("/proc/filesystems").read_text(encoding="ascii").split():
        raise CannotRecordError("this kernel has no tracefs (CONFIG_FTRACE is off); record on a kernel that has it")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"nodev", os.fsencode(USUAL), b"tracefs", 0, None) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise CannotRecordError(
            f"tracefs is not mounted and cannot be mounted on {USUAL} ({reason}); "
            "record on the host, or in a container that has CAP_SYS_ADMIN and the host's tracefs"
        )


def not_permitted(error: OSError) -> str:
    """The sentence for an error that the kernel answered to one of our first steps."""
    if os.geteuid() != 0:
        return "recording needs root, since the kernel's tracing files are root's; run it with sudo"
    if locked_down():
        return (
            "kernel lockdown forbids tracing even to root (/sys/kernel/security/lockdown says confidentiality); "
            "boot without lockdown=confidentiality to record"
        )
    place = error.filename or str(USUAL)
    if error.errno == errno.EROFS:
        return f"{place} is mounted read-only, as in containers; record on the host"
    reason = error.strerror or "permission denied"
    return f"the kernel denies this process the use of tracing ({place}: {reason}); record on the host as root"


def locked_down() -> bool:
    """Returns whether lockdown hides tracefs, which it does at level confidentiality only."""
    try:
        return "[confidentiality]" in LOCKDOWN.read_text(encoding="ascii")
    except OSError:
        return False

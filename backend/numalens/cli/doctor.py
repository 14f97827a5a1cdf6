"""`numalens doctor`: whether this machine and its services are ready for a server with these settings, and what to do if not."""

import ctypes
import os
import platform
import resource
import shutil
import sqlite3
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

import typer

from numalens.api.slow_client import most_connections
from numalens.auth.checks import problem_of
from numalens.cli.app import FAILED
from numalens.cli.options import JsonFile
from numalens.cli.output import write_report
from numalens.cli.settings import Data, settings_of
from numalens.cli.usage import new_app
from numalens.errors import AwayError, SentenceError
from numalens.sandbox.confine import LAYERS, host_layers
from numalens.settings import GIB, Settings
from numalens.store.database import AWAY, CONNECT_S, READ_ONLY, database_url, of_postgresql
from numalens.store.folder import DATABASE
from numalens.store.objects import Objects

with suppress(ModuleNotFoundError):  # the extra team
    import psycopg

FEW_CONNECTIONS: Final = 1000
TIME_ERROR: Final = 5
"""Result of adjtimex(2) for an unsynchronized clock."""
TIMEX_BYTES: Final = 256
"""More than a `struct timex` has; zeros change nothing."""
REMEDIES: Final = {
    "landlock": "boot Linux 5.13 or newer with `landlock` among its security modules (`lsm=` on its command line)",
    "seccomp": "run a kernel with CONFIG_SECCOMP_FILTER",
}
SYSCTLS: Final = {
    "user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=1000"),
    "kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
}
"""Settings that keep an ordinary user from namespaces, below /proc/sys: the value that does, and the command that does not."""

app = new_app()


@dataclass(frozen=True)
class Found:
    """Result of a check."""

    state: Literal["ok", "warning", "problem"]
    sentence: str
    remedy: str = ""
    """Fix, if one is needed."""


def sign_in(settings: Settings) -> Iterator[Found]:
    """Settings that contradict each other."""
    problem = problem_of(settings)
    yield Found("ok", f"NUMALENS_SIGN_IN={settings.sign_in}.") if problem is None else Found("problem", f"{problem}.")


def permissions(settings: Settings) -> Iterator[Found]:
    """Checks that the data folder is private to the server."""
    folder = settings.data.absolute()
    if not folder.exists():
        above = next(parent for parent in folder.parents if parent.exists())
        if os.access(above, os.W_OK | os.X_OK):
            yield Found("ok", f"{folder} does not exist yet; a server creates it.")
        else:
            yield Found("problem", f"{folder} does not exist, and {above} is not writable.", _give(folder))
        return
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        yield Found("problem", f"{folder} is not writable ({error.strerror}).", _give(folder))
        return
    if (owner := folder.stat().st_uid) != os.geteuid():
        yield Found("warning", f"{folder} belongs to user {owner}, not to {os.geteuid()}.", _give(folder))
    if (open_to_all := _open_to_others(folder)) is not None:
        sentence = f"Others on this machine may read {open_to_all}."
        yield Found("warning", sentence, f"start the server once, or: chmod -R go-rwx {folder}")
        return
    yield Found("ok", f"{folder} is writable and private to the server.")


def _give(folder: Path) -> str:
    return f"create it for the server's user: install -d -m 700 -o USER {folder}"


def _open_to_others(folder: Path) -> Path | None:
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & 0o077:
                return path
    return None


def limits(settings: Settings) -> Iterator[Found]:
    """Checks the resource limits of a server's processes."""
    connections = most_connections()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    yield Found(
        "ok" if connections >= FEW_CONNECTIONS else "warning",
        f"{connections:,} connections at the same time: a process may open {files:,} files.",
        ""
        if connections >= FEW_CONNECTIONS
        else "LimitNOFILE=65536 in the unit, `--ulimit nofile=65536` of a container",
    )
    for what, number, wanted, setting in (
        ("memory", resource.RLIMIT_DATA, settings.job_memory_bytes, "NUMALENS_JOB_MEMORY_BYTES"),
        ("files of", resource.RLIMIT_FSIZE, settings.job_file_bytes, "NUMALENS_JOB_FILE_BYTES"),
    ):
        hard = resource.getrlimit(number)[1]
        if hard != resource.RLIM_INFINITY and hard < wanted:
            sentence = f"An import process may have {what} {wanted:,} bytes, and this user's processes {hard:,}."
            yield Found("problem", sentence, f"raise the limit (ulimit), or lower {setting}")
    readings = settings.jobs_memory_bytes or settings.jobs * settings.job_memory_bytes
    together = readings + settings.sql_engines * settings.sql_memory_bytes + settings.fleet_memory_bytes
    have = _memory_bytes()
    fits = together <= have
    yield Found(
        "ok" if fits else "warning",
        f"Imports and queries may take {together / GIB:.1f} GiB of memory together; there are {have / GIB:.1f} GiB.",
        ""
        if fits
        else "lower NUMALENS_JOB_MEMORY_BYTES, NUMALENS_JOBS, NUMALENS_SQL_MEMORY_BYTES or NUMALENS_SQL_ENGINES",
    )


def _memory_bytes() -> int:
    """Memory of the machine, or of the control group (version 2) that this process is in."""
    least = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError):
        own = Path("/proc/self/cgroup").read_text().rpartition("::")[2].strip().lstrip("/")
        top = Path("/sys/fs/cgroup")
        for group in (top / own, *(top / own).parents):
            with suppress(OSError, ValueError):
                least = min(least, int((group / "memory.max").read_text()))
    return least


def kernel(settings: Settings) -> Iterator[Found]:
    """Checks the kernel's features for confining processes that read recordings."""
    system = f"{platform.system()} {platform.release()}"
    if settings.confine == "off":
        yield Found("warning", f"{system}: confinement is off (NUMALENS_CONFINE=off).", "unset NUMALENS_CONFINE")
        return
    have = host_layers()
    for layer in LAYERS:
        if layer not in have:
            state: Literal["warning", "problem"] = "problem" if settings.confine == "require" else "warning"
            remedy = REMEDIES.get(layer) or _namespaces_remedy(Path("/proc/sys"))
            yield Found(state, f"{system}: processes that read recordings are confined without {layer}.", remedy)
    if have:
        yield Found("ok", f"{system}: processes that read recordings are confined by {', '.join(have)}.")


def _namespaces_remedy(sysctls: Path) -> str:
    """Fix that allows an ordinary user namespaces: the settings that forbid it, or the remaining causes."""
    found = []
    for name, (value, command) in SYSCTLS.items():
        with suppress(OSError):
            if (sysctls / name).read_text().strip() == value:
                found.append(command)
    return (
        "; ".join(found)
        or "let the container's seccomp profile allow unshare(2) with CLONE_NEWUSER (Docker's default one does not)"
    )


def disk(settings: Settings) -> Iterator[Found]:
    """Checks the free space for uploads and results."""
    folder = next(path for path in (settings.data.absolute(), *settings.data.absolute().parents) if path.exists())
    free, least = shutil.disk_usage(folder).free, settings.min_free_bytes
    sentence = (
        f"{free / GIB:.1f} GiB are free at {folder}; uploads leave {least / GIB:.1f} GiB (NUMALENS_MIN_FREE_BYTES)."
    )
    remedy = "delete analyses, set NUMALENS_KEEP_DAYS, or choose another disk with NUMALENS_DATA"
    yield Found("ok", sentence) if free > least else Found("problem", sentence, remedy)
    inodes = os.statvfs(folder)
    if inodes.f_files and not inodes.f_favail:
        yield Found("problem", f"The file system of {folder} has no inode left.", remedy)


def clock(_settings: Settings) -> Iterator[Found]:
    """Sessions, links and tokens end by the clock, and an issuer's tokens are checked by it."""
    now = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    installed = Path(__file__).stat().st_mtime
    if time.time() < installed:
        yield Found("problem", f"It is {now}, but this program was built later.", "set the clock")
    state = _clock_state()
    if state == TIME_ERROR:
        sentence = f"It is {now}; according to the kernel, the clock is not synchronized."
        yield Found("warning", sentence, "run chronyd, ntpd or systemd-timesyncd")
    else:
        known = (
            "according to the kernel, the clock is synchronized"
            if state >= 0
            else "it is not known whether the clock is synchronized"
        )
        yield Found("ok", f"It is {now}; {known}.")


def _clock_state() -> int:
    """Result of adjtimex(2), which is negative without permission."""
    if sys.platform != "linux":
        return -1
    return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES)))


def database(settings: Settings) -> Iterator[Found]:
    """Checks that rows can be read and written. Creates and changes none."""
    if settings.database_url is not None:
        yield _postgresql(settings.database_url)
        return
    file = settings.data.absolute() / DATABASE
    if not file.exists():
        yield Found("ok", f"{file} does not exist yet; a server creates it.")
        return
    # Without a log no process has it open: then not even a lock is taken, of which a file would stay.
    how = "mode=ro" if file.with_name(f"{file.name}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?{how}", uri=True)) as connection:
            (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        result = str(error)
    if result == "ok":
        yield Found("ok", f"{file} is intact.")
    else:
        yield Found("problem", f"{file} is damaged: {result.splitlines()[-1]}.", "restore a backup: numalens restore")


def _postgresql(url: str) -> Found:
    plain = database_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    query = "SELECT version(), current_setting('transaction_read_only')"
    try:
        with psycopg.connect(plain, connect_timeout=CONNECT_S) as connection:
            version, read_only = connection.execute(query).fetchone() or ("", "on")
    except psycopg.Error as error:
        sentence = (of_postgresql(error) or AwayError(AWAY)).sentence
        return Found("problem", sentence, "check NUMALENS_DATABASE; see docs/team.md")
    if read_only == "on":
        return Found("problem", READ_ONLY, "set NUMALENS_DATABASE to a server that is writable")
    return Found("ok", f"{' '.join(version.split()[:2])} answers.")


def bucket(settings: Settings) -> Iterator[Found]:
    """Checks that objects can be stored and read."""
    if settings.store is None:
        yield Found("ok", "None: recordings and bundles are in the data folder.")
        return
    try:
        Objects(settings.store).check()
    except (SentenceError, ValueError) as error:
        sentence = error.sentence if isinstance(error, SentenceError) else f"{error}."
        yield Found("problem", sentence, "check NUMALENS_STORE and the AWS_* variables; see docs/team.md")
    else:
        yield Found("ok", f"{settings.store} stores and returns objects.")


CHECKS: Final[dict[str, Callable[[Settings], Iterator[Found]]]] = {
    "sign-in": sign_in,
    "permissions": permissions,
    "limits": limits,
    "kernel": kernel,
    "disk": disk,
    "clock": clock,
    "database": database,
    "bucket": bucket,
}


@app.command()
def doctor(
    data: Data = None,
    json: JsonFile = None,
) -> None:
    """Check this machine's readiness to run a server and suggest fixes. Status 1 when it is not."""
    settings = settings_of(data=data)
    found = [(name, one) for name, check in CHECKS.items() for one in check(settings)]
    write_report([{"check": name, **asdict(one)} for name, one in found], json, lambda: "".join(_lines(found)))
    if any(one.state == "problem" for _, one in found):
        raise typer.Exit(FAILED)


def _lines(found: list[tuple[str, Found]]) -> Iterator[str]:
    for name, one in found:
        yield f"{one.state:<8} {name:<12} {one.sentence}\n"
        if one.remedy:
            yield f"{'':<21} Do: {one.remedy}\n"

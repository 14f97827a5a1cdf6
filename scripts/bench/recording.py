"""Gets one large version 6 recording: recorded on this machine when it allows that, else generated."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from generate import generate

TRACEFS = Path("/sys/kernel/tracing")
HERE = Path(__file__).resolve().parent
TARGET_BYTES = 600_000_000
"""Ring-buffer pages to record: comfortably over 10 M events at about 48 bytes each."""
AT_LEAST_BYTES = 300_000_000
GIVE_UP_S = 300.0
SYSTEMS = ("sched", "irq", "timer", "ipi")


@dataclass(frozen=True)
class Recording:
    """A file to measure with, and where it came from (one phrase for the printed result)."""

    path: Path
    origin: str


class CannotRecord(Exception):
    """Why this machine cannot record, as one sentence."""


def obtain(cache: Path, *, generated: bool = False) -> Recording:
    """Returns the cached recording, or makes one. `generated` asks for the generated one even where recording works."""
    cache.mkdir(parents=True, exist_ok=True)
    recorded, made = cache / "recorded.v6.dat", cache / "generated.v6.dat"
    if not generated:
        if recorded.exists():
            return Recording(recorded, "recorded here earlier")
        try:
            record(recorded)
            return Recording(recorded, "recorded here just now")
        except CannotRecord as why:
            print(f"{why} A recording is generated instead.", file=sys.stderr)
    if not made.exists():
        generate(made)
    return Recording(made, "generated from a fixture")


def record(target: Path) -> None:
    """Records scheduler, irq, timer and ipi events under load until `TARGET_BYTES` are in the per-CPU files.

    Raises `CannotRecord` when the machine does not allow it or the recorder fails.
    """
    trace_cmd = shutil.which("trace-cmd")
    if trace_cmd is None:
        raise CannotRecord("trace-cmd is not installed.")
    if os.geteuid() != 0:
        raise CannotRecord("Recording needs root.")
    mount = shutil.which("mount")
    if mount and not (TRACEFS / "events").is_dir():
        subprocess.run([mount, "-t", "tracefs", "nodev", str(TRACEFS)], check=False, capture_output=True)
    systems = [name for name in SYSTEMS if (TRACEFS / "events" / name).is_dir()]
    if "sched" not in systems:
        raise CannotRecord(f"{TRACEFS} shows no scheduler events.")
    part = target.with_suffix(".part")
    # Real-time priority: the load would otherwise keep the recorder from emptying the buffers in time.
    command = [trace_cmd, "record", "-d", "--file-version", "6", "-C", "mono", "-b", "16384", "-r", "1"]
    for name in systems:
        command += ["-e", name]
    print(f"Recording {TARGET_BYTES / 1e6:.0f} MB of {', '.join(systems)} events under load ...", file=sys.stderr)
    log_path = target.with_suffix(".log")
    with log_path.open("wb") as log:
        recorder = subprocess.Popen(
            [*command, "-o", str(part)],
            stdout=log,
            stderr=log,
            env=environment(target.parent),
            cwd=target.parent,
            start_new_session=True,
        )
        load = subprocess.Popen([sys.executable, str(HERE / "load.py")])
        try:
            watch(recorder, part)
        finally:
            load.send_signal(signal.SIGTERM)
            load.wait()
            if recorder.poll() is None:
                recorder.send_signal(signal.SIGINT)
                recorder.wait()
            # When trace-cmd gives up at its start, its processes per CPU stay behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(recorder.pid, signal.SIGKILL)
            for rest in target.parent.glob(f"{part.name}.cpu*"):
                rest.unlink()
    if not part.exists() or part.stat().st_size < AT_LEAST_BYTES:
        part.unlink(missing_ok=True)
        last = log_path.read_text(errors="replace").strip().splitlines()
        words = last[-1].strip() if last else "without a message"
        raise CannotRecord(f"trace-cmd record ended with status {recorder.returncode} and too small a file: {words}.")
    part.rename(target)


def watch(recorder: subprocess.Popen[bytes], part: Path) -> None:
    """Waits until the per-CPU files hold enough, the recorder ended, or it takes too long."""
    until = time.monotonic() + GIVE_UP_S
    while recorder.poll() is None and time.monotonic() < until:
        size = sum(piece.stat().st_size for piece in part.parent.glob(f"{part.name}.cpu*"))
        if size >= TARGET_BYTES:
            return
        time.sleep(0.2)


def environment(cache: Path) -> dict[str, str]:
    """The recorder's environment, with the shim where the kernel refuses the function tracer's control files."""
    env = dict(os.environ)
    if any(refused(file) for file in (TRACEFS / "set_ftrace_filter", Path("/proc/sys/kernel/ftrace_enabled"))):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise CannotRecord(
                "This kernel refuses trace-cmd the function tracer's files, and no C compiler is here for the shim."
            )
        library = cache / "shim.so"
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(HERE / "shim.c"), "-ldl"], check=True
        )
        env["LD_PRELOAD"] = str(library)
    return env


def refused(file: Path) -> bool:
    """Whether the kernel refuses to open a control file for writing (one that does not exist is not in the way)."""
    try:
        os.close(os.open(file, os.O_WRONLY))
    except PermissionError:
        return True
    except OSError:
        return False
    return False

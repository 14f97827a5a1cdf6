"""Boots a Debian kernel in QEMU and plays a batch of scenarios in it.

The guest's root is this machine's, read-only over 9p, so that it has the same Python and recorder; results come back over
a second share. QEMU emulates (TCG): decisions are the scheduler's, durations are stretched.
"""

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from machine import version_of
from model import Machine

HERE: Final = Path(__file__).resolve().parent
MODULES: Final = ("virtio_pci", "virtio_blk", "9pnet_virtio", "9p", "zram", "lzo-rle")
MEMORY_MB: Final = 768
MIRROR: Final = "http://deb.debian.org/debian"
KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"
INIT: Final = """#!/bin/busybox sh
busybox mkdir -p /proc /sys /dev /r
busybox mount -t proc proc /proc; busybox mount -t sysfs sys /sys; busybox mount -t devtmpfs dev /dev
for m in $(busybox cat /modules/order); do busybox insmod /modules/$m || echo "no module $m"; done
busybox ifconfig lo 127.0.0.1 up
busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=524288,cache=loose root /r
for d in proc sys dev; do busybox mount --move /$d /r/$d; done
busybox mount -t tmpfs tmp /r/tmp; busybox mount -t tmpfs tmp /r/run; busybox mkdir -p /r/dev/shm
busybox mount -t tmpfs tmp /r/dev/shm
busybox mount -t tracefs t /r/sys/kernel/tracing; busybox mount -t debugfs d /r/sys/kernel/debug
busybox mount -t cgroup2 c /r/sys/fs/cgroup
busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288 results /r/mnt
busybox chroot /r /bin/sh /mnt/run.sh
busybox sync; busybox poweroff -f
"""
RUN: Final = """export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp SCENARIO_GUEST=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={backend}
[ -e /sys/block/zram0 ] && echo 256M > /sys/block/zram0/disksize && mkswap /dev/zram0 > /dev/null && swapon /dev/zram0
uname -a; cat /proc/cmdline
exec {python} {play} /mnt/batch.json /mnt
"""


class GuestError(Exception):
    """The guest could not be made or did not do its work."""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel package."""

    package: str
    folder: Path
    image: Path
    version: tuple[int, ...]
    release: str


def _suite(suite: str, cache: Path) -> list[str]:
    """Options with which apt knows a suite of Debian and nothing else, its lists kept in `cache`."""
    place = cache / suite
    for part in ("lists/partial", "archives/partial"):
        (place / part).mkdir(parents=True, exist_ok=True)
    sources = place / "sources.list"
    sources.write_text(f"deb [signed-by={KEYRING}] {MIRROR} {suite} main\n", encoding="utf-8")
    settings = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": place / "lists",
        "Dir::Cache": place,
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    subprocess.run(["apt-get", *options, "-qq", "update"], check=True)  # noqa: S607
    return options


def _download(package: str, cache: Path, options: list[str]) -> None:
    command = ["apt-get", *options, "download", package]
    done = subprocess.run(command, cwd=cache, check=False, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise GuestError(
            f"apt has no {package} (it said: {said}); a suite keeps its newest kernels only: put the .deb into {cache}, or "
            "name another kernel with --guest and --suite"
        )


def fetch(package: str, cache: Path, suite: str | None = None) -> Kernel:
    """Downloads and unpacks a kernel package with apt, unless it is there, of this machine's suite of Debian or of another.

    Raises GuestError.
    """
    folder = cache / package
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        options = [] if suite is None else _suite(suite, cache)
        parts = [package]
        for part in parts:
            if not list(cache.glob(f"{part}_*.deb")):
                _download(part, cache, options)
            file = next(cache.glob(f"{part}_*.deb"))
            subprocess.run(["dpkg-deb", "-x", file, folder], check=True)  # noqa: S607
            if part == package:
                # Since 7.x the kernel and its modules are packages that this one depends on.
                shown = subprocess.run(["dpkg-deb", "-f", file, "Depends"], check=True, capture_output=True, text=True)  # noqa: S607
                parts += re.findall(r"linux-(?:binary|modules)-\S+", shown.stdout)
    # In /boot, since 7.x with the modules.
    image = next(folder.rglob("vmlinuz*"), None)
    release = next((path.name for path in folder.rglob("modules/*") if path.is_dir()), "")
    version = version_of(release)
    if image is None or not version:
        raise GuestError(f"{package} has no kernel with a version")
    return Kernel(package, folder, image, version, release)


def machine_of(kernel: Kernel, cpus: int, nodes: int, threads: int = 1) -> Machine:
    """The guest as scenarios see it."""
    return Machine(cpus, nodes, True, kernel.version, threads)


def _modules(kernel: Kernel) -> dict[str, bytes]:
    """The modules of a guest and those that they need, in the order of loading."""
    tree = next(kernel.folder.rglob(f"modules/{kernel.release}"))
    files = {re.sub(r"\.ko(\.xz)?$", "", path.name).replace("-", "_"): path for path in tree.rglob("*.ko*")}
    found: dict[str, bytes] = {}

    def add(name: str) -> None:
        path = files.get(name.replace("-", "_"))
        # What has no file is built in.
        if path is None or f"{name}.ko" in found:
            return
        data = path.read_bytes()
        data = lzma.decompress(data) if path.suffix == ".xz" else data
        needs = re.search(rb"\0depends=([^\0]*)", data)
        for need in needs[1].decode().split(",") if needs else []:
            if need:
                add(need.replace("-", "_"))
        found.setdefault(f"{name}.ko", data)

    for name in MODULES:
        add(name.replace("-", "_"))
    return found


def _initrd(kernel: Kernel, busybox: Path) -> bytes:
    """An initial file system in cpio's `newc` format (Documentation/driver-api/early-userspace/buffer-format.rst)."""
    modules = _modules(kernel)
    directories = dict.fromkeys(("bin", "modules", "dev", "proc", "sys", "r"), (16877, b""))
    files = {
        "init": (0o100755, INIT.encode()),
        "bin/busybox": (0o100755, busybox.read_bytes()),
        "modules/order": (0o100644, "\n".join(modules).encode()),
        **{f"modules/{name}": (0o100644, data) for name, data in modules.items()},
        "TRAILER!!!": (0, b""),
    }
    out = bytearray()
    for number, (name, (mode, data)) in enumerate((directories | files).items(), start=1):
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        out += b"070701" + b"".join(f"{field:08x}".encode() for field in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return bytes(out)


def _qemu(kernel: Kernel, machine: Machine, share: Path, disk: Path) -> list[str]:
    """The command that boots the guest."""
    each, memory = machine.cpus // machine.nodes, MEMORY_MB * 2 // machine.nodes
    nodes: list[str] = []
    for node in range(machine.nodes):
        cpus = f"{node * each}-{(node + 1) * each - 1}"
        nodes += ["-object", f"memory-backend-ram,id=m{node},size={memory}M"]
        nodes += ["-numa", f"node,nodeid={node},cpus={cpus},memdev=m{node}"]
    # A loaded machine keeps the timer from ticking while the kernel tests it, which is a panic.
    boot = "console=ttyS0 psi=1 panic=-1 quiet tsc=reliable no_timer_check numa_balancing=enable"
    # One thread and a clock of executed instructions: time in the guest does not depend on this machine's load, and the
    # kernel may patch its code (static keys) while other CPUs run it, which threads of TCG do not survive. 6.1 hangs so.
    emulation = ["-accel", "tcg,thread=single", "-icount", "shift=2,sleep=off"]
    if kernel.version < (6, 12):
        emulation = ["-accel", "tcg,thread=multi"]
    # The CPU of QEMU's own is AMD's, which says nothing of threads.
    cpu = "max" if machine.threads == 1 else "max,vendor=GenuineIntel"
    return [
        *("nice", "-n", "5", "qemu-system-x86_64", *emulation),
        *("-cpu", cpu, "-M", "pc"),
        *("-smp", f"{machine.cpus},sockets={machine.nodes},cores={each // machine.threads},threads={machine.threads}"),
        *("-m", f"{memory * machine.nodes}M"),
        *nodes,
        *(
            "-kernel",
            str(kernel.image),
            "-initrd",
            str(share / "initrd"),
            "-append",
            boot,
        ),
        *("-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"),
        *("-virtfs", f"local,path={share},mount_tag=results,security_model=none"),
        *("-drive", f"file={disk},format=raw,if=virtio,throttling.iops-total=150"),
        *("-display", "none", "-nographic", "-no-reboot", "-monitor", "none", "-serial", "stdio", "-net", "none"),
    ]


def play_batch(
    kernel: Kernel,
    machine: Machine,
    batch: dict[str, Any],
    share: Path,
    limit_s: float,
    program: str = "play.py",
) -> None:
    """Boots once and has a program (a path from this folder) do what `batch` says. Raises GuestError.

    Each scenario's files are in a folder of its name below `share`.
    """
    busybox = shutil.which("busybox")
    if busybox is None or shutil.which("qemu-system-x86_64") is None:
        raise GuestError("guests need qemu-system-x86 and busybox-static (apt-get install them)")
    share.mkdir(parents=True, exist_ok=True)
    disk = share / "disk.img"
    with disk.open("wb") as file:
        os.truncate(file.fileno(), 64 << 20)
    (share / "initrd").write_bytes(_initrd(kernel, Path(busybox)))
    (share / "batch.json").write_text(json.dumps(batch), encoding="utf-8")
    run = RUN.format(backend=HERE.parents[1] / "backend", python=Path(sys.executable), play=HERE / program)
    (share / "run.sh").write_text(run, encoding="utf-8")
    command = _qemu(kernel, machine, share, disk)
    try:
        with (share / "console.log").open("wb") as console:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, timeout=limit_s, check=False
            )
    except subprocess.TimeoutExpired as error:
        raise GuestError(f"the guest did not end within {limit_s:.0f} s; what it has done is in {share}") from error
    finally:
        for leftover in (disk, share / "initrd"):
            leftover.unlink(missing_ok=True)

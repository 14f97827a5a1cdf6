"""What the tasks of a scenario do. Each load is a forked process that goes on until it is killed."""

import ctypes
import mmap
import os
import random
import resource
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable
from multiprocessing import Lock
from pathlib import Path
from typing import Final

LIBC: Final = ctypes.CDLL(None, use_errno=True)
PR_SET_NAME: Final = 15
PR_SET_PDEATHSIG: Final = 1
# x86-64, include/uapi/asm/unistd_64.h
SYS_SET_MEMPOLICY: Final = 238
SYS_SCHED_SETATTR: Final = 314
SCHED_DEADLINE: Final = 6
MPOL_BIND: Final = 2
POLICIES: Final = {"fifo": os.SCHED_FIFO, "rr": os.SCHED_RR, "idle": os.SCHED_IDLE, "batch": os.SCHED_BATCH}
PAGE: Final = 4096
Args = dict[str, float]


def set_comm(name: str) -> None:
    """Names the calling thread (at most 15 bytes)."""
    LIBC.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def set_deadline(runtime_us: int, period_us: int) -> None:
    """Makes the calling thread SCHED_DEADLINE (struct sched_attr of sched_setattr(2)). Raises OSError."""
    nano = 1000
    attr = struct.pack("<IIQiIQQQ", 48, SCHED_DEADLINE, 0, 0, 0, runtime_us * nano, period_us * nano, period_us * nano)
    if LIBC.syscall(SYS_SCHED_SETATTR, 0, attr, 0):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def bind_memory(node: int) -> None:
    """Memory of the calling thread comes from this node only (set_mempolicy(2))."""
    mask = ctypes.c_ulong(1 << node)
    LIBC.syscall(SYS_SET_MEMPOLICY, MPOL_BIND, ctypes.byref(mask), 64)


def spin(seconds: float) -> None:
    """Computes for so much CPU time of the calling thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(200):
            pass


def busy(_: Args) -> None:
    """Computes without end."""
    while True:
        for _step in range(100_000):
            pass


def duty(args: Args) -> None:
    """Computes for run_ms of CPU time, then sleeps for sleep_ms, over and over; with `*_most_ms` for random times up to these."""
    dice = random.Random(args.get("seed"))
    run, sleep = args["run_ms"] / 1e3, args["sleep_ms"] / 1e3
    run_most, sleep_most = args.get("run_most_ms", 0.0) / 1e3, args.get("sleep_most_ms", 0.0) / 1e3
    while True:
        spin(dice.uniform(run, max(run, run_most)))
        time.sleep(dice.uniform(sleep, max(sleep, sleep_most)))


def sleeper(args: Args) -> None:
    """Wakes up every sleep_ms and does next to nothing."""
    while True:
        time.sleep(args["sleep_ms"] / 1e3)


def convoy(args: Args) -> None:
    """Workers that share one futex and hold it for hold_ms while they compute."""
    lock = Lock()
    for _ in range(int(args["workers"]) - 1):
        if not os.fork():
            break
    while True:
        with lock:
            spin(args["hold_ms"] / 1e3)


def forks(args: Args) -> None:
    """Forks batches of children that compute for child_ms and exit."""
    while True:
        children = []
        for _ in range(int(args["children"])):
            pid = os.fork()
            if not pid:
                spin(args["child_ms"] / 1e3)
                os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, 0)


def pool(args: Args) -> None:
    """The work of `forks` with standing workers: one byte through a pipe is one job."""
    jobs, done = os.pipe(), os.pipe()
    count = int(args["children"])
    for _ in range(count):
        if not os.fork():
            while os.read(jobs[0], 1):
                spin(args["child_ms"] / 1e3)
                os.write(done[1], b".")
    while True:
        os.write(jobs[1], b"." * count)
        left = count
        while left:
            left -= len(os.read(done[0], left))


def ping(_: Args) -> None:
    """Two processes that wake each other through pipes as fast as they can."""
    there, back = os.pipe(), os.pipe()
    if not os.fork():
        there, back = back, there
        os.write(there[1], b".")
    while True:
        os.read(back[0], 1)
        os.write(there[1], b".")


def messages(args: Args) -> None:
    """Pairs of senders and receivers, as hackbench has them: each sender writes to every receiver in turn, through pipes."""
    pipes = [os.pipe() for _ in range(int(args["pairs"]))]
    size = int(args["bytes"])
    payload = bytes(size)
    for read, _ in pipes:
        if not os.fork():
            while os.read(read, size):
                pass
    for _ in pipes[1:]:
        if not os.fork():
            break
    while True:
        for _, write in pipes:
            os.write(write, payload)


def timers(args: Args) -> None:
    """A signal of a real-time timer every period_us."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, args["period_us"] / 1e6)
    while True:
        signal.pause()


def packets(_: Args) -> None:
    """Sends datagrams to itself over the loopback: each is received in a softirq of the sender's CPU."""
    peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    peer.bind(("127.0.0.1", 0))
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    payload = bytes(512)
    while True:
        sender.sendto(payload, peer.getsockname())


def disk(args: Args) -> None:
    """Direct reads at random places of a file or disk; between them spin_us of computing."""
    path = os.environ["SCENARIO_DISK"]
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    blocks = os.lseek(descriptor, 0, os.SEEK_END) // PAGE
    buffer = mmap.mmap(-1, PAGE)
    place = os.getpid()
    while True:
        place = (place * 1103515245 + 12345) % (1 << 31)
        os.preadv(descriptor, [buffer], place % blocks * PAGE)
        spin(args["spin_us"] / 1e6)


def memory(args: Args) -> None:
    """Touches all of megabytes over and over; of a file where there is no swap."""
    size = int(args["megabytes"]) << 20
    if len(Path("/proc/swaps").read_text(encoding="ascii").splitlines()) > 1:
        area = mmap.mmap(-1, size)
    else:
        path = Path(os.environ["SCENARIO_DISK"]).with_name(f"memory-{os.getpid()}")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(descriptor, size)
        path.unlink()
        area = mmap.mmap(descriptor, size)
    while True:
        for place in range(0, size, PAGE):
            area[place] = (area[place] + 1) & 0xFF


def pages(args: Args) -> None:
    """Writes to each page of megabytes over and over, a page's first byte at a time: NUMA balancing scans them."""
    size = int(args["megabytes"]) << 20
    area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    # Small pages: one entry of a page table each.
    area.madvise(mmap.MADV_NOHUGEPAGE)
    ones = bytes(size // PAGE)
    # Pages that the only thread of a process has on its own node are left alone (change_pte_range).
    threading.Thread(target=time.sleep, args=(3600.0,), daemon=True).start()
    while True:
        area[::PAGE] = ones


def refresh(args: Args) -> None:
    """Makes the kernel queue work to a kworker of every CPU (vmstat_refresh in mm/vmstat.c), every sleep_ms."""
    while True:
        Path("/proc/sys/vm/stat_refresh").write_text("1", encoding="ascii")
        time.sleep(args["sleep_ms"] / 1e3)


KINDS: Final[dict[str, Callable[[Args], None]]] = {
    kind.__name__: kind
    for kind in (
        busy,
        duty,
        sleeper,
        convoy,
        forks,
        pool,
        ping,
        messages,
        timers,
        packets,
        disk,
        memory,
        pages,
        refresh,
    )
}


def become(load: dict[str, object], enter: Callable[[str], None]) -> None:
    """Turns the calling process into the load: group, name, memory, policy, CPUs. Does not return."""
    os.setpgid(0, 0)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if load["group"]:
        enter(str(load["group"]))
    set_comm(str(load["comm"]))
    node, nice, cpus = load["memory_node"], load["nice"], load["cpus"]
    if isinstance(node, int):
        bind_memory(node)
    if isinstance(nice, int) and nice:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    if isinstance(cpus, list):
        os.sched_setaffinity(0, cpus)
    deadline, policy, priority = load["deadline_us"], str(load["policy"]), load["priority"]
    if isinstance(deadline, list):
        set_deadline(*deadline)
    elif policy != "other" and isinstance(priority, int):
        os.sched_setscheduler(0, POLICIES[policy], os.sched_param(priority))
    args = load["args"]
    KINDS[str(load["kind"])](args if isinstance(args, dict) else {})

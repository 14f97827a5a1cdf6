"""Real servers for the tests, each with its data in a folder of its own: they are started, killed and started again."""

import fcntl
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
import pytest
from typing_extensions import override

from tests.recordings import ROOT

GATEWAY = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
PORTS = (16_000, 32_000)
START_S = 180
KEYS = {
    "AWS_ACCESS_KEY_ID": "numalens-tests",
    "AWS_SECRET_ACCESS_KEY": "no-secret-of-anybody",
    "AWS_REGION": "us-east-1",
}
BUCKET = "team"


def free_port() -> int:
    """A port nobody listens on, below those that the kernel gives to connections: none takes it before its server does."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for port in random.sample(range(*PORTS), 100):
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise AssertionError("no port is free")


def wait_until(what: str, condition: Callable[[], bool], seconds: float = START_S) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Program:
    """A server process that can be killed and started again."""

    command: Sequence[str]
    log: Path
    environment: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
                user=self.user,
                group=_group(self.user),
                extra_groups=[] if self.user else None,
                start_new_session=True,
            )

    def signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A stopped process must continue before it can end.
        self.signal(signal.SIGCONT)
        self.kill()


class Postgres(Program):
    """A PostgreSQL server with one database, `numalens`."""

    def __init__(self) -> None:
        binaries = _postgres_binaries()
        # Not below pytest's folder, which only the user of the tests may enter.
        self.root = root = Path(tempfile.mkdtemp(prefix="numalens-postgres-"))
        self.port = free_port()
        # PostgreSQL does not run as root.
        user = "nobody" if os.geteuid() == 0 else None
        if user is not None:
            shutil.chown(root, user)
        data = root / "data"
        command = [str(binaries / "postgres"), "-D", str(data), "-p", str(self.port), "-k", str(root)]
        super().__init__([*command, "-c", "listen_addresses=127.0.0.1"], root / "log", user=user)
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "numalens", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            user=user,
            group=_group(user),
            extra_groups=[] if user else None,
            cwd=root,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )

    @property
    def url(self) -> str:
        return f"postgresql://numalens@127.0.0.1:{self.port}/numalens"

    @override
    def start(self) -> None:
        super().start()
        wait_until("PostgreSQL", self._is_up)

    @override
    def kill(self) -> None:
        super().kill()
        # Its processes notice the end of the first one, and a new server waits for none of them.
        wait_until("the end of PostgreSQL", lambda: not answers(self.port))
        (self.root / "data" / "postmaster.pid").unlink(missing_ok=True)

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        shutil.rmtree(self.root, ignore_errors=True)

    def create(self, name: str) -> str:
        """A new empty database; returns its URL."""
        with psycopg.connect(self.url, dbname="postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url.removesuffix("numalens") + name

    def _is_up(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            # It does not start while processes of a killed one are still there.
            super().start()
        try:
            with psycopg.connect(self.url, dbname="postgres", autocommit=True, connect_timeout=2) as connection:
                found = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'numalens'").fetchone()
                if found is None:
                    connection.execute("CREATE DATABASE numalens")
        except psycopg.OperationalError:
            return False
        return True


class Gateway(Program):
    """An S3 server whose buckets are folders below `root`."""

    def __init__(self, root: Path) -> None:
        program = _gateway_program()
        self.root = root
        self.port = free_port()
        self.bucket = root / "buckets" / BUCKET
        self.bucket.mkdir(parents=True)
        command = [program, "--access", KEYS["AWS_ACCESS_KEY_ID"], "--secret", KEYS["AWS_SECRET_ACCESS_KEY"]]
        command += ["--port", f"127.0.0.1:{self.port}", "--quiet", "posix", str(root / "buckets")]
        super().__init__(command, root.with_suffix(".log"))

    @property
    def url(self) -> str:
        return f"s3://{BUCKET}/numalens"

    @property
    def access(self) -> dict[str, str]:
        """The environment of whoever uses it."""
        return {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}

    @override
    def start(self) -> None:
        super().start()
        wait_until("the S3 server", lambda: answers(self.port))


class Scheduler(Program):
    """A Dask scheduler."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
        super().__init__([*command, "--port", str(self.port), "--no-dashboard", "--no-show"], root / "scheduler.log")

    @property
    def url(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    @override
    def start(self) -> None:
        super().start()
        wait_until("the scheduler", lambda: answers(self.port))


class Worker(Program):
    """A `numalens worker`."""

    def __init__(
        self,
        root: Path,
        scheduler: str,
        environment: dict[str, str] | None = None,
        *,
        memory: int = 8 << 30,
        jobs: int = 2,
    ) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.folder = root
        command = [sys.executable, "-m", "numalens", "worker", "--scheduler", scheduler, "--folder", str(root)]
        command += ["--memory", str(memory), "--jobs", str(jobs)]
        super().__init__(command, root / "worker.log", environment or {})

    @override
    def start(self) -> None:
        before = self.summaries()
        super().start()
        wait_until("the worker", lambda: self.summaries() > before)

    def summaries(self) -> int:
        """How often it has said that it works."""
        return self.log.read_text().count("works for") if self.log.exists() else 0

    def processes(self) -> list[int]:
        """The processes that it started, which do the work, without its readings."""
        assert self.process is not None
        return [pid for pid in children_of(self.process.pid) if b"spawn_main" in command_of(pid)]

    def lose(self, who: str) -> None:
        """kill -9 of its "worker", which nobody starts again, or of the "nanny" above."""
        victims = self.processes() if who == "worker" else []
        self.signal(signal.SIGSTOP if who == "worker" else signal.SIGKILL)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)

    def readings(self) -> list[int]:
        """The reading processes that run now."""
        return [pid for parent in self.processes() for pid in children_of(parent) if b"jobs.worker" in command_of(pid)]


def children_of(pid: int) -> list[int]:
    """The processes that a process has started; threads may end while they are looked at."""
    found = []
    for thread in Path("/proc").glob(f"{pid}/task/*"):
        with suppress(OSError):
            found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def worker_of(pid: int) -> int:
    """The process that does the work of one that has namespaces of its own: the last of those that it forked."""
    while forked := [child for child in children_of(pid) if command_of(child) == command_of(pid)]:
        (pid,) = forked
    return pid


def cpu_ticks(pid: int) -> int:
    """The CPU time of a process so far, ticks of 10 ms."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@cache
def _postgres_binaries() -> Path:
    found = [Path(path).parent for path in [shutil.which("initdb")] if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for folder in found:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    pytest.skip("PostgreSQL's server is not installed")


@cache
def _gateway_program() -> str:
    """The S3 server's program: a found one, or built into target/, by one of the processes that run tests."""
    kept = ROOT / "target" / "versitygw"
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        places = [os.environ.get("NUMALENS_VERSITYGW"), shutil.which("versitygw"), kept / "versitygw"]
        places += [Path(os.environ.get("GOBIN") or Path.home() / "go" / "bin") / "versitygw"]
        for place in places:
            if place is not None and Path(place).exists():
                return str(place)
        go = shutil.which("go")
        if go is None:
            pytest.skip("neither versitygw nor go, which builds it, is installed")
        # Without optimization: tests send it little, and it takes a third less to compile.
        command = [go, "install", "-ldflags=-s -w", "-gcflags=all=-N -l", GATEWAY]
        environment = {**os.environ, "GOBIN": str(kept)}
        built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            pytest.skip(f"versitygw could not be built: {built.stderr.strip().splitlines()[-1:]}")
        return str(kept / "versitygw")


def _group(user: str | None) -> int | None:
    return None if user is None else pwd.getpwnam(user).pw_gid

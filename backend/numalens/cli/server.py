"""The server of `numalens serve` and `numalens open`."""

import gc
import hashlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import uvicorn
from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import override

from numalens.api.app import create_app
from numalens.api.services import Services
from numalens.api.slow_client import most_connections, slow_client_protocol
from numalens.auth.checks import exposure_of, problem_of
from numalens.cli.inputs import open_bundle
from numalens.cli.plain import as_they_were
from numalens.cli.usage import UsageError
from numalens.cli.verbosity import Verbosity, verbosity
from numalens.jobs.reading import MANIFEST
from numalens.logs import set_up
from numalens.sandbox.confine import Confine, ConfinementError, check_required, confinement_of, host_layers
from numalens.sandbox.limits import keep_heap_small
from numalens.settings import Settings
from numalens.store.folder import DataFolder

SAMPLE_FILE: Final = "sample.json"
SAMPLE_PARTS: Final = ("trace.dat", "lscpu-p.txt", "numactl-H.txt", "psi.jsonl", "vmstat.jsonl", "numa_group.jsonl")
GRACE_S: Final = 3
LOG_LEVELS: Final = {Verbosity.QUIET: "error", Verbosity.VERBOSE: "debug"}
BACKLOG: Final = 4096
ACCEPTED_AT_ONCE: Final = 4
MOST_GONE: Final = 256
"""Connections whose clients have hung up, in one go: each costs some microseconds."""

log = logging.getLogger(__name__)


class SampleFile(BaseModel):
    """`sample.json`: what a folder with a recording says about itself."""

    model_config = ConfigDict(extra="ignore")

    title: str | None = None
    files: list[str] | None = None


Paths = list[tuple[str, str]]
"""Titles and paths of analyses."""


class Ending:
    """SIGTERM as KeyboardInterrupt, remembered: one that is raised in a callback of a library is swallowed there."""

    def __init__(self) -> None:
        self.came = False
        signal.signal(signal.SIGTERM, self._end)

    def _end(self, *_: object) -> None:
        self.came = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """Raises KeyboardInterrupt where one has been swallowed."""
        if self.came:
            raise KeyboardInterrupt


def run(
    host: str,
    port: int,
    settings: Settings,
    fill: Callable[[Services], Paths],
    announce: Callable[[str, Paths], None],
    ending: Ending | None = None,
) -> None:
    """Serves until interrupted. Raises UsageError for settings that cannot be, OSError when the port is taken.

    `fill` adds initial content; `announce` is called with the address when the server is ready. `ending` already has SIGTERM,
    if one came before.
    """
    if (problem := problem_of(settings) or exposure_of(settings, host)) is not None:
        raise UsageError(problem)
    # Uploads and what is made of them are private on this machine.
    os.umask(0o077)
    keep_heap_small()
    set_up(settings.log, LOG_LEVELS.get(verbosity(), settings.log_level))
    if settings.confine == "require":
        try:
            check_required(host_layers())
        except ConfinementError as error:
            raise UsageError(str(error)) from error
    ending = ending or Ending()
    # Bound before anything else, so that a taken port is known at once and a port of 0 is known when the address is printed.
    with _listen(host, port, settings.slow_seconds) as listener, _folder(settings) as folder:
        app = create_app(settings, folder)
        announce(f"http://{_printable(host)}:{listener.getsockname()[1]}", fill(app.state.services))
        sys.stdout.flush()
        threading.Thread(target=_warm, args=(settings.confine,), daemon=True).start()
        as_they_were()
        config = uvicorn.Config(
            app,
            http=slow_client_protocol(settings.slow_seconds, most_connections()),
            # Everything is logged by one handler; requests by `api/guards.py`, which knows what may be said of them.
            log_config=None,
            log_level="warning",
            access_log=False,
            # Who is asking is decided by the connection itself; a header that any client can send must not change it.
            proxy_headers=False,
            server_header=False,
            backlog=ACCEPTED_AT_ONCE,
            timeout_graceful_shutdown=GRACE_S,
        )
        # Ctrl-C is how a server in a terminal is ended, SIGTERM how services are. Uvicorn has handlers of both while it runs,
        # and sends again what came when all is done.
        with suppress(KeyboardInterrupt):
            server = _Server(config, app.state.services)
            server.should_exit = ending.came
            server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """Accepts few connections at a time, and lets many wait for it.

    Asyncio has one number for both. What it accepts in one go is beyond what connections may be for a moment, and must not
    reach the limit of open files.
    """

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)
        # What is here now stays: to look through it repeatedly holds all requests up, each time a tenth of a second.
        gc.collect()
        gc.freeze()

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Uvicorn waits for responses to end.
        self._services.board.close()
        await super().shutdown(sockets)
        # Else libraries count what is there as leaked when the process ends, and say so in the log.
        gc.unfreeze()


def _warm(confine: Confine) -> None:
    """Logs what the host lacks, and has the trace processor compiled, where it is not: those who need it may write nowhere.

    In processes of their own, which need no more than a moment when there is nothing to do.
    """
    if (confinement := confinement_of(confine)) != "ok":
        log.warning("%s", confinement)
    command = [sys.executable, "-P", "-m", "numalens.perfetto.module"]
    null = subprocess.DEVNULL
    subprocess.run(command, check=False, stdin=null, stdout=null, stderr=null)  # noqa: S603


def _folder(settings: Settings) -> DataFolder:
    return DataFolder(settings.data, settings.database_url, settings.store, settings.cache_bytes)


class _Listener(socket.socket):
    """Connections that have something to say."""

    @override
    def accept(self) -> tuple[socket.socket, Any]:
        """One whose client has not hung up. Raises BlockingIOError where there is none now."""
        for _ in range(MOST_GONE):
            connection, address = super().accept()
            try:
                if connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                    return connection, address
            except BlockingIOError:
                return connection, address
            except OSError:
                pass
            connection.close()
        raise BlockingIOError


def _listen(host: str, port: int, silent_s: float) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = _Listener(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # The kernel keeps those that say nothing to itself for so long, so that they cost this process nothing.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, max(1, int(silent_s)))
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise OSError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def _printable(host: str) -> str:
    """The host of the address to be opened: a machine that listens everywhere is reached from itself as localhost."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104  (compared with, not bound)
        return "localhost"
    return f"[{host}]" if ":" in host else host


def open_sample(services: Services, folder: Path) -> Paths:
    """Title and path of the sample, which is read into a data folder without analyses; empty where it is not shown."""
    title, files = _sample_files(folder)
    digest = hashlib.sha256("\0".join([title, *(f"{file.name} {file.stat().st_size}" for file in files)]).encode())
    origin = f"sample:{digest.hexdigest()}"
    row = services.analyses.find_origin(origin)
    if row is None and services.analyses.count() == 0:
        row = services.analyses.create_from_files(files, title, origin=origin)
    return [] if row is None else [(row.title, f"/a/{row.id}")]


def _sample_files(folder: Path) -> tuple[str, list[Path]]:
    described = SampleFile()
    if (folder / SAMPLE_FILE).is_file():
        try:
            described = SampleFile.model_validate_json((folder / SAMPLE_FILE).read_bytes())
        except ValidationError as error:
            raise UsageError(f"{folder / SAMPLE_FILE} is not valid: {error.errors()[0]['msg']}") from error
    names = described.files or [name for name in SAMPLE_PARTS if (folder / name).is_file()]
    files = [folder / name for name in names]
    missing = [file for file in files if not file.is_file()]
    if missing or not files:
        raise UsageError(f"--sample {folder}: {missing[0] if missing else folder / SAMPLE_PARTS[0]} is missing")
    return described.title or folder.resolve().name, files


def keep_bundle(services: Services, path: Path, title: str, move: Callable[[Path, Path], None]) -> tuple[str, str]:
    """The title and path of the analysis made of a bundle; a bundle that was opened before is found again.

    `move` is called with the bundle's folder and the one that it is to have.
    """
    manifest = open_bundle(path).manifest
    origin = f"bundle:{hashlib.sha256((path / MANIFEST).read_bytes()).hexdigest()}"
    row = services.analyses.find_origin(origin)
    if row is None:
        row = services.analyses.create_from_bundle(manifest, title, origin=origin, fill=partial(move, path))
    return row.title, f"/a/{row.id}"


def announce(address: str, paths: Paths) -> None:
    """Prints the address of the server, and of each analysis that it opened."""
    sys.stdout.write(f"NumaLens is at {address}/\n")
    for title, path in paths:
        sys.stdout.write(f"  {title}: {address}{path}\n")

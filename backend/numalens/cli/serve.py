"""`numalens serve`: the web application."""

import hashlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer
import uvicorn
from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import override

from numalens.api.app import create_app
from numalens.api.services import Services
from numalens.api.slow_client import most_connections, slow_client_protocol
from numalens.auth.checks import exposure_of, problem_of
from numalens.cli.inputs import copy_bundle, open_bundle
from numalens.cli.plain import as_they_were
from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError, new_app
from numalens.jobs.reading import MANIFEST
from numalens.logs import set_up
from numalens.sandbox.confine import Confine, ConfinementError, check_required, confinement_of, host_layers
from numalens.settings import Settings
from numalens.store.folder import DataFolder

SAMPLE_FILE: Final = "sample.json"
SAMPLE_PARTS: Final = ("trace.dat", "lscpu-p.txt", "numactl-H.txt", "psi.jsonl", "vmstat.jsonl", "numa_group.jsonl")
GRACE_S: Final = 3
BACKLOG: Final = 1024
ACCEPTED_AT_ONCE: Final = 32

app = new_app()
log = logging.getLogger(__name__)


class SampleFile(BaseModel):
    """`sample.json`: what a folder with a recording says about itself."""

    model_config = ConfigDict(extra="ignore")

    title: str | None = None
    files: list[str] | None = None


def run(host: str, port: int, data: Path | None, sample: Path | None, bundles: list[Path]) -> None:
    """Serves until interrupted. Raises UsageError for settings that cannot be, OSError when the port is taken."""
    settings = settings_of(data=data)
    if (problem := problem_of(settings) or exposure_of(settings, host)) is not None:
        raise UsageError(problem)
    # What is uploaded and made of it is nobody else's on this machine.
    os.umask(0o077)
    set_up(settings.log, settings.log_level)
    if settings.confine == "require":
        try:
            check_required(host_layers())
        except ConfinementError as error:
            raise UsageError(str(error)) from error
    # Bound before anything else, so that a taken port is known at once and a port of 0 is known when the address is printed.
    with _listen(host, port) as listener, _folder(settings) as folder:
        app = create_app(settings, folder)
        services: Services = app.state.services
        address = f"http://{_printable(host)}:{listener.getsockname()[1]}"
        paths = [_open_kept(services, bundle) for bundle in bundles]
        if sample is not None:
            paths += _open_sample(services, sample)
        sys.stdout.write(f"NumaLens is at {address}/\n")
        for title, path in paths:
            sys.stdout.write(f"  {title}: {address}{path}\n")
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
            # Who is asking is decided by the connection itself; a header that anybody can send must not change it.
            proxy_headers=False,
            server_header=False,
            backlog=ACCEPTED_AT_ONCE,
            timeout_graceful_shutdown=GRACE_S,
        )
        # Ctrl-C is how a server in a terminal is ended.
        # Whoever runs services tells it by SIGTERM, which uvicorn sends once more when all is done: to nobody, then.
        signal.signal(signal.SIGTERM, lambda *_: None)
        with suppress(KeyboardInterrupt):
            _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Accepts few connections at a time, and lets many wait for it.

    Asyncio has one number for both. What it accepts in one go is beyond what connections may be for a moment, and must not
    reach the limit of open files.
    """

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)


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


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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


def _open_sample(services: Services, folder: Path) -> list[tuple[str, str]]:
    """The sample's title and path; makes it when nothing has been analysed yet. Empty when there is no sample to show."""
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


def _open_kept(services: Services, path: Path) -> tuple[str, str]:
    """The title and path of the analysis made of a kept bundle; a bundle that was opened before is found again."""
    manifest = open_bundle(path).manifest
    origin = f"bundle:{hashlib.sha256((path / MANIFEST).read_bytes()).hexdigest()}"
    row = services.analyses.find_origin(origin)
    if row is None:
        title = path.resolve().name
        row = services.analyses.create_from_bundle(
            manifest, title, origin=origin, fill=lambda new: copy_bundle(path, new)
        )
    return row.title, f"/a/{row.id}"


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Data folder (also NUMALENS_DATA).")] = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Recording to open in an empty data folder.")
    ] = None,
    bundles: Annotated[
        list[Path] | None, typer.Argument(metavar="BUNDLE", help="Bundles kept by `analyze -o`, to be opened too.")
    ] = None,
) -> None:
    """Run the web application and its API."""
    run(host, port, data, sample, bundles or [])

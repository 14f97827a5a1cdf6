"""`numalens open`: read, serve on a free port, show, and leave nothing behind."""

import os
import shutil
import signal
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from numalens.api.services import Services
from numalens.cli.inputs import Wanted, copy_bundle, is_bundle, move_bundle, opened
from numalens.cli.limited import run_limited, work_prefix
from numalens.cli.options import Files, Hz, Offsets, Tolerant, read_options
from numalens.cli.server import Ending, Paths, keep_bundle, run
from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError, new_app
from numalens.report.compare import MAX_ANALYSES
from numalens.store.names import title_of

HERE: Final = "127.0.0.1"
SSH_PORT: Final = "22"
ALONE: Final = {
    "database": None,
    "store": None,
    "scheduler": None,
    "sign_in": "none",
    "owner": "loopback",
    "address": "",
    "hosts": "",
    "keep_days": None,
}
"""Settings of a team's server, which this one is not, whatever the environment has."""

app = new_app()


def tunnel(port: int, environment: Mapping[str, str]) -> str | None:
    """The command that forwards `port` of this machine to the user's own machine; None without SSH."""
    connection = environment.get("SSH_CONNECTION", "").split()
    if len(connection) != 4:  # noqa: PLR2004  (address and port of both ends)
        return None
    host, ssh_port = connection[2:]
    user = environment.get("USER") or environment.get("LOGNAME")
    place = f"{user}@{host}" if user else host
    return f"ssh -L {port}:{HERE}:{port} {f'-p {ssh_port} ' if ssh_port != SSH_PORT else ''}{place}"


def has_browser(environment: Mapping[str, str]) -> bool:
    """Returns whether a browser opens on the user's screen; one that is named in BROWSER does."""
    if environment.get("BROWSER"):
        return True
    screen = sys.platform == "darwin" or environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return bool(screen) and "SSH_CONNECTION" not in environment


Ready = tuple[str, Path, Callable[[Path, Path], None]]
"""Title, bundle, and the function that moves it to the served folder."""


def _read_one(wanted: Wanted, bundle: Path) -> Ready:
    title = title_of([path.resolve().name for path in wanted.files])
    first = wanted.files[0]
    if is_bundle(first) and wanted == Wanted([first]):
        return title, first, copy_bundle
    run_limited(partial(_read, wanted, bundle), bundle)
    return title, bundle, move_bundle


def side_by_side(paths: Paths) -> str:
    """The page that compares analyses, each with its own time axis, because each host has its own clock."""
    return f"/compare?ids={','.join(path.removeprefix('/a/') for _, path in paths)}&axes=own"


def _end_by_signals() -> Ending:
    """Makes signals that end a terminal's session or a service clean up as well."""
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        # The server has its own handler of SIGTERM.
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    return Ending()


def _read(wanted: Wanted, bundle: Path) -> None:
    with opened(wanted, bundle):
        pass


@app.command("open")
def open_files(
    files: Files,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on (default: a free one).")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser, where there is one.")
    ] = True,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the analysis in this data folder, for `numalens serve` too (default: nothing is kept).",
        ),
    ] = None,
    topology: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Nodes and CPUs: output of `lscpu -p` or `numactl -H`."),
    ] = None,
    tolerant: Tolerant = False,
    offset: Offsets = None,
    hz: Hz = None,
    view: Annotated[
        str | None, typer.Option(metavar="QUERY", help="Initial view: the query string of a NumaLens URL.")
    ] = None,
    each: Annotated[
        bool,
        typer.Option("--each", help="Open each FILE as an analysis of its own, such as one host's, side by side."),
    ] = False,
) -> None:
    """Read recordings and open them in the browser; Ctrl-C ends it."""
    groups = [[file] for file in files] if each else [files]
    if len(groups) > MAX_ANALYSES:
        raise UsageError(f"at most {MAX_ANALYSES} analyses are shown side by side")
    ending = _end_by_signals()
    with ExitStack() as stack:
        parent = None if data is None else data.absolute().parent
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=work_prefix(os.getpid()), dir=parent))
        stack.callback(shutil.rmtree, work, ignore_errors=True)
        ready: list[Ready] = []
        for number, group in enumerate(groups):
            wanted = Wanted(group, topology, read_options(tolerant, offset), hz)
            ready.append(_read_one(wanted, work / f"bundle{number}"))
            ending.check()

        def fill(services: Services) -> Paths:
            return [keep_bundle(services, bundle, title, move) for title, bundle, move in ready]

        def announce(address: str, paths: Paths) -> None:
            for name, path in paths if len(paths) > 1 or not view else [(paths[0][0], f"{paths[0][1]}?{view}")]:
                sys.stdout.write(f"{name} is at {address}{path}\n")
            path = (paths[0][1] + (f"?{view}" if view else "")) if len(paths) == 1 else side_by_side(paths)
            if len(paths) > 1:
                sys.stdout.write(f"side by side: {address}{path}\n")
            line = tunnel(int(address.rpartition(":")[2]), os.environ)
            if line is not None:
                sys.stdout.write(f"  on your own machine, first run: {line}\n")
            kept = "nothing is kept" if data is None else f"`numalens serve --data {data}` opens it again"
            sys.stdout.write(f"Ctrl-C ends it; {kept}.\n")
            if browser and has_browser(os.environ):
                threading.Thread(target=webbrowser.open, args=(address + path,), daemon=True).start()

        alone = settings_of(data=data or work / "data").model_copy(update=ALONE)
        run(HERE, port, alone, fill, announce, ending)

"""`numalens worker`: reads recordings for the servers of a Dask scheduler."""

import asyncio
import logging
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer

from numalens import __version__
from numalens.cli.usage import UsageError, new_app
from numalens.extras import has, needs
from numalens.settings import GIB

with suppress(ModuleNotFoundError):  # an extra
    import distributed

    from numalens.jobs.cluster_task import MEMORY, METADATA, version_resource

CONNECT_S: Final = 5.0
PAUSE_S: Final = 2.0
SHARE: Final = 0.8
"""Default share of the machine's memory for imports; the rest is for the system and the worker itself."""
LEAST_MEMORY: Final = GIB // 4

log = logging.getLogger(__name__)

app = new_app()


def run(scheduler: str, memory_bytes: int | None, jobs: int | None, folder: Path | None) -> None:
    """Works until interrupted.

    Raises UsageError without the extra, for a scheduler whose server has another version, and for an impossible one.
    """
    if not has("cluster"):
        raise UsageError(needs("a worker", "cluster"))
    # Recordings lie in its folder while they are read.
    os.umask(0o077)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    memory = memory_bytes or int(SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    if memory < LEAST_MEMORY:
        raise UsageError(f"--memory {memory} is less than the {LEAST_MEMORY:,} bytes that an import needs")
    lanes = jobs or os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="numalens-worker-", dir=folder) as own, suppress(KeyboardInterrupt):
        asyncio.run(_work(scheduler, memory, lanes, own))


async def _work(scheduler: str, memory: int, lanes: int, folder: str) -> None:
    """Offers a worker to the scheduler repeatedly: a scheduler that ends takes its workers along."""
    waiting = announced = False
    while True:
        try:
            await _check_version(scheduler)
            async with distributed.Nanny(
                scheduler,
                nthreads=lanes,
                resources={
                    MEMORY: memory,
                    version_resource(__version__): lanes,
                },
                local_directory=folder,
                # A reading's memory is that of a process of its own, with a limit of its own.
                memory_limit=0,
                dashboard=False,
                dashboard_address=":0",
                silence_logs=logging.WARNING,
            ) as nanny:
                if not announced:
                    sys.stdout.write(
                        f"NumaLens worker {__version__} works for {scheduler}: {memory:,} bytes of memory\n"
                    )
                    sys.stdout.flush()
                announced, waiting = True, False
                await nanny.finished()
        except (OSError, TimeoutError) as error:
            if not waiting:
                log.warning("scheduler %s does not answer, retrying: %s", scheduler, error)
            waiting = True
        await asyncio.sleep(PAUSE_S)


async def _check_version(scheduler: str) -> None:
    """Raises UsageError when the server of a scheduler has another version, OSError when the scheduler is unavailable."""
    async with distributed.Client(scheduler, asynchronous=True, timeout=CONNECT_S, set_as_default=False) as client:
        known = await client.get_metadata([METADATA], default=None)
    if known is not None and known["version"] != __version__:
        raise UsageError(
            f"this worker is NumaLens {__version__}, and the server at {scheduler} is {known['version']}; install the same"
        )


@app.command()
def worker(
    scheduler: Annotated[
        str,
        typer.Option(metavar="URL", envvar="NUMALENS_SCHEDULER", help="The Dask scheduler, tcp://host:8786."),
    ],
    memory: Annotated[
        int | None,
        typer.Option(metavar="BYTES", min=1, help="Memory for all imports together (default: most of the machine's)."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of simultaneous imports (default: one per CPU).")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Scratch folder (default: a temporary one)."),
    ] = None,
) -> None:
    """Run a Dask worker that imports recordings for a server.

    Server and worker use the same scheduler, the same store and the same version.
    """
    run(scheduler, memory, jobs, folder)

"""`.venv/bin/python scripts/lab`: validates replays against what kernels and other tools count, and SQL against sections."""

from pathlib import Path
from typing import Annotated

import typer
from numalens.cli.app import FAILED, REJECTED
from numalens.cli.limited import limit_memory
from numalens.cli.main import guarded
from numalens.cli.options import Hz, JsonFile, Recordings, Tolerant
from numalens.cli.usage import new_app, ns_of
from numalens.perfetto.engine import NARROW_BYTES

import frame
import ilb_table
import inputs_table
import numa_table
import psi_table
import waits_table

app = new_app("Instruments that validate replays against kernels' own counters.")


@app.command()
def inputs(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files, and folders that are searched for inputs.")
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Compare with the counts in files next to them; status 1 when any differs."),
    ] = False,
    json: JsonFile = None,
    tolerant: Tolerant = False,
) -> None:
    """Read each file by itself and print what it has: kind, counts, clock, length."""
    limit_memory()
    results = inputs_table.run(paths, check, json, tolerant)
    if frame.REJECTED in results:
        raise typer.Exit(REJECTED)
    if inputs_table.DIFFERENT in results:
        raise typer.Exit(FAILED)


@app.command()
def psi(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Recordings with files of pressure samples next to them, and folders that are searched.",
        ),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Status 1 when a replay is further from its samples than is allowed.")
    ] = False,
    json: JsonFile = None,
    warm_up: Annotated[
        float,
        typer.Option("--warm-up", metavar="S", help="Seconds left out at the start: many tasks have no event yet."),
    ] = 1.0,
    all_resources: Annotated[
        bool, typer.Option("--all-resources", help="Also memory and io, and the cgroups; without it only cpu.")
    ] = False,
    hz: Hz = None,
) -> None:
    """Replay the pressure of recordings and print it with what their kernels counted."""
    limit_memory()
    wanted = psi_table.Wanted(ns_of("--warm-up", warm_up, least=0), all_resources, hz)
    verdicts = psi_table.run(paths, wanted, json)
    if frame.REJECTED in verdicts:
        raise typer.Exit(REJECTED)
    if check and psi_table.BEYOND in verdicts:
        raise typer.Exit(FAILED)


@app.command()
def numa(
    paths: Recordings,
    json: JsonFile = None,
) -> None:
    """Count what the NUMA balancer did in recordings, and print how much of cling a replay reproduces."""
    limit_memory()
    if frame.REJECTED in numa_table.run(paths, json):
        raise typer.Exit(REJECTED)


@app.command()
def ilb(
    paths: Recordings,
    json: JsonFile = None,
) -> None:
    """Print recorded kicks of the idle load balancer with a model's, idle time with samples, and three models."""
    limit_memory()
    if frame.REJECTED in ilb_table.run(paths, json):
        raise typer.Exit(REJECTED)


@app.command()
def waits(
    paths: Recordings,
    windows: Annotated[
        int,
        typer.Option("--windows", metavar="N", min=0, max=1000, help="Parts of each recording that are compared, too."),
    ] = 5,
    json: JsonFile = None,
    tolerant: Tolerant = False,
) -> None:
    """Compare waits and their causes in SQL and in the analysis, and sums of causes with waits; status 1 when any differs."""
    limit_memory(more_bytes=NARROW_BYTES)
    verdicts = waits_table.run(paths, windows, json, tolerant)
    if waits_table.DIFFERENT in verdicts:
        raise typer.Exit(FAILED)
    if frame.REJECTED in verdicts:
        raise typer.Exit(REJECTED)


if __name__ == "__main__":
    guarded(lambda: app(prog_name="lab"))

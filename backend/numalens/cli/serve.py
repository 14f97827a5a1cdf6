"""`numalens serve`: the web application."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from numalens.cli.usage import new_app

if TYPE_CHECKING:
    from numalens.api.services import Services
    from numalens.cli.server import Paths

app = new_app()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Data folder (default: NUMALENS_DATA; .data in a clone; ~/.local/share/numalens)."
        ),
    ] = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Recording to open in an empty data folder.")
    ] = None,
    bundles: Annotated[
        list[Path] | None, typer.Argument(metavar="BUNDLE", help="Bundles kept by `analyze -o`, to be opened too.")
    ] = None,
) -> None:
    """Run the web application and its API."""
    # The server needs the engine, which a build may still have to make: options are checked before.
    from numalens.cli.inputs import copy_bundle  # noqa: PLC0415
    from numalens.cli.server import announce, keep_bundle, open_sample, run  # noqa: PLC0415
    from numalens.cli.settings import settings_of  # noqa: PLC0415

    def fill(services: "Services") -> "Paths":
        kept = [keep_bundle(services, bundle, bundle.resolve().name, copy_bundle) for bundle in bundles or []]
        return kept + ([] if sample is None else open_sample(services, sample))

    run(host, port, settings_of(data=data), fill, announce)

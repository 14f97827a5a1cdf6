"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated, Final

import typer

from numalens.cli.usage import parse_offsets
from numalens.report import MAX_HZ
from numalens.store.options import ReadOptions

SAMPLE: Final = Path("sample")


def with_sample(files: list[Path]) -> list[Path]:
    """The files, where `sample` is the recording that comes with NumaLens unless there is a file of that name."""
    here = Path(__file__).resolve().parents[1] / SAMPLE
    return [here if file == SAMPLE and not file.exists() else file for file in files]


Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="Recordings and side files, read as one analysis; a folder of them; or one bundle folder. `sample` is a recording"
        " that comes with NumaLens.",
        callback=with_sample,
    ),
]
Recordings = Annotated[
    list[Path], typer.Argument(metavar="PATH", help="Recordings, and folders that are searched for them.")
]
From = Annotated[int | None, typer.Option("--from", metavar="NS", min=0, help="Start, in ns of the trace's clock.")]
To = Annotated[int | None, typer.Option("--to", metavar="NS", min=0, help="End, in ns of the trace's clock.")]
Tolerant = Annotated[
    bool, typer.Option("--tolerant", help="Skip damaged parts instead of failing, and list what was skipped.")
]
Offsets = Annotated[
    list[str] | None,
    typer.Option(
        "--offset",
        metavar="NAME=NS",
        help="Add NS to the times of the input NAME to convert them to the trace's clock; may be repeated.",
    ),
]
Hz = Annotated[
    int | None,
    typer.Option("--hz", metavar="N", min=1, max=MAX_HZ, help="Jiffies per second (HZ), if no input records it."),
]
OutFile = Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to a file instead of standard output.")]
JsonFile = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON; `-` prints it alone on standard output."),
]


def read_options(tolerant: bool, offsets: list[str] | None) -> ReadOptions:
    """The options of an import. Raises UsageError for an invalid offset."""
    return ReadOptions(tolerant, parse_offsets(offsets or []))

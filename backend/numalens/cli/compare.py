"""`numalens compare`: two analyses or more side by side."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from numalens.cli.companions import recordings
from numalens.cli.compare_tables import page
from numalens.cli.inputs import OpenedBundle, Wanted, Window, check_window, opened
from numalens.cli.limited import limit_memory
from numalens.cli.options import From, To, Tolerant
from numalens.cli.output import write_report
from numalens.cli.usage import UsageError, new_app, ns_of
from numalens.jobs.reading import MANIFEST
from numalens.report import MAX_STEPS, fits, window_of
from numalens.report.compare import MAX_ANALYSES, Recording, build_comparison
from numalens.store.options import ReadOptions

LEAST_SIDES: Final = 2

app = new_app()


@dataclass(frozen=True)
class Comparing:
    """What is compared: each side a name, and the paths of its runs."""

    sides: Sequence[tuple[str, Sequence[str]]]
    base: int = 0
    window: Window = (None, None)
    step_ns: int | None = None
    tolerant: bool = False


def sides_of(paths: Sequence[str], groups: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The sides that the arguments name: each path one, each `--group NAME=PATH,PATH` one. Raises UsageError."""
    sides = [("+".join(Path(part).name or part for part in path.split("+")), [path]) for path in paths]
    for group in groups:
        name, equals, runs = group.partition("=")
        found = [run for run in runs.split(",") if run]
        if not name or not equals or not found:
            raise UsageError(f"--group {group}: expected NAME=PATH,PATH, a name and the runs that it has")
        sides.append((name, found))
    if len(sides) < LEAST_SIDES:
        raise UsageError(f"expected at least two analyses to compare, found {len(sides)}")
    if sum(len(runs) for _, runs in sides) > MAX_ANALYSES:
        raise UsageError(f"expected at most {MAX_ANALYSES} analyses to compare")
    return sides


def run(wanted: Comparing, json_file: str | None) -> None:
    """Prints the tables, and writes the JSON if wanted. Raises UsageError, the native InputError."""
    check_window(wanted.window)
    if not 0 <= wanted.base < len(wanted.sides):
        raise UsageError(f"--base {wanted.base + 1}: there are {len(wanted.sides)} sides")
    with ExitStack() as stack:
        sides = [(name, [_open(stack, path, wanted) for path in paths]) for name, paths in wanted.sides]
        comparison = build_comparison(sides, wanted.base, wanted.step_ns)
    write_report(comparison, json_file, lambda: page(comparison))


def _open(stack: ExitStack, path: str, wanted: Comparing) -> Recording:
    bundle = stack.enter_context(opened(_wanted(path, wanted.tolerant)))
    window = window_of(bundle.manifest, *wanted.window)
    if not fits(window, wanted.step_ns):
        raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
    return _recording(bundle, path, window)


def _recording(bundle: OpenedBundle, path: str, window: tuple[int, int]) -> Recording:
    return Recording(bundle.engine, bundle.manifest, window, path)


def _wanted(path: str, tolerant: bool) -> Wanted:
    """What a name stands for: a kept bundle; a recording with its companion files; a folder with one; files joined by `+`."""
    parts = [path] if Path(path).exists() else path.split("+")
    files = [Path(part) for part in parts]
    first = files[0]
    if len(files) > 1:
        return Wanted(files, options=ReadOptions(tolerant))
    if first.is_dir() and (first / MANIFEST).is_file():
        return Wanted([first])
    if not first.exists():
        # Reading it says so, in the words that every command has for it.
        return Wanted([first], options=ReadOptions(tolerant))
    found = list(recordings([first], sampled=False))
    if len(found) != 1:
        raise UsageError(
            f"{path} is a folder with {len(found)} recordings; name a bundle, one recording, or files joined by +"
        )
    return Wanted([found[0].recording, *found[0].companions], options=ReadOptions(tolerant))


@app.command()
def compare(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B [C...]",
            help="Each one analysis: a kept bundle, a recording with its companion files, a folder with one, or files joined by +.",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME=PATH,PATH",
            help="One side with several runs, compared run by run; may be repeated.",
        ),
    ] = None,
    base: Annotated[int, typer.Option(min=1, metavar="N", help="Side that the others are compared with.")] = 1,
    from_ns: From = None,
    to_ns: To = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Step of the utilisation tables, in seconds; 5 unless given.")
    ] = None,
    tolerant: Tolerant = False,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the comparison; `-` prints it alone on standard output."),
    ] = None,
) -> None:
    """Print two or more analyses side by side, with statistics."""
    limit_memory()
    sides = sides_of(paths or [], group or [])
    step_ns = None if step is None else ns_of("--step", step)
    run(Comparing(sides, base - 1, (from_ns, to_ns), step_ns, tolerant), json)

"""`numalens compare`: two analyses or more beside each other."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numalens.cli.beside import recordings
from numalens.cli.compare_tables import page
from numalens.cli.inputs import OpenedBundle, UsageError, Wanted, Window, check_window, opened
from numalens.cli.output import write_report
from numalens.jobs.reading import MANIFEST
from numalens.report import MAX_STEPS, fits, window_of
from numalens.report.compare import MAX_ANALYSES, Recording, build_comparison
from numalens.store.options import ReadOptions

LEAST_SIDES: Final = 2


@dataclass(frozen=True)
class Asked:
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


def run(asked: Asked, json_file: str | None) -> None:
    """Prints the tables, and writes what else was asked for. Raises UsageError, the native InputError."""
    check_window(asked.window)
    if not 0 <= asked.base < len(asked.sides):
        raise UsageError(f"--base {asked.base + 1}: there are {len(asked.sides)} sides")
    with ExitStack() as stack:
        sides = [(name, [_open(stack, path, asked) for path in paths]) for name, paths in asked.sides]
        told = build_comparison(sides, asked.base, asked.step_ns)
    write_report(told, json_file, lambda: page(told))


def _open(stack: ExitStack, path: str, asked: Asked) -> Recording:
    bundle = stack.enter_context(opened(_wanted(path, asked.tolerant)))
    window = window_of(bundle.manifest, *asked.window)
    if not fits(window, asked.step_ns):
        raise UsageError(f"--step: the window has more than {MAX_STEPS} steps of that length")
    return _recording(bundle, path, window)


def _recording(bundle: OpenedBundle, path: str, window: tuple[int, int]) -> Recording:
    return Recording(bundle.engine, bundle.manifest, window, path)


def _wanted(path: str, tolerant: bool) -> Wanted:
    """What a name stands for: a kept bundle; a recording with what lies beside it; a folder with one; files joined by `+`."""
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
    return Wanted([found[0].recording, *found[0].beside], options=ReadOptions(tolerant))

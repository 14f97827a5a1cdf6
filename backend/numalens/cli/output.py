"""Output of commands: a file, or standard output."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from numalens.cli.plain import PlainStream, unfiltered
from numalens.cli.verbosity import Verbosity, verbosity

LINE_INTERVAL_S: Final = 5.0
Callback = Callable[[str, int, int], None]


@contextmanager
def progress_display() -> Iterator[Callback]:
    """A callback `(stage, done, total)` that shows the progress until the block ends."""
    match verbosity():
        case Verbosity.QUIET:
            yield lambda *_: None
        case Verbosity.VERBOSE:
            with _stages() as callback:
                yield callback
        case _ if sys.stderr.isatty():
            with _bar() as callback:
                yield callback
        case _:
            yield _lines()


@contextmanager
def _bar() -> Iterator[Callback]:
    columns = (TextColumn("{task.description:>9}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=unfiltered(sys.stderr)), transient=True) as bars:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield show


@contextmanager
def _stages() -> Iterator[Callback]:
    """Prints each stage when it ends, with its time."""
    began: dict[str, float] = {}

    def end() -> None:
        if began:
            name, since = began.popitem()
            sys.stderr.write(f"{name}: {time.monotonic() - since:.2f} s\n")

    def show(stage: str, _done: int, _total: int) -> None:
        if stage not in began:
            end()
            began[stage] = time.monotonic()

    try:
        yield show
    finally:
        end()


def _lines() -> Callback:
    """Short work stays silent: a script that collects stderr finds only what went wrong there."""
    last = time.monotonic()

    def show(stage: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= LINE_INTERVAL_S:
            last = now
            share = f"{done / total:.0%}" if total else f"{done:,}"
            sys.stderr.write(f"{stage} {share}\n")

    return show


@contextmanager
def output(out: Path | None) -> Iterator[Callable[[bytes], None]]:
    """Writes bytes to the file `out`, or to standard output. A new file is removed where the block fails."""
    is_new = out is not None and not out.exists()
    try:
        with nullcontext(sys.stdout.buffer) if out is None else out.open("wb") as file:

            def write(piece: bytes) -> None:
                file.write(piece)

            yield write
            file.flush()
    except BaseException:
        if out is not None and is_new:
            out.unlink(missing_ok=True)
        raise


def write_report(
    report: object, json_file: str | None, page: Callable[[], str], styles: Sequence[tuple[str, str]] = ()
) -> None:
    """Prints the page of a report and writes its JSON to `json_file`, if given; `-` prints the JSON alone.

    On a terminal, text that matches a regular expression of `styles` has its style, unless NO_COLOR is set.
    """
    _write_json(report, json_file)
    if json_file != "-":
        _print(page(), styles)
    sys.stdout.flush()


def _print(page: str, styles: Sequence[tuple[str, str]]) -> None:
    if not styles or os.environ.get("NO_COLOR") or not sys.stdout.isatty() or not isinstance(sys.stdout, PlainStream):
        sys.stdout.write(page)
        return
    text = Text(sys.stdout.printable(page), end="")
    for expression, style in styles:
        text.highlight_regex(expression, style)
    Console(file=sys.stdout.unfiltered).print(text, soft_wrap=True)


def columns(most: int) -> int:
    """The width of the terminal, or `most` where that is less or there is none."""
    return min(most, shutil.get_terminal_size((most, 0)).columns)


def write_rows(rows: Sequence[object], json_file: str | None) -> None:
    """Writes the rows' fields as JSON to `json_file`, if given; `-` is stdout."""
    _write_json([vars(row) for row in rows], json_file)
    sys.stdout.flush()


def _write_json(content: object, json_file: str | None) -> None:
    if json_file is None:
        return
    text = json.dumps(content, indent=2) + "\n"
    if json_file == "-":
        sys.stdout.write(text)
    else:
        Path(json_file).write_text(text, encoding="utf-8")

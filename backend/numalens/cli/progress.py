"""How far reading is, on stderr: a bar in a terminal, now and then a line elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from numalens.cli.plain import unfiltered

LINE_INTERVAL_S: Final = 5.0
Callback = Callable[[str, int, int], None]


@contextmanager
def progress_display() -> Iterator[Callback]:
    """A callback `(stage, done, total)` that shows the progress until the block ends."""
    if sys.stderr.isatty():
        with _bar() as callback:
            yield callback
    else:
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

"""What the instruments have in common: a verdict on each recording, its lines as they come, and JSON at the end."""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from numalens.cli.output import write_rows

R = TypeVar("R")

REJECTED: Final = "rejected"
COMPUTED: Final = "computed"
NOTHING: Final = "nothing"


@dataclass
class Row:
    """A recording."""

    recording: str
    verdict: str = NOTHING
    reason: str | None = None


def show(
    rows: Iterable[R],
    lines: Callable[[R], Iterable[str]],
    json_file: str | None,
    head: str | None = None,
    end: Callable[[Sequence[R]], str] | None = None,
) -> list[R]:
    """Prints the lines of each row as soon as it is there (reading may take long), and writes the JSON if wanted."""
    out = sys.stderr if json_file == "-" else sys.stdout
    if head is not None:
        out.write(f"{head}\n")
        out.flush()
    done = []
    for row in rows:
        done.append(row)
        out.writelines(f"{line}\n" for line in lines(row))
        out.flush()
    if end is not None:
        out.write(f"{end(done)}\n")
    write_rows(done, json_file)
    return done


def padded(cells: Mapping[str, str], widths: Mapping[str, int], left: Collection[str]) -> str:
    """A line of a table whose rows come one by one: cells of fixed widths, to the right but for those in `left`."""
    columns = widths.items()
    return "  ".join(cells[name].ljust(width) if name in left else cells[name].rjust(width) for name, width in columns)


def counted(values: Sequence[str | None], names: Mapping[str, str]) -> list[str]:
    """How often each of the values comes, in the order and by the names of `names`: `2 within`."""
    counts = {name: values.count(value) for value, name in names.items()}
    return [f"{count:,} {name}" for name, count in counts.items() if count]

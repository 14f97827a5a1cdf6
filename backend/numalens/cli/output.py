"""Where commands write: a file, or standard output."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path


@contextmanager
def output(out: Path | None) -> Iterator[Callable[[bytes], None]]:
    """What takes the bytes: the file `out`, or standard output."""
    with nullcontext(sys.stdout.buffer) if out is None else out.open("wb") as file:

        def write(piece: bytes) -> None:
            file.write(piece)

        yield write
        file.flush()


def write_report(report: object, json_file: str | None, page: Callable[[], str]) -> None:
    """Prints the page of a report and writes its JSON to `json_file`, if given; `-` prints the JSON alone."""
    _write_json(report, json_file)
    if json_file != "-":
        sys.stdout.write(page())
    sys.stdout.flush()


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

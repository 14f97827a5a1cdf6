"""Output of commands: tables for users, CSV and JSON for programs."""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

Format = Literal["table", "csv", "json"]
Shown = Callable[[Mapping[str, Any]], str]
STEPS_NS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))
LABEL_MARKS: Final = {"observed": "obs", "replayed": "rep", "inferred": "inf", "what-if": "if"}


def escaped(text: str) -> str:
    r"""The text on one line, without anything that a terminal would take for an order: such characters as `\x1b`."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def amount(value: float | None, unit: str) -> str:
    """A number with its unit, to three digits."""
    if value is None:
        return "-"
    if unit == "ns":
        for step, name in STEPS_NS:
            if abs(value) >= step:
                return f"{value / step:.3g} {name}"
        return f"{value:.0f} ns"
    digits = f"{value:.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"  # noqa: PLR2004  (three digits)
    return f"{digits} {unit}" if unit and unit != "%" else f"{digits}{' %' if unit else ''}"


def day(moment: datetime | None) -> str:
    """The UTC day of a moment."""
    return "-" if moment is None else f"{moment:%Y-%m-%d}"


def mark(label: str | None) -> str:
    """A label, short."""
    return LABEL_MARKS.get(label or "", "-")


def shown(cell: str | float | None) -> str:
    """A cell of an answer in SQL."""
    return "-" if cell is None else cell if isinstance(cell, str) else f"{cell:.10g}"


def table(
    columns: Sequence[tuple[str, Shown]], rows: Sequence[Mapping[str, Any]], right: frozenset[str] = frozenset()
) -> str:
    """The rows in columns; those named in `right` are set to the right."""
    heads = [name for name, _ in columns]
    cells = ([escaped(shown(row)) for _, shown in columns] for row in rows)
    return aligned([heads, *cells], [head in right for head in heads])


def aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Lines of cells in columns separated by two blanks, each left- or right-aligned."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows with all their fields; nested values as JSON."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([_csv_cell(value) for value in row.values()] for row in rows)
    return text.getvalue()


def as_json(answer: object) -> str:
    """The whole answer, with time zones."""
    return json.dumps(_plain(answer), indent=2, ensure_ascii=False) + "\n"


def _csv_cell(value: object) -> object:
    plain = _plain(value)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, (dict, list)) else plain


def _plain(value: Any) -> Any:  # noqa: ANN401  (JSON)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC).isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

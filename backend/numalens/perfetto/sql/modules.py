"""The SQL modules of NumaLens: views over the tracks that its own export writes.

A module is a file of `modules/numalens/`. Its first comment says what it is about, the comment above a view what the view
has; views and tables declare their columns.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

PACKAGE: Final = "numalens"
SUFFIX: Final = ".sql"

_CREATED: Final = re.compile(
    r"(?P<comment>(?:^--.*\n)+)^CREATE PERFETTO (?:TABLE|VIEW) (?P<name>[a-z][a-z0-9_]*)\(\n(?P<columns>(?:  .*\n)+)\)",
    re.MULTILINE,
)
_COLUMN: Final = re.compile(r"^  (?P<name>[a-z][a-z0-9_]*) (?P<type>[A-Z]+)", re.MULTILINE)


@dataclass(frozen=True)
class View:
    """A view or table of a module."""

    name: str
    description: str
    columns: list[tuple[str, str]]
    """Name and declared type."""


@dataclass(frozen=True)
class Module:
    """A module: its name to be included, its text, and what its comments tell."""

    name: str
    sql: str
    description: str
    views: list[View]


@cache
def modules() -> tuple[Module, ...]:
    """All modules, by name."""
    folder = files("numalens.perfetto") / "modules" / PACKAGE
    found = [(file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(SUFFIX)]
    return tuple(
        Module(
            name=f"{PACKAGE}.{name.removesuffix(SUFFIX)}",
            sql=sql,
            description=_text(sql.split("\n\n", 1)[0]),
            views=[_view(match) for match in _CREATED.finditer(sql)],
        )
        for name, sql in sorted(found)
    )


def _view(match: re.Match[str]) -> View:
    columns = [(column["name"], column["type"]) for column in _COLUMN.finditer(match["columns"])]
    return View(match["name"], _text(match["comment"]), columns)


def _text(comment: str) -> str:
    return " ".join(line.removeprefix("--").strip() for line in comment.splitlines() if line != "--")

"""Writes the man pages of `numalens` into a folder: one page for each command, made of its help."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numalens import __version__
from numalens.cli.main import COMMANDS, app
from typer.main import get_command

WIDE = 1 << 20
"""Width of a page whose lines `man` breaks."""


class Page:
    """A formatter of help that writes the language of man pages."""

    def __init__(self, name: str, summary: str) -> None:
        self.width = WIDE
        self._lines = [
            f'.TH "{_escaped(name.upper())}" 1 "" "numalens {__version__}" "NumaLens"',
            ".SH NAME",
            f"{_escaped(name)} \\- {_escaped(summary)}",
        ]
        self._described = False

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002
        """Writes how the command is called."""
        self._lines += [".SH SYNOPSIS", f".B {_escaped(prog)}", _escaped(args)]

    def write_paragraph(self) -> None:
        """Begins a paragraph; the first one begins the description."""
        self._lines.append(".PP" if self._described else ".SH DESCRIPTION")
        self._described = True

    def write_text(self, text: str) -> None:
        """Writes paragraphs, which blank lines separate."""
        self._lines.append("\n.PP\n".join(_escaped(" ".join(part.split())) for part in text.split("\n\n")))

    def write_dl(self, rows: Iterable[tuple[str, str]]) -> None:
        """Writes terms and what they mean."""
        for term, meaning in rows:
            self._lines += [".TP", f".B {_escaped(term)}", _escaped(" ".join(meaning.split()))]

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Puts what the block writes below a heading."""
        self._lines.append(f".SH {_escaped(name.upper())}")
        yield

    @contextmanager
    def indentation(self) -> Iterator[None]:
        """Does nothing: `man` indents."""
        yield

    def text(self, others: list[str]) -> str:
        """Returns the page, which refers to others."""
        also = ", ".join(f"\\fB{_escaped(other)}\\fR(1)" for other in others)
        return "\n".join([*self._lines, ".SH SEE ALSO", also]) + "\n"


def _escaped(text: str) -> str:
    """The text without anything that is an order of the language."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return f"\\&{plain}" if plain.startswith(".") else plain


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Yields the name of each page, its command and the context of its help."""
    root: Any = get_command(app)
    top = root.make_context("numalens", [], resilient_parsing=True)
    yield "numalens", root, top
    for name in COMMANDS:
        _, command, _ = root.resolve_command(top, [name])
        context = command.make_context(name, [], parent=top, resilient_parsing=True)
        yield f"numalens-{name}", command, context
        for inner, part in getattr(command, "commands", {}).items():
            yield (
                f"numalens-{name}-{inner}",
                part,
                part.make_context(inner, [], parent=context, resilient_parsing=True),
            )


def pages() -> dict[str, str]:
    """Returns the texts of all pages by their file names."""
    found = list(commands())
    texts = {}
    for name, command, context in found:
        page = Page(name, command.get_short_help_str(WIDE).rstrip("."))
        command.format_help(context, page)
        inner = [other for other, _, _ in found if other.rpartition("-")[0] == name]
        texts[f"{name}.1"] = page.text(inner or [name.rpartition("-")[0]])
    return texts


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text)

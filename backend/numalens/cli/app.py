"""The class of every command: the options that all of them have, and the exit statuses in their help."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.models import CommandFunctionType
from typing_extensions import override

from numalens.cli.verbosity import Verbosity, set_verbosity

FAILED: Final = 1
USAGE: Final = 2
REJECTED: Final = 3
EXITS: Final = {
    0: "Done.",
    FAILED: "Failed; standard error says why.",
    USAGE: "Wrong usage.",
    REJECTED: "An input was rejected; standard error names it, the place and what was expected.",
}
"""Exit statuses of every command."""


def _setter(verbosity: Verbosity) -> Callable[[bool], None]:
    def set_it(given: bool) -> None:
        if given:
            set_verbosity(verbosity)

    return set_it


def _common(
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            callback=_setter(Verbosity.QUIET),
            expose_value=False,
            help="Print no progress and no notes; warnings and errors only.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            callback=_setter(Verbosity.VERBOSE),
            expose_value=False,
            help="Print each stage with its time, and the traceback of an error.",
        ),
    ] = False,
) -> None:
    """Options of every command."""


def _common_options() -> list[Any]:
    template = typer.Typer(add_completion=False)
    template.command()(_common)
    return get_command(template).params


class _Common:
    """Common part of commands and groups of commands."""

    exits: ClassVar[Mapping[int, str]] = EXITS

    def __init__(self, *args: Any, **settings: Any) -> None:  # noqa: ANN401  (whatever Typer passes)
        super().__init__(*args, **settings)
        self.params: list[Any]
        self.params += _common_options()

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002  (classes that Typer does not export)
        """Writes the exit statuses below the options."""
        with formatter.section("Exit status"):
            formatter.write_dl([(str(status), meaning) for status, meaning in self.exits.items()])


class Command(_Common, TyperCommand):
    """A command with the common options and the exit statuses in its help."""


class Group(_Common, TyperGroup):
    """A group of commands with the same."""


class App(typer.Typer):
    """An application whose commands are of the classes above."""

    @override
    def command(self, name: str | None = None, **settings: Any) -> Callable[[CommandFunctionType], CommandFunctionType]:
        return super().command(name, **{"cls": Command, **settings})

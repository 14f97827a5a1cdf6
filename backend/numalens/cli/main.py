"""The entry of the command line. A command's module is imported only when that command runs: the modules take a second to load."""

import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.main import get_command
from typing_extensions import override

from numalens import __version__
from numalens.cli.app import FAILED, REJECTED, USAGE, App, Group
from numalens.cli.config import apply_config
from numalens.cli.plain import print_plainly
from numalens.cli.usage import UsageError
from numalens.cli.verbosity import Verbosity, set_verbosity, verbosity
from numalens.errors import FolderInUseError, SentenceError

COMMANDS: Final = {
    "open": "Read recordings and open them in the browser; Ctrl-C ends it.",
    "serve": "Run the web application and its API.",
    "doctor": "Check this machine's readiness to run a server and suggest fixes.",
    "worker": "Run a Dask worker that imports recordings for a server.",
    "analyze": "Read any mix of inputs as one analysis and print a summary.",
    "explain": "Show where the time of a task went, and what its slow requests waited for.",
    "compare": "Print two or more analyses side by side, with statistics.",
    "check": "Compare new runs with a baseline and fail on a regression.",
    "mcp": "Serve recordings to AI assistants over MCP on standard input and output.",
    "events": "Print the decoded events of one type.",
    "convert": "Export events and replay results as one file.",
    "query": "Query recordings in PerfettoSQL.",
    "record": "Record this machine as one bundle and print its path.",
    "snap": "Dump the flight recorder's buffer now and print the bundle's path.",
    "fleet": "Query many analyses at once.",
    "backup": "Copy a server's data, also while it runs.",
    "restore": "Restore a backup into a new data folder.",
    "token": "API tokens for programs, such as a CI job.",
    "users": "Users of a server: list them, end their sessions and tokens.",
}
"""Each is the module of that name, whose `app` has this text as its help."""
FILES: Final = [
    ("NUMALENS_SETTING", "A setting of the server, such as NUMALENS_DATA; docs/settings.md lists all of them."),
    (
        "~/.config/numalens/config.toml",
        'The same settings as TOML, such as data = "/srv/numalens". Variables take precedence.',
    ),
    ("NUMALENS_CONFIG", "Path of the configuration file to use; empty for none."),
    ("NO_COLOR", "Turns colors off."),
]


class _Root(Group):
    """The group of all commands. A command is loaded when it runs or is completed; the list in the help does without."""

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and _loaded(str(name)), rest

    @override
    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Environment and files"):
            formatter.write_dl(FILES)


def _loaded(name: str) -> Any:  # noqa: ANN401  (a class that Typer does not export)
    try:
        module = import_module(f"numalens.cli.{name}")
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("numalens."):
            raise
        raise UsageError(f"{name} is not part of this installation") from error
    return get_command(module.app)


app = App(
    cls=_Root,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"numalens {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Analyze Linux scheduler and NUMA traces: find out which tasks waited, and why."""


def _unloaded() -> None:
    """Placeholder for a command that is not loaded."""


for _name, _text in COMMANDS.items():
    app.command(_name, help=_text)(_unloaded)


def main() -> None:
    """Entry of the console script."""
    guarded(lambda: app(sys.argv[1:], prog_name="numalens"))


def guarded(run: Callable[[], None]) -> None:
    """Runs a command line; turns errors into one sentence on stderr and the exit status that scripts rely on."""
    print_plainly()
    set_verbosity(Verbosity.NORMAL)
    try:
        apply_config()
        run()
    except BrokenPipeError:
        # The reader of our output (`head`) has enough; Python must not complain about it again at exit.
        sys.stdout = None
        sys.exit(FAILED)
    except KeyboardInterrupt:
        _end("interrupted", FAILED)
    except (UsageError, FolderInUseError, SentenceError, OSError, RuntimeError, MemoryError, ValueError) as error:
        sentence, status = _ending(error)
        if verbosity() is Verbosity.VERBOSE:
            traceback.print_exception(error)
        _end(sentence, status)


def _ending(error: Exception) -> tuple[str, int]:
    """The message and the exit status of an expected error. Raises any other."""
    if isinstance(error, UsageError):
        return str(error), USAGE
    if isinstance(error, ValueError):
        # It has been loaded by whatever raised its error.
        from numalens_native import DamagedError, InputError, OptionError  # noqa: PLC0415

        if isinstance(error, OptionError):
            return str(error), USAGE
        if not isinstance(error, InputError | DamagedError):
            raise error
        return str(error), REJECTED
    if isinstance(error, MemoryError):
        from numalens.cli.limited import memory_sentence  # noqa: PLC0415  (rarely needed)

        return memory_sentence(), REJECTED
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}", FAILED
    return str(error), FAILED


def _end(sentence: str, status: int) -> None:
    sys.stderr.write(f"numalens: {sentence}\n")
    sys.exit(status)

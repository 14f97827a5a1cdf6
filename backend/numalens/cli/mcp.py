"""`numalens mcp`: what recordings tell, as tools for assistants."""

import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from numalens.cli.limited import limit_memory
from numalens.cli.plain import as_they_were
from numalens.cli.shelf import Shelf, compared, rows_of
from numalens.cli.usage import UsageError, new_app
from numalens.extras import needs
from numalens.perfetto.engine import NARROW_BYTES
from numalens.report.answers import GUIDE, TOKENS, View, bounded, facts, findings, headline, wait_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

LISTED: Final = 100
app = new_app()


class Tools:
    """A tool is a method of the same name; its docstring is what the assistant reads of it."""

    def __init__(self, shelf: Shelf) -> None:
        """Answers from what is on a shelf."""
        self._shelf = shelf
        # Tools are called in threads, and what is open is one for all.
        self._one_at_a_time = threading.Lock()

    def recordings(self, most_tokens: int = TOKENS) -> str:
        """Names of the recordings that the other tools take."""
        return self._answer(lambda: self._shelf.names()[:LISTED] or ["no recordings"], most_tokens)

    def headline(
        self, recording: str, from_s: float | None = None, to_s: float | None = None, most_tokens: int = TOKENS
    ) -> str:
        """A window in one sentence, the three costliest findings, and why the longest wait was one."""
        return self._answer(lambda: headline(self._view(recording, from_s, to_s)), most_tokens)

    def findings(
        self,
        recording: str,
        from_s: float | None = None,
        to_s: float | None = None,
        limit: int = 5,
        most_tokens: int = TOKENS,
    ) -> str:
        """What the detectors found in a window, worst first, with cost and place."""
        return self._answer(lambda: findings(self._view(recording, from_s, to_s), max(1, limit)), most_tokens)

    def wait(self, recording: str, pid: int, at_s: float, most_tokens: int = TOKENS) -> str:
        """Why a task waited for a CPU at a moment, or next to it: one sentence, and the causes with their times."""
        return self._answer(lambda: wait_of(self._view(recording, None, None), pid, at_s), most_tokens)

    def window(
        self, recording: str, from_s: float | None = None, to_s: float | None = None, most_tokens: int = TOKENS
    ) -> str:
        """Numbers of a window: busy nodes, wake-up latency, idle CPUs while tasks waited, pressure."""
        return self._answer(lambda: facts(self._view(recording, from_s, to_s)), most_tokens)

    def sql(
        self,
        recording: str,
        sql: str,
        from_s: float | None = None,
        to_s: float | None = None,
        most_tokens: int = TOKENS,
    ) -> str:
        """Rows of a query in PerfettoSQL, few of them; INCLUDE PERFETTO MODULE numalens.latency has the waits."""
        return self._answer(lambda: rows_of(self._view(recording, from_s, to_s), sql), most_tokens)

    def compare(self, base: str, new: str, most_tokens: int = TOKENS) -> str:
        """What differs between two recordings by more than it varies."""
        return self._answer(lambda: compared(self._shelf, base, new), most_tokens)

    def _view(self, recording: str, from_s: float | None, to_s: float | None) -> View:
        return self._shelf.view(recording, from_s, to_s)

    def _answer(self, lines: Callable[[], Iterable[str]], most_tokens: int) -> str:
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415  (an extra)

        try:
            with self._one_at_a_time:
                return bounded(lines(), most_tokens)
        except (ValueError, UsageError, OSError) as error:
            # A sentence about a file may have its name in it.
            raise ToolError(bounded([str(error)], most_tokens)) from None


def server_of(shelf: Shelf) -> "MCPServer[Any]":
    """The tools over what is on a shelf."""
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415  (an extra)

    server: MCPServer[Any] = MCPServer("numalens", instructions=GUIDE, log_level="ERROR")
    tools = Tools(shelf)
    for each in (tools.recordings, tools.headline, tools.findings, tools.wait, tools.window, tools.sql, tools.compare):
        server.tool()(each)
    return server


@app.command("mcp")
def serve_tools(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Recordings, bundles, and folders with them: nothing else is read. The current folder unless given.",
        ),
    ] = None,
) -> None:
    """Tools for assistants over recordings, by the Model Context Protocol on standard input and output."""
    roots = paths or [Path()]
    for root in roots:
        if not root.exists():
            raise UsageError(f"{root} is not there")
    try:
        import mcp  # noqa: F401, PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise UsageError(needs("this command", "mcp")) from error
    limit_memory(more_bytes=NARROW_BYTES)
    with closing(Shelf(roots)) as shelf:
        server = server_of(shelf)
        as_they_were()
        server.run("stdio")

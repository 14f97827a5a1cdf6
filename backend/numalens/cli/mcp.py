"""`numalens mcp`: recordings as tools for assistants."""

import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from anyio import to_thread

from numalens.cli.limited import limit_memory
from numalens.cli.plain import as_they_were
from numalens.cli.shelf import Shelf, compared, rows_of
from numalens.cli.usage import UsageError, new_app
from numalens.extras import has, needs
from numalens.mcp.answers import View
from numalens.mcp.tools import server_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

LISTED: Final = 100
app = new_app()


class _OnShelf:
    """Recordings on a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        # What is open is one for all threads.
        self._one_at_a_time = threading.Lock()

    async def names(self) -> Iterable[str]:
        return await self._answered(lambda: self._shelf.names()[:LISTED] or ["no recordings"])

    async def lines(
        self, recording: str, from_s: float | None, to_s: float | None, of: Callable[[View], list[str]]
    ) -> Iterable[str]:
        return await self._answered(lambda: of(self._shelf.view(recording, from_s, to_s)))

    async def rows(self, recording: str, from_s: float | None, to_s: float | None, sql: str) -> Iterable[str]:
        return await self._answered(lambda: rows_of(self._shelf.view(recording, from_s, to_s), sql))

    async def compared(self, base: str, new: str) -> Iterable[str]:
        return await self._answered(lambda: compared(self._shelf, base, new))

    async def _answered(self, compute: Callable[[], list[str]]) -> list[str]:
        def alone() -> list[str]:
            with self._one_at_a_time:
                return compute()

        try:
            return await to_thread.run_sync(alone)
        except (UsageError, OSError) as error:
            raise ValueError(str(error)) from error


def tools_on(shelf: Shelf) -> "MCPServer[Any]":
    """The tools over what is on a shelf."""
    readable = _OnShelf(shelf)
    return server_of(lambda _: readable)


@app.command("mcp")
def serve_tools(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Recordings, bundles, and folders that contain them; no other file is read (default: the current folder).",
        ),
    ] = None,
) -> None:
    """Serve recordings to AI assistants over MCP on standard input and output."""
    roots = paths or [Path()]
    for root in roots:
        if not root.exists():
            raise UsageError(f"{root} does not exist")
    try:
        import mcp  # noqa: F401, PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise UsageError(needs("this command", "mcp")) from error
    limit_memory(more_bytes=_sql_bytes())
    with closing(Shelf(roots)) as shelf:
        server = tools_on(shelf)
        as_they_were()
        server.run("stdio")


def _sql_bytes() -> int:
    """Memory of the engine that answers queries; 0 where there is none."""
    if not has("sql"):
        return 0
    from numalens.perfetto.engine import NARROW_BYTES  # noqa: PLC0415  (optional)

    return NARROW_BYTES

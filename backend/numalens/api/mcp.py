"""The tools for assistants over HTTP: what `numalens mcp` offers, of the analyses that whoever asks may read.

Every request is a whole of its own (streamable HTTP without sessions), so that what was taken from somebody is gone at once.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from numalens.api.access import Reader, budgets_of, member, reader, uploader
from numalens.api.analyses import ready_bundle
from numalens.api.compare import comparison_of
from numalens.api.services import Services, services_of
from numalens.api.sql import ask_engine, trace_key
from numalens.errors import SentenceError
from numalens.perfetto.sql.protocol import Query
from numalens.report.answers import (
    GUIDE,
    ROWS,
    TOKENS,
    View,
    bounded,
    differences,
    facts,
    findings,
    headline,
    table_of,
    wait_of,
)

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH: Final = "/mcp"
LISTED: Final = 100
Lines = Iterable[str]


def _address(request: Request) -> str:
    """Where the page is, for links."""
    return services_of(request).settings.address.rstrip("/") or str(request.base_url).rstrip("/")


def _names(request: Request) -> list[str]:
    who = member(request)
    rows = [row for row in services_of(request).analyses.all(who.sees_only) if row.input_summaries is not None]
    return [f"{row.id}: {row.title}" for row in rows[:LISTED]] or ["no recordings"]


def _view(request: Request, recording: str, from_s: float | None, to_s: float | None) -> View:
    """A window of an analysis. Raises what the API's own `reader` does."""
    who = reader(request, recording)
    page = f"{_address(request)}/a/{who.analysis_id}"
    return View(ready_bundle(services_of(request), who.analysis_id), from_s, to_s, lambda query: f"{page}?{query}")


def _compared(request: Request, base: str, new: str) -> list[str]:
    member(request)
    return differences(comparison_of(request, f"{base},{new}", 0, None, []))


async def _answer(context: Any, lines: Callable[[Request], Lines], most_tokens: int) -> str:  # noqa: ANN401 - an extra's
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415  (an extra)

    request: Request = context.request_context.request

    def compute() -> str:
        return bounded(lines(request), most_tokens)

    try:
        return await to_thread.run_sync(compute, limiter=budgets_of(request).answers)
    except (ValueError, SentenceError) as error:
        raise ToolError(bounded([str(error)], most_tokens)) from None


async def _rows(context: Any, view: Callable[[Request], View], recording: str, sql: str, most_tokens: int) -> str:  # noqa: ANN401 - an extra's
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415  (an extra)

    request: Request = context.request_context.request
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    try:
        window = (await to_thread.run_sync(view, request)).window
        who: Reader = await to_thread.run_sync(reader, request, recording)
        key = await trace_key(request, who, *window)
        # Whether the client is still there the transport sees, which ends this then.
        await ask_engine(request, key, Query(sql, ROWS), keep, _never())
    except (ValueError, SentenceError) as error:
        raise ToolError(bounded([str(error)], most_tokens)) from None
    answer = json.loads(b"".join(pieces))
    return bounded(table_of(answer["columns"], answer["rows"], truncated=answer["truncated"]), most_tokens)


async def _never() -> None:
    await asyncio.Event().wait()


def server_of() -> "MCPServer[Any]":
    """The tools, each of the name, arguments and text of that of `numalens mcp`."""
    from mcp.server.mcpserver import Context, MCPServer  # noqa: PLC0415  (an extra)

    server: MCPServer[Any] = MCPServer("numalens", instructions=GUIDE, log_level="ERROR")

    async def recordings(ctx: Context, most_tokens: int = TOKENS) -> str:
        """Ids of the recordings that the other tools take, each with its title."""
        return await _answer(ctx, _names, most_tokens)

    def windowed(name: str, about: str, lines: Callable[[View], Lines]) -> None:
        async def tool(
            ctx: Context,
            recording: str,
            from_s: float | None = None,
            to_s: float | None = None,
            most_tokens: int = TOKENS,
        ) -> str:
            return await _answer(ctx, lambda request: lines(_view(request, recording, from_s, to_s)), most_tokens)

        server.tool(name=name, description=about)(tool)

    async def findings_of(
        ctx: Context,
        recording: str,
        from_s: float | None = None,
        to_s: float | None = None,
        limit: int = 5,
        most_tokens: int = TOKENS,
    ) -> str:
        """What the detectors found in a window, worst first, with cost and place."""
        view = partial(_view, recording=recording, from_s=from_s, to_s=to_s)
        return await _answer(ctx, lambda request: findings(view(request), max(1, limit)), most_tokens)

    async def wait(ctx: Context, recording: str, pid: int, at_s: float, most_tokens: int = TOKENS) -> str:
        """Why a task waited for a CPU at a moment, or next to it: one sentence, and the causes with their times."""
        return await _answer(
            ctx, lambda request: wait_of(_view(request, recording, None, None), pid, at_s), most_tokens
        )

    async def sql(
        ctx: Context,
        recording: str,
        sql: str,
        from_s: float | None = None,
        to_s: float | None = None,
        most_tokens: int = TOKENS,
    ) -> str:
        """Rows of a query in PerfettoSQL, few of them; INCLUDE PERFETTO MODULE numalens.latency has the waits."""
        view = partial(_view, recording=recording, from_s=from_s, to_s=to_s)
        return await _rows(ctx, view, recording, sql, most_tokens)

    async def compare(ctx: Context, base: str, new: str, most_tokens: int = TOKENS) -> str:
        """What differs between two recordings by more than it varies."""
        return await _answer(ctx, lambda request: _compared(request, base, new), most_tokens)

    server.tool()(recordings)
    windowed(
        "headline",
        "A window in one sentence, the three costliest findings, and why the longest wait was one.",
        headline,
    )
    server.tool(name="findings")(findings_of)
    server.tool()(wait)
    windowed(
        "window", "Numbers of a window: busy nodes, wake-up latency, idle CPUs while tasks waited, pressure.", facts
    )
    server.tool()(sql)
    server.tool()(compare)
    return server


class Door:
    """Lets nobody to the tools who may not use the API: strangers and holders of links have none."""

    def __init__(self, tools: ASGIApp) -> None:
        """Stands before the transport."""
        self._tools = tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises 401 and 403."""
        await to_thread.run_sync(uploader, Request(scope))
        await self._tools(scope, receive, send)


def tools_of(services: Services) -> tuple[list[Route], AbstractAsyncContextManager[None]]:
    """The route, and what has to run meanwhile; no route where the package `mcp` is not installed."""
    try:
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError:
        return [], nullcontext()
    server = server_of()
    # Hosts and origins are checked by the service's own guards, for all of its addresses alike.
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.state.services = services
    return [Route(PATH, Door(app), include_in_schema=False)], server.session_manager.run()

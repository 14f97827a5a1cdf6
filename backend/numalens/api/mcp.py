"""The tools for assistants over HTTP: as `numalens mcp`, for the analyses that the client may read.

Every request is independent (streamable HTTP without sessions), so that a removed right has an effect at once.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from numalens.api.access import Reader, budgets_of, member, reader, uploader
from numalens.api.analyses import ready_bundle
from numalens.api.compare import comparison_of
from numalens.api.parts import Host, Part, modules
from numalens.api.services import services_of
from numalens.errors import SentenceError
from numalens.extras import has
from numalens.mcp.answers import ROWS, View, differences, table_of
from numalens.mcp.tools import server_of

PATH: Final = "/mcp"
LISTED: Final = 100


def _address(request: Request) -> str:
    """Address of the page, for links."""
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


class _Readable:
    """The analyses that the caller of a tool may read, within the limits of the API."""

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - an extra's
        self._request: Request = context.request_context.request

    async def names(self) -> Iterable[str]:
        return await self._answered(partial(_names, self._request))

    async def lines(
        self, recording: str, from_s: float | None, to_s: float | None, of: Callable[[View], list[str]]
    ) -> Iterable[str]:
        return await self._answered(lambda: of(_view(self._request, recording, from_s, to_s)))

    async def rows(self, recording: str, from_s: float | None, to_s: float | None, sql: str) -> Iterable[str]:
        if "sql" not in modules():
            raise SentenceError(503, "This installation has no SQL.")
        from numalens.api.sql import ask_engine, trace_key  # noqa: PLC0415  (optional)
        from numalens.perfetto.sql.protocol import Query  # noqa: PLC0415

        pieces: list[bytes] = []

        async def keep(piece: bytes) -> None:
            pieces.append(piece)

        view = await to_thread.run_sync(_view, self._request, recording, from_s, to_s)
        who: Reader = await to_thread.run_sync(reader, self._request, recording)
        key = await trace_key(self._request, who, *view.window)
        # Whether the client is still there the transport sees, which ends this then.
        await ask_engine(self._request, key, Query(sql, ROWS), keep, _never())
        answer = json.loads(b"".join(pieces))
        return table_of(answer["columns"], answer["rows"], truncated=answer["truncated"])

    async def compared(self, base: str, new: str) -> Iterable[str]:
        return await self._answered(partial(_compared, self._request, base, new))

    async def _answered(self, compute: Callable[[], list[str]]) -> list[str]:
        return await to_thread.run_sync(compute, limiter=budgets_of(self._request).answers)


async def _never() -> None:
    await asyncio.Event().wait()


class Tools(Part):
    """The tools' transport. It starts at its first use: loading its libraries would take a fifth of the server's start."""

    def __init__(self, _host: Host) -> None:
        # None where the package `mcp` is not installed.
        self.routes = [Route(PATH, self, include_in_schema=False)] if has("mcp") else []
        self._app: Any = None
        """The service."""
        self._wanted = asyncio.Event()
        self._begun: asyncio.Future[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admits only clients that may use the API, no strangers and no holders of links. Raises 401 and 403."""
        await to_thread.run_sync(uploader, Request(scope))
        if self._begun is None:
            msg = "used before its start"
            raise RuntimeError(msg)
        self._app = scope["app"]
        self._wanted.set()
        transport = await asyncio.shield(self._begun)
        await transport(scope, receive, send)

    @asynccontextmanager
    @override
    async def running(self) -> AsyncIterator[None]:
        self._begun = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._run(self._begun))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self, begun: "asyncio.Future[ASGIApp]") -> None:
        await self._wanted.wait()
        try:
            transport, run = await to_thread.run_sync(self._made)
        except Exception as error:
            begun.set_exception(error)
            raise
        async with run():
            begun.set_result(transport)
            await _never()

    def _made(self) -> tuple[ASGIApp, Callable[[], AbstractAsyncContextManager[None]]]:
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  (an extra)

        server = server_of(_Readable)
        # Hosts and origins are checked by the service's own guards, for all of its addresses alike.
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        app.state.services = self._app.state.services
        return app, server.session_manager.run


make = Tools

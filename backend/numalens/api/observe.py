"""Around every request: its number, its time, one line of log, and the counters. Neither has more of it than its route."""

import logging
import secrets
import time
from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import override

from numalens.api.counters import Metrics
from numalens.api.guards import HttpMiddleware
from numalens.logs import request_id

PREFIX: Final = "/api/v1"
HEADER: Final = "X-Request-Id"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
CUT_OFF: Final = 499
"""Status of a request that was never answered: the client went away."""

log = logging.getLogger("numalens.access")


class Observed(HttpMiddleware):
    """Counts and logs requests."""

    @override
    async def around(self, scope: Scope, receive: Receive, send: Send) -> None:
        number = secrets.token_hex(8)
        before = request_id.set(number)
        started = time.monotonic()
        status = CUT_OFF

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = number
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            seconds = time.monotonic() - started
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = route_of(scope)
            metrics = metrics_of(scope)
            if metrics is not None:
                metrics.request(method, route, status, seconds)
            fields = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 3)}
            log.info("%s %s %d %.1f ms", method, route, status, seconds * 1000, extra=fields)
            request_id.reset(before)


def route_of(scope: Mapping[str, Any]) -> str:
    """The template of the request's route: never the path itself, which has ids and names in it, and may have anything."""
    path = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str) or not path:
        return "other"
    # Routes know the prefix of their own router only, not of the one that all of them are below.
    return PREFIX + path if scope["path"].startswith(f"{PREFIX}/") else path


def metrics_of(scope: Mapping[str, Any]) -> Metrics | None:
    """The server's metrics; None where there is only the API's description."""
    services = getattr(scope["app"].state, "services", None) if "app" in scope else None
    return None if services is None else services.metrics

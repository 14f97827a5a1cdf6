"""Checks and headers around every request, as plain ASGI: nothing here reads a body into memory unless it is small."""

import json
import logging
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override

from numalens.api.metrics import Metrics
from numalens.errors import ClientGoneError, SentenceError, storage_error
from numalens.hosts import host_name
from numalens.logs import request_id

API: Final = "/api/"
UPLOADS: Final = "/api/v1/uploads"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_JSON_BYTES: Final = 1 << 20

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}

log = logging.getLogger(__name__)


class HttpMiddleware(ABC):
    """A layer around every HTTP request; the server's own start and end bypass it."""

    def __init__(self, app: ASGIApp) -> None:
        """Wraps `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, through `around`."""
        await (self.around if scope["type"] == "http" else self._app)(scope, receive, send)

    @abstractmethod
    async def around(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""


class SecurityHeaders(HttpMiddleware):
    """Puts the security headers on every answer, but for those that a route has of its own.

    API answers are not cached unless a route says otherwise.
    """

    @override
    async def around(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith(API):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class ErrorBoundary(HttpMiddleware):
    """Answers an unexpected exception with a neutral sentence and a number; the log has the number and the traceback."""

    @override
    async def around(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        except Exception as error:
            refusal = error if isinstance(error, SentenceError) else _unexpected(scope, error)
            if isinstance(error, ClientDisconnect | ClientGoneError):
                # There is no client to answer: the connection ends in the middle.
                log.info("client disconnected or stalled: %s", scope["path"])
                return
            if started:
                raise
            await error_response(refusal)(scope, receive, send)


class RequestGuard(HttpMiddleware):
    """Refuses malformed host names, requests of other sites that change something, and large bodies where none belong."""

    @override
    async def around(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if host_name(headers.get("host", "")) is None:
            raise SentenceError(400, "The request's Host header is missing or malformed.")
        if scope["method"] not in SAFE_METHODS:
            if not is_same_origin(headers):
                raise SentenceError(403, "Pages of other sites may not change anything here.")
            if not scope["path"].startswith(UPLOADS):
                receive = await _small_body(headers, receive)
        await self._app(scope, receive, send)


def is_same_origin(headers: Headers) -> bool:
    """Returns whether a request comes from this server's own page, or from no page at all (a program)."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False


def error_response(error: SentenceError, headers: Iterable[tuple[str, str]] = ()) -> JSONResponse:
    """The response for an error."""
    return JSONResponse(error.body(), error.status, {**error.headers, **dict(headers)})


async def _small_body(headers: Headers, receive: Receive) -> Receive:
    """Reads a body of at most MAX_JSON_BYTES and returns a `receive` that gives it; raises 413 for a larger one."""
    length = headers.get("content-length", "0")
    _check_size(int(length) if length.isascii() and length.isdecimal() else MAX_JSON_BYTES + 1)
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
        _check_size(len(body))
    _check_text(body)
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": bytes(body), "more_body": more}

    return replay


def _check_size(size: int) -> None:
    if size > MAX_JSON_BYTES:
        raise SentenceError(413, f"The request has more than {MAX_JSON_BYTES:,} bytes.", cap="max_json_bytes")


def _check_text(body: bytearray) -> None:
    """Raises 400 for JSON with half of a surrogate pair, which nothing can store or send; JSON writes one as an escape."""
    if b"\\u" not in body:
        return
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise SentenceError(400, "The request has text that is not Unicode: half of a surrogate pair.") from None
    except (ValueError, RecursionError):
        # No JSON at all: the route says so.
        return


def _unexpected(scope: Scope, error: Exception) -> SentenceError:
    """Logs an exception, and returns the sentence for the client."""
    storage = storage_error(error)
    if storage is not None:
        log.error("%s at %s %s", error, scope["method"], scope["path"])
        return storage
    error_id = secrets.token_hex(6)
    log.error("error %s at %s %s", error_id, scope["method"], scope["path"], exc_info=error)
    return SentenceError(500, f"Unexpected server error; the log has it as {error_id}.", id=error_id)


PREFIX: Final = "/api/v1"
HEADER: Final = "X-Request-Id"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
CUT_OFF: Final = 499
"""Status of a request that was never answered: the client went away."""

access_log = logging.getLogger("numalens.access")


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
            access_log.info("%s %s %d %.1f ms", method, route, status, seconds * 1000, extra=fields)
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

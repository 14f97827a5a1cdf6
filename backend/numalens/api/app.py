"""Puts the service together: routes, guards, error answers, the built page."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

import numalens_native
from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from typing_extensions import override

from numalens import __version__
from numalens.api import (
    analyses,
    compare,
    health,
    info,
    members,
    models,
    notes,
    reports,
    sections,
    shares,
    sign_in,
    timeline,
    tokens,
    uploads,
)
from numalens.api.guards import PREFIX, ErrorBoundary, Observed, RequestGuard, SecurityHeaders, error_response
from numalens.api.parts import modules
from numalens.api.section_schemas import with_engines
from numalens.api.services import Services
from numalens.api.slow_client import SlowBody
from numalens.api.web import page_routes
from numalens.errors import SentenceError
from numalens.settings import Settings
from numalens.store.folder import DataFolder

log = logging.getLogger(__name__)

SENTENCES: Final = {
    404: "Not found: the server has nothing at this address.",
    405: "This address does not support that method.",
}


def create_app(settings: Settings, folder: DataFolder) -> FastAPI:
    """The service on an opened data folder; jobs run while the application's lifespan does."""
    services = Services.make(settings, folder)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with services.running():
            yield

    app = bare_app()
    app.router.lifespan_context = lifespan
    app.state.services = services
    optional = [route for part in services.parts for route in part.routes]
    app.router.routes.extend([*optional, *page_routes(settings.web)])
    return app


class _Api(FastAPI):
    @override
    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, with the shapes that the engine describes."""
        return with_engines(super().openapi())


def bare_app() -> FastAPI:
    """The API without its parts: enough for its OpenAPI document."""
    app = _Api(
        title="NumaLens",
        version=__version__,
        description=models.__doc__ or "",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        middleware=[
            Middleware(Observed),
            Middleware(SecurityHeaders),
            Middleware(ErrorBoundary),
            Middleware(SlowBody),
            Middleware(RequestGuard),
        ],
        exception_handlers={
            SentenceError: _sentence_error,
            numalens_native.DamagedError: _damaged,
            HTTPException: _http_error,
            RequestValidationError: _validation_error,
        },
    )
    app.router.routes.extend(_api().routes)
    return app


@cache
def _api() -> APIRouter:
    """All routes, created once and shared by all services of a process."""
    api = APIRouter(
        generate_unique_id_function=_operation_id,
        responses={"default": {"model": models.ErrorBody, "description": "An error with its message."}},
    )
    reading = (info, uploads, analyses, timeline, sections, compare)
    for module in (*reading, *modules().values(), shares, notes, reports, members, sign_in, tokens):
        if hasattr(module, "router"):
            api.include_router(module.router, prefix=PREFIX)
    api.include_router(timeline.events_router, prefix=PREFIX)
    api.include_router(health.router)
    return api


def _operation_id(route: APIRoute) -> str:
    """`get_analysis` becomes `getAnalysis`: the names of the page's generated types."""
    first, *rest = route.name.split("_")
    return first + "".join(word.capitalize() for word in rest)


async def _sentence_error(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, SentenceError):
        raise error
    return error_response(error)


async def _damaged(request: Request, error: Exception) -> JSONResponse:
    log.warning("%s: %s", request.scope["path"], error)
    return error_response(
        SentenceError(409, f"{str(error).rstrip('.')}. Delete the analysis and import its files again.")
    )


async def _http_error(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    sentence = SENTENCES.get(error.status_code, f"{str(error.detail).rstrip('.')}.")
    return error_response(SentenceError(error.status_code, sentence), (error.headers or {}).items())


async def _validation_error(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    return error_response(SentenceError(422, _validation_sentence(error.errors()[0])))


def _validation_sentence(problem: dict[str, Any]) -> str:
    """The first problem of a refused request, in one sentence; never the value itself, which may be a secret."""
    where, *path = (str(part) for part in problem["loc"])
    place = {"query": "query parameter", "path": "path part", "header": "header"}.get(where, "request body")
    name = ".".join(path) if where != "body" or problem["type"] != "json_invalid" else ""
    reason = str(problem["msg"])
    return f"The {place}{f' {name}' if name else ''} is not valid: {reason[:1].lower()}{reason[1:]}."

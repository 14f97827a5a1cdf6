"""The counters of `counters.py` in Prometheus' text."""

import asyncio
import secrets

from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response

from numalens.api.access import owner
from numalens.api.services import services_of

router = APIRouter(include_in_schema=False)


@router.get("/metrics")
async def get_metrics(request: Request) -> Response:
    """The metrics, for owners and for whoever has the token of NUMALENS_METRICS_TOKEN. Raises 401 and 403."""
    services = services_of(request)
    _check(request, services.settings.metrics_token)
    text = await asyncio.to_thread(services.metrics.text, services)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def _check(request: Request, token: str | None) -> None:
    given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    if token is not None and secrets.compare_digest(given.encode(), token.encode()):
        return
    owner(request)

"""Liveness and readiness of the server, for the programs that start it, restart it, and send requests to it.

These need no permission: the answer names the failing parts, but no stored data. Metrics are for owners.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import JSONResponse, Response

from numalens.api.access import owner
from numalens.api.services import Services, services_of
from numalens.errors import DISK_FULL, SentenceError, is_out_of_space
from numalens.sandbox.confine import confinement_of

LONGEST_S: Final = 5.0
"""Limit of a check, after which it has failed: an unresponsive disk is a failed disk."""

log = logging.getLogger(__name__)

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def get_health() -> JSONResponse:
    """Confirms that the process answers. Nothing else is checked: a full disk is not a reason to restart."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz")
async def get_readiness(request: Request) -> JSONResponse:
    """Every part that requests and jobs need, each with one sentence when it does not work; 503 then.

    And how processes that read recordings are confined, which has them read in any case.
    """
    services = services_of(request)
    checks: dict[str, Callable[[], str | None]] = {
        "database": lambda: _database(services),
        "store": lambda: _store(services),
        "room": lambda: _room(services),
        "jobs": lambda: _jobs(services),
    }
    sentences = await asyncio.gather(*(_checked(name, check) for name, check in checks.items()))
    failed = {name: sentence for name, sentence in zip(checks, sentences, strict=True) if sentence is not None}
    report = {
        "status": "not ready" if failed else "ready",
        "checks": {name: failed.get(name, "ok") for name in checks},
        "confinement": await asyncio.to_thread(confinement_of, services.settings.confine),
    }
    return JSONResponse(report, 503 if failed else 200)


async def _checked(name: str, check: Callable[[], str | None]) -> str | None:
    try:
        async with asyncio.timeout(LONGEST_S):
            return await asyncio.to_thread(check)
    except SentenceError as error:
        return error.sentence
    except TimeoutError:
        return f"It did not answer within {LONGEST_S:g} seconds."
    except Exception as error:  # noqa: BLE001  (whatever it is, it does not work; the log has it)
        log.warning("not ready: %s: %s", name, error)
        return f"It does not work: {type(error).__name__}, the log has more."


def _database(services: Services) -> None:
    services.folder.database.check()


def _store(services: Services) -> str | None:
    """The data folder, and the bucket if there is one."""
    probe = services.folder.root / f".probe-{secrets.token_hex(8)}"
    try:
        probe.write_bytes(b"ready")
        probe.unlink()
    except OSError as error:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
        log.warning("not ready: data folder: %s", error)
        return DISK_FULL if is_out_of_space(error) else f"The data folder cannot be written to ({error.strerror})."
    services.folder.blobs.check()
    return None


def _room(services: Services) -> str | None:
    free, least = services.folder.free_bytes(), services.settings.min_free_bytes
    if free >= least:
        return None
    return f"The disk has {free:,} bytes left; uploads leave {least:,} free (NUMALENS_MIN_FREE_BYTES)."


def _jobs(services: Services) -> str | None:
    return (
        None
        if services.jobs.alive
        else "No recordings are imported: the server is stopping, or its import queue has stopped."
    )


@router.get("/metrics")
async def get_metrics(request: Request) -> Response:
    """The metrics, for owners and for clients with the token of NUMALENS_METRICS_TOKEN. Raises 401 and 403."""
    services = services_of(request)
    _check_reader(request, services.settings.metrics_token)
    text = await asyncio.to_thread(services.metrics_text)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def _check_reader(request: Request, token: str | None) -> None:
    given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    if token is not None and secrets.compare_digest(given.encode(), token.encode()):
        return
    owner(request)

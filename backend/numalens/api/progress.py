"""How far reading is, as server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from fastapi import APIRouter, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from numalens.api import models, present
from numalens.api.access import Reader, ReaderOf, viewer_of
from numalens.api.services import Services, services_of
from numalens.errors import AwayError, FullError, SentenceError

RETRY_S: Final = 1.0

router = APIRouter(tags=["analyses"])


@router.get(
    "/analyses/{analysis_id}/progress",
    response_class=EventSourceResponse,
    responses={
        200: {
            "description": "`progress` events with a ProgressEvent, then one `ready` or `failed` with the Analysis.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def watch_progress(request: Request, who: ReaderOf) -> EventSourceResponse:
    """Tells every change until the analysis is ready or failed."""
    services = services_of(request)
    await asyncio.to_thread(services.analyses.get, who.analysis_id)
    return EventSourceResponse(_events(services, who))


async def _events(services: Services, who: Reader) -> AsyncIterator[ServerSentEvent]:
    with services.board.watch(who.analysis_id) as changed:
        while True:
            changed.clear()
            try:
                row = await asyncio.to_thread(services.analyses.get, who.analysis_id)
            except (AwayError, FullError):
                await asyncio.sleep(RETRY_S)
                continue
            except SentenceError:
                return
            step = services.board.step(row.id)
            now = present.analysis(row, who.access, step, who.may, **viewer_of(who))
            if now.status in {"ready", "failed"}:
                yield ServerSentEvent(now.model_dump_json(), event=now.status)
                return
            event = models.ProgressEvent(
                status=now.status,
                stage=step.stage if step else None,
                done=step.done if step else 0,
                total=step.total if step else 0,
                sentence=step.sentence if step else None,
            )
            yield ServerSentEvent(event.model_dump_json(), event="progress")
            await changed.wait()

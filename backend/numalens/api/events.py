"""Raw events of all types together, by a filter. The engine understands the filter and looks through the columns."""

from collections.abc import Callable
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from numalens.api import models
from numalens.api.access import DownloaderOf, ReaderOf
from numalens.api.bundles import OpenBundle
from numalens.api.export import MEDIA_TYPES, ExportFormat, export_stream
from numalens.api.timeline import OptionalNs, binary, bundle_of
from numalens.errors import SentenceError

MOST_ROWS: Final = 1000
MOST_FILTER: Final = 2000
FILTER_HELP: Final = (
    "Conditions joined by `&&` (`and`), `||` (`or`), `!` (`not`) and parentheses: `field == value`, `!=`, `<`, `<=`, `>`, "
    "`>=`, `field ~ pattern`, `!~`, `field in 0-3,7`. Fields are `event`, `system`, `cpu`, `ts_ns` and those of the events. "
    "Numbers may end in `ns`, `us`, `ms`, `s`; a pattern with `*` or `?` must fit the whole text, another is looked for in "
    "it; text that is no single word stands in double quotes. An event without the field does not fit the condition. "
    "Empty: every event."
)

router = APIRouter(tags=["events"])

FilterOption = Annotated[
    str,
    Query(
        alias="filter",
        max_length=MOST_FILTER,
        description=FILTER_HELP,
        examples=["event == sched_switch && prev_comm ~ stress && cpu in 0-3"],
    ),
]


@router.get("/analyses/{analysis_id}/event-rows")
def get_event_rows(
    request: Request,
    who: ReaderOf,
    wanted: FilterOption = "",
    from_ns: OptionalNs = None,
    to_ns: OptionalNs = None,
    after: Annotated[
        str | None,
        Query(
            pattern=r"^[0-9]{1,20}\.[0-9]{1,10}\.[0-9]{1,20}$", description="What the page before gave as `next_page`."
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS, description="Most events of the page.")] = 200,
) -> models.EventPage:
    """The events that a filter means in [from_ns, to_ns), ascending in time, page by page.

    422 with one sentence that names the place when the filter is wrong.
    """
    bundle = bundle_of(request, who)
    _check(bundle, wanted)
    key = None if after is None else _key(after)
    return models.EventPage.model_validate_json(
        bundle.engine.events_page(wanted, from_ns, to_ns, after=key, limit=limit)
    )


@router.get(
    "/analyses/{analysis_id}/event-rows/export", response_class=Response, responses=binary(*MEDIA_TYPES.values())
)
async def export_event_rows(
    request: Request,
    who: DownloaderOf,
    wanted: FilterOption = "",
    fmt: Annotated[ExportFormat, Query(alias="format")] = "csv",
    from_ns: OptionalNs = None,
    to_ns: OptionalNs = None,
) -> StreamingResponse:
    """The events that a filter means as a download: `ts_ns`, `cpu`, `event_type`, then the fields of all their types.

    Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-` or `@` for a
    formula.
    """
    bundle = await run_in_threadpool(bundle_of, request, who)
    await run_in_threadpool(_check, bundle, wanted)

    # An export's name is that of its file; a filter is none.
    def engine(_name: str, fmt: str, out: Callable[[bytes], None], from_ns: int | None, to_ns: int | None) -> int:
        return bundle.engine.export_found(wanted, fmt, out, from_ns, to_ns)

    return await export_stream(request, engine, "events", fmt, from_ns, to_ns)


def _check(bundle: OpenBundle, wanted: str) -> None:
    try:
        bundle.engine.check_filter(wanted)
    except ValueError as error:
        raise SentenceError(422, str(error)) from error


def _key(text: str) -> tuple[int, int, int]:
    """The place of an event. Raises 422 for numbers that are too large for one."""
    ts, source, number = (int(part) for part in text.split("."))
    if max(ts, number) >= 1 << 64 or source >= 1 << 32:
        raise SentenceError(422, "The query parameter after is not what a page gave as next_page.")
    return ts, source, number

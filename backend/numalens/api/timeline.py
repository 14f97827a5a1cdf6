"""Looking into a ready analysis: windows, tasks, slices, events. All work is the engine's; here are only checks."""

import json
from collections.abc import Callable
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from numalens.api import models
from numalens.api.access import DownloaderOf, ReaderOf
from numalens.api.analyses import ready_bundle
from numalens.api.bundles import OpenBundle
from numalens.api.export import MEDIA_TYPES, ExportFormat, export_stream, stream
from numalens.api.notes import shown_note
from numalens.api.services import services_of
from numalens.api.web import PAGE
from numalens.errors import SentenceError, not_found
from numalens.report.one_file import page_file, without_page, write_page

MAX_PX: Final = 8192
MAX_LANES: Final = 4096
MAX_NS: Final = (1 << 63) - 1
MAX_NUMBER: Final = (1 << 31) - 1
ARROW_STREAM: Final = MEDIA_TYPES["arrow"]
MAX_TASK_LANES: Final = 64
MOST_VIEW: Final = 8000
TASK_LANES: Final = frozenset({"task", "process", "cgroup"})
LANE_KINDS: Final = TASK_LANES | {"node", "cpu"}

router = APIRouter(tags=["timeline"])
events_router = APIRouter(tags=["events"])
"""Events of all types together, by a filter, which the engine understands."""

Ns = Annotated[int, Query(ge=0, le=MAX_NS, description="Absolute ns of the trace's clock.")]
OptionalNs = Annotated[int | None, Query(ge=0, le=MAX_NS, description="Absolute ns of the trace's clock.")]


class ArrowStream(Response):
    """An Arrow IPC stream."""

    media_type = ARROW_STREAM


def binary(*media_types: str) -> dict[int | str, dict[str, object]]:
    """OpenAPI description of a binary answer."""
    schema = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"description": "The columns or rows.", "content": dict.fromkeys(media_types, schema)}}


@router.get("/analyses/{analysis_id}/timeline", response_class=Response, responses=binary(ARROW_STREAM))
def get_timeline(
    request: Request,
    who: ReaderOf,
    from_ns: Ns,
    to_ns: Ns,
    px: Annotated[int, Query(ge=1, le=MAX_PX, description="Width of the picture in pixels.")],
    lanes: Annotated[
        str,
        Query(
            description="Comma separated: `node:<nid>`, `cpu:<number>`, `task:<pid>`, `process:<pid>` or `cgroup:<lane>`.",
            examples=["node:0,cpu:3"],
        ),
    ],
) -> ArrowStream:
    """Items of the window [from_ns, to_ns): one Arrow IPC stream with one record batch.

    Columns: `lane` u16 is the index into `lanes`. `kind` u8 is 0 node bucket, 1 slice, 2 merged slices, 3 lost events, 4
    unknown, 5 waiting. For tasks it is also 6 runnable since a wakeup, 7 since a preemption, 8 since lost events, 9 sleeping,
    10 uninterruptible sleep. `t0` and `t1` f64 are ns after the schema metadata's `origin_ns`. `busy` f32, `rt` f32 (the part
    of `busy` by real-time and deadline tasks, of a CPU), `wait` f32 and `wait_max` u32 are loads. `task` u32 is the row of the
    task table (4294967295 = none), and `count` u32 the number of slices.

    With a lane of a task there are more columns. `cpu` u32 is the CPU of a slice, or where a wait ended (4294967295 = none).
    `waker_pid` i32 is -1 for none. `cause` u8 is the main cause of a wait, as a position in the metadata's `causes`, a list
    with commas (255 = none). In merged items `busy` and `wait` are the shares of run and wait time. 409 until the analysis is
    ready.
    """
    wanted = parse_lanes(lanes)
    if from_ns >= to_ns:
        raise SentenceError(422, f"The window is empty: from_ns {from_ns} is not before to_ns {to_ns}.")
    return ArrowStream(bundle_of(request, who).engine.timeline(wanted, from_ns, to_ns, px))


@router.get("/analyses/{analysis_id}/tasks", response_class=Response, responses=binary(ARROW_STREAM))
def get_tasks(request: Request, who: ReaderOf) -> ArrowStream:
    """The (pid, name) pairs that ran: `task` u32, `pid` i32, `comm` utf8, `run_ns` `first_ns` `last_ns` u64."""
    return ArrowStream(bundle_of(request, who).engine.tasks())


@router.get("/analyses/{analysis_id}/slice")
def get_slice(
    request: Request, who: ReaderOf, cpu: Annotated[int, Query(ge=0, le=MAX_NUMBER)], t_ns: Ns
) -> models.Slice:
    """The task's slice on `cpu` at `t_ns`. 404 when the CPU was idle then, or its task unknown."""
    found = bundle_of(request, who).engine.slice_at(cpu, t_ns)
    if found is None:
        raise SentenceError(404, f"No task was seen running on CPU {cpu} at {t_ns} ns.")
    return models.Slice.model_validate_json(found)


@router.get("/analyses/{analysis_id}/slice/next")
def get_next_slice(
    request: Request,
    who: ReaderOf,
    pid: Annotated[int, Query(ge=0, le=MAX_NUMBER)],
    t_ns: Ns,
    direction: Annotated[Literal["next", "prev"], Query(alias="dir")] = "next",
) -> models.Slice:
    """The first stay of `pid` on any CPU that starts after `t_ns`, or the last that starts before it. 404 when there is none."""
    found = bundle_of(request, who).engine.next_slice(pid, t_ns, direction == "next")
    if found is None:
        side = "after" if direction == "next" else "before"
        raise SentenceError(404, f"Task {pid} has no slice that starts {side} {t_ns} ns.")
    return models.Slice.model_validate_json(found)


@router.get(
    "/analyses/{analysis_id}/events/{event:path}", response_class=Response, responses=binary(*MEDIA_TYPES.values())
)
async def export_events(
    request: Request,
    who: DownloaderOf,
    event: Annotated[str, Path(max_length=200, description="Name of an event, or system:name.")],
    fmt: Annotated[ExportFormat, Query(alias="format")] = "csv",
    from_ns: OptionalNs = None,
    to_ns: OptionalNs = None,
) -> StreamingResponse:
    """The decoded events of one type with all their fields, ascending in time, as a download.

    Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-` or `@` for a
    formula.
    """
    bundle = await _bundle_async(request, who)
    if not any(event in {table["event"], f"{table['system']}:{table['event']}"} for table in bundle.manifest["tables"]):
        raise not_found("event type in this analysis")
    return await export_stream(request, bundle.engine.export_events, event, fmt, from_ns, to_ns)


@router.get("/analyses/{analysis_id}/samples/{table}", response_class=Response, responses=binary(*MEDIA_TYPES.values()))
async def export_samples(
    request: Request,
    who: ReaderOf,
    table: Annotated[str, Path(max_length=200, description="Name of a sample table, such as psi.")],
    fmt: Annotated[ExportFormat, Query(alias="format")] = "csv",
    from_ns: OptionalNs = None,
    to_ns: OptionalNs = None,
) -> StreamingResponse:
    """The rows of one sample table as a download: all rows, or those whose time is known and in [from_ns, to_ns).

    First `input` u32 (position among the inputs) and `ts_ns` (null when the time is not known), then the sample's own
    stamps, then what was sampled. Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins
    with `=`, `+`, `-` or `@` for a formula.
    """
    bundle = await _bundle_async(request, who)
    if not any(table == known["table"] for known in bundle.manifest["samples"]):
        raise not_found("sample table in this analysis")
    return await export_stream(request, bundle.engine.export_samples, table, fmt, from_ns, to_ns)


@router.get(
    "/analyses/{analysis_id}/trace.pftrace", response_class=Response, responses=binary("application/octet-stream")
)
async def export_trace(
    request: Request,
    who: DownloaderOf,
    from_ns: OptionalNs = None,
    to_ns: OptionalNs = None,
) -> StreamingResponse:
    """The events of a window, or of the whole recording, as a Perfetto trace; replay results are in tracks.

    404 for samples without a recording.
    """
    bundle = await _bundle_async(request, who)
    if not bundle.manifest["tables"]:
        raise not_found("recording in this analysis")

    def run(out: Callable[[bytes], None]) -> int:
        return bundle.engine.export_trace(out, from_ns, to_ns)

    return await stream(request, run, "trace", "pftrace", "application/octet-stream")


@router.get("/analyses/{analysis_id}/page.html", response_class=Response, responses=binary("text/html"))
async def export_page(
    request: Request,
    who: DownloaderOf,
    view: Annotated[
        str, Query(max_length=MOST_VIEW, description="The query of the page's address that the file opens on.")
    ] = "",
) -> StreamingResponse:
    """The page, its engine and this analysis with its notes as one file that opens without a server.

    A copy (`POST /analyses/{analysis_id}/copies`) can have a time range, chosen tasks or pseudonyms. 404 if the page was built
    without its engine.
    """
    services = services_of(request)
    bundle = await _bundle_async(request, who)

    def run(out: Callable[[bytes], None]) -> int:
        page = page_file(services.settings.web or PAGE)
        if page is None:
            raise SentenceError(404, f"{without_page()}.")
        title = services.analyses.get(who.analysis_id).title
        # As to a stranger: a file has no reader yet.
        notes = [shown_note(note).model_dump(mode="json") for note in services.notes.of(who.analysis_id)]
        bundle.whole()
        write_page(page, services.bundles.path(who.analysis_id), title, out, view=view, notes=json.dumps(notes))
        return 1

    return await stream(request, run, "incident", "html", "text/html")


def parse_lanes(text: str) -> list[tuple[str, int]]:
    """The lanes of a query, `node:0,cpu:3`. Raises 422 for other text, 413 for more than MAX_LANES or MAX_TASK_LANES."""
    parts = text.split(",", MAX_LANES)
    if len(parts) > MAX_LANES:
        raise SentenceError(413, f"A query may ask for at most {MAX_LANES} lanes.", cap="max_lanes", limit=MAX_LANES)
    lanes = []
    for part in parts:
        kind, _, number = part.partition(":")
        known = kind in LANE_KINDS and number.isascii() and number.isdecimal() and int(number[:20]) <= MAX_NUMBER
        if not known:
            raise SentenceError(
                422,
                f"The query parameter lanes has {part[:40]!r} where node:<nid>, cpu:<number>, task:<pid>, process:<pid> or "
                "cgroup:<lane> is expected.",
            )
        lanes.append((kind, int(number)))
    if sum(kind in TASK_LANES for kind, _ in lanes) > MAX_TASK_LANES:
        raise SentenceError(
            413,
            f"A query may ask for at most {MAX_TASK_LANES} lanes of tasks, processes and cgroups.",
            cap="max_task_lanes",
            limit=MAX_TASK_LANES,
        )
    return lanes


def bundle_of(request: Request, who: ReaderOf) -> OpenBundle:
    """The bundle that a request is about. Raises 404 and 409 like `ready_bundle`."""
    return ready_bundle(services_of(request), who.analysis_id)


async def _bundle_async(request: Request, who: ReaderOf) -> OpenBundle:
    return await run_in_threadpool(bundle_of, request, who)


MOST_ROWS: Final = 1000
MOST_FILTER: Final = 2000
FILTER_HELP: Final = (
    "Conditions joined by `&&` (`and`), `||` (`or`), `!` (`not`) and parentheses: `field == value`, `!=`, `<`, `<=`, `>`, "
    "`>=`, `field ~ pattern`, `!~`, `field in 0-3,7`. Fields are `event`, `system`, `cpu`, `ts_ns` and those of the events. "
    "Numbers may end in `ns`, `us`, `ms`, `s`. A pattern with `*` or `?` must match the whole text, any other pattern a part. "
    "Text of several words needs double quotes. An event without the field does not match. Empty: every event."
)


FilterOption = Annotated[
    str,
    Query(
        alias="filter",
        max_length=MOST_FILTER,
        description=FILTER_HELP,
        examples=["event == sched_switch && prev_comm ~ stress && cpu in 0-3"],
    ),
]


@events_router.get("/analyses/{analysis_id}/event-rows")
def get_event_rows(
    request: Request,
    who: ReaderOf,
    wanted: FilterOption = "",
    from_ns: OptionalNs = None,
    to_ns: OptionalNs = None,
    after: Annotated[
        str | None,
        Query(pattern=r"^[0-9]{1,20}\.[0-9]{1,10}\.[0-9]{1,20}$", description="`next_page` of the previous page."),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS, description="Maximum number of events of the page.")] = 200,
) -> models.EventPage:
    """The events in [from_ns, to_ns) that match a filter, ascending in time, page by page.

    422 with one sentence that names the place when the filter is wrong.
    """
    bundle = bundle_of(request, who)
    _check_filter(bundle, wanted)
    key = None if after is None else _page_key(after)
    return models.EventPage.model_validate_json(
        bundle.engine.events_page(wanted, from_ns, to_ns, after=key, limit=limit)
    )


@events_router.get(
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
    """The events that match a filter, as a download: `ts_ns`, `cpu`, `event_type`, then the fields of all their types.

    Text is given as it was recorded, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-` or `@` for a
    formula.
    """
    bundle = await run_in_threadpool(bundle_of, request, who)
    await run_in_threadpool(_check_filter, bundle, wanted)

    # An export's name is that of its file; a filter is none.
    def engine(_name: str, fmt: str, out: Callable[[bytes], None], from_ns: int | None, to_ns: int | None) -> int:
        return bundle.engine.export_found(wanted, fmt, out, from_ns, to_ns)

    return await export_stream(request, engine, "events", fmt, from_ns, to_ns)


def _check_filter(bundle: OpenBundle, wanted: str) -> None:
    try:
        bundle.engine.check_filter(wanted)
    except ValueError as error:
        raise SentenceError(422, str(error)) from error


def _page_key(text: str) -> tuple[int, int, int]:
    """The place of an event. Raises 422 for numbers that are too large for one."""
    ts, source, number = (int(part) for part in text.split("."))
    if max(ts, number) >= 1 << 64 or source >= 1 << 32:
        raise SentenceError(422, "The query parameter after is not the next_page of a previous page.")
    return ts, source, number

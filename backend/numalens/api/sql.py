"""SQL over an analysis, answered by Perfetto's trace processor in a process of its own. Here are only checks and answers."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import IO, Annotated, Final, Literal

from fastapi import APIRouter, Request
from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse
from typing_extensions import override

from numalens.api.access import DownloaderOf, ReaderOf, budgets_of, client_of
from numalens.api.export import MEDIA_TYPES, ExportFormat
from numalens.api.models import MOST_SHOWN, MOST_SQL, Answer, Cell, NsString, Wish
from numalens.api.parts import Host, Part
from numalens.api.services import services_of
from numalens.api.timeline import MAX_NS, OptionalNs, binary, bundle_of
from numalens.errors import SentenceError, not_found
from numalens.extras import require
from numalens.perfetto.sql.pool import BusyError, EnginePool, PoolLimits, TraceKey
from numalens.perfetto.sql.protocol import Done, Export, Failure, Limits, OnPiece, Query, Schema, Trouble
from numalens.perfetto.sql.protocol import Request as EngineRequest
from numalens.settings import Settings

Sql = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MOST_SQL),
    Field(
        description="PerfettoSQL, one statement or several; the rows are those of the last.",
        examples=["SELECT cpu, count(*) AS switches FROM sched GROUP BY cpu"],
    ),
]
CellKind = Literal["integer", "real", "text", "blob", "mixed", "empty"]


class SqlInterval(Wish):
    """The time range of the recording for the trace processor; both null: the whole recording."""

    from_ns: NsString | None = Field(None, description="Absolute ns of the trace's clock.")
    to_ns: NsString | None = None


class SqlQuestion(SqlInterval):
    """A query, and how many of its rows are wanted."""

    sql: Sql
    limit: Annotated[int, Field(ge=1, le=MOST_SHOWN)] = Field(1000, description="Maximum number of rows of the answer.")


class SqlExport(SqlInterval):
    """A query whose rows are wanted as a file."""

    sql: Sql
    format: ExportFormat = "csv"


class SqlColumn(Answer):
    """A column of the answer; names may repeat."""

    name: str
    kind: CellKind = Field(description="Type of all returned values: `mixed` if they differ, `empty` if all are null.")


class SqlTrace(Answer):
    """The trace that was queried."""

    events: int = Field(description="Number of events loaded into the trace processor.")
    from_ns: NsString | None
    to_ns: NsString | None
    bytes: int = Field(description="Length of the trace.")
    load_ms: float = Field(description="Time to load it into the trace processor.")
    loaded: Literal["now", "before"] = Field(description="True if this query had to wait for the load.")


class SqlAnswer(Answer):
    """The rows of a query's last statement."""

    columns: list[SqlColumn]
    rows: list[list[Cell]] = Field(
        description="Null; a decimal string in `integer` columns; a number in `real` columns, or `inf`, `-inf`, `nan` as a "
        "string; a string in `text` and `mixed` columns; hexadecimal digits in `blob` columns."
    )
    truncated: bool = Field(description="More rows exist.")
    elapsed_ms: float = Field(description="Time of the query, excluding the load.")
    trace: SqlTrace
    notes: list[str] = Field(description="Unreadable and truncated parts of the trace, to be shown.")


class SqlEngine(Answer):
    """The trace processor that answers."""

    name: str = Field(description="Version as reported by the trace processor.")
    kind: Literal["wasm", "native"]


class SqlTableColumn(Answer):
    """A column of a table or view."""

    name: str
    type: str = Field(description="Empty for a computed column.")


class SqlTable(Answer):
    """A table or view that can be queried."""

    name: str
    kind: Literal["table", "view", "ours"] = Field(description="`ours`: of a module of NumaLens.")
    description: str | None
    module: str | None = Field(description="Module to include first: `INCLUDE PERFETTO MODULE <module>;`.")
    columns: list[SqlTableColumn]


class SqlModule(Answer):
    """A module of NumaLens."""

    name: str = Field(examples=["numalens.cling"])
    description: str


class SqlExample(Answer):
    """A question that works on every analysis."""

    title: str
    sql: str


class SqlSchema(Answer):
    """Tables, functions and modules for queries."""

    engine: SqlEngine
    tables: list[SqlTable]
    modules: list[SqlModule]
    functions: list[str] = Field(description="Functions beyond those of SQLite, ascending.")
    examples: list[SqlExample]


# A query without end is the query's fault. Not 408: browsers send a request that is answered so again by themselves.
STATUS: Final[dict[Trouble, int]] = {"refused": 422, "time": 422, "memory": 413, "engine": 502}
IN_MEMORY: Final = 8 << 20
"""Bytes of a download up to which it is not put into a file."""
PIECE: Final = 1 << 18
TRUNCATED: Final = "X-Truncated"
STREAM_RESPONSE: Final = {
    **binary(*MEDIA_TYPES.values())[200],
    "headers": {TRUNCATED: {"description": "`true` when there are more rows.", "schema": {"type": "string"}}},
}

router = APIRouter(tags=["sql"])


class SqlPart(Part):
    """Engines that answer queries."""

    def __init__(self, host: Host) -> None:
        self.engines = EnginePool(_pool_limits(host.settings), host.bundles.path)

    @override
    def gauges(self) -> Mapping[str, int]:
        return {"sql_engines": len(self.engines.traces), "sql_waiting": self.engines.waiting}

    @override
    def forget(self, analysis_id: str) -> None:
        self.engines.forget(analysis_id)

    @asynccontextmanager
    @override
    async def running(self) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self.engines.stop()


make = SqlPart


def _pool_limits(settings: Settings) -> PoolLimits:
    each = Limits(settings.sql_memory_bytes, settings.sql_seconds, settings.sql_load_seconds)
    return PoolLimits(
        settings.sql_engines,
        settings.sql_wait_seconds,
        settings.sql_idle_seconds,
        each,
        settings.trace_processor,
        settings.confine,
    )


class JsonText(Response):
    """JSON that an engine wrote."""

    media_type = "application/json"


@router.post("/analyses/{analysis_id}/sql", response_class=JsonText, response_model=SqlAnswer)
async def query_sql(request: Request, who: ReaderOf, wanted: SqlQuestion) -> JsonText:
    """The rows of a PerfettoSQL query over the analysis, or over a time range.

    Times (`ts`, `dur`) are absolute ns of the trace's clock. Objects that a query creates are removed after the answer. 404:
    samples without a recording. 413: the trace does not fit into the memory allowed. 422: the trace processor refuses the query,
    `line` and `column` say where if it does; or the query was stopped at the time limit (`cap`). 502: the engine died of the
    trace or the query. 429: this client asks too much. 503: too many ask at once.
    """
    key = await trace_key(request, who, _ns(wanted.from_ns), _ns(wanted.to_ns))
    return await _text(request, key, Query(wanted.sql, wanted.limit))


@router.post("/analyses/{analysis_id}/sql/export", response_class=Response, responses={200: STREAM_RESPONSE})
async def export_sql(request: Request, who: DownloaderOf, wanted: SqlExport) -> StreamingResponse:
    """All rows of a query as a download, up to the most that this server allows; errors are those of `querySql`.

    `mixed` columns are text. Text is given as it is, also in CSV: a spreadsheet may take text that begins with `=`, `+`, `-`
    or `@` for a formula.
    """
    key = await trace_key(request, who, _ns(wanted.from_ns), _ns(wanted.to_ns))
    request_ = Export(wanted.sql, wanted.format, services_of(request).settings.sql_rows)
    # Kept until the client has read it: a slow one must not hold the engine.
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  (closed at the end of the download)

    async def keep(piece: bytes) -> None:
        await run_in_threadpool(file.write, piece)

    try:
        done = await ask_engine(request, key, request_, keep)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    headers = {
        "Content-Disposition": f'attachment; filename="query.{wanted.format}"',
        TRUNCATED: str(done.truncated).lower(),
    }
    return StreamingResponse(_read(file), media_type=MEDIA_TYPES[wanted.format], headers=headers)


@router.get("/analyses/{analysis_id}/sql/schema", response_class=JsonText, response_model=SqlSchema)
async def get_sql_schema(
    request: Request, who: ReaderOf, from_ns: OptionalNs = None, to_ns: OptionalNs = None
) -> JsonText:
    """Tables, views, modules and functions that a query can use, and examples. Errors are those of `querySql`."""
    return await _text(request, await trace_key(request, who, from_ns, to_ns), Schema())


def _ns(text: str | None) -> int | None:
    """A time of a request's body. Raises 422 for one outside of any clock."""
    if text is None:
        return None
    if not 0 <= int(text) <= MAX_NS:
        raise SentenceError(422, f"The time {text} is not within 0 to {MAX_NS} ns.")
    return int(text)


async def trace_key(request: Request, who: ReaderOf, from_ns: int | None, to_ns: int | None) -> TraceKey:
    """The trace of a request. Raises 404, 409 and 422, and 503 without an engine."""
    if services_of(request).settings.trace_processor is None:
        require("SQL", "sql")
    if from_ns is not None and to_ns is not None and from_ns >= to_ns:
        raise SentenceError(422, f"The time range is empty: from_ns {from_ns} is not before to_ns {to_ns}.")
    bundle = await run_in_threadpool(bundle_of, request, who)
    if not bundle.manifest["tables"]:
        raise not_found("recording in this analysis")
    # Its files are all here and stay where they are while an engine loads them.
    await run_in_threadpool(bundle.whole)
    request.state.bundle = bundle
    return TraceKey(who.analysis_id, from_ns, to_ns, linked=who.linked)


async def _text(request: Request, key: TraceKey, request_: EngineRequest) -> JsonText:
    """The JSON that an engine answers."""
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    await ask_engine(request, key, request_, keep)
    return JsonText(b"".join(pieces))


async def ask_engine(
    request: Request, key: TraceKey, request_: EngineRequest, on_piece: OnPiece, gone: Awaitable[None] | None = None
) -> Done:
    """Sends a request to an engine; stops it when the client disconnects, or `gone` is done. Raises the errors of `querySql`."""
    with budgets_of(request).queries.hold(client_of(request)) as spend:
        since = asyncio.get_running_loop().time()
        try:
            until = _until_gone(request) if gone is None else gone
            return await _answered(services_of(request).part(SqlPart).engines, until, key, request_, on_piece)
        finally:
            spend(asyncio.get_running_loop().time() - since)


async def _answered(
    engines: EnginePool, gone_when: Awaitable[None], key: TraceKey, request_: EngineRequest, on_piece: OnPiece
) -> Done:
    work = asyncio.create_task(engines.ask(key, request_, on_piece))
    gone = asyncio.ensure_future(gone_when)
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise SentenceError(499, "The client disconnected before the query finished.")
        end = work.result()
    except BusyError:
        raise SentenceError(
            503, "All engines are busy with other queries; try again in a moment.", headers={"Retry-After": "5"}
        ) from None
    finally:
        gone.cancel()
        work.cancel()
    if isinstance(end, Failure):
        error = SentenceError(STATUS[end.trouble], end.sentence)
        about = {"line": end.line, "column": end.column, "cap": end.cap}
        error.details.update({name: value for name, value in about.items() if value is not None})
        raise error
    return end


async def _until_gone(request: Request) -> None:
    """Returns when the client has closed the connection; the body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _read(file: IO[bytes]) -> AsyncIterator[bytes]:
    try:
        while piece := await run_in_threadpool(file.read, PIECE):
            yield piece
    finally:
        file.close()

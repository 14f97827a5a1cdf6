"""Resumable uploads: tus 1.0.0 (https://tus.io/protocols/resumable-upload), extensions creation, expiration, termination.

The offset of an upload is the size of its file. A PATCH that is cut off keeps every byte that arrived; HEAD returns their
number.
"""

import asyncio
import base64
from collections.abc import AsyncIterator
from email.utils import format_datetime
from typing import Annotated, Final

import numalens_native
from fastapi import APIRouter, Header, Path, Request, Response, status
from starlette.requests import ClientDisconnect

from numalens.api import models
from numalens.api.access import UploaderOf, UploaderOnly, own_upload
from numalens.api.services import Services, services_of
from numalens.errors import SentenceError
from numalens.jobs.failures import plain_refusal
from numalens.store.uploads import UploadState, UploadWriter

VERSION: Final = "1.0.0"
EXTENSIONS: Final = "creation,expiration,termination"
CONTENT_TYPE: Final = "application/offset+octet-stream"
WRITE_BYTES: Final = 1 << 20
MAX_METADATA: Final = 4096

UploadId = Annotated[str, Path(max_length=64)]
TusVersion = Annotated[str | None, Header(alias="Tus-Resumable", description="1.0.0")]

router = APIRouter(prefix="/uploads", tags=["uploads"], dependencies=[UploaderOnly])


@router.options("/", status_code=status.HTTP_204_NO_CONTENT)
def describe_uploads(request: Request) -> Response:
    """Upload protocol of this server: version, extensions, largest upload."""
    cap = services_of(request).settings.max_upload_bytes
    return _answer(204, {"Tus-Version": VERSION, "Tus-Extension": EXTENSIONS, "Tus-Max-Size": str(cap)})


@router.post("/", status_code=status.HTTP_201_CREATED)
async def create_upload(
    request: Request,
    who: UploaderOf,
    upload_length: Annotated[str | None, Header(description="Size of the file in bytes.")] = None,
    upload_metadata: Annotated[
        str | None, Header(description="`filename <base64>`, further pairs after commas.")
    ] = None,
    tus_resumable: TusVersion = None,
) -> Response:
    """Announces a file; the answer's Location takes its bytes. 413: above the cap. 507: the disk has no room for it."""
    _check_version(tus_resumable)
    length = _number("Upload-Length", upload_length)
    pairs = parse_metadata(upload_metadata or "")
    name = pairs.get("filename") or pairs.get("name") or ""
    state = await asyncio.to_thread(
        services_of(request).uploads.create,
        name,
        length,
        upload_metadata or "",
        person_id=who.person_id,
        made_by=who.only_made_by,
    )
    # A path, not a whole address: whatever name or port the client came by, its next request goes there too.
    return _answer(201, {"Location": f"{request.url.path.rstrip('/')}/{state.id}", **_expires(state)})


@router.post("/recognition")
def recognize_files(wanted: models.FileStarts) -> models.RefusedFiles:
    """Names the files that cannot be read, by their names, sizes and first bytes. 422: a head that is not base64."""
    try:
        files = [(file.name, file.bytes, base64.b64decode(file.head, validate=True)) for file in wanted.files]
    except ValueError:
        raise SentenceError(422, "The head of a file is not base64.") from None
    said = zip(files, numalens_native.refused(files), strict=True)
    return models.RefusedFiles(
        refused=[sentence and plain_refusal(sentence, name, head) for (name, _, head), sentence in said]
    )


@router.head("/{upload_id}")
async def get_upload_offset(
    request: Request, who: UploaderOf, upload_id: UploadId, tus_resumable: TusVersion = None
) -> Response:
    """Number of received bytes of an upload. Ends a PATCH that still runs, so that the number does not change."""
    _check_version(tus_resumable)
    services = services_of(request)
    await asyncio.to_thread(own_upload, services, who, upload_id)
    async with services.upload_locks.hold(upload_id):
        state = await asyncio.to_thread(_settled, services, upload_id)
    headers = {"Upload-Offset": str(state.offset), "Upload-Length": str(state.length), **_expires(state)}
    if state.metadata_header:
        headers["Upload-Metadata"] = state.metadata_header
    return _answer(200, headers)


@router.patch("/{upload_id}", status_code=status.HTTP_204_NO_CONTENT)
async def append_to_upload(
    request: Request,
    who: UploaderOf,
    upload_id: UploadId,
    upload_offset: Annotated[
        str | None, Header(description="Offset of the body; must equal the offset that HEAD returns.")
    ] = None,
    content_type: Annotated[str | None, Header(description=CONTENT_TYPE)] = None,
    tus_resumable: TusVersion = None,
) -> Response:
    """Appends the body. 409: the offset is not the present one. 413: the body is longer than announced."""
    _check_version(tus_resumable)
    if content_type != CONTENT_TYPE:
        raise SentenceError(415, f"A PATCH of an upload needs the content type {CONTENT_TYPE}.")
    offset = _number("Upload-Offset", upload_offset)
    services = services_of(request)
    # Before the lock: to hold it ends what others do with the upload.
    await asyncio.to_thread(own_upload, services, who, upload_id)
    async with services.upload_locks.hold(upload_id) as stop:
        state = await asyncio.to_thread(services.uploads.get, upload_id)
        services.uploads.check_size(state.length)
        if state.claimed:
            raise SentenceError(409, "This upload already belongs to an analysis.")
        if offset != state.offset:
            raise SentenceError(409, f"The upload has {state.offset:,} bytes, so it cannot continue at {offset:,}.")
        announced = request.headers.get("content-length")
        if announced is not None and announced.isdecimal() and int(announced) > state.length - offset:
            raise _too_long(state)
        await _receive(request, services, state, stop)
        state = await asyncio.to_thread(services.uploads.get, upload_id)
    return _answer(204, {"Upload-Offset": str(state.offset), **_expires(state)})


@router.delete("/{upload_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_upload(
    request: Request, who: UploaderOf, upload_id: UploadId, tus_resumable: TusVersion = None
) -> Response:
    """Gives an upload up; its bytes are deleted. 409: an analysis already has it."""
    _check_version(tus_resumable)
    services = services_of(request)
    await asyncio.to_thread(own_upload, services, who, upload_id)
    async with services.upload_locks.hold(upload_id):
        state = await asyncio.to_thread(services.uploads.get, upload_id)
        if state.claimed:
            raise SentenceError(409, "This upload already belongs to an analysis; delete the analysis instead.")
        await asyncio.to_thread(services.uploads.remove, state.id)
    return _answer(204, {})


def parse_metadata(header: str) -> dict[str, str]:
    """The pairs of an Upload-Metadata header. Raises 400 when it does not follow the protocol."""
    if len(header) > MAX_METADATA:
        raise SentenceError(400, f"The Upload-Metadata header is longer than {MAX_METADATA:,} bytes.")
    pairs: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, value = pair.partition(" ")
        try:
            pairs[key] = base64.b64decode(value, validate=True).decode()
        except ValueError:  # not base64, not UTF-8, or not even ASCII
            raise SentenceError(
                400, "The Upload-Metadata header has a value that is not base64 of UTF-8 text."
            ) from None
    return pairs


async def _receive(request: Request, services: Services, state: UploadState, stop: asyncio.Event) -> None:
    """Writes the body as it comes, a mebibyte at a time; keeps what is here when the client goes or another request comes."""
    writer = await asyncio.to_thread(UploadWriter, services.uploads.path(state.id), state.offset)
    buffer = bytearray()
    body = aiter(request.stream())
    stopping = asyncio.create_task(stop.wait())
    try:
        while (chunk := await _next_chunk(body, stopping)) is not None:
            if writer.offset + len(buffer) + len(chunk) > state.length:
                raise _too_long(state)
            buffer += chunk
            if len(buffer) >= WRITE_BYTES:
                # Taken first: what could be written in part only is not written again at the end.
                whole, buffer = buffer, bytearray()
                await asyncio.to_thread(services.uploads.append, writer, whole)
    finally:
        stopping.cancel()
        await asyncio.shield(asyncio.to_thread(_finish, services, writer, buffer))
    if stop.is_set():
        raise SentenceError(423, "Another request for this upload arrived; ask for its offset and continue from there.")


async def _next_chunk(body: AsyncIterator[bytes], stopping: asyncio.Task[bool]) -> bytes | None:
    """The next piece of the body; None at its end, when the client went away, or when `stopping` is done."""
    coming = asyncio.ensure_future(anext(body, None))
    try:
        await asyncio.wait({coming, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return coming.result() if coming.done() else None
    except ClientDisconnect:
        return None
    finally:
        coming.cancel()


def _finish(services: Services, writer: UploadWriter, rest: bytearray) -> None:
    try:
        services.uploads.append(writer, rest)
    finally:
        writer.close()


def _settled(services: Services, upload_id: str) -> UploadState:
    """The state of an upload whose bytes are on the disk, not only in the system's memory."""
    state = services.uploads.get(upload_id)
    UploadWriter(services.uploads.path(state.id), state.offset).close()
    return state


def _too_long(state: UploadState) -> SentenceError:
    return SentenceError(
        413,
        f"{state.name} was announced with {state.length:,} bytes, but more arrived.",
        cap="Upload-Length",
        limit=state.length,
    )


def _check_version(version: str | None) -> None:
    if version != VERSION:
        raise SentenceError(
            412,
            f"The Tus-Resumable header must be {VERSION}.",
            headers={"Tus-Version": VERSION, "Tus-Resumable": VERSION},
        )


def _number(name: str, value: str | None) -> int:
    if value is None or not (value.isascii() and value.isdecimal()) or len(value) > len(str(1 << 63)):
        raise SentenceError(400, f"The {name} header must be a number of bytes.")
    return int(value)


def _expires(state: UploadState) -> dict[str, str]:
    return {} if state.claimed else {"Upload-Expires": format_datetime(state.expires_at, usegmt=True)}


def _answer(code: int, headers: dict[str, str]) -> Response:
    return Response(status_code=code, headers={"Tus-Resumable": VERSION, "Cache-Control": "no-store", **headers})

"""Files on their way in.

The file is the truth about an upload: the number of received bytes is the file's size, read each time. A row can therefore
never claim more than the disk has, whatever kills the server, and a file is never longer than the bytes written in order.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import delete, select

from numalens.errors import AwayError, FullError, SentenceError, is_out_of_space, not_found
from numalens.store.blobs import sync_folder
from numalens.store.folder import DataFolder
from numalens.store.names import clean_file_name, deletion_time, new_id, now
from numalens.store.schema import Input, Upload

SUFFIX: Final = ".part"
FULL: Final = (
    "The server's disk is full; the received part is kept, and the upload "
    "can continue when an administrator has freed space."
)


@dataclass(frozen=True)
class UploadState:
    """An upload as it is on the disk now."""

    id: str
    name: str
    length: int
    offset: int
    metadata_header: str
    expires_at: datetime
    claimed: bool
    """True once an analysis has taken the upload; it must no longer be written or removed."""


class UploadStore:
    """Creates, fills and removes uploads of one data folder."""

    def __init__(self, folder: DataFolder, *, max_bytes: int, min_free_bytes: int, days: float) -> None:
        """Takes the caps: the largest upload, the disk space that must stay free, the days that an idle upload is kept."""
        self._folder = folder
        self._max_bytes = max_bytes
        self._min_free = min_free_bytes
        self._keep = timedelta(days=days)

    def create(
        self,
        name: str,
        length: int,
        metadata_header: str,
        *,
        person_id: str | None = None,
        made_by: str | None = None,
    ) -> UploadState:
        """Makes an empty upload of `length` bytes, of the person and the API token that begin it.

        Raises 413 above the cap and 507 when the disk has no room for it.
        """
        self.check_size(length)
        self.check_room(length)
        upload_id = new_id()
        row = Upload(
            id=upload_id,
            name=clean_file_name(name),
            length=length,
            metadata_header=metadata_header,
            created_at=now(),
            person_id=person_id,
            made_by=made_by,
        )
        try:
            with self.path(upload_id).open("xb") as file:
                os.fsync(file.fileno())
            sync_folder(self._folder.uploads)
            with self._folder.database.session() as session:
                session.add(row)
        except (FullError, OSError):
            # No client knows of it.
            self.path(upload_id).unlink(missing_ok=True)
            raise
        return self.get(upload_id)

    def check_size(self, length: int) -> None:
        """Raises 413 when an upload of `length` bytes is above the cap."""
        if length > self._max_bytes:
            raise SentenceError(
                413,
                f"The file has {length:,} bytes; this server accepts at most {self._max_bytes:,} (NUMALENS_MAX_UPLOAD_BYTES).",
                cap="max_upload_bytes",
                limit=self._max_bytes,
            )

    def check_room(self, length: int) -> None:
        """Raises 507 when `length` more bytes leave less on the disk than must be free."""
        free = self._folder.free_bytes()
        if length + self._min_free > free:
            raise SentenceError(
                507,
                f"The server's disk has {free:,} bytes free, and {length:,} bytes with {self._min_free:,} to spare are needed.",
                cap="min_free_bytes",
            )

    def append(self, writer: "UploadWriter", data: bytes | bytearray) -> None:
        """Writes a piece of an upload. Raises FullError before the disk has less left than must be free, and what `write` raises.

        Uploads that were announced when there was room for each of them have none for all.
        """
        room = max(self._folder.free_bytes() - self._min_free, 0)
        writer.write(memoryview(data)[:room])
        if room < len(data):
            raise FullError(FULL)

    def get(self, upload_id: str) -> UploadState:
        """The upload with this id. Raises 404 when there is none, 410 when it waited too long for its next byte."""
        with self._folder.database.session() as session:
            row = session.get(Upload, upload_id)
            claimed = row is not None and session.scalar(select(Input).where(Input.upload_id == upload_id)) is not None
        if row is None:
            raise not_found("upload")
        try:
            status = self.path(row.id).stat()
        except FileNotFoundError:
            raise not_found("upload") from None
        expires_at = datetime.fromtimestamp(status.st_mtime, UTC) + self._keep
        if expires_at < deletion_time() and not claimed:
            raise SentenceError(410, "This upload was idle for too long and was removed; please start it again.")
        return UploadState(
            id=row.id,
            name=row.name,
            length=row.length,
            offset=status.st_size,
            metadata_header=row.metadata_header,
            expires_at=expires_at,
            claimed=claimed,
        )

    def begun_by(self, upload_id: str) -> tuple[str | None, str | None]:
        """The person and the API token that began an upload. Raises 404 when there is none."""
        with self._folder.database.session() as session:
            row = session.get(Upload, upload_id)
        if row is None:
            raise not_found("upload")
        return row.person_id, row.made_by

    def remove(self, upload_id: str) -> None:
        """Deletes an upload, bytes and row."""
        self.path(upload_id).unlink(missing_ok=True)
        with self._folder.database.session() as session:
            session.execute(delete(Upload).where(Upload.id == upload_id))

    def sweep(self) -> int:
        """Removes uploads that expired and files without a row; returns how many."""
        with self._folder.database.session() as session:
            rows = set(session.scalars(select(Upload.id)))
            claimed = set(session.scalars(select(Input.upload_id).where(Input.upload_id.is_not(None))))
        at = deletion_time()
        limit = (at - self._keep).timestamp()
        files = {path.name.removesuffix(SUFFIX): path.stat() for path in self._folder.uploads.glob(f"*{SUFFIX}")}
        stale = {name for name in rows - claimed if name not in files or files[name].st_mtime < limit}
        # A file is made before its row, so one without a row is either a left-over or a minute young.
        stale |= {name for name in files.keys() - rows if files[name].st_mtime < at.timestamp() - 60}
        for name in stale:
            self.remove(name)
        return len(stale)

    def path(self, upload_id: str) -> Path:
        """The upload's file. `upload_id` must come from a row, never from a request."""
        return self._folder.uploads / f"{upload_id}{SUFFIX}"


class UploadWriter:
    """Appends to an upload's file, never past its length."""

    def __init__(self, path: Path, offset: int) -> None:
        """Opens the file for writing at `offset`, its present end."""
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        self.offset = offset

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Appends `data`. Raises FullError when the disk is full, AwayError when it fails; what was written before stays."""
        view = memoryview(data)
        try:
            while view:
                written = os.pwrite(self._descriptor, view, self.offset)
                self.offset += written
                view = view[written:]
        except OSError as error:
            raise _refusal(error) from error

    def close(self) -> None:
        """Makes the bytes survive a power cut, and closes the file."""
        try:
            os.fdatasync(self._descriptor)
        except OSError as error:
            raise _refusal(error) from error
        finally:
            os.close(self._descriptor)


def _refusal(error: OSError) -> SentenceError:
    if is_out_of_space(error):
        return FullError(FULL)
    return AwayError(
        f"The server's disk cannot store the file ({error.strerror}); an administrator must check the disk."
    )

"""Analyses and the life of their inputs: claimed upload, stored file, read, deleted."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Row, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload

from numalens.errors import AwayError, FullError, SentenceError, not_found
from numalens.store.blobs import hash_file
from numalens.store.database import Database
from numalens.store.folder import DataFolder
from numalens.store.members import own
from numalens.store.names import clean_file_name, deletion_time, distinct, new_id, now, title_of, title_of_recording
from numalens.store.options import Cut, ReadOptions
from numalens.store.schema import Analysis, Input, Member, Upload
from numalens.store.uploads import UploadStore

WHOLE: Final = (selectinload(Analysis.inputs), selectinload(Analysis.members).joinedload(Member.person))
"""Relations that are loaded with every analysis."""
UNFINISHED: Final = ("queued", "parsing")
LEFT: Final = "The analysis is deleted; the store is unavailable, so its files there are removed later."
SKIPPED_KEPT: Final = 20
"""Skipped parts of an input that its row keeps; the manifest has them all."""


class AnalysisStore:
    """The analyses of one data folder. Rows that it hands out are detached: reading them needs no session."""

    def __init__(self, folder: DataFolder, uploads: UploadStore) -> None:
        """Uses the database and the files of `folder`."""
        self._folder = folder
        self._database = folder.database
        self._uploads = uploads
        self.swept = True
        """True if the store has, as far as known, no object without a row."""

    def all(self, person_id: str | None = None) -> list[Analysis]:
        """All analyses, or those that a person owns or reads, newest first."""
        with self._database.session() as session:
            query = select(Analysis).options(*WHOLE)
            if person_id is not None:
                query = query.where(Analysis.members.any(Member.person_id == person_id))
            return list(session.scalars(query.order_by(Analysis.created_at.desc(), Analysis.id)))

    def get(self, analysis_id: str) -> Analysis:
        """The analysis with this id. Raises 404 when there is none."""
        with self._database.session() as session:
            return _get(session, analysis_id)

    def find_origin(self, origin: str) -> Analysis | None:
        """The analysis that was made from `origin` (see `Analysis.origin`), if it is still here."""
        with self._database.session() as session:
            query = select(Analysis).where(Analysis.origin == origin).options(*WHOLE)
            return session.scalars(query.order_by(Analysis.created_at)).first()

    def unfinished(self) -> list[str]:
        """Ids of analyses that still have to be read, oldest first."""
        with self._database.session() as session:
            query = select(Analysis.id).where(Analysis.status.in_(UNFINISHED)).order_by(Analysis.created_at)
            return list(session.scalars(query))

    def ready(self) -> list[Row[Any]]:
        """The analyses that were read, as `ready_analyses` has them."""
        return ready_analyses(self._database)

    def create(
        self,
        upload_ids: list[str],
        title: str | None,
        options: ReadOptions | None = None,
        *,
        made_by: str | None = None,
        owner_id: str | None = None,
    ) -> Analysis:
        """Claims finished uploads as one queued analysis; either all of them or none. `made_by`: the API token's id.

        `owner_id`: the person who owns it, None for the administrators.

        Raises 404 for an unknown upload, 409 for one that is not finished or already taken, 422 for one named twice.
        """
        inputs = self._claimed(upload_ids)
        try:
            return self._add(
                inputs, title, sample=False, origin=None, options=options, made_by=made_by, owner_id=owner_id
            )
        except IntegrityError:
            raise SentenceError(409, "One of these uploads was used or removed at the same time.") from None

    def _claimed(self, upload_ids: list[str]) -> list[Input]:
        """Inputs of finished uploads."""
        if len(set(upload_ids)) != len(upload_ids):
            raise SentenceError(422, "An upload is named twice in one analysis.")
        states = [self._uploads.get(upload_id) for upload_id in upload_ids]
        for state in states:
            if state.claimed:
                raise SentenceError(409, f"{state.name} already belongs to an analysis.", file=state.name)
            if state.offset != state.length:
                raise SentenceError(
                    409,
                    f"{state.name} is not complete: {state.offset:,} of {state.length:,} bytes are here.",
                    file=state.name,
                )
        return [
            Input(position=position, name=state.name, bytes=state.length, upload_id=state.id)
            for position, state in enumerate(states)
        ]

    def create_from_files(self, files: list[Path], title: str, *, origin: str) -> Analysis:
        """Copies files of this machine into the store as one queued sample analysis."""
        hashes = [hash_file(path) for path in files]
        for path, sha256 in zip(files, hashes, strict=True):
            self._folder.blobs.put(sha256, path, link=False)
        with self._folder.blob_lock:
            inputs = []
            for position, (path, sha256) in enumerate(zip(files, hashes, strict=True)):
                self._folder.blobs.put(sha256, path, link=False)
                size = path.stat().st_size
                inputs.append(Input(position=position, name=clean_file_name(path.name), bytes=size, sha256=sha256))
            return self._add(inputs, title, sample=True, origin=origin)

    def create_from_bundle(
        self, manifest: dict[str, Any], title: str, *, origin: str, fill: Callable[[Path], None]
    ) -> Analysis:
        """Keeps a finished bundle as an analysis without source files; `fill` writes it into the folder it is given."""
        analysis_id, generation = new_id(), new_id()
        fill(self._folder.kept.workshop.new(analysis_id, generation))
        self._folder.kept.keep(analysis_id, generation)
        self._folder.kept.show(analysis_id, generation)
        inputs = [
            Input(position=position, name=clean_file_name(str(entry["name"])), bytes=int(entry["bytes"]))
            for position, entry in enumerate(manifest["inputs"])
        ]
        summaries = input_summaries(manifest)
        names = (analysis_id, generation)
        return self._add(inputs, title, sample=False, origin=origin, summaries=summaries, names=names)

    def create_copy(self, cut: Cut, title: str | None, owner_id: str | None = None) -> Analysis:
        """Queues a copy that has only a part of another analysis, or other names; it has no files of its own.

        `owner_id`: the person who owns it, None for the administrators.

        Raises 404 when there is no such analysis, 409 when it is not ready or its files are not here.
        """
        source = self.get(cut.source)
        if source.status != "ready":
            raise SentenceError(409, "This analysis can be copied when its import has finished.")
        if not has_files(source):
            raise SentenceError(409, "The files of this analysis are not kept here, so it cannot be copied.")
        before = ReadOptions.of(source.options)
        options = ReadOptions(tolerant=before.tolerant, offsets=before.offsets, cut=cut)
        # With other names, the title must not give them away either.
        named = title or ("Copy" if cut.pseudonyms else f"{source.title} (copy)"[:200])
        return self._add([], named, sample=False, origin=None, options=options, owner_id=owner_id)

    def change(self, analysis_id: str, changes: dict[str, Any]) -> Analysis:
        """Sets columns of an analysis. Raises 404 when there is none."""
        with self._database.session() as session:
            analysis = _get(session, analysis_id)
            for column, value in changes.items():
                setattr(analysis, column, value)
            return analysis

    def outlived(self, days: float) -> list[str]:
        """Ids of the analyses that are older than `days` and that the rule of retention removes, the oldest first.

        Samples, running imports, and analyses that users marked to be kept stay.
        """
        with self._database.session() as session:
            query = (
                select(Analysis.id)
                .where(Analysis.created_at < deletion_time() - timedelta(days=days))
                .where(~Analysis.keep, ~Analysis.sample, Analysis.status.not_in(UNFINISHED))
                .order_by(Analysis.created_at, Analysis.id)
            )
            return list(session.scalars(query))

    def reread(
        self,
        analysis_id: str,
        tolerant: bool | None,
        offsets: dict[str, int] | None,
        upload_ids: list[str],
        max_files: int,
    ) -> Analysis:
        """Queues an analysis to be read again with these options and added files; None leaves an option as it was.

        Raises 404 when there is none, 409 while it is being read or when its files are not here.
        Raises 413 for too many files, 422 for an offset of an input that it does not have.
        """
        added = self._claimed(upload_ids)
        with self._database.session() as session:
            analysis = _get(session, analysis_id)
            if analysis.status in UNFINISHED:
                raise SentenceError(409, "This analysis is being imported; wait until the import has finished.")
            if not has_files(analysis):
                raise SentenceError(409, "The files of this analysis are not kept here, so they cannot be read again.")
            for name in offsets or {}:
                _check_input(analysis, name)
            count = len(analysis.inputs)
            if count + len(upload_ids) > max_files:
                raise SentenceError(413, f"An analysis may have at most {max_files} files (NUMALENS_MAX_FILES).")
            for row in added:
                row.position += count
                analysis.inputs.append(row)
            before = ReadOptions.of(analysis.options)
            analysis.wanted = ReadOptions(
                tolerant=before.tolerant if tolerant is None else tolerant,
                offsets=before.offsets if offsets is None else offsets,
            ).kept()
            analysis.status = "queued"
            analysis.error = None
            return analysis

    def set_parsing(self, analysis_id: str) -> tuple[str, ReadOptions] | None:
        """Records that an import attempt has begun; returns its name and options. Earlier tries lose all effect.

        None when the import is no longer wanted: another server did the work while this one had lost the database.
        """
        with self._database.session() as session:
            analysis = _get(session, analysis_id)
            if analysis.status not in UNFINISHED:
                return None
            analysis.status = "parsing"
            analysis.attempt = new_id()
            return analysis.attempt, ReadOptions.of(analysis.wanted or analysis.options)

    def is_latest(self, analysis_id: str, attempt: str) -> bool:
        """Returns whether the result of a try is still wanted."""
        with self._database.session() as session:
            query = select(Analysis.id).where(Analysis.id == analysis_id, Analysis.attempt == attempt)
            return session.scalar(query) is not None

    def set_ready(self, analysis_id: str, attempt: str, generation: str, manifest: dict[str, Any]) -> bool:
        """Marks the bundle of this try as the one to read; returns whether that had an effect (only once)."""
        with self._database.session() as session:
            analysis = _latest(session, analysis_id, attempt)
            if analysis is None:
                return False
            analysis.status = "ready"
            analysis.attempt = None
            analysis.generation = generation
            analysis.error = None
            analysis.input_summaries = input_summaries(manifest)
            # A title that no user chose becomes better where the recording shows more than its files' names.
            if analysis.title == title_of([row.name for row in analysis.inputs]):
                better = title_of_recording(analysis.input_summaries, manifest.get("identity") or {})
                analysis.title = better or analysis.title
            analysis.options, analysis.wanted = analysis.wanted or analysis.options, None
            return True

    def set_failed(self, analysis_id: str, attempt: str, error: dict[str, Any]) -> None:
        """Stores why this try failed: the fields of the API's `InputFailure`. The bundle of an earlier one stays in use."""
        with self._database.session() as session:
            analysis = _latest(session, analysis_id, attempt)
            if analysis is None:
                return
            analysis.error = error
            analysis.attempt = None
            if analysis.input_summaries is not None and self._folder.kept.has(analysis_id, analysis.generation):
                analysis.status = "ready"
            else:
                analysis.status = "failed"
                analysis.input_summaries = None
                analysis.options = analysis.wanted or analysis.options
            analysis.wanted = None

    def store_inputs(self, analysis_id: str, progress: Callable[[int, int], None]) -> list[tuple[str, str]]:
        """Turns claimed uploads into stored files; returns (name, SHA-256) of all inputs in order.

        May be cut off anywhere and called again: a file is linked to its new name before the row says so, and loses its
        old name only after that. `progress(done, total)` counts bytes; an exception it raises stops the work.
        """
        inputs = self.get(analysis_id).inputs
        total = sum(row.bytes for row in inputs if row.upload_id is not None)
        before = 0
        for row in inputs:
            if row.upload_id is not None:
                self._store_input(row, partial(_shifted, progress, before, total))
                before += row.bytes
        return [(row.name, row.sha256) for row in self.get(analysis_id).inputs if row.sha256 is not None]

    def delete(self, analysis_id: str) -> None:
        """Deletes an analysis with its links, its bundle, and every stored file that no other analysis has.

        Raises AwayError when the store does not answer: the rows are gone then, and the rest goes with the next sweep.
        """
        try:
            self._delete(analysis_id)
        except FullError:
            # A deletion makes room.
            with self._folder.without_reserve():
                self._delete(analysis_id)

    def _delete(self, analysis_id: str) -> None:
        with self._folder.blob_lock:
            with self._database.session() as session:
                analysis = _get(session, analysis_id)
                upload_ids = [row.upload_id for row in analysis.inputs if row.upload_id is not None]
                hashes = {row.sha256 for row in analysis.inputs if row.sha256 is not None}
                session.delete(analysis)
                session.flush()
                used = set(session.scalars(select(Input.sha256).where(Input.sha256.in_(hashes))))
            away = self._remove_blobs(hashes - used)
        for upload_id in upload_ids:
            self._uploads.remove(upload_id)
        try:
            self._folder.kept.drop(analysis_id)
        except (AwayError, FullError):
            away = True
        self._database.scrub()
        if away:
            self.swept = False
            raise AwayError(LEFT)

    def sweep(self) -> None:
        """Removes stored files and bundles that no row names: what a killed deletion or a killed job left. Raises AwayError."""
        self.swept = False
        stored = set(self._folder.blobs.all())
        with self._folder.blob_lock:
            with self._database.session() as session:
                used = set(session.scalars(select(Input.sha256).where(Input.sha256.is_not(None))))
            away = self._remove_blobs(stored - used)
        self._folder.kept.sweep(self._known)
        self.swept = not away

    def tidy(self, analysis_id: str) -> None:
        """Removes leftovers of ended tries to import an analysis. Those in an unavailable store go with a later sweep."""
        try:
            self._folder.kept.sweep(self._known, analysis_id)
        except (AwayError, FullError):
            self.swept = False

    def count_by_status(self) -> dict[str, int]:
        """Number of analyses in each state."""
        with self._database.session() as session:
            rows = session.execute(select(Analysis.status, func.count()).group_by(Analysis.status))
            return {status: count for status, count in rows}  # noqa: C416  (rows are no pairs to the type checker)

    def count(self) -> int:
        """Number of analyses."""
        with self._database.session() as session:
            return session.scalar(select(func.count()).select_from(Analysis)) or 0

    def _remove_blobs(self, hashes: Iterable[str]) -> bool:
        """Removes stored files; returns whether the store was unreachable, so that some are left."""
        try:
            for sha256 in hashes:
                self._folder.blobs.remove(sha256)
        except (AwayError, FullError):
            return True
        return False

    def _known(self) -> dict[str, tuple[str | None, str | None]]:
        with self._database.session() as session:
            rows = session.execute(select(Analysis.id, Analysis.generation, Analysis.attempt))
            return {row.id: (row.generation, row.attempt) for row in rows}

    def _store_input(self, row: Input, progress: Callable[[int], None]) -> None:
        upload_id = row.upload_id
        if upload_id is None:
            return
        path = self._uploads.path(upload_id)
        sha256 = hash_file(path, progress)
        # Sending it to a store takes long; under the lock it is then only looked for, since another request may have deleted the
        # same content in the meantime.
        self._folder.blobs.put(sha256, path, link=True)
        with self._folder.blob_lock:
            self._folder.blobs.put(sha256, path, link=True)
            with self._database.session() as session:
                stored = session.get_one(Input, (row.analysis_id, row.position))
                stored.sha256 = sha256
                stored.upload_id = None
                session.flush()
                session.delete(session.get_one(Upload, upload_id))
        path.unlink(missing_ok=True)

    def _add(
        self,
        inputs: list[Input],
        title: str | None,
        *,
        sample: bool,
        origin: str | None,
        options: ReadOptions | None = None,
        summaries: list[dict[str, Any]] | None = None,
        names: tuple[str, str] | None = None,
        made_by: str | None = None,
        owner_id: str | None = None,
    ) -> Analysis:
        """Keeps the rows of a new analysis; `names` are its id and the generation of its bundle, if it has one."""
        for row, name in zip(inputs, distinct([row.name for row in inputs]), strict=True):
            row.name = name
        analysis = Analysis(
            id=names[0] if names else new_id(),
            generation=names[1] if names else None,
            title=title or title_of([row.name for row in inputs]),
            status="queued" if summaries is None else "ready",
            created_at=now(),
            sample=sample,
            origin=origin,
            input_summaries=summaries,
            options=(options or ReadOptions()).kept(),
            made_by=made_by,
            inputs=inputs,
            members=[] if owner_id is None else [own(owner_id)],
        )
        with self._database.session() as session:
            session.add(analysis)
        return self.get(analysis.id)


def ready_analyses(database: Database) -> list[Row[Any]]:
    """The analyses that were read, oldest first: `id title created_at tags incident generation`."""
    columns = (Analysis.id, Analysis.title, Analysis.created_at, Analysis.tags, Analysis.incident, Analysis.generation)
    with database.session() as session:
        query = select(*columns).where(Analysis.input_summaries.is_not(None))
        return list(session.execute(query.order_by(Analysis.created_at, Analysis.id)))


def has_files(analysis: Analysis) -> bool:
    """Returns whether the files of an analysis are kept here, so that they can be imported again."""
    return bool(analysis.inputs) and all(row.sha256 is not None or row.upload_id is not None for row in analysis.inputs)


def _check_input(analysis: Analysis, name: str) -> None:
    """Raises 422 when an analysis has no input with this shown name; members of an archive not read so far are believed."""
    if analysis.input_summaries is None:
        known = any(name == row.name or name.startswith(f"{row.name}/") for row in analysis.inputs)
    else:
        known = any(name == entry["name"] for entry in analysis.input_summaries)
    if not known:
        raise SentenceError(422, f"This analysis has no input {name[:200]!r}.")


def _shifted(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    """Reports the progress of one of several files."""
    progress(before + done, total)


def _get(session: Session, analysis_id: str) -> Analysis:
    analysis = session.scalar(select(Analysis).where(Analysis.id == analysis_id).options(*WHOLE))
    if analysis is None:
        raise not_found("analysis")
    return analysis


def _latest(session: Session, analysis_id: str, attempt: str) -> Analysis | None:
    """The analysis, locked for a change, if `attempt` is still its latest."""
    query = select(Analysis).where(Analysis.id == analysis_id, Analysis.attempt == attempt)
    return session.scalar(query.with_for_update())


def input_summaries(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifest's entries of the inputs, without most of a long list of skipped parts."""
    return [_shortened(entry) for entry in manifest["inputs"]]


def _shortened(entry: dict[str, Any]) -> dict[str, Any]:
    skipped = entry.get("skipped") or []
    more = int(entry.get("skipped_more") or 0) + max(0, len(skipped) - SKIPPED_KEPT)
    return {**entry, "skipped": skipped[:SKIPPED_KEPT], "skipped_more": more}

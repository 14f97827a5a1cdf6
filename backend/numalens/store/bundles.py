"""Bundles: written somewhere of this machine, then kept whole in a folder or in a bucket, and read from there.

Each try to make a bundle is a separate generation. The row of the analysis names the one to read, so that half-written ones are
never seen, and neither are those of cancelled tries.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from numalens.errors import not_found
from numalens.store.blobs import sync_folder
from numalens.store.cache import Cache, Hold, PartFiles, PartHold, Plan
from numalens.store.objects import AT_ONCE, MissingError, Objects

MANIFEST: Final = "manifest.json"
PREFIX: Final = "bundles"
TRASH_PREFIX: Final = ".trash-"
TEMP_PREFIX: Final = ".new-"
SCRATCH_PREFIX: Final = ".scratch-"


class Workshop:
    """Folder for writing bundles: `.new-<analysis>.<generation>` and unpacked files of an import, `.scratch-…`."""

    def __init__(self, root: Path) -> None:
        """Uses (and creates) the folder `root`."""
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def new(self, analysis_id: str, generation: str) -> Path:
        """Folder of a bundle before it is kept; it does not exist yet."""
        return self.root / f"{TEMP_PREFIX}{analysis_id}.{generation}"

    def scratch(self, analysis_id: str, generation: str) -> Path:
        """Folder for the unpacked inputs of an import; it does not exist yet."""
        return self.root / f"{SCRATCH_PREFIX}{analysis_id}.{generation}"

    def clear(self, analysis_id: str = "", attempt: str | None = None) -> None:
        """Removes leftovers of the tries of one analysis, or of all, except those of `attempt`."""
        # No patterns: Python keeps each one that it has compiled, and these would differ for every analysis.
        left = tuple(f"{prefix}{analysis_id}" for prefix in (TEMP_PREFIX, SCRATCH_PREFIX, TRASH_PREFIX))
        wanted = () if attempt is None else tuple(f"{start}.{attempt}" for start in left)
        for path in list(self.root.iterdir()):
            if path.name.startswith(left) and not path.name.startswith(wanted):
                shutil.rmtree(path, ignore_errors=True)

    def discard(self, analysis_id: str, generation: str) -> None:
        """Removes leftovers of one try."""
        for path in (self.new(analysis_id, generation), self.scratch(analysis_id, generation)):
            shutil.rmtree(path, ignore_errors=True)


class Bundles(Protocol):
    """The bundles of analyses, by generation."""

    @property
    def workshop(self) -> Workshop:
        """Workshop of the bundles."""

    def keep(self, analysis_id: str, generation: str) -> None:
        """Makes a finished bundle of the workshop durable; it is not read yet."""

    def show(self, analysis_id: str, generation: str) -> None:
        """From now on this one may be read."""

    def has(self, analysis_id: str, generation: str | None) -> bool:
        """Returns whether there is a bundle to read."""

    def opening(self, analysis_id: str, generation: str | None) -> AbstractContextManager[Hold]:
        """The folder of the one that is to be read: it does not change in the block, and stays while the hold is kept.

        Raises 404 when it is not there (any more), and AwayError.
        """

    def copy(self, analysis_id: str, generation: str | None, name: str, to: Path) -> bool:
        """Copies a single file of the bundle to read; returns whether there is such a file.

        Raises AwayError.
        """

    def drop(self, analysis_id: str) -> None:
        """Removes all bundles of an analysis."""

    def discard(self, analysis_id: str, generation: str) -> None:
        """Removes what one try wrote, wherever. Raises AwayError."""

    def sweep(self, known: "Generations", analysis_id: str | None = None) -> None:
        """Removes data without an analysis: everywhere, or that of one id. Raises AwayError."""


Generations = Callable[[], dict[str, tuple[str | None, str | None]]]
"""All analyses: which generation is read, and which attempt is writing one. Called after the existing data has been listed."""


class FolderBundles:
    """Bundles as `<root>/<analysis>`: one of each analysis, which another takes the place of."""

    def __init__(self, root: Path) -> None:
        """Uses (and creates) the folder `root`."""
        self.root = root
        self.workshop = Workshop(root)
        self.lock = threading.Lock()
        """Held while a bundle's name moves to another folder, and while a bundle is opened."""

    def path(self, analysis_id: str) -> Path:
        """The bundle folder of an analysis."""
        return self.root / analysis_id

    def keep(self, analysis_id: str, generation: str) -> None:
        """Makes all of a finished bundle survive a power cut."""
        for folder, _, names in os.walk(self.workshop.new(analysis_id, generation)):
            for name in names:
                _sync_file(Path(folder) / name)
            sync_folder(Path(folder))
        sync_folder(self.root)

    def show(self, analysis_id: str, generation: str) -> None:
        """Gives a kept bundle its name, instead of the one before; repeating it is allowed."""
        new = self.workshop.new(analysis_id, generation)
        if new.is_dir():
            with self.lock:
                trash = self._discarded(analysis_id)
                new.replace(self.path(analysis_id))
            sync_folder(self.root)
            shutil.rmtree(trash, ignore_errors=True)

    def discard(self, analysis_id: str, generation: str) -> None:
        """Removes what one try wrote."""
        self.workshop.discard(analysis_id, generation)

    def has(self, analysis_id: str, generation: str | None) -> bool:
        """Returns whether there is a bundle."""
        del generation
        return self.path(analysis_id).is_dir()

    @contextmanager
    def opening(self, analysis_id: str, generation: str | None) -> Iterator[Hold]:
        """The bundle's folder, which keeps its name in the block. Raises 404 when it is not there (any more)."""
        del generation
        with self.lock:
            if not self.path(analysis_id).is_dir():
                raise not_found("analysis")
            yield Hold(self.path(analysis_id))

    def copy(self, analysis_id: str, generation: str | None, name: str, to: Path) -> bool:
        """Copies one file of the bundle; returns whether there is such a file."""
        del generation
        try:
            shutil.copyfile(self.path(analysis_id) / name, to)
        except FileNotFoundError:
            return False
        return True

    def drop(self, analysis_id: str) -> None:
        """Removes a bundle: it loses its name first, so that a half-removed one is never opened."""
        with self.lock:
            trash = self._discarded(analysis_id)
        shutil.rmtree(trash, ignore_errors=True)
        self.workshop.clear(analysis_id)

    def sweep(self, known: Generations, analysis_id: str | None = None) -> None:
        """Removes the bundles of unknown analyses, and what tries left that ended."""
        there = [path.name for path in self.root.iterdir() if not path.name.startswith(".")]
        now = known()
        for name in there:
            if name not in now and analysis_id in {None, name}:
                self.drop(name)
        for name in now if analysis_id is None else [analysis_id]:
            self.workshop.clear(name, now.get(name, (None, None))[1])

    def _discarded(self, analysis_id: str) -> Path:
        """New path of an analysis' bundle, if it has one, to be removed."""
        trash = self.root / f"{TRASH_PREFIX}{analysis_id}"
        shutil.rmtree(trash, ignore_errors=True)
        with suppress(FileNotFoundError):
            self.path(analysis_id).replace(trash)
        return trash


class ObjectBundles:
    """Bundles as objects `bundles/<analysis>/<generation>/…`, fetched into a cache block by block as they are read."""

    def __init__(self, objects: Objects, cache: Cache, workshop: Workshop) -> None:
        """Uses the objects below `bundles/`, and a cache that it shares with others."""
        self._objects = objects
        self._cache = cache
        self.workshop = workshop
        self._lock = threading.Lock()
        self._parts: dict[str, PartFiles] = {}
        """Cached parts of bundles that were not made here."""
        # Which bytes an earlier process left is not known.
        cache.drop("bundle.")

    def keep(self, analysis_id: str, generation: str) -> None:
        """Sends all files of a finished bundle, the manifest last. Raises AwayError; what was sent is swept later."""
        new = self.workshop.new(analysis_id, generation)
        names = [path.relative_to(new).as_posix() for path in new.rglob("*") if path.is_file()]
        prefix = _prefix(analysis_id, generation)
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="keep") as threads:
            sent = [
                threads.submit(self._objects.put, f"{prefix}/{name}", new / name) for name in names if name != MANIFEST
            ]
        for one in sent:
            one.result()
        self._objects.put(f"{prefix}/{MANIFEST}", new / MANIFEST)

    def show(self, analysis_id: str, generation: str) -> None:
        """Nothing to do but to keep what lies here already: the row alone says which one is read."""
        new = self.workshop.new(analysis_id, generation)
        if new.is_dir():
            self._cache.adopt(_cache_name(analysis_id, generation), new)

    def discard(self, analysis_id: str, generation: str) -> None:
        """Removes what one try wrote, here and there. Raises AwayError."""
        self.workshop.discard(analysis_id, generation)
        self._delete(_prefix(analysis_id, generation))

    def has(self, analysis_id: str, generation: str | None) -> bool:
        """The row decides: it never names an incomplete one."""
        del analysis_id
        return generation is not None

    @contextmanager
    def opening(self, analysis_id: str, generation: str | None) -> Iterator[Hold]:
        """The bundle's folder in the cache, with as much of its files as was read; 404, AwayError as above."""
        if generation is None:
            raise not_found("analysis")
        prefix, name = f"{_prefix(analysis_id, generation)}/", _cache_name(analysis_id, generation)

        def plan() -> Plan:
            parts = PartFiles(self._objects, prefix, self._files(prefix), partial(self._cache.grow, name))
            return parts.first_bytes, partial(self._begin, name, parts)

        held = self._cache.hold(name, plan)
        with self._lock:
            parts = self._parts.get(name)
        yield held if parts is None else PartHold(held, parts)

    def copy(self, analysis_id: str, generation: str | None, name: str, to: Path) -> bool:
        """Fetches one file of a generation; returns whether there is such a file. Raises AwayError."""
        if generation is None:
            return False
        whole = f"{_prefix(analysis_id, generation)}/{name}"
        try:
            size = self._objects.size(whole)
            if size is not None:
                self._objects.fetch(whole, size, to)
        except MissingError:
            to.unlink(missing_ok=True)
            return False
        return size is not None

    def drop(self, analysis_id: str) -> None:
        """Removes all local and remote generations. Raises AwayError when the store is unavailable."""
        self._cache.drop(f"bundle.{analysis_id}.")
        with self._lock:
            for name in [name for name in self._parts if name.startswith(f"bundle.{analysis_id}.")]:
                del self._parts[name]
        self.workshop.clear(analysis_id)
        self._delete(f"{PREFIX}/{analysis_id}")

    def sweep(self, known: Generations, analysis_id: str | None = None) -> None:
        """Removes unknown analyses, and generations that are neither read nor being written. Raises AwayError.

        Readers of an earlier generation continue with the cached files.
        """
        names = [name for name, _ in self._objects.list(PREFIX if analysis_id is None else f"{PREFIX}/{analysis_id}")]
        now = known()
        stray = []
        for name in names:
            _, owner, generation, *_rest = [*name.split("/"), "", ""]
            read, attempt = now.get(owner, (None, None))
            if generation != read and (attempt is None or not generation.startswith(attempt)):
                stray.append(name)
        self._objects.delete(stray)
        for owner in now if analysis_id is None else [analysis_id]:
            self.workshop.clear(owner, now.get(owner, (None, None))[1])

    def _delete(self, prefix: str) -> None:
        self._objects.delete(name for name, _ in self._objects.list(prefix))

    def _files(self, prefix: str) -> dict[str, int]:
        """Sizes of a bundle's files by name."""
        files = {name.removeprefix(prefix): size for name, size in self._objects.list(prefix.rstrip("/"))}
        if MANIFEST not in files:
            raise not_found("analysis")
        return files

    def _begin(self, name: str, parts: PartFiles, path: Path) -> None:
        parts.make(path)
        with self._lock:
            self._parts[name] = parts


def _prefix(analysis_id: str, generation: str) -> str:
    return f"{PREFIX}/{analysis_id}/{generation}"


def _cache_name(analysis_id: str, generation: str) -> str:
    return f"bundle.{analysis_id}.{generation}"


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

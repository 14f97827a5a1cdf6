"""From the files that a command names to an open bundle."""

import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numalens_native

from numalens.cli.limited import work_prefix
from numalens.cli.output import progress_display
from numalens.cli.usage import UsageError
from numalens.jobs.reading import MANIFEST, UnknownInputError, read_inputs
from numalens.store.options import Cut, ReadOptions

MOST_FILES: Final = 1000
"""Limit of files in a folder: more is a home folder, not a recording."""
Window = tuple[int | None, int | None]


@dataclass(frozen=True)
class Wanted:
    """Inputs of a command, and options for reading them."""

    files: list[Path]
    topology: Path | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    hz: int | None = None
    """Jiffies per second, instead of the recorded value."""
    cut: Cut | None = None
    """Part of the inputs to read."""


@dataclass(frozen=True)
class OpenedBundle:
    """A bundle on the disk, mapped."""

    path: Path
    engine: numalens_native.Bundle
    manifest: dict[str, Any]


def check_window(window: Window) -> None:
    """Raises UsageError when the window is empty."""
    first, last = window
    if first is not None and last is not None and first >= last:
        raise UsageError(f"the window is empty: --from {first} is not before --to {last}")


@contextmanager
def opened(wanted: Wanted, out: Path | None = None) -> Iterator[OpenedBundle]:
    """The bundle among the files, or one made from them: in `out` when given, otherwise only until the block ends.

    Raises UsageError for files that cannot go together, the native InputError for an input that cannot be read.
    """
    folders = [path for path in wanted.files if is_bundle(path)]
    if folders:
        if out is not None or wanted != Wanted(folders[:1], hz=wanted.hz):
            raise UsageError(
                f"{folders[0]} is a folder: a kept bundle is opened alone, without other files, --topology, --tolerant,"
                " --offset or -o"
            )
        yield open_bundle(folders[0])
        return
    with ExitStack() as stack:
        if out is not None and (out.exists() or out.is_symlink()):
            raise UsageError(f"{out} already exists; a bundle needs a new folder")
        # Next to its final place, so that it gets its name by one rename, whole.
        parent = None if out is None else out.absolute().parent
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=work_prefix(os.getpid()), dir=parent)))
        new = work / "bundle"
        _ingest(wanted, new, work / "scratch")
        if out is not None:
            new.replace(out)
            new = out
        yield open_bundle(new)


def is_bundle(path: Path) -> bool:
    """Returns whether it is the folder of a bundle."""
    return path.is_dir() and (path / MANIFEST).exists()


def open_bundle(path: Path) -> OpenedBundle:
    """Opens a kept bundle. Raises UsageError when the folder is not one."""
    if not (path / MANIFEST).is_file():
        raise UsageError(f"{path} is a folder without {MANIFEST}, so it is not a bundle of `numalens analyze -o`")
    try:
        engine = numalens_native.Bundle(str(path))
        return OpenedBundle(path, engine, json.loads(engine.manifest()))
    except ValueError as error:
        raise UsageError(f"{path}: this version cannot open this bundle: {error}") from error


def copy_bundle(source: Path, target: Path) -> None:
    """Copies a kept bundle."""
    shutil.copytree(source, target, copy_function=shutil.copyfile)


def move_bundle(source: Path, target: Path) -> None:
    """Moves a bundle to a place on the same file system."""
    source.replace(target)


def read_files(
    files: list[Path],
    options: ReadOptions,
    out: Path,
    scratch: Path,
    *,
    hz: int | None = None,
    cut: Cut | None = None,
) -> None:
    """Imports files of any kind into the bundle folder `out` and shows progress; `scratch` is empty afterwards."""
    inputs = [found for path in files for found in _files_of(path)]
    for _, path in inputs:
        _check_readable(path)
    try:
        with progress_display() as progress:
            read_inputs(
                [(name, str(path)) for name, path in inputs],
                out,
                scratch,
                progress=progress,
                tolerant=options.tolerant,
                offsets=options.offsets,
                hz=hz,
                cut=cut,
            )
    except UnknownInputError as error:
        raise UsageError(str(error)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _files_of(path: Path) -> list[tuple[str, Path]]:
    """A file under its name, or what is in a folder, under paths that begin there.

    Files of a folder, without hidden ones. Empty ones that were not named are set aside with a line on stderr: empty files of
    the kernel.
    """
    if not path.is_dir():
        return [(path.name, path)]
    names = ((file.relative_to(path), file) for file in sorted(path.rglob("*")) if not file.is_dir())
    found = [(name.as_posix(), file) for name, file in names if not any(part.startswith(".") for part in name.parts)]
    if not found:
        raise UsageError(f"{path} is a folder without files")
    if len(found) > MOST_FILES:
        raise UsageError(f"{path} is a folder with {len(found):,} files; at most {MOST_FILES:,} are read together")
    empty = {name for name, file in found if _is_empty(file)}
    if len(empty) == len(found):
        raise UsageError(f"{path} is a folder whose files are all empty")
    for name in sorted(empty):
        sys.stderr.write(f"not read: {name}, an empty file\n")
    return [(name, file) for name, file in found if name not in empty]


def _is_empty(path: Path) -> bool:
    """Returns whether it is an empty file; unreadable ones fail when they are read."""
    try:
        found = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == 0


def _ingest(wanted: Wanted, out: Path, scratch: Path) -> None:
    topology = wanted.topology
    if topology is not None:
        _check_readable(topology)
        if numalens_native.sniff(str(topology), topology.name) != "topology":
            raise UsageError(
                f"--topology {topology} is not a topology: expected output of lscpu -p or numactl -H, or an hwloc XML file"
            )
    files = [*wanted.files, *([] if topology is None else [topology])]
    read_files(files, wanted.options, out, scratch, hz=wanted.hz, cut=wanted.cut)


def is_utf8(path: Path) -> bool:
    """Returns whether the name of a file can be printed, and passed to the compiled module."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_readable(path: Path) -> None:
    """Raises the InputError of a file that cannot even be opened: the same class as for one with the wrong content.

    Readers map their inputs, and opening a pipe would wait for its writer, so anything but a file on a disk is refused.
    """
    if not is_utf8(path):
        raise numalens_native.InputError(f"{path}: the file name is not UTF-8; rename the file")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise numalens_native.InputError(
                f"{path}: not a regular file (a pipe or a device); expected a file on a disk"
            )
        with path.open("rb"):
            pass
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        rejected = numalens_native.InputError(f"{path}: cannot be opened ({reason}); expected a readable file")
        raise rejected from error


RECORDINGS: Final = frozenset(numalens_native.recordings())
PRESSURE: Final = "psi"
ARCHIVE: Final = "archive"
OF_NO_KIND: Final = ("an archive with at least one", "a recording (trace.dat,")
"""Start of the compiled module's message about the expected content of an archive or a compressed file."""


@dataclass(frozen=True)
class RecordingFiles:
    """A recording and its companion files."""

    recording: Path
    companions: tuple[Path, ...] = ()
    sampled: bool = False
    """One of them, or the recording's own archive, has pressure samples."""


@dataclass(frozen=True)
class _File:
    path: Path
    kinds: frozenset[str]

    @property
    def is_recording(self) -> bool:
        return not self.kinds.isdisjoint(RECORDINGS)

    @property
    def stem(self) -> str:
        return self.path.name.split(".", 1)[0]


@contextmanager
def read_recording(files: RecordingFiles, *, hz: int | None = None, tolerant: bool = False) -> Iterator[OpenedBundle]:
    """A recording with its companion files, as a bundle that exists until the block ends. Raises numalens_native.InputError."""
    with tempfile.TemporaryDirectory(prefix=work_prefix(os.getpid())) as work:
        bundle = Path(work) / "bundle"
        options = ReadOptions(tolerant=tolerant)
        read_files([files.recording, *files.companions], options, bundle, Path(work) / "scratch", hz=hz)
        yield open_bundle(bundle)


def recordings(paths: list[Path], sampled: bool = True) -> Iterator[RecordingFiles]:
    """The recordings that are named, and those in folders; of these, when `sampled`, only those with pressure samples.

    One that cannot be read comes as well, so that reading it says why. Raises UsageError for a named file of samples.
    """
    for path in paths:
        if path.is_dir():
            for _, files in groupby((file for file, _ in walk([path])), key=lambda file: file.parent):
                yield from (found for found in _in_folder(files) if found.sampled or not sampled)
        else:
            yield _named(path)


def walk(paths: list[Path]) -> Iterator[tuple[Path, bool]]:
    """All files, and whether they were named; those found in folders come sorted, links to elsewhere are not followed."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                file = Path(folder) / name
                if file.is_file() and not file.is_symlink():
                    yield file, False


def is_of_no_kind(error: numalens_native.InputError) -> bool:
    """Returns whether an archive, or a compressed file, was refused for lack of readable content, and not for damage."""
    return str(getattr(error, "expected", "")).startswith(OF_NO_KIND)


def _named(path: Path) -> RecordingFiles:
    file = _file(path) if path.is_file() else None
    if file is None:
        return RecordingFiles(path)
    if not file.is_recording:
        raise UsageError(
            f"{path} is not a recording: name the recording itself (companion files are found automatically)"
        )
    siblings = (each for each in path.parent.iterdir() if each.is_file() and not each.is_symlink())
    return next(found for found in _in_folder(sorted({path, *siblings})) if found.recording == path)


def _in_folder(paths: Iterable[Path]) -> Iterator[RecordingFiles]:
    files = [file for file in map(_file, paths) if file is not None]
    others = [file for file in files if not file.is_recording]
    found = [file for file in files if file.is_recording]
    stems = {file.stem for file in found}
    for recording in found:
        companions = [file for file in others if file.stem == recording.stem or file.stem not in stems]
        sampled = any(PRESSURE in file.kinds for file in (recording, *companions))
        yield RecordingFiles(recording.path, tuple(file.path for file in companions), sampled)


def _file(path: Path) -> _File | None:
    """Kind of a file, or of the members of an archive; None for an unknown kind."""
    try:
        kind = numalens_native.sniff(str(path), path.name)
    except numalens_native.InputError:
        return None
    if kind != ARCHIVE:
        return _File(path, frozenset({kind}))
    try:
        with tempfile.TemporaryDirectory(prefix=".numalens-") as work:
            members = json.loads(numalens_native.unpack([(path.name, str(path))], work))
    except numalens_native.InputError as error:
        # What is damaged may be a recording; reading it shows.
        return None if is_of_no_kind(error) else _File(path, RECORDINGS)
    return _File(path, frozenset(member["kind"] for member in members if member["kind"] is not None))

"""Recordings and their companion files (samples, topology), which are read together.

A file of samples or a topology belongs to the recordings of its folder whose names begin like its own, up to the first dot
(`ftrace-mono.psi.jsonl` to `ftrace-mono.trace.txt`), and to all of them when none does (`psi.jsonl`, `lscpu-p.txt`).
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

import numalens_native

from numalens.cli.inputs import OpenedBundle, open_bundle, read_files
from numalens.cli.limited import work_prefix
from numalens.cli.usage import UsageError
from numalens.store.options import ReadOptions

RECORDINGS: Final = frozenset(numalens_native.recordings())
PRESSURE: Final = "psi"
ARCHIVE: Final = "archive"
OF_NO_KIND: Final = ("an archive with at least one", "a recording (trace.dat,")
"""How the compiled module begins to say what it expected in an archive, or a compressed file, of other things."""


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
    """A recording with its companion files, as a bundle that goes with the block. Raises numalens_native.InputError."""
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
    """Whether an archive, or a compressed file, was refused for having nothing that is read, and not for its damage."""
    return str(getattr(error, "expected", "")).startswith(OF_NO_KIND)


def _named(path: Path) -> RecordingFiles:
    file = _file(path) if path.is_file() else None
    if file is None:
        return RecordingFiles(path)
    if not file.is_recording:
        raise UsageError(f"{path} is no recording; name the recording, its companion files are found")
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
    """What a file is, or the members of an archive are; None for what is of no kind that is read."""
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
        # What is damaged may be a recording; reading it tells.
        return None if is_of_no_kind(error) else _File(path, RECORDINGS)
    return _File(path, frozenset(member["kind"] for member in members if member["kind"] is not None))

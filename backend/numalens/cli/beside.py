"""Recordings and the samples that lie beside them: what is read together.

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

from numalens.cli.inputs import OpenedBundle, UsageError, open_bundle, read_files, work_prefix
from numalens.cli.inputs_table import is_of_no_kind, walk
from numalens.store.options import ReadOptions

RECORDINGS: Final = frozenset({"trace.dat", "perf.data", "ftrace-text", "perf-script", "perfetto"})
PRESSURE: Final = "psi"
ARCHIVE: Final = "archive"


@dataclass(frozen=True)
class Together:
    """A recording and what lies beside it."""

    recording: Path
    beside: tuple[Path, ...] = ()
    sampled: bool = False
    """Some of it, or the recording's own archive, has pressure samples."""


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
def read_together(together: Together, *, hz: int | None = None) -> Iterator[OpenedBundle]:
    """A recording and what lies beside it, as a bundle that goes with the block. Raises numalens_native.InputError."""
    with tempfile.TemporaryDirectory(prefix=work_prefix(os.getpid())) as work:
        bundle = Path(work) / "bundle"
        read_files([together.recording, *together.beside], ReadOptions(), bundle, Path(work) / "scratch", hz=hz)
        yield open_bundle(bundle)


def recordings(paths: list[Path], sampled: bool = True) -> Iterator[Together]:
    """The recordings that are named, and those in folders; of these, when `sampled`, only those with pressure samples beside them.

    One that cannot be read comes as well, so that reading it says why. Raises UsageError for a named file of samples.
    """
    for path in paths:
        if path.is_dir():
            for _, files in groupby((file for file, _ in walk([path])), key=lambda file: file.parent):
                yield from (found for found in _in_folder(files) if found.sampled or not sampled)
        else:
            yield _named(path)


def _named(path: Path) -> Together:
    file = _file(path) if path.is_file() else None
    if file is None:
        return Together(path)
    if not file.is_recording:
        raise UsageError(f"{path} is no recording; name the recording, what lies beside it is found")
    beside = (each for each in path.parent.iterdir() if each.is_file() and not each.is_symlink())
    return next(found for found in _in_folder(sorted({path, *beside})) if found.recording == path)


def _in_folder(paths: Iterable[Path]) -> Iterator[Together]:
    files = [file for file in map(_file, paths) if file is not None]
    others = [file for file in files if not file.is_recording]
    found = [file for file in files if file.is_recording]
    stems = {file.stem for file in found}
    for recording in found:
        beside = [file for file in others if file.stem == recording.stem or file.stem not in stems]
        sampled = any(PRESSURE in file.kinds for file in (recording, *beside))
        yield Together(recording.path, tuple(file.path for file in beside), sampled)


def _file(path: Path) -> _File | None:
    """What a file is, or the members of an archive are; None for what is of no kind that is read."""
    try:
        kind = numalens_native.sniff(str(path), path.name)
    except numalens_native.InputError:
        return None
    if kind != ARCHIVE:
        return _File(path, frozenset({kind}))
    try:
        with tempfile.TemporaryDirectory(prefix=work_prefix(os.getpid())) as work:
            members = json.loads(numalens_native.unpack([(path.name, str(path))], work))
    except numalens_native.InputError as error:
        # What is damaged may be a recording; reading it tells.
        return None if is_of_no_kind(error) else _File(path, RECORDINGS)
    return _File(path, frozenset(member["kind"] for member in members if member["kind"] is not None))

"""From a user's files to a bundle: archives are unpacked, Perfetto traces converted, everything ingested.

Used by the import process and by the command line. All work is the compiled module's; here is only its order.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numalens_native as native

from numalens.extras import needs
from numalens.store.names import distinct
from numalens.store.options import Cut

MANIFEST: Final = "manifest.json"
CONVERTING: Final = "converting"
DESCRIPTION_BEGINS: Final = 256
_DESCRIPTIONS: Final = {
    "hz.txt": re.compile(rb"CONFIG_HZ"),
    "record.json": re.compile(rb'\{\s*"schema": "numalens\.record/'),
    "sched-settings.txt": re.compile(rb"/(proc|sys)/"),
    "uname.txt": re.compile(rb"Linux "),
}
"""Starts of the texts that are written next to a recording, by their names."""
NAMES_SHOWN: Final = 3
SKIPS_SHOWN: Final = 5

Progress = Callable[[str, int, int], None]


class UnknownInputError(ValueError):
    """An offset was given for an input that is not there; the text is one sentence."""


@dataclass(frozen=True)
class _File:
    """A file to be read: an input, or a member of one."""

    name: str
    path: str
    kind: str | None
    bytes: int
    source: int
    notes: list[str]
    skipped: list[dict[str, Any]]


def read_inputs(
    inputs: list[tuple[str, str]],
    out: Path,
    scratch: Path,
    *,
    progress: Progress | None = None,
    max_events: int | None = None,
    max_bytes: int | None = None,
    tolerant: bool = False,
    offsets: dict[str, int] | None = None,
    hz: int | None = None,
    cut: Cut | None = None,
) -> str:
    """Reads (name, path) inputs of any kind into the bundle folder `out` and returns its manifest as JSON.

    `scratch` is a folder for what is unpacked on the way; the caller removes it. `offsets` are ns by shown name; `cut` says
    what a copy for others has. The other parameters and the errors are those of the compiled module; UnknownInputError comes
    for an offset without its input.
    """
    names = distinct([name for name, _ in inputs])
    named = [(name, path) for name, (_, path) in zip(names, inputs, strict=True)]
    unpacked = json.loads(
        native.unpack(named, str(scratch / "files"), progress=progress, max_bytes=max_bytes, tolerant=tolerant)
    )
    files = [_File(**entry) for entry in unpacked]
    known = [file for file in files if file.kind is not None]
    shown = distinct([file.name for file in known])
    manifest = native.ingest(
        [(name, file.path) for name, file in zip(shown, known, strict=True)],
        str(out),
        progress=progress,
        max_events=max_events,
        max_bytes=max_bytes,
        tolerant=tolerant,
        offsets=_positions(shown, offsets or {}),
        columns=_dumps(known, scratch, progress, max_bytes),
        hz=hz,
        from_ns=None if cut is None else cut.from_ns,
        to_ns=None if cut is None else cut.to_ns,
        tasks=None if cut is None or cut.tasks is None else set(cut.tasks),
        pseudonyms=cut is not None and cut.pseudonyms,
    )
    if cut is not None and cut.pseudonyms:
        # What there is to say about the files would name them.
        return manifest
    notes = [*_unpacking_notes(names, files), *_left_out(names, files)]
    return _with_notes(out / MANIFEST, manifest, notes) if notes else manifest


def _positions(names: list[str], offsets: dict[str, int]) -> dict[int, int]:
    """The offsets by position. Raises UnknownInputError for a name that no input has."""
    positions = {name: position for position, name in enumerate(names)}
    for name in offsets:
        if name not in positions:
            raise UnknownInputError(f"There is no input {name!r} to shift; available: {_some(names)}.")
    return {positions[name]: offset for name, offset in offsets.items()}


def _dumps(files: list[_File], scratch: Path, progress: Progress | None, max_bytes: int | None) -> dict[int, str]:
    """The trace processor's dumps of the Perfetto traces, by position."""
    dumps = {}
    for position, file in enumerate(files):
        if file.kind == "perfetto":
            # Its libraries take a while to load, and few have such a trace.
            try:
                from numalens.jobs.trace_processor_dump import dump  # noqa: PLC0415
            except ModuleNotFoundError as error:
                raise UnknownInputError(f"{file.name}: {needs('a Perfetto trace', 'sql')}.") from error

            path = scratch / f"{position}.dump"
            scratch.mkdir(parents=True, exist_ok=True)
            dump(Path(file.path), file.name, path, partial(progress or _nobody, CONVERTING), max_bytes)
            dumps[position] = str(path)
    return dumps


def _nobody(_stage: str, _done: int, _total: int) -> None:
    """Progress without a watcher."""


def _unpacking_notes(names: list[str], files: list[_File]) -> Iterable[str]:
    """Notes from unpacking, each once."""
    yield from dict.fromkeys(note for file in files for note in file.notes)
    for source, name in enumerate(names):
        whys = [part["why"] for file in files if file.source == source for part in file.skipped]
        for why in whys[:SKIPS_SHOWN]:
            yield f"{name}: {why}"
        if len(whys) > SKIPS_SHOWN:
            yield f"{name}: {len(whys) - SKIPS_SHOWN:,} more parts were left out while unpacking."


def _left_out(names: list[str], files: list[_File]) -> Iterable[str]:
    """One sentence for each unused file, and each archive with unused members."""
    for source, name in enumerate(names):
        own = next((file for file in files if file.source == source and file.kind is None and file.name == name), None)
        if own is not None and _is_recorders(own):
            continue
        if own is not None:
            yield f"not read: {name}, no input of a known kind"
            continue
        unread = [
            file.name.removeprefix(f"{name}/")
            for file in files
            if file.source == source and file.kind is None and not _is_recorders(file)
        ]
        if len(unread) == 1:
            yield f"1 file of {name} is of an unknown kind: {unread[0]}."
        elif unread:
            yield f"{len(unread):,} files of {name} are of an unknown kind: {_some(unread)}."


def _is_recorders(file: _File) -> bool:
    """Returns whether it is one of the metadata files of `numalens record`, none of which has events or samples."""
    begins = _DESCRIPTIONS.get(PurePosixPath(file.name).name)
    if begins is None:
        return False
    try:
        with Path(file.path).open("rb") as opened:
            return begins.match(opened.read(DESCRIPTION_BEGINS)) is not None
    except OSError:
        return False


def _some(names: list[str]) -> str:
    """`a, b, c and 5 more`."""
    shown = ", ".join(names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN:,} more"


def _with_notes(path: Path, manifest: str, notes: list[str]) -> str:
    """Adds notes to the manifest, also on the disk."""
    fields = json.loads(manifest)
    fields["notes"] += notes
    text = json.dumps(fields, indent=2, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return text

"""From the files that a command names to an open bundle."""

import json
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numalens_native

from numalens.cli.progress import progress_display

MANIFEST: Final = "manifest.json"
Window = tuple[int | None, int | None]


class UsageError(Exception):
    """The command cannot mean what it says."""


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
def opened(files: list[Path], topology: Path | None = None, out: Path | None = None) -> Iterator[OpenedBundle]:
    """The bundle that `files` are, or that is made of them: in `out` when given, else only for the length of the block.

    Raises UsageError for files that cannot go together, the native InputError for an input that cannot be read.
    """
    folders = [path for path in files if path.is_dir()]
    if folders:
        if len(files) > 1 or topology is not None or out is not None:
            raise UsageError(
                f"{folders[0]} is a folder: a kept bundle is opened alone, without other files, --topology or -o"
            )
        yield open_bundle(folders[0])
        return
    with ExitStack() as stack:
        if out is not None and (out.exists() or out.is_symlink()):
            raise UsageError(f"{out} is already there; a bundle is kept in a new folder")
        # Beside its final place, so that it gets its name by one rename, whole.
        parent = None if out is None else out.absolute().parent
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".numalens-", dir=parent)))
        new = work / "bundle"
        _ingest(files, topology, new)
        if out is not None:
            new.replace(out)
            new = out
        yield open_bundle(new)


def open_bundle(path: Path) -> OpenedBundle:
    """Opens a kept bundle. Raises UsageError when the folder is none."""
    if not (path / MANIFEST).is_file():
        raise UsageError(
            f"{path} is a folder without {MANIFEST}, so it is not a bundle that `numalens analyze -o` kept"
        )
    try:
        engine = numalens_native.Bundle(str(path))
        return OpenedBundle(path, engine, json.loads(engine.manifest()))
    except ValueError as error:
        raise UsageError(f"{path} is not a bundle that this version can open: {error}") from error


def copy_bundle(source: Path, target: Path) -> None:
    """Copies a kept bundle."""
    shutil.copytree(source, target, copy_function=shutil.copyfile)


def _ingest(files: list[Path], topology: Path | None, out: Path) -> None:
    inputs = [*files] if topology is None else [*files, topology]
    for path in inputs:
        _check_readable(path)
    if topology is not None and numalens_native.sniff(str(topology), topology.name) != "topology":
        raise UsageError(f"--topology {topology} is a recording; lscpu -p or numactl -H output is expected there")
    with progress_display() as progress:
        numalens_native.ingest([(path.name, str(path)) for path in inputs], str(out), progress=progress)


def _check_readable(path: Path) -> None:
    """Raises the InputError of a file that cannot even be opened: the same class as for one with the wrong content.

    Readers map their inputs, and opening a pipe would wait for its writer, so anything but a file on a disk is refused.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise numalens_native.InputError(
                f"{path}: is no regular file (a pipe or a device); expected a file on a disk"
            )
        with path.open("rb"):
            pass
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        rejected = numalens_native.InputError(f"{path}: cannot be opened ({reason}); expected a readable file")
        raise rejected from error

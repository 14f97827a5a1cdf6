"""Recordings for assistants: only those that were named."""

import json
import os
import shlex
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from numalens.cli.compare import recorded
from numalens.cli.inputs import OpenedBundle, Wanted, is_bundle, opened, recordings
from numalens.cli.limited import work_prefix
from numalens.extras import needs
from numalens.mcp.answers import ROWS, View, differences, table_of
from numalens.report.compare import build_comparison
from numalens.sandbox.beneath import file_in, folder_beneath, path_of

OPEN: Final = 4
"""Recordings that stay open."""
SQL_SECONDS: Final = 30.0


class Shelf:
    """Recordings below the paths that were named, read when they are needed."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Lets nothing else be read."""
        self._roots = [path.resolve() for path in paths]
        # Named files are in folders that are held for them.
        self._held = [
            os.open(root if root.is_dir() else root.parent, os.O_RDONLY | os.O_DIRECTORY) for root in self._roots
        ]
        self._open: OrderedDict[Path, tuple[OpenedBundle, ExitStack]] = OrderedDict()

    def names(self) -> list[str]:
        """Paths that `open` takes."""
        found: dict[str, None] = {}
        for root in self._roots:
            if is_bundle(root):
                found[str(root)] = None
                continue
            bundles = sorted(each.parent for each in root.rglob("manifest.json")) if root.is_dir() else []
            found |= dict.fromkeys(str(bundle) for bundle in bundles)
            files = (each.recording for each in recordings([root], sampled=False))
            found |= dict.fromkeys(str(file) for file in files if not any(bundle in file.parents for bundle in bundles))
        return list(found)

    def checked(self, name: str) -> Path:
        """The path of a name. Raises ValueError for one that lies elsewhere."""
        path = Path(name).resolve()
        self._root_of(path, name)
        return path

    def _root_of(self, path: Path, name: str) -> tuple[int, Path]:
        """The descriptor that a path is opened relative to, and the path from there."""
        for root, held in zip(self._roots, self._held, strict=True):
            if path == root or root in path.parents:
                return held, path.relative_to(root if root.is_dir() else root.parent)
        raise ValueError(f"{name} is not among the recordings; call `recordings` for their names")

    def open(self, name: str) -> OpenedBundle:
        """The recording, with the companion files that lie next to it."""
        path = self.checked(name)
        if path not in self._open:
            with ExitStack() as stack:
                wanted = self._files(stack, path, name)
                self._open[path] = (stack.enter_context(opened(Wanted(wanted))), stack.pop_all())
            while len(self._open) > OPEN:
                self._open.popitem(last=False)[1][1].close()
        self._open.move_to_end(path)
        return self._open[path][0]

    def _files(self, stack: ExitStack, path: Path, name: str) -> list[Path]:
        """Paths of what is opened for a name, which stay what they are until the stack closes. Raises OSError for a link."""
        root, below = self._root_of(path, name)
        is_folder = path.is_dir()
        held = stack.enter_context(folder_beneath(root, below if is_folder else below.parent))
        folder = path_of(held)
        if is_folder:
            if not is_bundle(folder):
                raise ValueError(f"{name} is a folder; call `recordings` for its contents")
            if any(each.is_symlink() for each in folder.rglob("*")):
                raise ValueError(f"{name} is a bundle with links, which are not followed")
            return [folder]
        [found] = recordings([folder / path.name], sampled=False)
        links = Path(stack.enter_context(TemporaryDirectory(prefix=work_prefix(os.getpid()))))
        wanted = [links / each.name for each in (found.recording, *found.companions)]
        for link in wanted:
            link.symlink_to(path_of(stack.enter_context(file_in(held, link.name))))
        return wanted

    def view(self, name: str, from_s: float | None, to_s: float | None) -> View:
        """A window of a recording; its links are commands that open the page there."""
        command = f"numalens open {shlex.quote(name)} --view"
        return View(self.open(name), from_s, to_s, lambda query: f"{command} '{query}'")

    def close(self) -> None:
        """Removes what was read."""
        while self._open:
            self._open.popitem()[1][1].close()
        while self._held:
            os.close(self._held.pop())


def rows_of(view: View, sql: str) -> list[str]:
    """The rows of a query, tabs between."""
    try:
        from numalens.perfetto.engine import NARROW_BYTES  # noqa: PLC0415  (optional)
        from numalens.perfetto.errors import PerfettoError, SqlError  # noqa: PLC0415
        from numalens.perfetto.sql.protocol import Limits  # noqa: PLC0415
        from numalens.perfetto.sql.session import Session, sql_sentence  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ValueError(needs("SQL", "sql")) from error
    try:
        with closing(Session(Limits(NARROW_BYTES, SQL_SECONDS, load_seconds=float(1 << 20)), None)) as session:
            session.load(view.engine, *view.window)
            answer = json.loads(session.query(sql, ROWS))
    except SqlError as error:
        raise ValueError(sql_sentence(error)) from error
    except PerfettoError as error:
        raise ValueError(str(error)) from error
    return table_of(answer["columns"], answer["rows"], truncated=answer["truncated"])


def compared(shelf: Shelf, base: str, new: str) -> list[str]:
    """Differences between two recordings beyond noise."""
    sides = [(name, [recorded(shelf.open(path), path, (None, None))]) for name, path in (("base", base), ("new", new))]
    return differences(build_comparison(sides))

"""The page, its engine and a recording as one file that opens without a server."""

import base64
import gzip
import html
import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from typing_extensions import Buffer, override

from numalens.extras import is_checkout

ONE_FILE: Final = "numalens.html"
ROOT: Final = '<div id="root">'
"""The page's own element, in front of which the bundle goes; its script runs after both."""


class _Base64(io.RawIOBase):
    """Takes bytes and hands them on in base64."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        super().__init__()
        self._write = write
        self._rest = b""

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, data: Buffer) -> int:
        data = bytes(data)
        whole = self._rest + data
        even = len(whole) - len(whole) % 3
        self._write(base64.b64encode(whole[:even]))
        self._rest = whole[even:]
        return len(data)

    def end(self) -> None:
        self._write(base64.b64encode(self._rest))


def page_file(folder: Path) -> str | None:
    """The page as one file, without a recording; None where it was not built. A wheel has it compressed alone."""
    file, packed = folder / ONE_FILE, folder / f"{ONE_FILE}.gz"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return gzip.decompress(packed.read_bytes()).decode() if packed.is_file() else None


def without_page() -> str:
    """The sentence, without a full stop, that the page as one file was not built."""
    how = ": npm run setup -- --all builds it" if is_checkout() else ""
    return f"The page as one file is not part of this installation{how}"


def write_page(
    page: str, bundle: Path, name: str, write: Callable[[bytes], object], view: str = "", notes: str = "[]"
) -> None:
    """Writes `page`, the built page as one file, with the bundle in the folder `bundle`; equal bundles give equal bytes.

    `name` is the recording's title there, `view` the query of the page's address that it opens on, `notes` those of the
    analysis, as the service answers them.
    """
    head, tail = page.split(ROOT, 1)
    attributes = f'data-name="{html.escape(name)}" data-view="{html.escape(view)}" data-notes="{html.escape(notes)}"'
    write(f'{head}<script type="application/octet-stream" id="bundle" {attributes}>'.encode())
    out = _Base64(write)
    with (
        gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=6, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w|") as packed,
    ):
        for file in sorted(path for path in bundle.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(file.relative_to(bundle).as_posix())
            entry.size = file.stat().st_size
            with file.open("rb") as content:
                packed.addfile(entry, content)
    out.end()
    write(f"</script>{ROOT}{tail}".encode())

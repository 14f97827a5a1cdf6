"""The page with a recording in one file: what is in it, and what was left out."""

import base64
import gzip
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from numalens.api.web import PAGE
from numalens.report.one_file import write_page
from tests.command import run

RECORDING = Path(__file__).resolve().parents[2] / "samples" / "fixtures" / "tc-small.v7-zstd.dat"
SHELL = '<html><body><div id="root"></div><script>1</script></body></html>'


def _convert(*arguments: str | Path) -> None:
    assert run("convert", RECORDING, "--to", "html", *arguments).returncode == 0


def _carried(text: str) -> tuple[str, dict[str, bytes]]:
    """The name and the files of the bundle in a page."""
    found = re.search(
        r'<script type="application/octet-stream" id="bundle" data-name="(.*?)" data-view=".*?">(.*?)</script>', text
    )
    assert found
    packed = gzip.decompress(base64.b64decode(found[2], validate=True))
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        return found[1], {file.name: files.extractfile(file).read() for file in files}  # type: ignore[union-attr]


@pytest.mark.skipif(not (PAGE / "numalens.html").is_file(), reason="the page as one file was not built here")
def test_a_recording_in_one_file(tmp_path: Path) -> None:
    whole, hidden = tmp_path / "whole.html", tmp_path / "hidden.html"
    _convert("-o", whole)
    name, files = _carried(whole.read_text())
    assert name == RECORDING.name
    assert json.loads(files["manifest.json"])["schema"] == "numalens.bundle/1"
    _convert("-o", hidden, "--pseudonyms")
    name, files = _carried(hidden.read_text())
    assert name == "recording"
    assert not any(b"hackbench" in content for content in files.values())


def test_names_are_text_and_equal_bundles_equal_bytes(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "deep" / "table").write_bytes(bytes(range(256)) * 40)
    pages = []
    for _ in range(2):
        parts: list[bytes] = []
        write_page(SHELL, tmp_path, 'a"><script>alert(1)</script>', parts.append, view="d=waits&w=1~2")
        pages.append(b"".join(parts).decode())
    assert pages[0] == pages[1]
    assert "<script>alert" not in pages[0]
    _, files = _carried(pages[0])
    assert files == {"manifest.json": b"{}", "deep/table": bytes(range(256)) * 40}

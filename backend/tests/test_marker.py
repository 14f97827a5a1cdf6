"""A copy with pseudonyms: a word that is part of every name in a recording is in no byte of what leaves.

Names are replaced in the files of real recordings, byte by byte and without changing lengths, so that every format keeps its shape.
"""

import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from numalens.cli.inputs import OpenedBundle, Wanted, opened
from numalens.report.one_file import write_page
from numalens.store.options import Cut
from tests.recordings import FIXTURES

MARK = b"ZqXj"
KERNEL = re.compile(rb"(swapper|kworker|ksoftirqd|migration|rcu|kcompactd|kswapd|khugepaged|psimon|<idle>|kthreadd)")
PAGE = '<html><body><div id="root"></div><script>1</script></body></html>'
RECORDINGS = [
    "tc-small.v6.dat.zst",
    "tc-small.v7-none.dat.zst",
    "says-6.12.v7-none.dat.zst",
    "stacks/trace-stacktrace.dat.zst",
    "stacks/perf-g.data.zst",
    "symbols/burn.data.zst",
    "perf/perf-sched-pipe.pipe.data.zst",
    "perf/mem-native.data.zst",
    "text/ftrace-mono.trace.6000.txt.zst",
    "text/perf-sched-g.script-lost.txt.zst",
    "text/tc-multi.report.txt.zst",
    "text/lttng.context.txt.zst",
    "pages.tar.gz",
]
"""A recording of each format, uncompressed inside, so that its names can be replaced in place."""
KEPT = {"resource", "prev_state", "what", "kind", "policy", "state", "cpus", "file", "cpus_allowed", "print_fmt"}
"""Columns with words of the kernel."""


def names_in(bundle: OpenedBundle) -> set[bytes]:
    """Names of tasks, groups, files and functions in a bundle, and whatever else is a text in it."""
    found: set[str] = set()
    for path in bundle.path.rglob("*.arrow"):
        sampled = path.parent.name == "samples"
        table = pa.ipc.open_file(path).read_all()
        for column in table.column_names:
            if table[column].type != pa.string() or column in KEPT or (sampled and column == "name"):
                continue
            for value in filter(None, table[column].unique().to_pylist()):
                found |= {value} if column.endswith("comm") else set(re.split(r"[/;\n]|\+0x|=> | \(", value))
    return {name.encode() for name in found if len(name) > len(MARK) and not re.fullmatch(r"[\W\d]*|[0-9a-fx]+", name)}


def marked(content: bytes, names: set[bytes]) -> bytes:
    """The content with the mark in every name, byte for byte as long."""
    for name in sorted(names, key=len, reverse=True):
        if not KERNEL.match(name):
            content = content.replace(name, MARK + name[len(MARK) :])
    return content


def leaving(bundle: OpenedBundle) -> Iterator[tuple[str, bytes]]:
    """Everything that leaves with a bundle, unpacked."""
    for path in sorted(bundle.path.rglob("*")):
        yield "name of a file", str(path.relative_to(bundle.path)).encode()
        if path.is_file():
            yield path.name, path.read_bytes()
        if path.suffix == ".arrow":
            table = pa.ipc.open_file(path).read_all()
            yield f"{path.name}, unpacked", repr((table.schema, table.to_pylist())).encode()
    engine = bundle.engine
    yield "manifest", engine.manifest().encode()
    yield "report", engine.report()
    pieces: list[bytes] = []
    write_page(PAGE, bundle.path, "recording", pieces.append)
    yield "page", b"".join(pieces)
    if bundle.manifest["tables"]:
        pieces.clear()
        engine.export_trace(pieces.append, None, None)
        yield "pftrace", b"".join(pieces)


def read(path: Path, *, pseudonyms: bool) -> Wanted:
    return Wanted([path], cut=Cut("", pseudonyms=True) if pseudonyms else None)


def check(path: Path) -> None:
    with opened(read(path, pseudonyms=False)) as bundle:
        assert any(MARK in content for _, content in leaving(bundle)), "the recording has no name with the mark"
    with opened(read(path, pseudonyms=True)) as bundle:
        for name, content in leaving(bundle):
            at = content.find(MARK)
            assert at < 0, f"{name}: {content[max(at - 60, 0) : at + 60]!r}"


@pytest.mark.parametrize("name", ["marked-events.txt", "marked-stacks.script.txt"])
def test_made_texts(name: str) -> None:
    check(FIXTURES / "text" / name)


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_of_every_format(name: str, tmp_path: Path) -> None:
    content = (FIXTURES / name).read_bytes()
    if name.endswith(".zst"):
        content = pa.input_stream(pa.BufferReader(content), compression="zstd").read()
    path = tmp_path / Path(name).name.removesuffix(".zst")
    path.write_bytes(content)
    with opened(read(path, pseudonyms=False)) as bundle:
        names = names_in(bundle)
    assert names
    if name.endswith(".tar.gz"):
        path.write_bytes(repacked(path, names))
    else:
        path.write_bytes(marked(content, names))
    check(path)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("numa_maps.txt", rb"file=/\S+", rb"file=/opt/ZqXj/lib.so"),
        ("cling-2x4-small.cgroup.jsonl.zst", rb"/ng_", rb"/ZqXj_"),
        ("cling-2x4-small.tasks.jsonl.zst", rb"ng_A", rb"ZqXj"),
        ("tc-small.vmstat.after", rb"pgfault", rb"ZqXj"),
    ],
)
def test_samples(name: str, old: bytes, new: bytes, tmp_path: Path) -> None:
    content = (FIXTURES / "samples" / name).read_bytes()
    if name.endswith(".zst"):
        content = pa.input_stream(pa.BufferReader(content), compression="zstd").read()
    content, count = re.subn(old, new, content)
    assert count
    path = tmp_path / name.removesuffix(".zst")
    path.write_bytes(content)
    check(path)


def repacked(archive: Path, names: set[bytes]) -> bytes:
    """An archive with the mark in the names that its files hold."""
    out = io.BytesIO()
    with tarfile.open(archive) as files, tarfile.open(fileobj=out, mode="w:gz") as new:
        for entry in files:
            content = files.extractfile(entry)
            new.addfile(entry, None if content is None else io.BytesIO(marked(content.read(), names)))
    return out.getvalue()

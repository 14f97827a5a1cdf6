"""A copy with pseudonyms: a word that is part of every name in a recording is in no byte of what leaves.

Names are replaced in the files of real recordings, byte by byte and without changing lengths, so that every format keeps its shape.
"""

import base64
import gzip
import io
import re
import tarfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numalens_native as native
import pyarrow as pa
import pytest

from numalens.cli.inputs import OpenedBundle, Wanted, opened
from numalens.report.one_file import write_page
from numalens.store.options import Cut
from tests.recordings import FIXTURES, ROOT, SMALL
from tests.sql_helpers import rows, session

MARK = b"ZqXj"
KERNEL = re.compile(rb"(swapper|kworker|ksoftirqd|migration|rcu|kcompactd|kswapd|khugepaged|psimon|<idle>|kthreadd)")
QUERIES = (
    "select distinct string_value from args",
    "select name from thread union select name from process union select cmdline from process",
    "select name from track union select name from slice union select category from slice",
    "select name from stack_profile_frame union select name from stack_profile_mapping",
    "select name from ftrace_event",
    "select str_value from metadata union select name from metadata",
)
"""Every text that a query reaches."""
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
    "perfetto/tc-small.pftrace",
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
    page = b"".join(pieces)
    yield "page", page
    (carried,) = re.findall(rb'id="bundle"[^>]*>([^<]*)<', page)
    yield "page, unpacked", gzip.decompress(base64.b64decode(carried, validate=True))
    yield from exported(bundle)
    if bundle.manifest["tables"]:
        pieces.clear()
        engine.export_trace(pieces.append, None, None)
        yield "pftrace", b"".join(pieces)
        with session(engine) as queried:
            for sql in QUERIES:
                yield f"SQL, {sql}", repr(rows(queried, sql)).encode()


def exported(bundle: OpenedBundle) -> Iterator[tuple[str, bytes]]:
    """Every table of a bundle as CSV, NDJSON and Arrow."""
    engine = bundle.engine
    tables = [("event", partial(engine.export_events, table["event"])) for table in bundle.manifest["tables"]]
    tables += [("sample", partial(engine.export_samples, table["table"])) for table in bundle.manifest["samples"]]
    for kind, write in tables:
        for fmt in ("csv", "ndjson", "arrow"):
            pieces: list[bytes] = []
            write(fmt, pieces.append, None, None)
            content = b"".join(pieces)
            yield f"{kind} as {fmt}", content
            if fmt == "arrow":
                table = pa.ipc.open_stream(content).read_all()
                yield f"{kind} as Arrow, unpacked", repr((table.schema, table.to_pylist())).encode()


def read(paths: list[Path], *, pseudonyms: bool) -> Wanted:
    return Wanted(paths, cut=Cut("", pseudonyms=True) if pseudonyms else None)


def check(*paths: Path) -> None:
    with opened(read([*paths], pseudonyms=False)) as bundle:
        assert any(MARK in content for _, content in leaving(bundle)), "the recording has no name with the mark"
    with opened(read([*paths], pseudonyms=True)) as bundle:
        for name, content in leaving(bundle):
            at = content.find(MARK)
            assert at < 0, f"{name}: {content[max(at - 60, 0) : at + 60]!r}"


@pytest.mark.parametrize("name", ["marked-events.txt", "marked-stacks.script.txt"])
def test_made_texts(name: str) -> None:
    check(FIXTURES / "text" / name)


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_of_every_format(name: str, tmp_path: Path) -> None:
    content = unpacked(name)
    path = tmp_path / Path(name).name.removesuffix(".zst")
    path.write_bytes(content)
    with opened(read([path], pseudonyms=False)) as bundle:
        names = names_in(bundle)
    assert names
    if name.endswith(".tar.gz"):
        path.write_bytes(repacked(path, names))
    else:
        path.write_bytes(marked(content, names))
    check(path)


SAMPLES = [
    ("numa_maps.txt", rb"file=/\S+", rb"file=/opt/ZqXj/lib.so"),
    ("sched.txt", rb"^[^ ]+ \(", rb"ZqXj ("),
    ("cling-2x4-small.cgroup.jsonl.zst", rb"/ng_", rb"/ZqXj_"),
    ("cling-2x4-small.tasks.jsonl.zst", rb"ng_A", rb"ZqXj"),
    ("tc-small.vmstat.after", rb"pgfault", rb"ZqXj"),
]


@pytest.mark.parametrize(("name", "old", "new"), SAMPLES)
def test_samples(name: str, old: bytes, new: bytes, tmp_path: Path) -> None:
    content, count = re.subn(old, new, unpacked(f"samples/{name}"))
    assert count
    path = tmp_path / name.removesuffix(".zst")
    path.write_bytes(content)
    check(path)


SAID_NEXT_TO = {
    "topology": "samples/hwloc-2x4.v2.xml",
    "kallsyms": "stacks/kallsyms.zst",
    "psi": "samples/tc-small.psi.jsonl",
    "automig": "samples/automig.txt",
    "numa-group": "samples/cling-2x4-small.numa_group.jsonl.zst",
    "perf-sched-stats": "perf/sched-stats-7.2.data",
}
"""Files of kinds that stand next to a recording."""


@pytest.mark.parametrize("kind", SAID_NEXT_TO)
def test_what_stands_next_to_a_recording(kind: str, tmp_path: Path) -> None:
    content = unpacked(SAID_NEXT_TO[kind])
    for old in (rb"/ng_", rb" srso_", rb"lstopo", rb"/root/scx", rb"Synthetic"):
        content = re.sub(old, lambda found: found[0][:1] + MARK + found[0][1 + len(MARK) :], content)
    path = tmp_path / f"ZqXj-{kind}"
    path.write_bytes(content)
    assert native.sniff(str(path), path.name) == kind
    check(SMALL, path)


def test_programs(tmp_path: Path) -> None:
    recording, program = tmp_path / "burn.data", tmp_path / "ZqXj"
    recording.write_bytes(unpacked("symbols/burn.data.zst"))
    program.write_bytes(unpacked("symbols/fixed.zst").replace(b"4work", b"4ZqXj").replace(b"burn\0", b"ZqXj\0"))
    assert native.sniff(str(program), program.name) == "elf"
    check(recording, program)


def test_requests(tmp_path: Path) -> None:
    log = tmp_path / "ZqXj.csv"
    log.write_text("start_ns,duration_ns,name\n1003000000000,1000000,/ZqXj\n1003010000000,1000000,/ZqXj\n")
    assert native.sniff(str(log), log.name) == "requests"
    check(SMALL, log)


def test_benchmarks(tmp_path: Path) -> None:
    table = tmp_path / "ZqXj.txt"
    table.write_text(
        "                        5.6.0-rc1              5.6.0-rc1\n"
        "                          ZqXj-v1                ZqXj-v2\n"
        "Hmean     tput-1     43593.49 (   0.00%)    41616.85 *  -4.53%*\n"
    )
    assert native.sniff(str(table), table.name) == "benchmark"
    check(SMALL, table)


def test_no_format_is_left_out(tmp_path: Path) -> None:
    source = (ROOT / "trace_parsers" / "formats" / "src" / "lib.rs").read_text()
    (formats,) = re.findall(r"static FORMATS: &\[Format\] = &\[\n(.*?)\n\];", source, re.DOTALL)
    listed = set(re.findall(r'(?:name: |recording\(\s*|samples\()"([a-z.-]+)"', formats))
    tried = {"elf", "requests", "benchmark", "archive", *SAID_NEXT_TO}
    for name in [*RECORDINGS, *(f"samples/{name}" for name, _, _ in SAMPLES)]:
        path = tmp_path / Path(name).name.removesuffix(".zst")
        path.write_bytes(unpacked(name))
        tried.add(native.sniff(str(path), path.name))
    assert tried == {*listed, "archive"}


def unpacked(name: str) -> bytes:
    """A fixture, without its compression."""
    content = (FIXTURES / name).read_bytes()
    if name.endswith(".zst"):
        content = pa.input_stream(pa.BufferReader(content), compression="zstd").read()
    return content


def repacked(archive: Path, names: set[bytes]) -> bytes:
    """An archive with the mark in the names that its files hold."""
    out = io.BytesIO()
    with tarfile.open(archive) as files, tarfile.open(fileobj=out, mode="w:gz") as new:
        for entry in files:
            content = files.extractfile(entry)
            new.addfile(entry, None if content is None else io.BytesIO(marked(content.read(), names)))
    return out.getvalue()

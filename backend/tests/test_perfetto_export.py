"""Recordings as Perfetto traces: read again by Perfetto's own protobuf, its trace processor, and our own reader."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numalens_native as native
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from pyarrow import ipc

from numalens.jobs.answers import AnswerFile
from numalens.perfetto.engine import Engine
from numalens.perfetto.importer import convert
from tests.recordings import DROPPED, NUMA, NUMACTL, SMALL

HARMLESS = frozenset({"mismatched_sched_switch_tids", "systrace_parse_failure"})
"""What the trace processor counts of every recording: first switches of CPUs, and prints that are no Android marks."""
COMMON = frozenset({"ts_ns", "cpu", "buffer", "common_flags", "common_preempt_count", "common_pid", "common_type"})
Row = tuple[int, int, int, str, frozenset[tuple[str, Any]]]
"""Time, CPU, thread, event, arguments."""


@dataclass(frozen=True)
class Exported:
    """A recording and the trace that it became."""

    bundle: native.Bundle
    trace: bytes
    events: int


def export(folder: Path, *files: Path) -> Exported:
    native.ingest([(file.name, str(file)) for file in files], str(folder))
    bundle = native.Bundle(str(folder))
    pieces: list[bytes] = []
    events = bundle.export_trace(pieces.append)
    return Exported(bundle, b"".join(pieces), events)


@pytest.fixture(scope="module", params=[SMALL, NUMA, DROPPED], ids=lambda path: path.name)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    more = [NUMACTL] if request.param is NUMA else []
    return export(tmp_path_factory.mktemp("export") / "bundle", request.param, *more)


def recorded(bundle: native.Bundle, *, names: tuple[str, ...] | None = None) -> Iterator[Row]:
    """Every event of a bundle, as its export of each type tells it."""
    for name in names if names is not None else manifest(bundle)["event_counts"]:
        pieces: list[bytes] = []
        bundle.export_events(name, "arrow", pieces.append, None, None)
        for row in ipc.open_stream(pa.py_buffer(b"".join(pieces))).read_all().to_pylist():
            args = {_plain(key): _carried(value) for key, value in row.items() if key not in COMMON}
            yield row["ts_ns"], row["cpu"], row["common_pid"], name, frozenset(args.items())


def manifest(bundle: native.Bundle) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bundle.manifest())
    return found


def _plain(key: str) -> str:
    """The kernel's name of a column."""
    return key.removeprefix("arg_") if key in {"arg_cpu", "arg_buffer", "arg_seq", "arg_ts_ns"} else key


def _carried(value: Any) -> Any:
    """A list as the text that it becomes."""
    return ",".join(str(item) for item in value) if isinstance(value, list) else value


def told(trace: bytes) -> Iterator[Row]:
    """Every event of a trace, as Perfetto's own protobuf reads it."""
    parsed = protos.Trace.FromString(trace)
    kinds: dict[int, tuple[str, dict[int, tuple[str, int]]]] = {}
    for packet in parsed.packet:
        for described in packet.ftrace_events.generic_event_descriptors:
            proto = descriptor_pb2.DescriptorProto.FromString(described.event_descriptor)
            kinds[described.field_id] = proto.name, {field.number: (field.name, field.type) for field in proto.field}
    for packet in parsed.packet:
        for event in packet.ftrace_events.event:
            name = event.WhichOneof("event")
            if name:
                message = getattr(event, name)
                known = [field.name for field in message.DESCRIPTOR.fields if message.HasField(field.name)]
                args = {field: getattr(message, field) for field in known}
            else:
                (unknown,) = UnknownFieldSet(event)
                name, fields = kinds[unknown.field_number]
                args = {fields[field][0]: _typed(fields[field][1], value) for field, value in _walk(unknown.data)}
            yield event.timestamp, packet.ftrace_events.cpu, event.pid, name, frozenset(args.items())


def _walk(data: bytes) -> list[tuple[int, Any]]:
    """The fields of a message that holds numbers and texts."""
    found: list[tuple[int, Any]] = []
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            found.append((tag >> 3, varint()))
        else:
            length = varint()
            found.append((tag >> 3, data[at : at + length]))
            at += length
    return found


def _typed(kind: int, value: Any) -> Any:
    if kind == FieldDescriptor.TYPE_STRING:
        return value.decode()
    if kind == FieldDescriptor.TYPE_INT64 and value >= 1 << 63:
        return value - (1 << 64)
    return value


def test_perfetto_s_protobuf_reads_every_event_with_every_field(exported: Exported) -> None:
    found = Counter(told(exported.trace))
    assert found.total() == exported.events == sum(manifest(exported.bundle)["event_counts"].values())
    assert found == Counter(recorded(exported.bundle))


def test_the_events_of_a_cpu_ascend(exported: Exported) -> None:
    last: dict[int, int] = {}
    for ts, cpu, *_ in told(exported.trace):
        assert ts >= last.get(cpu, 0)
        last[cpu] = ts


def test_lost_events_are_marked_where_they_were_lost(exported: Exported) -> None:
    parsed = protos.Trace.FromString(exported.trace)
    bundles = [packet.ftrace_events for packet in parsed.packet if packet.ftrace_events.lost_events]
    marks = sum(entry.get("lost_marks") or 0 for entry in manifest(exported.bundle)["inputs"])
    assert len(bundles) == marks


def test_the_trace_processor_counts_the_same(exported: Exported) -> None:
    with Engine() as engine:
        engine.append(exported.trace)
        engine.finalize()
        named = engine.rows("select name, count(*) from ftrace_event group by name")
        bad = engine.rows("select name, value from stats where severity = 'error' and value != 0")
    assert {str(name): rows for name, rows in named} == manifest(exported.bundle)["event_counts"]
    marks = sum(entry.get("lost_marks") or 0 for entry in manifest(exported.bundle)["inputs"])
    assert {str(name) for name, _ in bad} <= HARMLESS | ({"ftrace_cpu_has_data_loss"} if marks else set())


def test_what_comes_back_through_our_own_reader_is_what_went(exported: Exported, tmp_path: Path) -> None:
    path = tmp_path / "again.pftrace"
    path.write_bytes(exported.trace)
    with AnswerFile(tmp_path / "answers", path.name, None) as file:
        convert(path, file, lambda _done, _total: None)
    native.ingest([(path.name, str(path))], str(tmp_path / "bundle"), columns={0: str(tmp_path / "answers")})
    again = native.Bundle(str(tmp_path / "bundle"))
    assert Counter(map(_signed_row, recorded(again))) == Counter(map(_signed_row, recorded(exported.bundle)))
    (entry,) = manifest(again)["inputs"]
    assert entry["clock"] == "mono"


def _signed_row(row: Row) -> Row:
    """The trace processor gives numbers 64 bits with a sign."""
    return *row[:4], frozenset((key, _signed(value)) for key, value in row[4])


def _signed(value: Any) -> Any:
    return value - (1 << 64) if isinstance(value, int) and value >= 1 << 63 else value


def test_a_window_has_the_events_of_the_window(exported: Exported) -> None:
    span = [int(edge) for edge in manifest(exported.bundle)["window_ns"]]
    third = (span[1] - span[0]) // 3
    first, last = span[0] + third, span[1] - third
    pieces: list[bytes] = []
    events = exported.bundle.export_trace(pieces.append, first, last)
    wanted = Counter(row for row in recorded(exported.bundle) if first <= row[0] <= last)
    assert Counter(told(b"".join(pieces))) == wanted
    assert events == wanted.total() > 0


def test_the_trace_processor_s_run_times_are_ours(exported: Exported) -> None:
    with Engine() as engine:
        engine.append(exported.trace)
        engine.finalize()
        ((first, last),) = engine.rows(
            "select max(first), min(last) from (select min(ts) as first, max(ts) as last from sched group by cpu)"
        )
        assert isinstance(first, int)
        assert isinstance(last, int)
        rows = engine.rows(
            f"select cpu, sum(min(ts + dur, {last}) - max(ts, {first})) from sched join thread using (utid)"  # noqa: S608
            f" where tid != 0 and dur > 0 and ts < {last} and ts + dur > {first} group by cpu"
        )
    ours = json.loads(exported.bundle.analysis("utilisation", first, last, "{}"))["cpus"]
    if any(entry.get("lost_marks") for entry in manifest(exported.bundle)["inputs"]):
        # Across a loss NumaLens says unknown, and Perfetto draws on.
        assert any(cpu["unknown_ns"] > 0 for cpu in ours)
        return
    theirs = {cpu: ns for cpu, ns in rows if isinstance(cpu, int) and isinstance(ns, int)}
    busy = {cpu["cpu"]: cpu["busy_ns"] for cpu in ours if cpu["busy_ns"]}
    if manifest(exported.bundle)["replay"]["missed_wakeups"]:
        # Its kernel left out switches from idle, which NumaLens dates by sched_stat_runtime (ADR 0014).
        assert {cpu: busy[cpu] >= ns for cpu, ns in theirs.items()} == dict.fromkeys(busy, True)
        return
    assert busy == theirs


def test_what_the_replays_found_stands_in_tracks(exported: Exported) -> None:
    with Engine() as engine:
        engine.append(exported.trace)
        engine.finalize()
        rows = engine.rows(
            "select t.name, p.name, (select count(*) from slice s where s.track_id = t.id),"
            " (select count(*) from counter c where c.track_id = t.id)"
            " from track t join track p on p.id = t.parent_id where t.type like 'global%'"
        )
    tracks = {(str(parent), str(name)): (slices, values) for name, parent, slices, values in rows}
    first, last = (int(edge) for edge in (manifest(exported.bundle)[key] for key in ("origin_ns", "end_ns")))

    def told_by(section: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(exported.bundle.analysis(section, first, last, "{}"))
        return answer

    for node in told_by("utilisation")["nodes"]:
        assert ("Nodes", f"Node {node['nid']}") in tracks
        assert tracks[f"Node {node['nid']}", "busy"][1]
    assert {name for parent, name in tracks if parent == "Findings"} == {
        finding["id"] for finding in told_by("findings")["findings"]
    }
    for group in told_by("cling").get("groups", []):
        name = f"Group {group['gid']} {group['cgroup'] or ''}".rstrip()
        for node in group["nodes"]:
            points = [point for point in group["series"] if point["nid"] == node["nid"]]
            assert tracks.get((name, f"failures to node {node['nid']}"), (0, 0))[1] == len(points)

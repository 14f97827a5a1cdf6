"""A recording's Perfetto trace, read again by three others: Perfetto's own protobuf, its trace processor, our own reader."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numalens_native as native
import pyarrow as pa
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from pyarrow import ipc

from numalens.jobs.trace_processor_dump import DumpFile
from numalens.perfetto.calls import CHUNK_BYTES
from numalens.perfetto.engine import Engine
from numalens.perfetto.importer import convert

COMMON: Final = frozenset(
    {"ts_ns", "cpu", "buffer", "common_flags", "common_preempt_count", "common_pid", "common_tgid", "common_type"}
)
"""Columns that are no arguments; of processes tells the process tree."""
Row = tuple[int, int, dict[str, Any]]
"""Time, thread, arguments."""
Events = dict[tuple[str, int], list[Row]]
"""The events by name and CPU, in their order."""


@dataclass(frozen=True)
class Exported:
    """A recording and the trace that it became."""

    folder: Path
    bundle: native.Bundle
    trace: bytes
    events: int

    @property
    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.bundle.manifest())
        return found

    @property
    def lost_marks(self) -> int:
        return sum(entry.get("lost_marks") or 0 for entry in self.manifest["inputs"])

    def section(self, name: str, options: str = "{}") -> dict[str, Any]:
        """The answer of a section over the whole recording."""
        first, last = int(self.manifest["origin_ns"]), int(self.manifest["end_ns"])
        answer: dict[str, Any] = json.loads(self.bundle.analysis(name, first, last, options))
        return answer


def exported(folder: Path) -> Exported:
    """Exports a bundle."""
    bundle = native.Bundle(str(folder))
    pieces: list[bytes] = []
    events = bundle.export_trace(pieces.append)
    return Exported(folder, bundle, b"".join(pieces), events)


def export(folder: Path, *files: Path) -> Exported:
    """Reads files into a new bundle and exports it."""
    native.ingest([(file.name, str(file)) for file in files], str(folder))
    return exported(folder)


def loaded(engine: Engine, trace: bytes) -> Engine:
    """Gives an engine a trace."""
    for at in range(0, len(trace), CHUNK_BYTES):
        engine.append(trace[at : at + CHUNK_BYTES])
    engine.finalize()
    return engine


def table(bundle: native.Bundle, event: str) -> pa.Table:
    """The events of one name, in their order."""
    pieces: list[bytes] = []
    bundle.export_events(event, "arrow", pieces.append, None, None)
    return ipc.open_stream(pa.py_buffer(b"".join(pieces))).read_all()


def recorded(bundle: native.Bundle) -> Events:
    """Every event of a bundle, as its export of each type tells it; without callchains where Perfetto has a message for all
    the rest.
    """
    found: Events = defaultdict(list)
    for event in json.loads(bundle.manifest())["event_counts"]:
        rows = table(bundle, event)
        if "callchain" in rows.column_names and _has_message(event, rows):
            rows = rows.drop_columns(["callchain"])
        for row in rows.to_pylist():
            args = {_plain(key): _carried(value) for key, value in row.items() if key not in COMMON}
            thread = row.get("common_pid", row.get("prev_pid", 0))
            found[event, row["cpu"]].append((row["ts_ns"], thread, args))
    return dict(found)


def _has_message(event: str, rows: pa.Table) -> bool:
    field = protos.FtraceEvent.DESCRIPTOR.fields_by_name.get(event)
    own = {_plain(name) for name in rows.column_names} - COMMON - {"callchain"}
    return field is not None and own <= set(field.message_type.fields_by_name)


def _plain(key: str) -> str:
    """The kernel's name of a column."""
    return key.removeprefix("arg_") if key in {"arg_cpu", "arg_buffer", "arg_seq", "arg_ts_ns"} else key


def _carried(value: Any) -> Any:
    """A list as the text that it becomes."""
    return ",".join(str(item) for item in value) if isinstance(value, list) else value


def result(trace: bytes) -> tuple[Events, Events]:
    """Every event of a trace, as Perfetto's own protobuf reads it: the recorded ones, and the requests to wake that were made."""
    parsed = protos.Trace.FromString(trace)
    kinds: dict[int, tuple[str, dict[int, tuple[str, int]]]] = {}
    for packet in parsed.packet:
        for described in packet.ftrace_events.generic_event_descriptors:
            proto = descriptor_pb2.DescriptorProto.FromString(described.event_descriptor)
            kinds[described.field_id] = proto.name, {field.number: (field.name, field.type) for field in proto.field}
    found: Events = defaultdict(list)
    made: Events = defaultdict(list)
    for packet in parsed.packet:
        if not packet.HasField("ftrace_events"):
            continue
        cpu = packet.ftrace_events.cpu
        for event in packet.ftrace_events.event:
            name = event.WhichOneof("event")
            if name:
                args = {field.name: value for field, value in getattr(event, name).ListFields()}
                args |= _zeros(getattr(event, name))
            else:
                (unknown,) = UnknownFieldSet(event)
                name, fields = kinds[unknown.field_number]
                args = {fields[field][0]: _typed(fields[field][1], value) for field, value in _walk(unknown.data)}
            into = made if name == "sched_waking" and args.get("success") == 0 else found
            # A text may say -1 for a thread that is gone, and the field has no sign.
            thread = event.pid - (1 << 32) if event.pid >= 1 << 31 else event.pid
            into[name, cpu].append((event.timestamp, thread, args))
    return dict(found), dict(made)


def _zeros(message: Any) -> dict[str, Any]:
    """The fields that are there."""
    return {
        field.name: getattr(message, field.name) for field in message.DESCRIPTOR.fields if message.HasField(field.name)
    }


def _walk(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message that holds numbers and texts."""
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
            yield tag >> 3, varint()
        else:
            length = varint()
            yield tag >> 3, data[at : at + length]
            at += length


def _typed(kind: int, value: Any) -> Any:
    if kind == FieldDescriptor.TYPE_STRING:
        return value.decode()
    if kind == FieldDescriptor.TYPE_INT64 and value >= 1 << 63:
        return value - (1 << 64)
    return value


def counts(engine: Engine) -> dict[str, int]:
    """The trace processor's events by name, without the requests to wake that were made."""
    rows = engine.rows(
        "select name, count(*) from ftrace_event"
        " where not (name = 'sched_waking' and coalesce(extract_arg(arg_set_id, 'success'), 1) = 0) group by name"
    )
    return {str(name): count for name, count in rows if isinstance(count, int)}


def read_back(trace: bytes, folder: Path) -> native.Bundle:
    """The trace as a bundle of its own, in an empty folder."""
    path = folder / "again.pftrace"
    path.write_bytes(trace)
    ignore: Callable[[int, int], None] = lambda _done, _total: None  # noqa: E731
    with DumpFile(folder / "answers", path.name, None) as file:
        convert(path, file, ignore)
    native.ingest([(path.name, str(path))], str(folder / "bundle"), columns={0: str(folder / "answers")})
    return native.Bundle(str(folder / "bundle"))


def came_back(there: Events, again: Events) -> bool:
    """Whether what was read back is what went.

    The trace processor gives numbers 64 bits with a sign; and of a switch it knows the thread where a text says -1.
    """
    return there.keys() == again.keys() and all(
        len(rows) == len(again[key]) and all(map(_same, rows, again[key])) for key, rows in there.items()
    )


def _same(one: Row, other: Row) -> bool:
    (ts, thread, args), (again_ts, again_thread, again_args) = one, other
    return (
        ts == again_ts
        and thread in {again_thread, -1}
        and {name: _signed(value) for name, value in args.items()}
        == {name: _signed(value) for name, value in again_args.items()}
    )


def _signed(value: Any) -> Any:
    return value - (1 << 64) if isinstance(value, int) and value >= 1 << 63 else value

"""The export as a Perfetto trace: its order, marks of lost events, windows, names, and the tracks of what the replays found.

That every event is there with every field is tested of many recordings in `test_perfetto_recordings.py`.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from pyarrow import ipc

from numalens.cli.inputs import read_files
from numalens.perfetto.engine import Engine
from numalens.store.options import ReadOptions
from tests.exported import Exported, export, exported, loaded, read_back, result
from tests.recordings import DROPPED, FIXTURES, NUMA, NUMACTL, SAMPLE, SMALL

HARMLESS = frozenset({"mismatched_sched_switch_tids", "systrace_parse_failure"})
"""What the trace processor counts of every recording: first switches of CPUs, and prints that are no Android marks."""
KICKED = FIXTURES / "idle-6.1-2x4.part.v7-none.dat.zst"
Tracks = dict[tuple[str, str], int]
"""Numbers of tracks by the names of their parents and their own."""


@pytest.fixture(scope="module", params=[SMALL, NUMA, DROPPED], ids=lambda path: path.name)
def out(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    more = [NUMACTL] if request.param is NUMA else []
    return export(tmp_path_factory.mktemp("export") / "bundle", request.param, *more)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The recording of the first start, with the samples beside it."""
    files = [SAMPLE / name for name in ("trace.dat", "numactl-H.txt", "psi.jsonl", "numa_group.jsonl")]
    return export(tmp_path_factory.mktemp("sample") / "bundle", *files)


def rows_of(trace: bytes, *queries: str) -> list[list[tuple[Any, ...]]]:
    with Engine() as engine:
        loaded(engine, trace)
        return [engine.rows(query) for query in queries]


def tracks_of(trace: bytes) -> Tracks:
    (rows,) = rows_of(
        trace, "select t.id, p.name, t.name from track t join track p on p.id = t.parent_id where t.type like 'global%'"
    )
    return {(str(parent), str(name)): int(number) for number, parent, name in rows}


def test_the_events_of_a_cpu_stand_in_the_order_of_their_ranks(out: Exported) -> None:
    wanted: dict[int, list[tuple[int, int, int, str]]] = {}
    for stored in out.manifest["tables"]:
        columns = ipc.open_file(out.folder / stored["file"]).read_all()
        for ts, cpu, seq in zip(*(columns[name].to_pylist() for name in ("ts_ns", "cpu", "seq")), strict=True):
            wanted.setdefault(cpu, []).append((ts, stored["input"], seq, stored["event"]))
    names: dict[int, str] = {}
    found: dict[int, list[tuple[int, str]]] = {}
    for packet in protos.Trace.FromString(out.trace).packet:
        bundle = packet.ftrace_events
        for described in bundle.generic_event_descriptors:
            names[described.field_id] = descriptor_pb2.DescriptorProto.FromString(described.event_descriptor).name
        for event in bundle.event:
            name = event.WhichOneof("event") or names[next(iter(UnknownFieldSet(event))).field_number]
            if not (name == "sched_waking" and event.sched_waking.HasField("success")):
                found.setdefault(bundle.cpu, []).append((event.timestamp, name))
    assert found == {cpu: [(ts, name) for ts, _, _, name in sorted(rows)] for cpu, rows in wanted.items()}


def test_lost_events_are_marked_where_they_were_lost(out: Exported) -> None:
    wanted: set[tuple[int, int]] = set()
    for file in (out.folder / "lost").glob("*.arrow"):
        columns = ipc.open_file(file).read_all()
        wanted |= set(zip(columns["ts_ns"].to_pylist(), columns["cpu"].to_pylist(), strict=True))
    bundles = [packet.ftrace_events for packet in protos.Trace.FromString(out.trace).packet]
    found = [(bundle.event[0].timestamp, bundle.cpu) for bundle in bundles if bundle.lost_events]
    assert set(found) == wanted
    assert len(found) == out.lost_marks


def test_the_trace_processor_finds_nothing_wrong(out: Exported) -> None:
    (bad,) = rows_of(out.trace, "select name from stats where severity in ('error', 'data_loss') and value != 0")
    assert {str(name) for (name,) in bad} == {str(name) for (name,) in bad} & (
        HARMLESS | ({"ftrace_cpu_has_data_loss"} if out.lost_marks else set())
    )


def test_what_comes_back_is_on_the_same_clock(out: Exported, tmp_path: Path) -> None:
    (entry,) = json.loads(read_back(out.trace, tmp_path).manifest())["inputs"]
    assert entry["clock"] == "mono"
    assert entry["kernel"] in out.manifest["inputs"][0]["kernel"]


def test_a_window_has_the_events_of_the_window(out: Exported) -> None:
    whole, _ = result(out.trace)
    stamps = sorted({ts for rows in whole.values() for ts, _, _ in rows})
    # Both ends are events of their own, and belong to it.
    first, last = stamps[len(stamps) // 3], stamps[len(stamps) // 3 * 2]
    pieces: list[bytes] = []
    events = out.bundle.export_trace(pieces.append, first, last)
    found, _ = result(b"".join(pieces))
    inside = {key: [row for row in rows if first <= row[0] <= last] for key, rows in whole.items()}
    assert found == {key: rows for key, rows in inside.items() if rows}
    assert events == sum(map(len, found.values()))
    assert {first, last} <= {ts for rows in found.values() for ts, _, _ in rows}


def test_events_alone_have_no_tracks(out: Exported) -> None:
    pieces: list[bytes] = []
    assert out.bundle.export_trace(pieces.append, tracks=False) == out.events
    alone = b"".join(pieces)
    assert out.trace.startswith(alone)
    assert len(out.trace) > len(alone)
    assert not tracks_of(alone)


def test_requests_that_nobody_recorded_are_reported_and_marked(out: Exported) -> None:
    _, made = result(out.trace)
    number = sum(map(len, made.values()))
    marked = "select count(*) from ftrace_event where extract_arg(arg_set_id, 'success') = 0 and name = 'sched_waking'"
    ((rows,),) = rows_of(out.trace, marked)[0]
    assert rows == number > 0
    roots = [packet.track_descriptor for packet in protos.Trace.FromString(out.trace).packet]
    (root,) = [track for track in roots if track.name == "NumaLens"]
    assert f" {number} sched_waking events are not from the recording" in root.description


def test_the_trace_processor_s_run_times_are_ours(out: Exported) -> None:
    with Engine() as engine:
        loaded(engine, out.trace)
        ((first, last),) = engine.rows(
            "select max(first), min(last) from (select min(ts) as first, max(ts) as last from sched group by cpu)"
        )
        assert isinstance(first, int)
        assert isinstance(last, int)
        rows = engine.rows(
            f"select cpu, sum(min(ts + dur, {last}) - max(ts, {first})) from sched join thread using (utid)"  # noqa: S608
            f" where tid != 0 and dur > 0 and ts < {last} and ts + dur > {first} group by cpu"
        )
    ours = json.loads(out.bundle.analysis("utilisation", first, last, "{}"))["cpus"]
    if out.lost_marks:
        # Across a loss NumaLens says unknown, and Perfetto draws on.
        assert any(cpu["unknown_ns"] > 0 for cpu in ours)
        return
    theirs = {cpu: ns for cpu, ns in rows if isinstance(cpu, int) and isinstance(ns, int)}
    busy = {cpu["cpu"]: cpu["busy_ns"] for cpu in ours if cpu["busy_ns"]}
    if out.manifest["replay"]["missed_wakeups"]:
        # Its kernel left out switches from idle, which NumaLens dates by sched_stat_runtime (ADR 0014).
        assert {cpu: busy[cpu] >= ns for cpu, ns in theirs.items()} == dict.fromkeys(busy, True)
        return
    assert busy == theirs


def test_nodes_stand_in_their_order_with_their_counters(sample: Exported) -> None:
    ordered, counters = rows_of(
        sample.trace,
        "select t.name, extract_arg(t.source_arg_set_id, 'sibling_order_rank') from track t"
        " join track p on p.id = t.parent_id where p.name = 'Nodes' order by 2",
        "select p.name, t.name, (select count(*) from counter c where c.track_id = t.id) from track t"
        " join track p on p.id = t.parent_id where p.name like 'Node %' and t.type like '%counter%' order by 1, 2",
    )
    section = sample.section("utilisation", json.dumps({"step_ns": _step(sample)}))
    assert [name for name, _ in ordered] == [f"Node {node['nid']}" for node in section["nodes"]]
    waiting = {node["nid"]: len(node["mean"]) for node in section["depth"]["nodes"]}
    assert counters == [
        found
        for node in section["nodes"]
        for found in (
            (f"Node {node['nid']}", "busy", len(node["percent"])),
            (f"Node {node['nid']}", "waiting tasks, mean", waiting[node["nid"]]),
        )
    ]


def _step(sample: Exported) -> int:
    return max((int(sample.manifest["end_ns"]) - int(sample.manifest["origin_ns"])) // 1000, 1_000_000)


def test_every_attempt_and_every_finding_is_there(sample: Exported) -> None:
    attempts, findings = rows_of(
        sample.trace,
        "select ts, extract_arg(arg_set_id, 'debug.pid'), name from slice where category = 'numa' order by 1, 2",
        "select name, ts, dur from slice where category = 'finding' order by 1, 2",
    )
    wanted = sample.section("numa_balancing", json.dumps({"limit": 1000}))
    assert not wanted["attempts_more"]
    known = [attempt for attempt in wanted["attempts"] if attempt["src_nid"] >= 0]
    assert attempts == sorted((attempt["start_ns"], attempt["pid"], attempt["verdict"]) for attempt in known)
    found = sample.section("findings")["findings"]
    assert findings == sorted((one["id"], one["from_ns"], one["to_ns"] - one["from_ns"]) for one in found)


def test_cling_s_counters_and_decisions_are_the_section_s(sample: Exported) -> None:
    decisions, ratios, busy = rows_of(
        sample.trace,
        "select s.ts, s.name from slice s join track t on t.id = s.track_id where t.name = 'Decisions' order by 1, 2",
        "select p.name, t.name, c.ts, c.value from counter c join track t on t.id = c.track_id"
        " join track p on p.id = t.parent_id where t.name like 'failures to node %' order by 1, 2, 3",
        "select p.name, t.name, s.ts, s.dur from slice s join track t on t.id = s.track_id"
        " join track p on p.id = t.parent_id where t.name like 'node % busy' order by 1, 2, 3",
    )
    section = sample.section("cling")
    groups = [(f"Group {group['gid']} {group['cgroup'] or ''}".rstrip(), group) for group in section["groups"]]
    assert decisions == sorted((one["t_ns"], one["outcome"]) for one in section["decisions"])
    assert ratios == sorted(
        (name, f"failures to node {point['nid']}", point["t_ns"], float(point["ratio_percent"]))
        for name, group in groups
        for point in group["series"]
    )
    assert busy == sorted(
        (name, f"node {span['nid']} busy", span["from_ns"], span["to_ns"] - span["from_ns"])
        for name, group in groups
        for span in group["busy"]
    )
    assert decisions
    assert ratios
    assert busy


def test_recorded_pressure_stands_next_to_the_replayed(sample: Exported) -> None:
    (rows,) = rows_of(
        sample.trace,
        "select p.name, t.name, c.ts, c.value from counter c join track t on t.id = c.track_id"
        " join track p on p.id = t.parent_id where t.name like '% avg10' order by 1, 2, 3",
    )
    (stored,) = [table for table in sample.manifest["samples"] if table["table"] == "psi"]
    samples = ipc.open_file(sample.folder / stored["file"]).read_all().to_pylist()
    first, last = int(sample.manifest["origin_ns"]), int(sample.manifest["end_ns"])
    wanted = sorted(
        (f"{one['resource']} {half} avg10", one["ts_ns"], one[f"{half}_avg10"])
        for one in samples
        for half in ("some", "full")
        if one[f"{half}_total_us"] is not None and first <= one["ts_ns"] <= last
    )
    assert [row[1:] for row in rows if row[0] == "Recorded"] == wanted
    series = sample.section("psi")["series"]
    replayed = Counter(name for parent, name, _, _ in rows if parent == "Replayed")
    assert replayed["cpu some avg10"] == len(series["cpu"]) > 0
    assert {parent for parent, *_ in rows} == {"Recorded", "Replayed"}


def test_every_kick_is_there_with_an_arrow_to_where_it_came(tmp_path: Path) -> None:
    read_files([KICKED, NUMACTL], ReadOptions(), tmp_path / "bundle", tmp_path / "scratch")
    kicked = exported(tmp_path / "bundle")
    kicks, others, came = rows_of(
        kicked.trace,
        "select s.ts, extract_arg(s.arg_set_id, 'debug.fate'), f.slice_in is not null from slice s"
        " join track t on t.id = s.track_id left join flow f on f.slice_out = s.id"
        " where t.name = 'Kicks sent' and s.name = 'kick_sent' order by 1",
        "select count(*) from slice s join track t on t.id = s.track_id where t.name = 'Kicks sent'",
        "select count(*) from slice s join track t on t.id = s.track_id where t.name = 'Kicks arrived'",
    )
    section = kicked.section("idle_balancing", json.dumps({"limit": 1000}))
    wanted = [event for event in section["events"] if event["kind"] == "kick_sent"]
    assert len(wanted) == section["kicks"]["sent"] == len(kicks) > 0
    assert kicks == [(event["t_ns"], event["fate"], int(event["arrived_ns"] is not None)) for event in wanted]
    assert others == [(section["events_all"],)]
    assert came == [(sum(arrow for _, _, arrow in kicks),)]


def test_threads_have_their_processes(sample: Exported) -> None:
    (rows,) = rows_of(sample.trace, "select tid, pid from thread join process using (upid) where tid != 0")
    wanted: dict[int, int] = {}
    for event, pairs in {
        "sched_move_numa": [("pid", "tgid")],
        "sched_stick_numa": [("src_pid", "src_tgid"), ("dst_pid", "dst_tgid")],
        "sched_swap_numa": [("src_pid", "src_tgid"), ("dst_pid", "dst_tgid")],
        "sched_process_exec": [("pid", "pid")],
    }.items():
        columns = ipc.open_file(sample.folder / "events" / "0" / f"sched.{event}.arrow").read_all()
        for pid, tgid in pairs:
            both = zip(columns[pid].to_pylist(), columns[tgid].to_pylist(), strict=True)
            wanted |= {tid: leader for tid, leader in both if tid > 0 and leader > 0}
    ran = {
        pid
        for name in ("prev_pid", "next_pid")
        for pid in ipc.open_file(sample.folder / "events" / "0" / "sched.sched_switch.arrow")
        .read_all()[name]
        .to_pylist()
    }
    found = dict(rows)
    assert {tid: found.get(tid) for tid in wanted if tid in ran} == {tid: wanted[tid] for tid in wanted if tid in ran}
    assert len(found) > len(ran) // 4


def test_a_made_request_is_no_event_of_what_is_read_back(out: Exported, tmp_path: Path) -> None:
    manifest = json.loads(read_back(out.trace, tmp_path).manifest())
    assert manifest["event_counts"] == out.manifest["event_counts"]
    assert any("success = 0" in note for note in manifest["notes"])

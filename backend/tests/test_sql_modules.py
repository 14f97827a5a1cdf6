"""Our modules over traces with some or none of our tracks, and over recordings, where they count what the sections count."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numalens_native as native
import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from numalens.perfetto.sql.catalogue import modules
from numalens.perfetto.sql.session import Session
from numalens.perfetto.sql.statements import included
from tests.perfetto_traces import TC_SMALL
from tests.sql_helpers import Bytes, rows, run_query, section, session

SEQUENCE = 1


class Tree:
    """A trace with tracks, above the events of a real one."""

    def __init__(self) -> None:
        self._trace = protos.Trace()
        self._tracks = 0

    def _packet(self, ts: int | None = None) -> Any:
        packet = self._trace.packet.add(trusted_packet_sequence_id=SEQUENCE)
        if ts is not None:
            packet.timestamp = ts
        return packet

    def track(self, parent: int, name: str, rank: int = 0, *, counter: bool = False) -> int:
        self._tracks += 1
        described = self._packet().track_descriptor
        described.uuid, described.name, described.sibling_order_rank = self._tracks, name, rank
        described.child_ordering = 3
        if parent:
            described.parent_uuid = parent
        if counter:
            described.counter.unit_name = "%"
        return self._tracks

    def values(self, track: int, *values: tuple[int, float]) -> None:
        for ts, value in values:
            event = self._packet(ts).track_event
            event.type, event.track_uuid, event.double_counter_value = 4, track, value

    def instant(
        self, track: int, ts: int, name: str, to: int | None = None, come: int | None = None, **arguments: Any
    ) -> None:
        event = self._packet(ts).track_event
        event.type, event.track_uuid, event.name = 3, track, name
        event.flow_ids.extend([] if to is None else [to])
        event.terminating_flow_ids.extend([] if come is None else [come])
        for key, value in arguments.items():
            note = event.debug_annotations.add(name=key)
            if isinstance(value, int):
                note.int_value = value
            else:
                note.string_value = value

    def span(self, track: int, ts: int, end: int, name: str) -> None:
        begin = self._packet(ts).track_event
        begin.type, begin.track_uuid, begin.name = 1, track, name
        after = self._packet(end).track_event
        after.type, after.track_uuid = 2, track

    def content(self) -> bytes:
        packet = self._trace.packet[0]
        packet.sequence_flags, packet.first_packet_on_sequence = 1, True
        return TC_SMALL.read_bytes() + bytes(self._trace.SerializeToString())


def queries(made: Session, module: str, sql: str) -> list[list[Any]]:
    return rows(made, f"include perfetto module numalens.{module}; {sql}")


@pytest.fixture(scope="module")
def start() -> int:
    with session(Bytes(TC_SMALL.read_bytes())) as made:
        return int(rows(made, "select min(ts) from ftrace_event")[0][0])


@pytest.fixture(scope="module")
def foreign() -> Iterator[Session]:
    with session(Bytes(TC_SMALL.read_bytes())) as made:
        yield made


def test_every_module_describes_all_that_it_makes() -> None:
    for module in modules():
        made = module.sql.count("CREATE PERFETTO TABLE") + module.sql.count("CREATE PERFETTO VIEW")
        assert len(module.views) == made > 0, module.name
        assert module.description.endswith(".")
        for view in module.views:
            assert view.name.startswith("numalens_")
            assert view.description.endswith((".", ".)"))
            assert view.columns
        assert included(module.sql) is None


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_a_trace_without_our_tracks_has_empty_views(foreign: Session, module: Any) -> None:
    for view in module.views:
        found = queries(foreign, module.name.removeprefix("numalens."), f"select count(*) from {view.name}")
        assert found == [["0"]], view.name


def test_replayed_and_recorded_pressure_stand_side_by_side(start: int) -> None:
    tree = Tree()
    pressure = tree.track(tree.track(0, "NumaLens"), "Pressure", 3)
    replayed, recorded = tree.track(pressure, "Replayed"), tree.track(pressure, "Recorded", 1)
    tree.values(tree.track(replayed, "cpu some avg10", counter=True), (start, 1.5), (start + 100, 2.5))
    tree.values(tree.track(recorded, "cpu some avg10", counter=True), (start + 10, 1.25))
    tree.values(tree.track(recorded, "memory full avg10", 3, counter=True), (start + 10, 0.5))
    with session(Bytes(tree.content())) as made:
        found = queries(
            made,
            "psi",
            f"select ts - {start}, resource, half, percent, known_by from numalens_psi order by ts, resource",
        )
        ((dur,),) = queries(made, "psi", f"select dur from numalens_psi where ts = {start}")
    assert found == [
        ["0", "cpu", "some", 1.5, "replayed"],
        ["10", "cpu", "some", 1.25, "recorded"],
        ["10", "memory", "full", 0.5, "recorded"],
        ["100", "cpu", "some", 2.5, "replayed"],
    ]
    assert dur == "100"


def test_groups_with_and_without_a_cgroup_and_decisions_of_them(start: int) -> None:
    tree = Tree()
    cling = tree.track(tree.track(0, "NumaLens"), "NUMA cling", 2)
    first = tree.track(cling, "Group 7", 0)
    second = tree.track(cling, "Group 1234 /a b/c", 1)
    tree.values(tree.track(second, "failures to node 12", counter=True), (start, 40.0))
    tree.span(tree.track(first, "node 1 busy", 1), start, start + 50, "node 1 busy")
    decisions = tree.track(cling, "Decisions", 2)
    common: dict[str, Any] = {
        "kind": "wake_affine",
        "function": "f",
        "pid": 5,
        "snid": 0,
        "dnid": 1,
        "label": "observed",
    }
    tree.instant(decisions, start, "clings", outcome="clings", group=2, **common)
    tree.instant(decisions, start + 1, "released", outcome="released", group=9, **common)
    with session(Bytes(tree.content())) as made:
        assert queries(made, "cling", "select number, gid, cgroup from numalens_cling_group order by 1") == [
            ["1", "7", None],
            ["2", "1234", "/a b/c"],
        ]
        assert queries(made, "cling", "select gid, nid, percent from numalens_cling_failures") == [["1234", "12", 40.0]]
        assert queries(made, "cling", "select gid, nid, dur from numalens_cling_busy") == [["7", "1", "50"]]
        found = queries(made, "cling", "select gid, outcome, pid, dnid from numalens_cling_decision order by ts")
    assert found == [["1234", "clings", "5", "1"], [None, "released", "5", "1"]]


def test_kicks_have_their_arrival(start: int) -> None:
    tree = Tree()
    balancer = tree.track(tree.track(0, "NumaLens"), "Idle load balancer", 4)
    sent, came = tree.track(balancer, "Kicks sent"), tree.track(balancer, "Kicks arrived", 1)
    kick: dict[str, Any] = {"kind": "kick_sent", "why": "", "jiffies": "", "label": "observed"}
    tree.instant(sent, start, "kick_sent", to=1, fate="handled", cpu="", target=6, **kick)
    tree.instant(sent, start + 5, "kick_sent", fate="dropped", cpu=2, target=0, **kick)
    tree.instant(sent, start + 9, "pass", kind="pass", fate="", cpu=6, target="", label="observed")
    tree.instant(came, start + 40, "handled", come=1, fate="handled", cpu="", target=6, **kick)
    columns = f"ts - {start}, fate, cpu, target, why, jiffies, arrived_ts - {start}, delay"
    with session(Bytes(tree.content())) as made:
        kicks = queries(made, "ilb", f"select {columns} from numalens_ilb_kick order by ts")
        events = queries(made, "ilb", "select kind, fate, cpu, target from numalens_ilb_event order by ts")
    assert kicks == [
        ["0", "handled", None, "6", None, None, "40", "40"],
        ["5", "dropped", "2", "0", None, None, None, None],
    ]
    assert events[2] == ["pass", None, "6", None]


def test_tracks_of_others_with_the_same_names_are_not_ours(start: int) -> None:
    tree = Tree()
    other = tree.track(tree.track(0, "Somebody's"), "Pressure")
    tree.values(tree.track(other, "cpu some avg10", counter=True), (start, 1.0))
    with session(Bytes(tree.content())) as made:
        assert queries(made, "psi", "select count(*) from numalens_psi") == [["0"]]


@pytest.mark.parametrize("name", ["small", "numa", "dropped", "idle"])
def test_every_example_works_on_every_analysis(bundles: Path, name: str) -> None:
    with session(native.Bundle(str(bundles / name))) as made:
        examples = json.loads(made.schema())["examples"]
        assert 5 <= len(examples) <= 9
        for example in examples:
            assert run_query(made, example["sql"])["columns"], example["title"]


@pytest.mark.parametrize("name", ["small", "numa", "idle"])
def test_the_modules_count_what_the_sections_count(bundles: Path, name: str) -> None:
    bundle = native.Bundle(str(bundles / name))
    balancing = section(bundle, "numa_balancing", limit=1000)
    cling = section(bundle, "cling", limit=1000)
    ilb = section(bundle, "idle_balancing", limit=1000)
    pressure = section(bundle, "psi")
    topology = section(bundle, "utilisation")
    with session(bundle) as made:

        def ask(module: str, sql: str) -> list[list[Any]]:
            return rows(made, f"include perfetto module numalens.{module}; {sql}")

        findings = ask("findings", "select finding, summary, impact_ms from numalens_finding order by rank")
        ranked = section(bundle, "findings")["findings"]
        assert findings == [[one["id"], one["summary"], one["impact_ms"]] for one in ranked]

        attempts = ask("nodes", "select ts, pid, verdict from numalens_numa_attempt")
        assert sorted(attempts) == sorted(
            [str(attempt["start_ns"]), str(attempt["pid"]), attempt["verdict"]]
            for attempt in balancing.get("attempts", [])
        )

        groups = cling.get("groups", [])
        decisions = ask(
            "cling", "select gid, outcome, count(*) from numalens_cling_decision group by 1, 2 order by 1, 2"
        )
        gids = {group["number"]: str(group["gid"]) for group in groups}
        expected: dict[tuple[str, str], int] = {}
        for decision in cling.get("decisions", []):
            key = gids[decision["group"]], decision["outcome"]
            expected[key] = expected.get(key, 0) + 1
        assert decisions == [[*key, str(count)] for key, count in sorted(expected.items())]
        spans = ask("cling", "select gid, nid, ts, dur from numalens_cling_busy order by 1, 2, 3")
        assert [[int(cell) for cell in span] for span in spans] == sorted(
            [group["gid"], span["nid"], int(span["from_ns"]), int(span["to_ns"]) - int(span["from_ns"])]
            for group in groups
            for span in group["busy"]
        )
        failures = ask("cling", "select gid, count(*) from numalens_cling_failures group by 1 order by 1")
        assert failures == sorted([str(group["gid"]), str(len(group["series"]))] for group in groups if group["series"])

        events = ask("ilb", "select kind, fate, target, arrived_ts from numalens_ilb_event order by ts")
        assert [[kind, fate] for kind, fate, *_ in events] == [
            [event["kind"], event["fate"]] for event in ilb.get("events", [])
        ]
        kicks = ask("ilb", "select count(*), count(arrived_ts), min(delay) from numalens_ilb_kick")
        sent = [event for event in ilb.get("events", []) if event["kind"] == "kick_sent"]
        assert kicks[0][:2] == [str(len(sent)), str(sum(event["arrived_ns"] is not None for event in sent))]

        points = ask(
            "psi", "select resource, half, count(*) from numalens_psi where known_by = 'replayed' group by 1, 2"
        )
        for resource, half, count in points:
            known = [point for point in pressure["series"][resource] if point[f"{half}_avg10"] is not None]
            assert count == str(len(known))
        assert points

        nodes = ask("nodes", "select cpu, nid from numalens_cpu_node")
        assert {nid for _, nid in nodes} <= {str(node["nid"]) for node in topology["nodes"]}
        busy = ask("nodes", "select nid, sum(percent * dur) / sum(dur) from numalens_node_busy group by 1 order by 1")
        for nid, percent in busy:
            (node,) = [node for node in topology["nodes"] if str(node["nid"]) == nid]
            cpus = [cpu for cpu in topology["cpus"] if cpu["nid"] == node["nid"]]
            known_ns = sum(cpu["busy_ns"] + cpu["idle_ns"] for cpu in cpus)
            assert percent == pytest.approx(100 * sum(cpu["busy_ns"] for cpu in cpus) / known_ns, abs=3)

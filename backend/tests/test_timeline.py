"""Windows, tasks, slices and exports of a ready analysis; their content is compared with the exported events themselves."""

import io
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest

from tests.conftest import running_service
from tests.recordings import NUMA, counts
from tests.service import Service, sentence

TIMELINE = {
    "lane": pa.uint16(),
    "kind": pa.uint8(),
    "t0": pa.float64(),
    "t1": pa.float64(),
    "busy": pa.float32(),
    "rt": pa.float32(),
    "wait": pa.float32(),
    "wait_max": pa.uint32(),
    "task": pa.uint32(),
    "count": pa.uint32(),
}


class Ready:
    """A ready analysis of the two-node recording."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.id = service.analyse(NUMA)
        timeline = service.get(f"/analyses/{self.id}").json()["timeline"]
        self.origin = int(timeline["origin_ns"])
        self.first, self.last = (int(edge) for edge in timeline["window_ns"])
        self.nodes = timeline["nodes"]

    def get(self, path: str, **parameters: Any) -> Any:
        return self.service.get(f"/analyses/{self.id}/{path}", params=parameters)

    def table(self, path: str, **parameters: Any) -> pa.Table:
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/vnd.apache.arrow.stream"
        return pa.ipc.open_stream(answer.content).read_all()

    def window(self, lanes: str, px: int = 500) -> pa.Table:
        return self.table("timeline", from_ns=self.first, to_ns=self.last, px=px, lanes=lanes)

    def switches(self) -> list[dict[str, Any]]:
        answer = self.get("events/sched_switch", format="ndjson")
        return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running_service(tmp_path_factory.mktemp("ready")) as service:
        yield Ready(service)


def test_a_window_is_one_batch_with_the_agreed_columns(ready: Ready) -> None:
    lanes = [*(f"node:{node['nid']}" for node in ready.nodes), "cpu:0", "cpu:5"]
    answer = ready.get("timeline", from_ns=ready.first, to_ns=ready.last, px=500, lanes=",".join(lanes))
    reader = pa.ipc.open_stream(answer.content)
    batches = list(reader)
    assert len(batches) == 1
    assert {field.name: field.type for field in reader.schema} == TIMELINE
    assert reader.schema.metadata[b"origin_ns"] == str(ready.origin).encode()
    rows = batches[0].to_pylist()
    assert {row["lane"] for row in rows} <= set(range(len(lanes)))
    assert {row["kind"] for row in rows if row["lane"] < len(ready.nodes)} >= {0}
    assert all(row["t0"] <= row["t1"] for row in rows)
    # About two items per pixel column, lane and kind.
    assert len(rows) <= len(lanes) * 500 * 2 * 3


def test_slices_are_those_of_the_switches(ready: Ready) -> None:
    switches = [event for event in ready.switches() if event["cpu"] == 3]
    middle = next(
        index for index, event in enumerate(switches[:-1]) if index > len(switches) // 2 and event["next_pid"] != 0
    )
    entered, left = switches[middle], switches[middle + 1]
    found = ready.get("slice", cpu=3, t_ns=entered["ts_ns"]).json()
    assert found["pid"] == entered["next_pid"]
    assert found["comm"] == entered["next_comm"]
    assert found["start_ns"] == str(entered["ts_ns"])
    assert found["end_ns"] == str(left["ts_ns"])
    assert found["duration_ns"] == str(left["ts_ns"] - entered["ts_ns"])
    assert (found["prev_pid"], found["next_pid"]) == (entered["prev_pid"], left["next_pid"])
    assert (found["start_known"], found["end_known"], found["label"]) == (True, True, "observed")
    zoomed = ready.table("timeline", from_ns=entered["ts_ns"], to_ns=left["ts_ns"], px=100, lanes="cpu:3")
    exact = [row for row in zoomed.to_pylist() if row["kind"] == 1]
    spans = [(row["t0"] + ready.origin, row["t1"] + ready.origin) for row in exact]
    assert (entered["ts_ns"], left["ts_ns"]) in spans


def test_next_and_previous_are_neighbours(ready: Ready) -> None:
    pid = next(event["next_pid"] for event in ready.switches() if event["next_pid"] > 0)
    starts = sorted(event["ts_ns"] for event in ready.switches() if event["next_pid"] == pid)
    after = ready.get("slice/next", pid=pid, t_ns=starts[0], dir="next").json()
    assert int(after["start_ns"]) == starts[1]
    before = ready.get("slice/next", pid=pid, t_ns=starts[1], dir="prev").json()
    assert int(before["start_ns"]) == starts[0]
    sentence(ready.get("slice/next", pid=pid, t_ns=ready.last + 10**12, dir="next"), 404)
    sentence(ready.get("slice/next", pid=2**31 - 1, t_ns=ready.first), 404)


OF_TASKS = {"cpu": pa.uint32(), "waker_pid": pa.int32(), "cause": pa.uint8()}
RUNNING, MERGED, WOKEN, PREEMPTED = 1, 2, 6, 7


def test_a_task_ran_waited_and_was_woken_as_the_events_say(ready: Ready) -> None:
    switches = ready.switches()
    ran = Counter(event["next_pid"] for event in switches if event["next_pid"])
    pid = ran.most_common(1)[0][0]
    entered = sorted((event["ts_ns"], event["cpu"]) for event in switches if event["next_pid"] == pid)
    # As many of its runs as one picture shows one by one.
    first, last = entered[len(entered) // 2][0], entered[len(entered) // 2 + 20][0] + 1
    table = ready.table("timeline", from_ns=first, to_ns=last, px=8192, lanes=f"cpu:0,task:{pid},task:2147483647")
    assert {name: table.schema.field(name).type for name in OF_TASKS} == OF_TASKS
    causes = table.schema.metadata[b"causes"].decode().split(",")
    assert table["lane"].to_pylist().count(2) == 0
    lane = [row for row in table.to_pylist() if row["lane"] == 1]
    assert MERGED not in {row["kind"] for row in lane}
    runs = [
        (ready.origin + row["t0"], row["cpu"])
        for row in lane
        if row["kind"] == RUNNING and row["t0"] + ready.origin >= first
    ]
    assert runs == [(ts, cpu) for ts, cpu in entered if first <= ts < last]
    woken = [row for row in lane if row["kind"] == WOKEN and ready.origin + row["t0"] >= first]
    preempted = [row for row in lane if row["kind"] == PREEMPTED]
    assert woken or preempted
    wakings = [json.loads(line) for line in ready.get("events/sched_waking", format="ndjson").text.splitlines()]
    requested = {event["ts_ns"]: event["common_pid"] for event in wakings if event["pid"] == pid}
    for row in woken:
        assert requested[ready.origin + int(row["t0"])] == row["waker_pid"]
    left = {event["ts_ns"]: event["prev_state"] for event in switches if event["prev_pid"] == pid}
    for row in preempted:
        assert left[ready.origin + int(row["t0"])] == 0
    assert all(causes[row["cause"]] for row in woken + preempted if row["t0"] < row["t1"])
    assert all(before["t1"] <= after["t0"] for before, after in itertools.pairwise(lane))


def test_a_wide_picture_of_a_task_is_bounded_and_loses_no_time(ready: Ready) -> None:
    ran = Counter(event["next_pid"] for event in ready.switches() if event["next_pid"])
    for pid, _ in ran.most_common(3):
        fine, coarse = (ready.window(f"task:{pid}", px).to_pylist() for px in (8192, 60))
        assert len(coarse) <= 3 * 60 + 3

        def busy(rows: list[dict[str, Any]]) -> float:
            shown = (row for row in rows if row["kind"] in {RUNNING, MERGED})
            return float(sum(row["busy"] * (row["t1"] - row["t0"]) for row in shown))

        whole = max(row["t1"] for row in fine) - min(row["t0"] for row in fine)
        assert abs(busy(fine) - busy(coarse)) < whole * 1e-3


THREADS = 11


def test_a_process_is_its_threads_together(ready: Ready) -> None:
    threads = ready.get("sections/threads").json()["threads"]
    processes = Counter(thread["tgid"] for thread in threads if thread["tgid"] is not None)
    assert processes
    tgid = max(processes, key=lambda tgid: (processes[tgid], tgid))
    own = [thread["pid"] for thread in threads if thread["tgid"] == tgid]
    lanes = ",".join([f"process:{tgid}", *(f"task:{pid}" for pid in own)])
    rows = ready.window(lanes, 300).to_pylist()
    together = [row for row in rows if row["lane"] == 0]
    assert {row["kind"] for row in together} == {THREADS}
    alone = [row for row in rows if row["lane"] > 0]
    for name in ("busy", "wait"):
        sums = [sum(row[name] * (row["t1"] - row["t0"]) for row in part) for part in (together, alone)]
        assert sums[0] == pytest.approx(sums[1], rel=1e-3)
    assert ready.window("process:2147483647,cgroup:5", 300).num_rows == 0


def test_more_lanes_of_tasks_than_are_allowed_are_refused(ready: Ready) -> None:
    lanes = ",".join(f"{kind}:{pid}" for pid in range(33) for kind in ("task", "process"))
    assert "64" in sentence(ready.get("timeline", from_ns=ready.first, to_ns=ready.last, px=9, lanes=lanes), 413)


def test_nobody_ran_is_a_404(ready: Ready) -> None:
    sentence(ready.get("slice", cpu=7777, t_ns=ready.first), 404)
    sentence(ready.get("slice", cpu=0, t_ns=0), 404)


def test_tasks_are_the_pairs_that_ran(ready: Ready) -> None:
    tasks = ready.table("tasks")
    assert tasks.column_names == ["task", "pid", "comm", "run_ns", "first_ns", "last_ns", "tgid"]
    assert tasks["task"].to_pylist() == list(range(tasks.num_rows))
    switched = {event["next_pid"] for event in ready.switches() if event["next_pid"]}
    assert switched <= set(tasks["pid"].to_pylist())
    used = set(ready.window("cpu:0,cpu:1")["task"].to_pylist()) - {0xFFFFFFFF}
    assert used <= set(range(tasks.num_rows))


@pytest.mark.parametrize(
    ("changes", "status", "word"),
    [
        ({"px": 0}, 422, "px"),
        ({"px": 8193}, 422, "px"),
        ({"px": "wide"}, 422, "px"),
        ({"from_ns": -1}, 422, "from_ns"),
        ({"to_ns": 1 << 63}, 422, "to_ns"),
        ({"from_ns": 5, "to_ns": 5}, 422, "empty"),
        ({"from_ns": 6, "to_ns": 5}, 422, "empty"),
        ({"lanes": ""}, 422, "lanes"),
        ({"lanes": "cpu:0,"}, 422, "lanes"),
        ({"lanes": "socket:0"}, 422, "lanes"),
        ({"lanes": "cpu:-1"}, 422, "lanes"),
        ({"lanes": "cpu:" + "9" * 5000}, 422, "lanes"),
        ({"lanes": "cpu:٣"}, 422, "lanes"),
        ({"lanes": ",".join(["cpu:0"] * 4097)}, 413, "4096"),
        ({"px": None}, 422, "px"),
    ],
)
def test_a_window_query_is_checked(ready: Ready, changes: dict[str, Any], status: int, word: str) -> None:
    query = {"from_ns": ready.first, "to_ns": ready.last, "px": 100, "lanes": "cpu:0", **changes}
    query = {name: value for name, value in query.items() if value is not None}
    assert word in sentence(ready.get("timeline", **query), status)


def test_lanes_that_the_machine_does_not_have_are_empty_or_unknown(ready: Ready) -> None:
    found = ready.window("cpu:2147483647,node:77")
    assert set(found["kind"].to_pylist()) <= {0, 4, 5}
    assert set(found["task"].to_pylist()) <= {0xFFFFFFFF}


@pytest.mark.parametrize("fmt", ["csv", "ndjson", "arrow"])
def test_exports_have_every_event_in_order(ready: Ready, fmt: str) -> None:
    answer = ready.get("events/sched_switch", format=fmt)
    assert answer.headers["content-disposition"] == f'attachment; filename="sched_switch.{fmt}"'
    if fmt == "arrow":
        times = pa.ipc.open_stream(answer.content).read_all()["ts_ns"].to_pylist()
    elif fmt == "csv":
        header, *rows = answer.text.splitlines()
        assert header.startswith("ts_ns,cpu,")
        times = [int(row.split(",", 1)[0]) for row in rows]
    else:
        times = [json.loads(line)["ts_ns"] for line in answer.text.splitlines()]
    assert len(times) == counts("cling-2x4-small")["sched_switch"]
    assert times == sorted(times)


def test_an_export_can_be_cut_to_a_window_and_named_with_its_system(ready: Ready) -> None:
    times = [event["ts_ns"] for event in ready.switches()]
    first, last = times[100], times[200]
    answer = ready.get("events/sched:sched_switch", format="arrow", from_ns=first, to_ns=last)
    assert answer.headers["content-disposition"] == 'attachment; filename="sched_sched_switch.arrow"'
    found = pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()["ts_ns"].to_pylist()
    assert found == [time for time in times if first <= time < last]


@pytest.mark.parametrize(
    ("event", "query", "status"),
    [
        ("nothing", {}, 404),
        ("../manifest.json", {}, 404),
        ("sched_switch", {"format": "xml"}, 422),
        ("sched_switch", {"from_ns": "soon"}, 422),
        ("x" * 201, {}, 422),
    ],
)
def test_an_export_is_checked(ready: Ready, event: str, query: dict[str, Any], status: int) -> None:
    sentence(ready.get(f"events/{event}", **query), status)


def test_the_report_has_every_section(ready: Ready) -> None:
    report = ready.get("report").json()
    assert report["schema"] == "numalens.report/1"
    assert report["window_ns"] == [ready.first, ready.last]
    assert report["event_counts"] == counts("cling-2x4-small")
    assert report["inputs"][0]["name"] == NUMA.name
    missing = [
        report["psi"]["sampled"],
        report["vmstat"],
    ]
    for section in missing:
        assert section["available"] is False
        assert section["reason"]
    replayed = [
        *(report["psi"][part] for part in ("system", "cgroups", "series")),
        *(report[part] for part in ("utilisation", "residency", "latency", "waste", "cling")),
        *(report[part] for part in ("numa_balancing", "page_migration", "idle_balancing")),
    ]
    assert all("available" not in section for section in replayed)
    assert isinstance(report["findings"], list)

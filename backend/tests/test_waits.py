"""The ledger of waits: `analyze --json`, the API, SQL and the comparison count the same waits, and their causes add up."""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numalens_native as native
import pytest
from pyarrow import ipc
from waits_table import differences, of_section

from numalens.fleet.summary import summary_rows
from numalens.jobs.reading import read_inputs
from numalens.perfetto.sql.session import Session
from numalens.report import ask, build_report
from tests.command import run, run_lab
from tests.recordings import DROPPED, FIXTURES, NUMA, ROOT, SMALL
from tests.scope import exhaustive
from tests.service import Service
from tests.sql_helpers import IDLE, rows, run_query, section, session

KINDS = ("preempted", "new", "unfinished")
Sums = dict[str, tuple[int, int]]
"""How many waits of a kind and their sum, ns."""
FOUR_CPUS = FIXTURES / "idle-6.12-2x2.part.v7-none.dat.zst"
CLAIMS = {
    *(
        "CPU_SATURATED",
        "FORK_STORM",
        "RT_HOG",
        "PINNED_HOTSPOT",
        "CGROUP_THROTTLE",
        "IRQ_STORM",
        "NUMA_SCAN",
        "SCX_QUEUED",
        "SCX_STALLED",
        "ILB_LATE",
        "PASSED_OVER",
        "IDLE_UNEXPLAINED",
    ),
}
"""Findings that are claims about waits."""
WINDOWS = 5
SCENARIOS = sorted((ROOT / "samples" / "scenarios").glob("*/bundle.tar.zst"))
LEDGERS = [SMALL, DROPPED, FOUR_CPUS, IDLE, NUMA, SCENARIOS[0], *(exhaustive(file) for file in SCENARIOS[1:])]
"""All events, missing switches (SMALL), lost events (DROPPED), and scenarios."""
INCLUDE = "include perfetto module numalens.latency; "
SOURCE = "include perfetto module numalens.latency; select recorded, known_by from numalens_wait_source"
SQL = "include perfetto module numalens.latency; select kind, count(*), sum(dur) from {} group by kind"


MADE = """
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.001000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.001000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.002000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=8 next_prio=120
b-8 [000] d..2. 10.002500: sched_waking: comm=a pid=7 prio=120 target_cpu=000
b-8 [000] d..2. 10.003000: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.003500: sched_wakeup_new: comm=c pid=9 prio=120 target_cpu=000
a-7 [000] d..2. 10.004000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=c next_pid=9 next_prio=120
c-9 [000] d..2. 10.005000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
c-9 [000] d..2. 10.005000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
c-9 [000] d..2. 10.006000: sched_switch: prev_comm=c prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.008000: sched_stat_runtime: comm=a pid=7 runtime=2000000 [ns]
"""  # noqa: E501  (trace-cmd's lines)
"""One of each kind, and a task that is woken while it waits after a preemption."""


def read(file: Path, folder: Path) -> native.Bundle:
    read_inputs([(file.name, str(file))], folder / "bundle", folder / "scratch")
    return native.Bundle(str(folder / "bundle"))


def name_of(file: Path) -> str:
    """The folder's name too, where the file's says nothing."""
    return file.parent.name if file.name == "bundle.tar.zst" else file.name


def ask_sql(made: Session, sql: str) -> list[list[Any]]:
    return rows(made, INCLUDE + sql)


def whole_of(bundle: native.Bundle) -> tuple[int, int]:
    """From the first event to the last."""
    manifest = json.loads(bundle.manifest())
    return int(manifest["origin_ns"]), int(manifest["end_ns"])


def cut(window: tuple[int, int], parts: int) -> list[tuple[int, int]]:
    """Adjoining windows."""
    first, last = window
    return list(pairwise(first + (last - first) * part // parts for part in range(parts + 1)))


def by_kind(latency: Mapping[str, Any]) -> Sums:
    """What a section says, without the kinds that have no wait."""
    parts = {"woken": (latency["wakeups"], latency["wait_ns"])}
    parts |= {kind: (latency[kind]["count"], latency[kind]["wait_ns"]) for kind in KINDS}
    return {kind: (int(count), int(ns)) for kind, (count, ns) in parts.items() if int(count)}


@pytest.mark.parametrize("file", LEDGERS, ids=name_of)
def test_all_readers_have_the_same_waits(file: Path, service: Service, tmp_path: Path) -> None:
    """Counts, sums and sums by cause, to the ns, of the whole and of five windows."""
    bundle = read(file, tmp_path)
    whole = whole_of(bundle)
    assert of_section(section(bundle, "latency")).waits > 0
    # SQL, and that causes add up.
    assert list(differences(bundle, whole, WINDOWS)) == []

    analysis_id = service.analyse(file)
    for first, last in [whole, *cut(whole, WINDOWS)]:
        answer = ask(bundle, "latency", (first, last), {"limit": 1000})
        expected = of_section(answer)
        params: dict[str, str | int] = {"from_ns": str(first), "to_ns": str(last), "limit": 1000}
        page = service.get(f"/analyses/{analysis_id}/sections/latency", params=params).json()
        assert of_section(page) == expected
        report = build_report(bundle, first, last)["latency"]
        assert of_section(report) == expected

        woken, preempted = (expected.kinds.get(kind, (0, 0)) for kind in ("woken", "preempted"))
        windows = ask(bundle, "wait_windows", (first, last), {"step_ns": last - first + 1})
        (window,) = windows["windows"]
        assert (windows["wakeups"], window["wait_ns"], window["preempted_ns"]) == (*woken, preempted[1])
        residency = ask(bundle, "residency", (first, last), {"limit": 1000})["tasks"]
        if len(residency) < 1000:
            assert sum(int(task["wait_ns"]) for task in residency) == expected.wait_ns
        heat = ask(bundle, "wait_heat", (first, last), {})
        assert [heat[kind]["count"] for kind in ("wakeups", "preempted")] == [woken[0], preempted[0]]


@pytest.mark.parametrize("file", [DROPPED, SMALL], ids=name_of)
def test_commands_and_files_have_the_same_waits(file: Path, tmp_path: Path) -> None:
    bundle = read(file, tmp_path)
    folder = tmp_path / "bundle"
    whole = whole_of(bundle)
    for window in (whole, cut(whole, WINDOWS)[2]):
        expected = of_section(ask(bundle, "latency", window, {}))
        edges = "--from", str(window[0]), "--to", str(window[1])
        loaded = "--from", str(window[0]), "--to", str(window[1])
        report = json.loads(run("analyze", folder, *edges, "--json", "-").stdout)
        assert of_section(report["latency"]) == expected
        sql = "include perfetto module numalens.latency; select kind, dur from numalens_wait"
        text, table = (run("query", folder, sql, *loaded, "--format", fmt).stdout for fmt in ("csv", "arrow"))
        found: list[list[dict[str, Any]]] = [
            list(csv.DictReader(text.decode().splitlines())),
            ipc.open_stream(table).read_all().to_pylist(),
        ]
        for waits in found:
            sums: dict[str, tuple[int, int]] = {}
            for row in waits:
                count, ns = sums.get(row["kind"], (0, 0))
                sums[row["kind"]] = count + 1, ns + int(row["dur"])
            assert sums == expected.kinds
        compared = json.loads(run("compare", folder, folder, *edges, "--json", "-").stdout)
        cells = {row["name"]: row["sides"][0]["total"] for table in compared["tables"] for row in table["rows"]}
        for kind, counted, waited in (
            ("woken", "latency_wakeups", "latency_waited"),
            *((kind, f"latency_{kind}", f"latency_{kind}_waited") for kind in KINDS),
        ):
            exact = expected.kinds.get(kind, (0, 0))
            # A row without any value is left out.
            assert (cells.get(counted, 0), cells.get(waited, 0)) == (exact[0], exact[1] / 1e6)


@pytest.mark.parametrize("file", [DROPPED, IDLE], ids=name_of)
def test_the_fleet_has_the_same_waits(file: Path, tmp_path: Path) -> None:
    bundle = read(file, tmp_path)
    first, last = json.loads(bundle.manifest())["window_ns"]
    expected = of_section(ask(bundle, "latency", (first, last), {}))
    rows_of = summary_rows(str(tmp_path / "bundle"))
    facts = {row.name: row.value for row in rows_of if row.part == "fact"}
    assert facts["latency_wakeups"] == expected.kinds["woken"][0]
    assert facts["latency_waited"] == expected.kinds["woken"][1] / 1e6
    for kind in KINDS:
        count, ns = expected.kinds.get(kind, (0, 0))
        assert (facts[f"latency_{kind}"], facts[f"latency_{kind}_waited"]) == (count, ns / 1e6)
    nodes = {row.node: row.value for row in rows_of if row.name == "latency_wait_ns" and row.value}
    assert nodes == {node: ns for node, (_, ns) in expected.nodes.items()}
    assert sum(row.count or 0 for row in rows_of if row.part == "bucket") == expected.kinds["woken"][0]


@pytest.mark.parametrize("file", [DROPPED, IDLE], ids=name_of)
def test_views_say_what_the_section_says(file: Path, tmp_path: Path) -> None:
    """Each wait with its begin, end, CPU, task and causes, and the percentiles of the groups."""
    bundle = read(file, tmp_path)
    latency = section(bundle, "latency", limit=1000)
    with session(bundle) as made:
        waits = {
            (kind, tid, ts, dur): cells
            for kind, tid, ts, dur, *cells in ask_sql(
                made,
                "select kind, w.tid, w.ts, w.dur, thread_name, cpu, began, ended, thread.tid, w.id"
                " from numalens_wait w left join thread using (utid)",
            )
        }
        causes: dict[str, list[str]] = defaultdict(list)
        for wait_id, cause, ns in ask_sql(made, "select wait_id, cause, dur from numalens_wait_cause"):
            causes[wait_id].append(f"{cause} {ns}")
        by_thread = ask_sql(
            made,
            "select tid, thread_name, waits, total_ns from numalens_wait_by_thread where kind = 'woken'",
        )
        by_node = ask_sql(
            made,
            "select nid, waits, total_ns, p50_ns, p90_ns, p99_ns, max_ns from numalens_wait_by_node where"
            " kind = 'woken' and nid is not null",
        )
        edges = ask_sql(made, "select sum(begun_before), sum(open_at_end) from numalens_wait")
        source = rows(made, SOURCE)
    assert edges == [["0", "0"]]
    ((recorded, known_by),) = source
    assert recorded == "1"
    assert known_by.startswith(latency["label"])
    for kind, part in {"woken": latency, **{kind: latency[kind] for kind in KINDS}}.items():
        for wait in part["worst"]:
            key = kind, str(wait["pid"]), str(wait["waking_ns"]), str(wait["wait_ns"])
            name, cpu, began, ended, tid, wait_id = waits[key]
            assert (name, cpu, tid) == (wait["comm"], str(wait["cpu"]), str(wait["pid"]))
            assert (ended == "ran") is (kind != "unfinished") or began == "resumed"
            assert sorted(causes[wait_id]) == sorted(f"{cause['cause']} {cause['ns']}" for cause in wait["causes"])
    assert sorted(by_thread) == sorted(
        [str(task["pid"]), task["comm"], str(task["count"]), str(task["wait_ns"])]
        for task in latency["by_task"]
        if task["count"]
    )
    for nid, *numbers in by_node:
        (node,) = [node for node in latency["by_node"] if str(node["nid"]) == nid]
        exact = [node[name] for name in ("count", "wait_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns")]
        # Percentiles of many waits are up to 1 % too high in the section.
        assert [int(number) for number in numbers] == pytest.approx(exact, rel=node["error_percent"] / 100)


def test_waits_that_are_not_recorded_are_no_zero(tmp_path: Path) -> None:
    made = tmp_path / "made.txt"
    made.write_text("".join(line for line in MADE.lstrip().splitlines(keepends=True) if "sched_switch" not in line))
    bundle = read(made, tmp_path)
    assert "sched_switch was not recorded" in section(bundle, "latency")["reason"]
    with session(bundle) as trace:
        answer = run_query(trace, SOURCE)
        ((recorded, known_by),) = answer["rows"]
        assert recorded == "0"
        assert known_by.startswith("sched_switch was not recorded")
        assert any("not recorded, numalens.latency has none: sched_switch" in note for note in answer["notes"])
        assert ask_sql(trace, "select sum(total_ns) from numalens_wait_by_node") == [[None]]


def test_hundreds_of_waits_may_end_at_once(tmp_path: Path) -> None:
    """Perfetto nests instants of one track and moment, and drops those below the 512th."""
    switch = "<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120\n"  # noqa: E501
    woken = "a-7 [000] d..2. 10.001000: sched_wakeup: comm=b{0} pid={0} prio=120 target_cpu=000\n"
    end = "a-7 [000] d..2. 10.002000: sched_stat_runtime: comm=a pid=7 runtime=2000000 [ns]\n"
    made = tmp_path / "made.txt"
    made.write_text(switch + "".join(woken.format(pid) for pid in range(100, 900)) + end)
    bundle = read(made, tmp_path)
    latency = of_section(section(bundle, "latency"))
    assert latency.kinds == {"unfinished": (800, 800_000_000)}
    assert list(differences(bundle, whole_of(bundle), WINDOWS)) == []


def test_the_instrument_compares_a_folder(tmp_path: Path) -> None:
    (tmp_path / "made.txt").write_text(MADE.lstrip())
    table = run_lab("waits", tmp_path, "--windows", "3", "--json", tmp_path / "table.json").stdout.decode()
    assert re.search(r"5 +7,500,000 +equal +.*made.txt", table), table
    (row,) = json.loads((tmp_path / "table.json").read_text())
    assert (row["verdict"], row["differences"]) == ("equal", [])


def test_each_kind_is_counted_apart(tmp_path: Path) -> None:
    file = tmp_path / "made.txt"
    file.write_text(MADE.lstrip())
    bundle = read(file, tmp_path)
    ms = 10**6
    expected = {"woken": (1, ms), "preempted": (2, 3 * ms), "new": (1, ms // 2), "unfinished": (1, 3 * ms)}
    assert by_kind(section(bundle, "latency")) == expected
    with session(bundle) as made:
        sql_rows = rows(made, SQL.format("numalens_wait"))
        unfinished = rows(
            made,
            "include perfetto module numalens.latency; select tid, began, cpu from numalens_wait where kind = 'unfinished'",
        )
    assert {kind: (int(count), int(ns)) for kind, count, ns in sql_rows} == expected
    assert unfinished == [["8", "waking", "0"]]


@pytest.mark.parametrize("file", [SMALL, DROPPED, IDLE, NUMA], ids=lambda file: file.name)
def test_causes_add_up_to_the_waits(file: Path, tmp_path: Path) -> None:
    latency = section(read(file, tmp_path), "latency", limit=1000)

    def spent(part: Mapping[str, Any]) -> int:
        return sum(cause["ns"] for cause in part["causes"])

    for part in (latency, *(latency[kind] for kind in KINDS), *latency["by_task"], *latency["by_node"]):
        assert spent(part) == part["wait_ns"]
    for part in (latency, *(latency[kind] for kind in KINDS)):
        assert all(spent(wait) == wait["wait_ns"] for wait in part["worst"])
        assert part["max_ns"] == max((wait["wait_ns"] for wait in part["worst"]), default=None)
    for groups in (latency["by_node"], latency["by_task"]):
        assert sum(group["count"] for group in groups) == latency["wakeups"]
        assert sum(group["wait_ns"] for group in groups) == latency["wait_ns"]
        assert sum(group["preempted_ns"] for group in groups) == latency["preempted"]["wait_ns"]


@pytest.mark.parametrize("file", [SMALL, DROPPED, IDLE, NUMA], ids=lambda file: file.name)
def test_adjoining_windows_add_up(file: Path, tmp_path: Path) -> None:
    bundle = read(file, tmp_path)
    manifest = json.loads(bundle.manifest())
    first, last = int(manifest["origin_ns"]), int(manifest["end_ns"])
    edges = [first + (last - first) * part // 100 for part in range(101)]

    def latency(from_ns: int, to_ns: int) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(bundle.analysis("latency", from_ns, to_ns, json.dumps({"limit": 1000})))
        return answer

    whole = latency(first, last)
    parts = [latency(*edge) for edge in pairwise(edges)]
    assert (whole["edges"]["begun_before"], whole["edges"]["open_at_end"]) == (0, 0)
    assert (
        sum(part["edges"]["begun_before"] for part in parts) == sum(part["edges"]["open_at_end"] for part in parts) > 0
    )
    for kind in ("wakeups", "preempted", "new"):
        ended = [part[kind] if kind == "wakeups" else part[kind]["count"] for part in (whole, *parts)]
        assert sum(ended[1:]) == ended[0]
    assert sum(by_cause(part).total() for part in parts) == by_cause(whole).total()
    assert sum((by_cause(part) for part in parts), Counter()) == by_cause(whole)


def by_cause(latency: Mapping[str, Any]) -> Counter[str]:
    """What all waits of a section were spent on, ns."""
    spent: Counter[str] = Counter()
    for part in (latency, *(latency[kind] for kind in KINDS)):
        for cause in part["causes"]:
            spent[cause["cause"]] += int(cause["ns"])
    return spent


@pytest.mark.parametrize("file", [SMALL, DROPPED, IDLE, NUMA], ids=lambda file: file.name)
def test_findings_claim_no_wait_twice(file: Path, tmp_path: Path) -> None:
    bundle = read(file, tmp_path)
    latency = section(bundle, "latency")
    all_ns = sum(ns for _, ns in by_kind(latency).values())
    found = [each for each in section(bundle, "findings")["findings"] if each["id"] in CLAIMS]
    assert found
    assert len({each["id"] for each in found}) == len(found)
    assert sum(each["impact_ms"] for each in found) <= all_ns / 1e6 + 1e-6
    busy = sum(
        cause["ns"]
        for part in (latency, *(latency[kind] for kind in KINDS))
        for cause in part["causes"]
        if cause["cause"] == "busy"
    )
    cost = {each["id"]: each["impact_ms"] for each in found}.get("CPU_SATURATED", 0.0)
    usage = section(bundle, "utilisation")
    most = (int(usage["to_ns"]) - int(usage["from_ns"])) * len(usage["cpus"])
    # The recorder's own waits are no finding.
    own = sum(task["wait_ns"] + task["preempted_ns"] for task in latency["by_task"] if task["comm"] == "trace-cmd")
    assert min(busy - own, most) / 1e6 - 1e-6 <= cost <= min(busy, most) / 1e6 + 1e-6
    for each in found:
        assert each["tasks"] >= max([len(each["pids"]), *(one["tasks"] for one in each["occurrences"]["worst"])])
        # All that the sentence counts, not only those of the costliest place.
        assert f" {each['tasks']} task" in each["summary"], each["summary"]


def test_a_summary_names_every_kind(tmp_path: Path) -> None:
    made = tmp_path / "made.txt"
    made.write_text(MADE.lstrip())
    read(made, tmp_path)
    latency = json.loads(run("analyze", tmp_path / "bundle", "--json", "-").stdout)["latency"]
    text = run("analyze", tmp_path / "bundle").stdout.decode()
    assert min(latency[kind]["count"] for kind in KINDS) > 0
    for kind, words in (
        ("preempted", "after a preemption"),
        ("new", "of new tasks"),
        ("unfinished", "without a known end"),
    ):
        assert re.search(rf"\b{latency[kind]['count']} waits? {words}", text), text


SCANNED = """
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] ..... 10.001000: task_numa_work: (task_numa_work+0x4/0x4d0)
a-7 [000] d..2. 10.002000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.002000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] ..... 10.011000: task_numa_work_ret: (task_work_run+0x59/0x90 <- task_numa_work)
a-7 [000] d..2. 10.013000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=8 next_prio=120
b-8 [000] d..2. 10.014000: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
"""  # noqa: E501  (trace-cmd's lines)
"""A task waits 11 ms, 9 of them behind a scan."""

NOISY = """
<idle>-0 [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120
a-7 [000] d..2. 10.002000: sched_waking: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d..2. 10.002000: sched_wakeup: comm=b pid=8 prio=120 target_cpu=000
a-7 [000] d.h1. 10.006000: irq_noise: local_timer:236 start 9.999000000 duration 3000000 ns
a-7 [000] ..s1. 10.010000: softirq_noise:    TIMER:1 start 9.999000000 duration 2000000 ns
a-7 [000] d.h1. 10.011000: nmi_noise: start 9.999000000 duration 500000 ns
a-7 [000] d..2. 10.013000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=8 next_prio=120
b-8 [000] d..2. 10.014000: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
"""  # noqa: E501  (the kernel's lines)
"""A task waits 11 ms behind one that is interrupted, as only the osnoise tracer tells. Its own `start` is of another clock."""


def causes_of(lines: str, folder: Path, name: str) -> dict[str, int]:
    """What the waits of woken tasks were spent on."""
    own = folder / name
    own.mkdir()
    (own / "made.txt").write_text(lines.lstrip())
    causes = section(read(own / "made.txt", own), "latency")["causes"]
    return {cause["cause"]: cause["ns"] for cause in causes}


def test_a_scan_stands_in_front_only_where_its_return_is_known(tmp_path: Path) -> None:
    ms = 10**6
    assert causes_of(SCANNED, tmp_path, "scanned") == {"numa_scan": 9 * ms, "busy": 2 * ms}
    entries = "".join(line for line in SCANNED.splitlines(keepends=True) if "_ret:" not in line)
    assert causes_of(entries, tmp_path, "entries") == {"busy": 11 * ms}


def test_time_that_the_hardware_took_is_a_cause(tmp_path: Path) -> None:
    ms = 10**6
    # Of 4 ms of the wait nothing came between two readings of the clock; where an interrupt did, its own events show.
    away = "a-7 [000] ..... 10.009000: sample_threshold: start 9.999000000 duration 4000000 ns interference {}\n"
    quiet = "".join(line for line in NOISY.splitlines(keepends=True) if "_noise" not in line)
    assert causes_of(quiet + away.format(0), tmp_path, "away") == {"hardware_noise": 4 * ms, "busy": 7 * ms}
    assert causes_of(quiet + away.format(1), tmp_path, "disturbed") == {"busy": 11 * ms}


def test_interrupts_that_only_osnoise_tells_of_are_causes(tmp_path: Path) -> None:
    ms = 10**6
    expected = {"interrupt": 3 * ms + ms // 2, "softirq": 2 * ms, "busy": 5 * ms + ms // 2}
    assert causes_of(NOISY, tmp_path, "noisy") == expected
    # With events of its own an interrupt is not counted by its noise.
    events = NOISY + "b-8 [000] d.h1. 10.013500: irq_handler_entry: irq=1 name=x\n"
    assert causes_of(events, tmp_path, "events") == {"softirq": 2 * ms, "busy": 9 * ms}

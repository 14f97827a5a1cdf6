"""`numalens explain`: time of tasks by state and cause, and slow requests."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numalens_native as native
import pyarrow as pa
import pytest

import numalens
from numalens.jobs.reading import read_inputs
from numalens.perfetto.sql.session import Session
from numalens.report import ask
from tests.command import run
from tests.recordings import DROPPED, FIXTURES, NUMA, ROOT, SMALL
from tests.section_fixtures import engine, section
from tests.service import Service
from tests.sql_helpers import rows, session

RECORDINGS: Final = (
    SMALL,
    NUMA,
    DROPPED,
    FIXTURES / "tc-multi.v7-zstd.dat",
    FIXTURES / "tc-local.v6.dat.zst",
    FIXTURES / "idle-6.1-2x4.part.v7-none.dat.zst",
    FIXTURES / "idle-6.12-2x2.part.v6.dat.zst",
    FIXTURES / "says-6.12.v6.dat.zst",
    ROOT / "samples" / "scenarios" / "deadline" / "bundle.tar.zst",
    ROOT / "samples" / "scenarios" / "realtime" / "bundle.tar.zst",
)
SLEEP_COLUMNS: Final = {
    "pid": "tid",
    "comm": "thread_name",
    "from_ns": "ts",
    "to_ns": "ts + dur",
    "state": "state",
    "cause": "cause",
    "resource": "resource",
    "waker_pid": "waker_tid",
    "waker": "waker",
    "holder_pid": "holder_tid",
    "holder": "holder",
    "provenance": "known_by",
}
"""Columns of Python's table of sleeps, and of the view."""
REQUEST_COLUMNS: Final = {
    "start_ns": "ts",
    "duration_ns": "dur",
    "state": "state",
    "cause": "cause",
    "by": "caused_by",
    "cause_ns": "cause_dur",
}


def explained(*arguments: str | Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run("explain", *arguments, "--json", "-").stdout)
    return answer


def refused(*arguments: str | Path) -> str:
    return run("explain", SMALL, *arguments, status=2).stderr.decode()


def busiest() -> dict[str, Any]:
    """The thread that ran longest, but for first threads of processes: their pids stand for all threads."""
    threads: list[dict[str, Any]] = section("threads")["threads"]
    alone = [thread for thread in threads if thread["tgid"] not in {None, thread["pid"]}]
    return max(alone, key=lambda thread: thread["run_ns"])


def test_states_agree_with_the_section_of_the_task() -> None:
    manifest = json.loads(engine().manifest())
    first, last = manifest["window_ns"]
    thread = busiest()
    question = {"task": str(thread["pid"]), "from_ns": first, "to_ns": last}
    answer = json.loads(engine().explain(json.dumps(question)))
    sums = {state: sum(row["ns"] for row in rows) for state, rows in answer["states"].items()}
    assert sums["running"] == thread["run_ns"]
    assert sums["runnable"] == thread["wait_ns"]
    states = section("task", pid=thread["pid"])["states"]
    assert sum(sums.values()) == sum(state["ns"] for state in states)


def test_slow_requests_add_up(tmp_path: Path) -> None:
    origin = json.loads(engine().manifest())["origin_ns"]
    log = tmp_path / "requests.csv"
    log.write_text(
        "start_ns,duration_ns\n" + "".join(f"{origin + at * 1_000_000},{500_000 + at}\n" for at in range(100))
    )
    question = {"task": busiest()["comm"], "slow": 90}
    answer = json.loads(engine().explain(json.dumps(question), (log.name, log.read_text())))
    slow = answer["requests"]["slow"]
    assert (answer["requests"]["count"], slow["count"], slow["from_ms"]) == (100, 10, 0.50009)
    assert round(sum(cause["ms"] for cause in slow["causes"]), 6) == round(
        sum(500_000 + at for at in range(90, 100)) / 1e6, 6
    )


def test_the_command_prints_a_sentence_and_tables() -> None:
    text = run("explain", SMALL, "--task", "sleep").stdout.decode()
    sentence, table = text.split("\n\n")
    assert sentence.startswith("sleep spent ")
    assert table.startswith("state ")
    answer = explained(SMALL, "--task", "sleep")
    assert answer["task"]["comm"] == "sleep"
    assert answer["requests"] is None


def test_what_does_not_fit_is_one_sentence(tmp_path: Path) -> None:
    said = refused("--task", "nobody")
    assert said == 'numalens: no task "nobody" ran in this recording\n'
    log = tmp_path / "log.csv"
    log.write_text("when,what\n1,2\n")
    said = refused("--task", "sleep", "--requests", log)
    assert said == "numalens: log.csv: line 1: expected columns such as start_ns and duration_ns, found when, what\n"
    said = refused("--task", "sleep", "--requests", tmp_path / "none.csv")
    assert "cannot be read: No such file or directory" in said


def numbers(answer: Any) -> Any:
    """An answer of the API with its moments as numbers, without what only the API says."""
    if isinstance(answer, dict):
        return {
            name: int(value) if name.endswith("_ns") and isinstance(value, str) else numbers(value)
            for name, value in answer.items()
            if name != "available"
        }
    if isinstance(answer, list):
        return [int(each) if isinstance(each, str) and each.isdecimal() else numbers(each) for each in answer]
    return answer


@pytest.mark.parametrize("recording", [SMALL, DROPPED, NUMA], ids=lambda path: path.stem)
def test_command_api_and_python_agree(recording: Path, service: Service, tmp_path: Path) -> None:
    """On a service with a log of requests: the answer, the requests, and the sleeps of its task."""
    with numalens.open(recording) as alone:
        first, last = alone.window_ns
        threads = alone.section("threads")["threads"]
        comm = max((one for one in threads if one["pid"] > 0), key=lambda one: one["wait_ns"])["comm"]
    step = (last - first) // 60
    log = "start_ns,duration_ns\n" + "".join(f"{first + at * step},{step // 4 + at}\n" for at in range(50))
    analysis_id = service.analyse(recording, ("client.csv", log.encode()))
    path = f"/analyses/{analysis_id}/sections"
    by_api = service.get(f"{path}/explain", params={"task": comm, "slow": "90.0"}).json()
    found = service.get(f"/analyses/{analysis_id}").json()
    assert "requests" in {each["kind"] for each in found["inputs"]}

    client = tmp_path / "client.csv"
    client.write_text(log)
    window = ("--from", str(first), "--to", str(last))
    by_command = explained(recording, "--task", comm, "--slow", "90", "--requests", client, *window)
    with numalens.open(recording, client) as opened:
        by_python = opened.explain(comm, slow=90)
        pid = by_python["task"]["pid"]
        sleeps = [each for each in pa.table(opened.sleeps()).to_pylist() if each["pid"] == pid]
    assert by_command == by_python
    assert {name: numbers(by_api)[name] for name in by_python} == by_python
    assert by_python["requests"]["count"] > 0
    listed = numbers(service.get(f"{path}/sleeps", params={"pid": pid, "limit": 10_000}).json())["sleeps"]
    edges = ("from_ns", "to_ns", "cause", "provenance")
    assert [[each[edge] for edge in edges] for each in listed] == [[each[edge] for edge in edges] for each in sleeps]
    points = service.get(f"{path}/requests", params={"task": comm, "slow": "90"}).json()
    assert (points["count"], points["slow"]) == (
        by_python["requests"]["count"],
        by_python["requests"]["slow"]["count"],
    )
    refused = service.get(f"{path}/explain", params={"task": comm, "slow": "101"})
    assert refused.status_code == 422


def of_table(bundle: native.Bundle, name: str, columns: dict[str, str], window: tuple[int, int]) -> list[list[Any]]:
    table = pa.table(bundle.table(name, *window)).to_pylist()
    return sorted([[None if row[each] is None else str(row[each]) for each in columns] for row in table], key=repr)


def selected(made: Session, table: str, columns: Iterable[str], more: str = "") -> list[list[Any]]:
    sql = f"INCLUDE PERFETTO MODULE numalens.off_cpu; SELECT {', '.join(columns)} FROM {table} {more}"  # noqa: S608  (of our own parts)
    return sorted(rows(made, sql), key=repr)


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.parent.name + "-" + path.stem)
def test_sql_has_the_sleeps_and_requests_of_the_ledger(recording: Path, tmp_path: Path) -> None:
    """Of the tables of Python; the sums of each task are those of its section, which the page shows."""
    read_inputs([(recording.name, str(recording))], tmp_path / "alone", tmp_path / "first")
    alone = native.Bundle(str(tmp_path / "alone"))
    first, last = json.loads(alone.manifest())["window_ns"]
    threads = [each for each in ask(alone, "threads", (first, last), {})["threads"] if each["pid"] > 0]
    pid = max(threads, key=lambda each: each["wait_ns"])["pid"]
    log = tmp_path / "client.csv"
    step = (last - first) // 60
    lines = (f"{first + at * step},{step + at},{pid}\n" for at in range(50))
    log.write_text("start_ns,duration_ns,tid\n" + "".join(lines))
    read_inputs([(path.name, str(path)) for path in (recording, log)], tmp_path / "both", tmp_path / "scratch")
    bundle = native.Bundle(str(tmp_path / "both"))
    first, last = json.loads(bundle.manifest())["window_ns"]
    with session(bundle) as made:
        whole = "WHERE NOT begun_before AND NOT open_at_end"
        sleeps = selected(made, "numalens_sleep", SLEEP_COLUMNS.values(), whole)
        sums = selected(made, "numalens_sleep", ("tid", "cause", "sum(dur)"), "GROUP BY 1, 2")
        requests = selected(made, "numalens_request", REQUEST_COLUMNS.values())
    found = of_table(bundle, "sleeps", SLEEP_COLUMNS, (first, last))
    assert sleeps == found
    assert found
    assert len(requests) == 50
    assert requests == of_table(bundle, "requests", REQUEST_COLUMNS, (first, last))

    by_task: dict[int, dict[str, int]] = {}
    for tid, cause, ns in sums:
        by_task.setdefault(int(tid), {})[cause] = int(ns)
    for pid, slept in by_task.items():
        asleep = ask(bundle, "explain", (first, last), {"pid": pid})["states"]["asleep"]
        total = Counter[str]()
        for row in asleep:
            total[row["cause"]] += row["ns"]
        # Time without records has no cause, and is no sleep.
        assert {**total, "unknown": 0} == {**slept, "unknown": 0}, pid
        assert total["unknown"] >= slept.get("unknown", 0)

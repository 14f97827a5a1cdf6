"""How far tasks went, by what the topology says that CPUs share."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numalens_native as native

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section
from tests.test_sched_ext import SWITCH, idle_to, line, to_idle, trace, woken

SCHED = "db ({0}, #threads: 2)\n-------------\nse.exec_start   :   10000.0\nprio            :   120\nnuma_pages_migrated : 0\n"


def test_distances_are_by_what_the_topology_says(tmp_path: Path) -> None:
    def rows(topology: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        text = trace().replace(
            woken(10.010, "held", 8),
            woken(10.010, "held", 8)
            + line(1, 10.011, "sched_migrate_task: comm=held pid=8 prio=120 orig_cpu=1 dest_cpu=0"),
        )
        (folder / "trace.txt").write_text(text)
        inputs = [("trace.txt", str(folder / "trace.txt"))]
        if topology is not None:
            (folder / "lscpu.txt").write_text(topology)
            inputs.append(("lscpu.txt", str(folder / "lscpu.txt")))
        read_inputs(inputs, folder / "bundle", folder / "scratch")
        found = section(native.Bundle(str(folder / "bundle")), "distances")
        return found, {row["distance"]: row for row in found["rows"]}

    found, known = rows("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,2,0,0,,2,2,2,1\n")
    assert found["llcs"] == [[0, 1], [2]]
    assert set(known) == {"same_cpu", "llc", "node"}
    assert (known["llc"]["moved"], known["same_cpu"]["wakeups"], known["node"]["moved"]) == (1, 1, 0)
    assert known["same_cpu"]["waits"] >= 1
    # It was woken from its own CPU at 10.010 s and ran at 10.050 s.
    assert known["same_cpu"]["woken_wait_ns"] == 40_000_000
    assert known["llc"]["woken_wait_ns"] == 0
    assert found["processes"] == [], "nothing names a process"
    found, known = rows(None)
    assert found["llcs"] == []
    assert any("last-level cache" in missing for missing in found["missing"])
    assert known["node"]["moved"] == 1


def migrate(cpu: int, seconds: float, pid: int, orig: int, dest: int) -> str:
    return line(
        cpu, seconds, f"sched_migrate_task: comm=db pid={pid} prio=120 orig_cpu={orig} dest_cpu={dest}", "other-9"
    )


def moving() -> str:
    """Thread 7 of a process runs on CPU 0 for 50 ms, is moved below the other cache, back, and there again."""
    text = idle_to(0, 9.99, "db", 8) + to_idle(0, 9.991, "db", 8) + idle_to(0, 10.0, "db", 7)
    places = [(0, 10.05), (2, 10.1), (1, 10.12), (3, 10.2)]
    for (cpu, left), (dest, _) in pairwise(places):
        switch = (
            SWITCH.format("db", 7, "R", "other", 9) if cpu == 0 else SWITCH.format("db", 7, "R", f"swapper/{cpu}", 0)
        )
        text += line(cpu, left, switch, "db-7")
        text += migrate(dest, left + 0.000_010, 7, cpu, dest)
        text += idle_to(dest, left + 0.000_020, "db", 7)
    return text + to_idle(0, 10.199, "other", 9) + to_idle(3, 10.2, "db", 7)


def test_processes_have_a_cache_that_they_would_prefer(tmp_path: Path) -> None:
    def found(name: str, files: dict[str, str]) -> dict[str, Any]:
        folder = tmp_path / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        read_inputs([(file, str(folder / file)) for file in files], folder / "bundle", folder / "scratch")
        return section(native.Bundle(str(folder / "bundle")), "distances")

    caches = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n" + "".join(
        f"{cpu},{cpu},0,0,,{cpu},{cpu},{cpu},{cpu // 2}\n" for cpu in range(4)
    )
    threads = [(7, 7), (7, 8), (9, 9)]
    tasks = "".join(
        json.dumps(
            {"idx": 0, "mono_ns": 10_010_000_000, "pid": pid, "tid": tid, "comm": "db", "sched": SCHED.format(tid)}
        )
        + "\n"
        for pid, tid in threads
    )
    whole = found("whole", {"trace.txt": moving(), "lscpu.txt": caches, "tasks.jsonl": tasks})["by_process"]
    db, other = whole["processes"]
    assert (db["tgid"], db["comm"], db["threads"], other["tgid"]) == (7, "db", 2, 9)
    ran = [round(ns / 1e6) for ns in db["by_llc_ns"]]
    assert ran == [71, 130]
    # It prefers the first cache until it has left it for another task, then the second one; it comes back and goes again.
    assert (db["preferred"], db["changes"], db["away"], db["to"]) == (1, 2, 2, 1)
    assert db["in_preferred_ns"] < db["preferring_ns"] < db["run_ns"]
    assert (other["preferred"], other["away"], other["to"]) == (None, 0, 0), "it has one thread"
    by_distance = found("distances", {"trace.txt": moving(), "lscpu.txt": caches, "tasks.jsonl": tasks})
    # The other process ran all its time where it was.
    first, *others = by_distance["processes"]
    assert (first["tgid"], first["comm"], others) == (7, "db", [])
    known = {row["distance"]: row for row in first["rows"]}
    everyone = {row["distance"]: row for row in by_distance["rows"]}
    assert (known["node"]["moved"], known["llc"]["moved"]) == (3, 0)
    assert known["node"]["moved"] == everyone["node"]["moved"]
    assert (whole["preferred_provenance"], whole["unknown_ns"]) == ("what-if", 0)
    assert any("footprint" in lack for lack in whole["preferred_missing"])

    unknown = found("unknown", {"trace.txt": moving(), "lscpu.txt": caches})["by_process"]
    assert unknown["processes"] == []
    assert unknown["unknown_ns"] == db["run_ns"] + other["run_ns"]
    assert any("the process of some tasks" in lack for lack in unknown["missing"])

    one = caches.replace(",1\n", ",0\n")
    assert found("one", {"trace.txt": moving(), "lscpu.txt": one, "tasks.jsonl": tasks})["by_process"] is None

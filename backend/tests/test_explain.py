"""`numalens explain`: time of tasks by state and cause, and slow requests."""

import json
from pathlib import Path
from typing import Any

from tests.command import run
from tests.recordings import SMALL
from tests.section_fixtures import engine, section


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

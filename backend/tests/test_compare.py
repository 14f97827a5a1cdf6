"""Comparisons: numbers that are the sections' own, differences, warnings, runs, and sides without what is compared."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from numalens_native import Bundle

from numalens.jobs.reading import read_inputs
from numalens.report import ask, window_of
from numalens.report.build import is_missing
from numalens.report.compare import Comparison, Recording, build_comparison
from numalens.report.compare.build import distinct
from numalens.report.compare.gather import Steps, shared_steps
from numalens.report.compare.shapes import Shape
from tests.recordings import DROPPED, LSCPU, NUMA, SAMPLE

SECOND = 1_000_000_000
HEAVY = [SAMPLE / name for name in ("trace.dat", "psi.jsonl", "lscpu-p.txt", "numa_group.jsonl")]


def recording(folder: Path, *files: Path, title: str) -> Recording:
    bundle = folder / title
    manifest = read_inputs([(file.name, str(file)) for file in files], bundle, folder / f"{title}-scratch")
    result = json.loads(manifest)
    return Recording(Bundle(str(bundle)), result, window_of(result, None, None), title, title)


@dataclass(frozen=True)
class Recordings:
    heavy: Recording
    small: Recording
    dropped: Recording


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    folder = tmp_path_factory.mktemp("compare")
    return Recordings(
        recording(folder, *HEAVY, title="heavy"),
        recording(folder, NUMA, LSCPU, title="small"),
        recording(folder, DROPPED, title="dropped"),
    )


def compared(*runs: Recording, **options: Any) -> Comparison:
    return build_comparison([(run.title, [run]) for run in runs], **options)


@pytest.fixture(scope="module")
def two(recordings: Recordings) -> Comparison:
    """The sample, and the small one beside it."""
    return compared(recordings.heavy, recordings.small)


def table(result: Comparison, name: str) -> Shape:
    return next(table for table in result["tables"] if table["name"] == name)


def row(result: Comparison, name: str, title: str) -> Shape:
    return next(row for row in table(result, name)["rows"] if row["title"] == title)


def values(row: Shape, field: str) -> list[Any]:
    return [cast("dict[str, Any]", side)[field] for side in row["sides"]]


def warned(result: Comparison) -> dict[str, str]:
    return {warning["kind"]: warning["sentence"] for warning in result["warnings"]}


def test_counts_are_those_of_the_sections_and_compared_per_second(two: Comparison, recordings: Recordings) -> None:
    failed = row(two, "ops", "Migrate failed no CPU")
    heavy, small = values(failed, "total")
    assert heavy == 349
    assert (
        small
        == ask(recordings.small.engine, "numa_balancing", recordings.small.window, {})["ops"]["rows"][
            "migrate_failed_no_cpu"
        ]
    )
    rates = [
        total / run.seconds for total, run in zip((heavy, small), (recordings.heavy, recordings.small), strict=True)
    ]
    assert values(failed, "mean") == pytest.approx(rates)
    # Fewer failures are better.
    assert failed["better"] == "lower"
    assert values(failed, "percent")[0] is None
    assert values(failed, "percent")[1] == pytest.approx(100 - rates[1] * 100 / rates[0])
    # As good as their sections are: the small recording has no sched_wakeup_new.
    assert values(failed, "label") == ["replayed", "inferred"]
    assert row(two, "ops", "Load Balance cross NUMA")["sides"][0]["total"] == 385
    assert row(two, "ops_mmtests", "Load Balance cross NUMA")["sides"][0]["total"] == 383
    # One value a side: nothing shows whether that is chance.
    assert values(failed, "t_test") == [None, None]
    assert values(failed, "cell_2020")[1].startswith("(")


def test_the_per_node_tables_have_one_step(two: Comparison, recordings: Recordings) -> None:
    assert two["step_ns"] == 2 * SECOND
    for run, result in zip((recordings.heavy, recordings.small), two["utilisation"], strict=True):
        found = ask(run.engine, "utilisation", run.window, {"step_ns": two["step_ns"]})
        assert result.get("nodes") == [
            {"nid": node["nid"], "percent": node["percent"], "average": node["average"]} for node in found["nodes"]
        ]
    five = compared(recordings.heavy, recordings.small, step_ns=5 * SECOND)
    assert five["step_ns"] == 5 * SECOND
    # What is reported next to them has its own windows.
    assert five["samples"]["step_ns"] == SECOND


def test_waits_lie_in_the_same_bins(two: Comparison) -> None:
    edges = two["latency"]["edges_ns"]
    assert edges == sorted(edges)
    waits = row(two, "latency", "Wakeups")
    for part, count in zip(two["latency"]["analyses"], values(waits, "total"), strict=True):
        assert not is_missing(part)
        assert len(part["counts"]) == len(edges) + 1
        assert sum(part["counts"]) == part["wakeups"] == count


def test_each_kind_of_waits_has_its_rows(two: Comparison, recordings: Recordings) -> None:
    both = (recordings.heavy, recordings.small)
    waits = [ask(run.engine, "latency", run.window, {}) for run in both]
    for kind, counted, waited in (
        ("preempted", "Preemptions", "Time waited afterwards"),
        ("new", "New tasks that waited", "Time waited by new tasks"),
        ("unfinished", "Waits without a known end", "Time waited in them, at least"),
    ):
        assert values(row(two, "latency", counted), "total") == [found[kind]["count"] for found in waits]
        totals = values(row(two, "latency", waited), "total")
        assert totals == pytest.approx([found[kind]["wait_ns"] / 1e6 for found in waits])
    assert waits[0]["new"]["count"] > 0
    windows = [ask(run.engine, "wait_windows", run.window, {"step_ns": SECOND})["windows"] for run in both]
    for title, field in (("Time waited after wakeups", "wait_ns"), ("Time waited after preemptions", "preempted_ns")):
        means = [sum(window[field] for window in found) / len(found) / 1e6 for found in windows]
        assert values(row(two, "statistics", title), "mean") == pytest.approx(means)
        assert min(means) > 0


def test_statistics_are_over_windows_of_a_second(two: Comparison) -> None:
    assert two["samples"]["by"] == "windows"
    busy = row(two, "statistics", "Node 0 busy")
    assert [side["summary"]["n"] for side in busy["sides"] if side["summary"]] == [45, 14]
    assert busy["mean"] == "arithmetic"
    test, intervals = busy["sides"][1]["t_test"], busy["sides"][1]["intervals"]
    assert test
    assert intervals
    assert test["df"] == 45 + 14 - 2
    assert test["p"] is not None
    assert test["significant"] == (test["p"] < 0.10)
    assert busy["sides"][1]["cell_2020"] == f"*{busy['sides'][1]['percent']:7.2f}%*"
    wasted = row(two, "statistics", "Idle CPUs while tasks wait")
    assert [side["summary"]["n"] for side in wasted["sides"] if side["summary"]] == [45, 14]


def test_another_base_turns_the_differences(two: Comparison, recordings: Recordings) -> None:
    turned = compared(recordings.heavy, recordings.small, base=1)
    better = row(two, "latency", "p99")["sides"][1]["percent"]
    worse = row(turned, "latency", "p99")["sides"][0]["percent"]
    assert better is not None
    assert worse is not None
    assert better > 0 > worse
    assert row(turned, "latency", "p99")["sides"][1]["percent"] is None


def test_pressure_stands_next_to_the_kernels_own(two: Comparison) -> None:
    replayed = row(two, "psi", "cpu some")["sides"]
    sampled = row(two, "psi", "cpu some, the kernel's own")["sides"]
    assert sampled[0]["label"] == "observed"
    assert replayed[0]["mean"] == pytest.approx(sampled[0]["mean"], rel=0.02)
    assert sampled[1]["mean"] is None
    assert sampled[1]["reason"] == "the kernel's own counter was not sampled in the window"


def test_what_is_not_alike_is_said(two: Comparison, recordings: Recordings) -> None:
    found = warned(two)
    assert set(found) == {"events", "probes", "samples", "length"}
    assert "only A" in found["events"]
    assert "mm_migrate_pages_start" in found["events"]
    assert found["samples"] == "The recordings have different samples: only A numa_group, psi."
    assert "A is 45.3 s long, B is 14.2 s long" in found["length"]
    other = warned(compared(recordings.small, recordings.dropped))
    assert set(other) >= {"topology", "lost", "events"}
    assert other["topology"].startswith("The machines differ: A has 2 nodes of 4 CPUs, B has 1 node of 2 CPUs")
    assert other["lost"].startswith("B lost ")


def test_samples_alone_are_said_to_be_samples(tmp_path: Path, recordings: Recordings) -> None:
    samples = recording(tmp_path, SAMPLE / "psi.jsonl", title="samples")
    result = compared(recordings.small, samples)
    assert warned(result)["recording"] == "B has no recording, only samples: few values can be compared."
    assert not {"topology", "hz", "clock", "kernel", "events"} & set(warned(result))
    assert result["warnings"][0]["analyses"] == [1]
    assert result["analyses"][1]["nodes"] == []
    assert row(result, "ops", "Task Migrate retry")["sides"][1]["mean"] is None


def test_a_recording_next_to_itself_has_no_differences(recordings: Recordings) -> None:
    result = compared(recordings.small, replace(recordings.small, title="again"))
    assert set(warned(result)) == {"same"}
    for each in result["tables"]:
        for line in each["rows"]:
            assert line["sides"][1]["percent"] in (0, None), line["title"]
            test = line["sides"][1]["t_test"]
            assert not test or not test["significant"]
    assert all(kind["only"] is None for kind in result["findings"]["kinds"])


def part(run: Recording, first: int, last: int) -> Recording:
    """Seconds of a recording."""
    begin = run.window[0]
    return replace(run, window=(begin + first * SECOND, begin + last * SECOND), title=f"{first} to {last}")


def test_several_runs_of_a_side_are_one_value_each(recordings: Recordings) -> None:
    heavy, small = recordings.heavy, recordings.small
    sides = [
        ("old", [part(heavy, 0, 10), part(heavy, 10, 20), part(heavy, 20, 30)]),
        ("new", [part(small, 0, 6), part(small, 6, 12)]),
    ]
    result = build_comparison(sides)
    assert result["samples"]["by"] == "runs"
    assert [side["name"] for side in result["sides"]] == ["old", "new"]
    assert [side["analyses"] for side in result["sides"]] == [[0, 1, 2], [3, 4]]
    assert [analysis["key"] for analysis in result["analyses"]] == ["A1", "A2", "A3", "B1", "B2"]
    busy = row(result, "statistics", "Node 1 busy")["sides"]
    assert [side["summary"]["n"] for side in busy if side["summary"]] == [3, 2]
    # Now even a count has a test.
    failed = row(result, "ops", "Migrate failed no CPU")["sides"]
    assert failed[1]["t_test"] is not None
    counts = [
        ask(heavy.engine, "numa_balancing", part(heavy, first, first + 10).window, {})["ops"]["rows"][
            "migrate_failed_no_cpu"
        ]
        for first in (0, 10, 20)
    ]
    assert failed[0]["total"] == sum(counts)
    assert failed[0]["mean"] == pytest.approx(sum(counts) / 3 / 10)


class Engine:
    """An engine that has the given sections and figures, and else nothing."""

    def __init__(self, sections: Mapping[str, Any], figures: Sequence[Mapping[str, Any]]) -> None:
        self.sections = sections
        self.figures = figures

    def analysis(self, section: str, _first: int, _last: int, _options: str = "{}") -> bytes:
        answer = self.sections.get(section, {"available": False, "reason": f"no {section}"})
        return json.dumps(answer).encode()

    def metrics(self, _first: int, _last: int, _step: int) -> bytes:
        return json.dumps(self.figures).encode()


def result_by(
    sections: Mapping[str, Any], like: Recording, figures: Sequence[Mapping[str, Any]] | None = None
) -> Recording:
    """The recording with other answers; without figures, its own have none of what they need."""
    if figures is None:
        own = json.loads(like.engine.metrics(*like.window, SECOND))
        figures = [{**part, "rows": {"Err": f"no {part['table']}"}} for part in own]
    return replace(like, engine=cast("Bundle", Engine(sections, figures)))


def reading(values: Sequence[float], seconds: float | None = 10, label: str = "replayed") -> dict[str, Any]:
    run = {"values": values, "seconds": seconds, "add": seconds is not None}
    return {"Ok": {"run": run, "label": label, "missing": []}}


def metrics(table: str, rows: Mapping[str, dict[str, Any]], **options: Any) -> dict[str, Any]:
    """Figures of a table, by title."""
    figures = [
        {"name": title, "title": title, "unit": "", "better": "lower", "value": value} for title, value in rows.items()
    ]
    part = {"table": table, "rows": {"Ok": figures}, "otherwise": {"Err": "not known here"}, "above_0": False}
    return {**part, **options}


def test_decisions_are_compared_with_examples(recordings: Recordings) -> None:
    found = compared(recordings.heavy, recordings.small, decisions=True)["decisions"]
    assert found is not None
    kinds = {kind["id"]: kind for kind in found["kinds"]}
    wakeups = ask(recordings.small.engine, "wakeup_placement", recordings.small.window, {})
    assert kinds["wakeup"]["sides"][1]["count"] == wakeups["wakeups"]
    for kind in found["kinds"]:
        for side, whole in enumerate(kind["sides"]):
            assert sum(row["sides"][side]["count"] for row in kind["outcomes"]) == whole["count"]
    cling = {row["id"]: row for row in kinds["cling"]["outcomes"]}
    kept = cling["wake_kept"]["sides"][0]["example"]
    assert kept is not None
    assert kept["analysis"] == 0
    assert recordings.heavy.window[0] <= kept["t_ns"] <= recordings.heavy.window[1]
    assert "sched_waking was not recorded" not in str(found["missing"])


def test_no_decision_of_a_recording_differs_from_itself(recordings: Recordings) -> None:
    found = compared(recordings.heavy, replace(recordings.heavy, id="again"), decisions=True)["decisions"]
    assert found is not None
    rows = [row for kind in found["kinds"] for row in (kind, *kind["outcomes"])]
    assert rows
    changes = [change for row in rows if (change := row["sides"][1]["change"]) is not None]
    assert changes
    assert not [change for change in changes if change["significant"]]
    assert compared(recordings.heavy, recordings.small)["decisions"] is None


def test_figures_are_compared_where_a_side_has_them(recordings: Recordings) -> None:
    def kicks(sent: int, idle: float, **more: dict[str, Any]) -> Recording:
        rows = {"sent": reading([sent], label="observed"), "idle": reading([idle], None), "latched": {"Err": "unknown"}}
        return result_by({}, recordings.small, [metrics("ilb", {**rows, **more})])

    result = compared(kicks(10, 20.0), kicks(5, 40.0, pulled=reading([3])))
    assert table(result, "ilb")["absent"] == [None, None]
    sent = row(result, "ilb", "sent")
    assert values(sent, "total") == [10, 5]
    assert values(sent, "label") == ["observed", "observed"]
    assert values(row(result, "ilb", "idle"), "percent") == [None, -100]
    assert [line["title"] for line in table(result, "ilb")["rows"]] == ["sent", "idle", "pulled"]
    assert values(row(result, "ilb", "pulled"), "reason") == ["not known here", None]


def test_sides_without_anything_say_why(recordings: Recordings) -> None:
    result = compared(recordings.small, result_by({}, recordings.small))
    assert result["utilisation"][1] == {"available": False, "reason": "no utilisation"}
    assert result["latency"]["analyses"][1] == {"available": False, "reason": "no wait_windows"}
    assert table(result, "ops")["absent"] == [None, "no ops"]
    assert table(result, "ilb")["absent"] == [None, "no ilb"]
    assert table(result, "psi")["absent"] == [None, None]
    missing = row(result, "ops", "Migrate failed no CPU")["sides"][1]
    assert (missing["mean"], missing["reason"], missing["percent"]) == (None, "no ops", None)
    assert result["findings"]["absent"] == [None, "no findings"]
    # Where nothing could be looked for, nothing was not found.
    assert all(kind["only"] is None for kind in result["findings"]["kinds"])


def finding(name: str, impact: float, severity: str = "low") -> dict[str, Any]:
    return {
        "id": name,
        "label": "replayed",
        "missing": [],
        "severity": severity,
        "from_ns": 1,
        "to_ns": 2,
        "impact_ms": impact,
        "nodes": [0],
        "pids": [],
        "cgroup": None,
        "summary": f"{name} {impact}",
    }


def test_findings_of_one_side_only_come_first(recordings: Recordings) -> None:
    def found(*each: dict[str, Any]) -> Recording:
        costs = {
            name: reading([one["impact_ms"] for one in each if one["id"] == name])
            for name in {one["id"] for one in each}
        }
        figures = metrics("findings", costs, otherwise=reading([]), above_0=True)
        return result_by({"findings": {"findings": list(each)}}, recordings.small, [figures])

    result = compared(
        found(finding("BOTH", 9, "high"), finding("ONLY_A", 1), finding("ONLY_A", 3), finding("FREE", 0)),
        found(finding("BOTH", 2, "high")),
    )
    kinds = result["findings"]["kinds"]
    assert [(kind["id"], kind["only"]) for kind in kinds] == [("ONLY_A", [0]), ("FREE", [0]), ("BOTH", None)]
    assert [side["count"] for side in kinds[0]["sides"]] == [2, 0]
    worst = kinds[0]["sides"][0]["worst"]
    assert worst
    assert (worst["impact_ms"], worst["analysis"]) == (3, 0)
    cost = row(result, "findings", "ONLY_A")
    assert values(cost, "total") == [4, 0]
    assert values(cost, "percent") == [None, 100]
    assert "FREE" not in [line["title"] for line in table(result, "findings")["rows"]]


@pytest.mark.parametrize(
    ("seconds", "steps"),
    [
        ((45, 14), Steps(2 * SECOND, SECOND)),
        ((60, 90), Steps(5 * SECOND, SECOND)),
        ((4, 90), Steps(SECOND // 2, SECOND // 2)),
        ((0, 30), Steps(5 * SECOND, SECOND)),
    ],
)
def test_steps_fit_the_shortest_window(recordings: Recordings, seconds: Sequence[int], steps: Steps) -> None:
    runs = [part(recordings.heavy, 0, each) for each in seconds]
    manifest = {**recordings.heavy.manifest, "end_ns": 1 << 62}
    assert shared_steps([replace(run, manifest=manifest) for run in runs], None) == steps


def test_recordings_of_one_title_are_named_by_what_distinguishes_them() -> None:
    facts = [("a.dat", "6.1", "9"), ("a.dat", "6.6", "9"), ("b.dat", "6.1", "9")]
    assert distinct(["vm", "vm", "other"], facts) == ["vm (6.1)", "vm (6.6)", "other"]
    assert distinct(["vm", "vm", "vm"], facts) == ["vm", "vm (6.6)", "vm (b.dat)"]

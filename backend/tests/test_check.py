"""`numalens check`: equal runs pass, worse ones fail, and what cannot be seen is said."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
import yaml

from numalens.api.web import PAGE as BUILT
from numalens.cli.inputs import OpenedBundle, Wanted, opened
from numalens.report.compare import Recording
from numalens.report.compare.build import tables
from numalens.report.compare.check import Checked, Threshold, Thresholds, check, failures, read_thresholds
from numalens.report.compare.check_formats import junit, text
from numalens.report.compare.gather import Gathered, Steps, gather
from numalens.report.compare.shapes import Comparison
from tests.command import run
from tests.hostile import HOSTILE
from tests.recordings import GARBAGE, NUMA, ROOT, SAMPLE, SMALL

SPLITS = 20
RUNS = 12
P99 = Thresholds(threshold=[Threshold(row="statistics/p99", worse_percent=5)])
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BUSY_S, STEP_S = 12, 0.01


def switch(before: tuple[str, int, str], after: tuple[str, int]) -> str:
    (comm, pid, state), (to_comm, to_pid) = before, after
    left = f"prev_comm={comm} prev_pid={pid} prev_prio=120 prev_state={state}"
    return f"sched_switch: {left} ==> next_comm={to_comm} next_pid={to_pid} next_prio=120"


def periodic(slower: float) -> str:
    """A recording in text: a task is woken every 10 ms and waits for about 1 ms, or so much longer."""
    dice = random.Random(7)  # noqa: S311  (the same each time)
    lines = []
    for tick in range(int(BUSY_S / STEP_S)):
        at = 100 + tick * STEP_S
        runs = at + dice.uniform(0.0009, 0.0011) * slower
        lines += [
            f"  other-8 [000] d..2. {at:.6f}: sched_waking: comm=worker pid=7 prio=120 target_cpu=000",
            f"  other-8 [000] d..2. {at + 1e-6:.6f}: sched_wakeup: comm=worker pid=7 prio=120 target_cpu=000",
            f"  other-8 [000] d..2. {runs:.6f}: {switch(('other', 8, 'R'), ('worker', 7))}",
            f"  worker-7 [000] d..2. {runs + 0.001:.6f}: {switch(('worker', 7, 'S'), ('other', 8))}",
        ]
    return "\n".join([*lines, ""])


def windows(bundle: OpenedBundle) -> list[Gathered]:
    """So many parts of a recording, as if each were a run."""
    begin, end = bundle.manifest["window_ns"]
    step = (end - begin) // RUNS
    parts = [(begin + at * step, begin + (at + 1) * step) for at in range(RUNS)]
    recordings = [Recording(bundle.engine, bundle.manifest, part, "part") for part in parts]
    return gather([recordings], Steps(step, step // 5))


def compared(base: Sequence[Gathered], new: Sequence[Gathered]) -> Comparison:
    """What a check needs of a comparison run by run."""
    sides = [[replace(each, side=side) for each in runs] for side, runs in enumerate((base, new))]
    return cast("Comparison", {"base": 0, "tables": tables(sides, 0, "runs")})


def splits(found: Sequence[Gathered]) -> list[tuple[list[Gathered], list[Gathered]]]:
    dice = random.Random(11)  # noqa: S311  (the same each time)
    mixed = [dice.sample(list(found), len(found)) for _ in range(SPLITS)]
    return [(runs[::2], runs[1::2]) for runs in mixed]


def test_equal_sides_of_a_recording_pass_in_all_splits() -> None:
    with opened(Wanted([SAMPLE / "trace.dat"])) as bundle:
        found = windows(bundle)
    for base, new in splits(found):
        assert failures(check(compared(base, new), P99), strict=False) == []


def test_a_regression_of_a_tenth_fails_in_all_splits(tmp_path: Path) -> None:
    sides = []
    for name, slower in (("before.txt", 1.0), ("after.txt", 1.1)):
        (tmp_path / name).write_text(periodic(slower))
        with opened(Wanted([tmp_path / name])) as bundle:
            sides.append(windows(bundle))
    before, after = sides
    for (base, _), (_, new), (one, other) in zip(splits(before), splits(after), splits(before), strict=True):
        [worse] = check(compared(base, new), P99)
        assert worse.outcome == "worse"
        assert "% worse" in worse.sentence
        # The same runs show that so little would be seen: to the strict, too, equal sides are equal.
        assert failures(check(compared(one, other), P99), strict=True) == []
        # The other way round it is better, and no failure.
        assert failures(check(compared(new, base), P99), strict=True) == []


def test_the_command_ends_with_what_it_found(tmp_path: Path) -> None:
    for name, slower in (("before.txt", 1.0), ("after.txt", 1.2)):
        (tmp_path / name).write_text(periodic(slower))
    before, after, bundle = tmp_path / "before.txt", tmp_path / "after.txt", tmp_path / "bundle"
    run("analyze", before, "-o", bundle)
    files = ("--junit", tmp_path / "j.xml")
    failed = run("check", before, bundle, *files, "--against", after, after, status=4).stdout.decode()
    assert failed.startswith("base (2 runs) against new (2 runs).")
    assert re.search(r"\nWORSE +statistics/p99 at most 10 % worse\n +\S", failed)
    assert "\n\nof 2 thresholds 1 worse" in failed
    suite = ET.parse(tmp_path / "j.xml").getroot()  # noqa: S314  (our own file)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    passed = json.loads(run("check", before, bundle, "--against", before, "--json", "-").stdout)
    assert passed["schema"] == "numalens.check/1"
    assert {each["outcome"] for each in passed["checks"]} <= {"ok", "undecided"}


@pytest.mark.skipif(not (BUILT / "numalens.html").is_file(), reason="the page as one file was not built here")
def test_each_run_is_a_page(tmp_path: Path) -> None:
    pages = tmp_path / "attached" / "runs"
    run("check", SMALL, "--against", SMALL, SMALL, "--pages", pages)
    assert sorted(page.name for page in pages.iterdir()) == ["base-1.html", "new-1.html", "new-2.html"]
    for page in pages.iterdir():
        assert f'id="bundle" data-name="{page.stem.replace("-", " ")}: ' in page.read_text()


def test_what_would_not_be_seen_is_undecided() -> None:
    said = run("check", NUMA, "--against", NUMA).stdout.decode()
    assert "undecided     statistics/p99" in said
    assert "% are detectable" in said
    run("check", NUMA, "--against", NUMA, "--strict", status=4)


def test_what_is_not_recorded_is_no_success(tmp_path: Path) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text('[[threshold]]\nrow = "vmstat/hint_faults"\nworse_percent = 5\n')
    said = run("check", SMALL, "--against", SMALL, "--thresholds", limits, status=4).stdout.decode()
    assert "NOT RECORDED" in said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("threshold = [", "is not TOML"),
        ("", "threshold"),
        ('[[threshold]]\nrow = "p99"\nworse_percent = 5', "threshold.0.row"),
        ('[[threshold]]\nrow = "statistics/p99"\nworse_percent = -1', "threshold.0.worse_percent"),
        ('[[threshold]]\nrow = "statistics/p99"', "threshold.0.worse_percent"),
        ('[[threshold]]\nrow = "none/p99"\nworse_percent = 5', "no table none"),
        ('[[threshold]]\nrow = "statistics/wakeups"\nworse_percent = 5', "no direction of change is better"),
    ],
)
def test_thresholds_that_cannot_be_are_one_sentence(tmp_path: Path, content: str, why: str) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text(content)
    ended = run("check", SMALL, "--against", SMALL, "--thresholds", limits, status=2)
    assert why in ended.stderr.decode()
    assert ended.stderr.count(b"\n") == 1


def test_wrong_usage_is_one_sentence(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.dat"
    garbage.write_bytes(GARBAGE)
    for arguments, status in (
        ([SMALL], 2),
        ([SMALL, "--against"], 2),
        (["--against", SMALL], 2),
        ([SMALL, "--against", garbage], 3),
        ([SMALL, "--against", *[SMALL] * 16], 2),
    ):
        assert run("check", *arguments, status=status).stderr != b""


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_of_sides_stay_names_in_every_form(name: str) -> None:
    comparison = cast(
        "Comparison",
        {
            "base": 0,
            "sides": [{"name": name, "analyses": [0]}, {"name": "new", "analyses": [1]}],
            "samples": {"sentence": name},
            "warnings": [{"sentence": name}],
            "tables": [],
        },
    )
    checked = [Checked(P99.threshold[0], "worse", name)]
    ET.fromstring(junit(comparison, checked))  # noqa: S314  (our own)
    assert "WORSE" in text(comparison, checked)


def test_the_page_has_thresholds_and_options_that_are_valid(tmp_path: Path) -> None:
    [toml] = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    limits = tmp_path / "limits.toml"
    limits.write_text(toml)
    assert len(read_thresholds(limits).threshold) > 1
    run("check", NUMA, "--against", NUMA, "--thresholds", limits)
    known = set(re.findall(r"--[a-z]+", run("check", "--help").stdout.decode()))
    commands = "".join(re.findall(r"numalens check.*?(?:\n\n|`)", PAGE, re.DOTALL))
    assert set(re.findall(r"(?<= )--[a-z]+", commands)) <= known


def recipes() -> tuple[Any, Any]:
    """What the page tells users of GitHub and of GitLab to write."""
    github, gitlab = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return yaml.safe_load(github), yaml.safe_load(gitlab)


def machine(folder: Path) -> dict[str, str]:
    """A runner's environment in `folder`: recordings of two sides, of which the new one is slower, and numalens on PATH."""
    for side, slower in (("base", 1), ("new", 1.1)):
        (folder / side).mkdir()
        (folder / side / "run 1.dat").write_text(periodic(slower))
    [toml] = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (folder / "scheduler.toml").write_text(toml.partition("\n\n")[0])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "step.md")}


def shell(script: str, folder: Path, environment: dict[str, str]) -> int:
    """The exit status of a script as runners begin it."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False).returncode


def act(steps: list[Any], given: dict[str, str], folder: Path, environment: dict[str, str]) -> int:
    """Runs the steps of a composite action with its inputs until one fails."""

    def value(text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], text)

    for step in steps:
        variables = {name: value(text) for name, text in step["env"].items()}
        if status := shell(step["run"], folder, {**environment, **variables}):
            return status
    return 0


def test_the_action_fails_for_what_is_worse_and_writes_its_results(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / ".github" / "actions" / "check" / "action.yml").read_text(encoding="utf-8"))
    used = recipes()[0]["jobs"]["scheduler"]["steps"][1]["with"]
    assert set(used) <= set(action["inputs"])
    given = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
    given |= {**used, "thresholds": "scheduler.toml"}
    environment = machine(tmp_path)
    steps = action["runs"]["steps"]
    assert act(steps, given, tmp_path, environment) == 4
    results = tmp_path / given["results"]
    assert sorted(path.name for path in results.iterdir()) == ["check.json", "junit.xml", "summary.txt"]
    summary = (results / "summary.txt").read_text().splitlines()
    assert (tmp_path / "step.md").read_text().splitlines() == [f"    {line}" for line in summary]
    assert act(steps, {**given, "new": "base/*.dat", "strict": "true"}, tmp_path, environment) == 0
    assert act(steps, {**given, "new": "nowhere/*.dat"}, tmp_path, environment) == 3
    assert (results / "summary.txt").read_text() == ""


def test_the_job_fails_for_what_is_worse(tmp_path: Path) -> None:
    job = recipes()[1]["scheduler"]
    environment = machine(tmp_path)
    assert shell("\n".join(job["script"]), tmp_path, environment) == 4
    assert ET.parse(tmp_path / job["artifacts"]["reports"]["junit"]).getroot().tag == "testsuite"  # noqa: S314  (our own)
    shutil.copy(tmp_path / "base" / "run 1.dat", tmp_path / "new" / "run 1.dat")
    assert shell("\n".join(job["script"]), tmp_path, environment) == 0

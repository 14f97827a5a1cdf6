"""`numalens compare`: what it takes, what it prints, how it ends."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.command import run
from tests.recordings import GARBAGE, LSCPU, NUMA, SMALL


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = tmp_path_factory.mktemp("kept") / "numa"
    run("analyze", NUMA, LSCPU, "-o", kept)
    return kept


def answer(*arguments: str | Path) -> dict[str, Any]:
    ended = run("compare", *arguments, "--json", "-")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_tables_are_printed_as_the_reports_print_them(bundle: Path) -> None:
    text = run("compare", bundle, f"{NUMA}+{LSCPU}").stdout.decode()
    lines = text.splitlines()
    assert lines[0] == f"A  {bundle}"
    assert "# NUMA | AVR | Utilization over time in percentage" in lines
    assert any(line.startswith("0 | ") for line in lines)
    assert any(line.startswith("Migrate failed no CPU [1/s]") and "(   0.00%)" in line for line in lines)
    assert any(line.startswith("Amean Node 0 busy [%]") for line in lines)
    for name in ("mean", "max", "min", "stdev", "first_q", "median", "third_q"):
        assert any(line.startswith(f"A {name} ") for line in lines), name
    # The same recording on both sides.
    assert any("A and B are the same recording" in line for line in lines)
    assert "significant by 2020's t test, and by 2024's intervals: none" in lines


def test_bundles_recordings_folders_and_mixes_are_analyses(bundle: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(NUMA, folder / "trace.dat")
    shutil.copy(LSCPU, folder)
    found = answer(bundle, folder, folder / "trace.dat", f"{NUMA}+{LSCPU}")
    assert found["schema"] == "numalens.comparison/1"
    assert [side["name"] for side in found["sides"]] == ["numa", "run", "trace.dat", f"{NUMA.name}+{LSCPU.name}"]
    # What lies next to a recording is read with it.
    assert [analysis["topology_source"] for analysis in found["analyses"]] == ["sidecar"] * 4
    events = {analysis["events"] for analysis in found["analyses"]}
    assert events == {78_594}


def test_runs_are_grouped(bundle: Path) -> None:
    found = answer("--group", f"old={bundle},{bundle}", "--group", f"new={SMALL},{SMALL}", "--base", "2", "--step", "1")
    assert found["samples"]["by"] == "runs"
    assert [side["name"] for side in found["sides"]] == ["old", "new"]
    assert (found["base"], found["step_ns"]) == (1, 1_000_000_000)


def test_the_comparison_is_written_next_to_the_tables(bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "told.json"
    ended = run("compare", bundle, bundle, "--json", out)
    assert ended.stdout.startswith(b"A  ")
    assert json.loads(out.read_text())["schema"] == "numalens.comparison/1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "at least two"),
        (["{bundle}"], "at least two"),
        (["{bundle}", "--group", "x"], "NAME=PATH"),
        (["{bundle}", "{bundle}", "--base", "3"], "there are 2 sides"),
        (["{bundle}", "{bundle}", "--step", "1e-8"], "--step"),
        (["{bundle}", "{empty}"], "a folder with 0 recordings"),
        (["{bundle}", "{bundle}", "--from", "9", "--to", "5"], "window is empty"),
    ],
)
def test_wrong_use_ends_with_2(bundle: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    given = [argument.format(bundle=bundle, empty=tmp_path) for argument in arguments]
    ended = run("compare", *given, status=2)
    assert ended.stdout == b""
    assert words in ended.stderr.decode()


def test_what_cannot_be_read_ends_with_3(bundle: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.dat"
    bad.write_bytes(GARBAGE)
    for path in (bad, tmp_path / "nothing.dat"):
        ended = run("compare", bundle, path, status=3)
        assert path.name in ended.stderr.decode()
        assert ended.stdout == b""


SYSBENCH = """sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Number of threads: 24
    transactions:                        152825 ({} per sec.)
General statistics:
    total time:                          20.0009s
"""


def test_results_of_benchmarks_are_a_table_next_to_the_others(tmp_path: Path) -> None:
    sides = {"origin": (7600, 7682.54), "cling": (8000, 8020.36)}
    for side, instances in sides.items():
        (tmp_path / side).mkdir()
        shutil.copy(SMALL, tmp_path / side / "trace.dat")
        for instance, rate in enumerate(instances):
            (tmp_path / side / f"sysbench-{instance}.txt").write_text(SYSBENCH.format(rate))
    found = answer(*(tmp_path / side for side in sides))
    tables = {table["name"]: table for table in found["tables"]}
    rate, time = tables["benchmark"]["rows"]
    assert (rate["title"], rate["unit"], rate["better"]) == ("sysbench (24 threads) transactions", "/s", "higher")
    assert [side["summary"]["n"] for side in rate["sides"]] == [2, 2]
    assert rate["sides"][1]["label"] == "observed"
    # Harmonic means of 7641.05 and 8010.17.
    assert "4.83" in rate["sides"][1]["cell_2020"]
    assert time["better"] == "neither"
    assert tables["statistics"]["rows"]
    text = run("compare", *(tmp_path / side for side in sides)).stdout.decode()
    assert any(line.startswith("Hmean sysbench (24 threads) transactions [/s]") for line in text.splitlines())
    (tmp_path / "cling" / "sysbench-0.txt").write_text(SYSBENCH.format("nan"))
    refused = run("compare", *(tmp_path / side for side in sides), status=3).stderr.decode()
    assert 'line 3: expected a number of "transactions:"' in refused

"""The idle load balancer in the report, in the summary, and as `scripts/lab ilb` prints it."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numalens_native as native
import pyarrow as pa
import pytest
from ilb_table import KEPT, Row, lines

from numalens.cli.summary import replay_lines
from numalens.jobs.reading import read_inputs
from numalens.report import ask
from tests.command import run, run_lab
from tests.recordings import FIXTURES, NUMA, NUMACTL, SAMPLE, TRUNCATED
from tests.section_fixtures import MISSING, report, section

SHARE = {"windows": 46, "mean": 16.7, "stdev": 30.2, "min": 2.2, "max": 99.4, "label": "replayed"}
REASONS = [
    {"reason": "same", "words": "on both sides", "observed_only": 0, "model_only": 0, "both": 7},
    {
        "reason": "gate_later",
        "words": "the kernel's next_balance was later than the model's",
        "observed_only": 2,
        "model_only": 1,
        "both": 0,
    },
]
SEEN: dict[str, Any] = {
    "kernel": "7.2.13+deb14-amd64",
    "comparison": {"observed": 9, "model": 8, "both": 7, "reasons": REASONS, "same_flags": 6, "told_flags": 7},
    "idle_percent": SHARE,
    "idle_sampled": SHARE,
    "idle_vmstat": SHARE,
    "idle_difference": {
        "mean": 0.1,
        "largest": 0.53,
        "by": "dyntick",
        "windows": 46,
        "traced": SHARE,
        "counted_percent": 99.9,
        "sentence": "Nothing.",
    },
}
"""What a recording tells in which kicks and samples of /proc/stat are."""


def printed(**changes: Any) -> list[str]:
    ilb = {**section("idle_balancing"), **SEEN, **changes}
    return list(lines(Row("a.dat", "computed", None, {name: ilb[name] for name in KEPT})))


def test_the_contracts_names_are_there() -> None:
    answer = report()["idle_balancing"]
    assert {"model", "kicks", "idle_percent", "blocked_ticks", "stale_next_balance", "events"} <= set(answer)
    assert {"sent", "handled", "dropped", "latched"} <= set(answer["kicks"])
    assert {"mean", "stdev", "min", "max"} <= set(answer["idle_percent"])
    assert "idle_mask" not in answer
    assert "idle_mask" in section("idle_balancing")


def test_the_summary_tells_kicks_and_idle_time() -> None:
    whole = report()
    ilb = whole["idle_balancing"] | SEEN
    ilb["kicks"] |= {"sent": 9, "handled": 6, "dropped": 2, "label": "observed"}
    ilb["passes"]["count"] = 12
    ilb["waste"] |= {"cpu_ms": 1641.2, "label": "inferred"}
    answer = replay_lines({**whole, "idle_balancing": ilb})
    assert "idle lb   9 kicks (observed), 6 handled, 2 dropped; 12 passes" in answer
    assert "  16.7 % idle, 2 to 99 % by second; +0.10 points against the samples" in answer
    assert "  1,641 CPU ms of idle CPUs with an overdue balance while tasks waited (inferred)" in answer
    stale = {"count": 5, "least_jiffies": 30, "median_jiffies": 60, "most_jiffies": 1673, "label": "inferred"}
    said = "  next_balance stale 5 times, by 30 to 1,673 ticks, median 60 (inferred)"
    assert said in replay_lines({**whole, "idle_balancing": {**ilb, "stale": stale}})
    assert not any("stale" in line for line in replay_lines({**whole, "idle_balancing": {**ilb, "stale": None}}))
    without = {**ilb, "idle_percent": None, "idle_difference": None}
    assert not any("% idle" in line for line in replay_lines({**whole, "idle_balancing": without}))
    gone = replay_lines({**whole, "idle_balancing": MISSING})
    assert f"idle lb   not known: {MISSING['reason']}" in gone


def test_stale_next_balance_has_its_spread(tmp_path: Path) -> None:
    recording = FIXTURES.parent / "scenarios" / "deadline_twin" / "bundle.tar.zst"
    read_inputs([(recording.name, str(recording))], tmp_path / "bundle", tmp_path / "scratch")
    bundle = native.Bundle(str(tmp_path / "bundle"))
    answer = ask(bundle, "idle_balancing", tuple(json.loads(bundle.manifest())["window_ns"]), {})
    sizes = sorted(one["jiffies"] for one in answer["stale_next_balance"])
    stale = answer["stale"]
    assert 0 < len(sizes) == stale["count"]
    spread = [stale[f"{name}_jiffies"] for name in ("least", "median", "most")]
    assert spread == [sizes[0], sizes[(len(sizes) - 1) // 2], sizes[-1]]
    # Nothing was stale there: no spread, instead of 0.
    assert section("idle_balancing")["stale"] is None


def test_kicks_are_printed_next_to_the_models_with_reasons() -> None:
    table = printed()
    assert table[0] == "a.dat: Linux 7.2.13+deb14-amd64, 8 CPUs, model modern"
    at = next(number for number, line in enumerate(table) if "both  recorded  model" in line)
    assert [" ".join(line.split()) for line in table[at + 1 : at + 4]] == [
        "7 on both sides",
        "2 1 the kernel's next_balance was later than the model's",
        "7 9 8 all of each side",
    ]
    assert "  flags are the same in 6 of 7 kicks on both sides" in table
    assert "  difference +0.10 points, 0.53 at most in a window" in table
    assert any(line.endswith("2011 (what-if)") for line in table)


def test_what_was_not_recorded_is_not_compared() -> None:
    table = printed(comparison=None, idle_difference=None, idle_sampled=None, idle_vmstat=None, kernel=None)
    assert "  kicks: nothing recorded shows them, so there is nothing to compare a model with" in table
    assert any("no samples of /proc/stat" in line for line in table)
    assert table[0].startswith("a.dat: Linux of unknown version")
    assert list(lines(Row("b.dat", "nothing", "no switches"))) == ["b.dat: no switches"]


def test_recordings_are_reported_one_after_the_other(tmp_path: Path) -> None:
    shutil.copy(NUMA, tmp_path)
    (tmp_path / "broken.dat").write_bytes(TRUNCATED)
    ended = run_lab("ilb", tmp_path, "--json", "-", status=3)
    rows = {Path(row["recording"]).name: row for row in json.loads(ended.stdout)}
    assert rows["broken.dat"]["verdict"] == "rejected"
    answer = rows[NUMA.name]["ilb"]
    assert rows[NUMA.name]["verdict"] == "computed"
    # Nothing of that recording shows kicks or ticks: the models' are inferred, and the ticks are made up.
    assert (answer["comparison"], answer["observation"]["kick"]["by"]) == (None, "made up")
    assert answer["kicks"]["label"] == "inferred"
    assert {model["name"]: model["label"] for model in answer["models"]} == {
        "2011": "what-if",
        "2011-patched": "what-if",
        "modern": "inferred",
    }
    assert b"kicks: nothing recorded shows them" in ended.stderr


def report_of(path: Path) -> Any:
    return json.loads(run("analyze", path, "--json", "-").stdout)["idle_balancing"]


@pytest.mark.parametrize("form", ["v6", "v7-none"])
def test_kicks_and_ticks_are_reported_by_functions_without_any_probe(form: str) -> None:
    answer = report_of(FIXTURES / f"idle-6.12-2x2.part.{form}.dat.zst")
    # `trace-cmd report` shows so many csd_queue_cpu with func=nohz_csd_func.
    assert (answer["kicks"]["sent"], answer["kicks"]["label"]) == (18, "observed")
    assert {"t_ns", "kind", "cpu", "target", "label"} <= set(answer["events"][0])
    assert answer["observation"]["kick"] == {"by": "csd_queue_cpu", "label": "observed"}
    assert answer["observation"]["tick"] == {"by": "hrtimer_expire_entry", "label": "observed"}
    same = next(row for row in answer["comparison"]["reasons"] if row["reason"] == "same")
    assert same["both"] == 10


PROBED = FIXTURES / "text" / "ilb-7.2-2x4.report.part.txt.zst"
"""Three seconds of `numalens record --probe ilb`."""
OF_PROBES = re.compile(rb"\] +[0-9.]+: (sched_balance_trigger|_?nohz_\w+|sched_update_nr_running_tp):")


def kicks_of(path: Path) -> tuple[Any, dict[str, int]]:
    """The section of a recording of two nodes with four CPUs each; its kicks recorded, of the model, and on both sides."""
    topology = path.with_name("lscpu-p.txt")
    rows = "".join(f"{cpu},{cpu},{cpu // 4},{cpu // 4}\n" for cpu in range(8))
    topology.write_text(f"# CPU,Core,Socket,Node\n{rows}", encoding="ascii")
    answer = json.loads(run("analyze", path, "--topology", topology, "--json", "-").stdout)["idle_balancing"]
    return answer, {name: answer["comparison"][name] for name in ("observed", "model", "both")}


def test_probes_explain_kicks_that_the_replay_without_them_does_not(tmp_path: Path) -> None:
    text = pa.input_stream(str(PROBED), compression="zstd").read()
    probed, bare = tmp_path / "probed.txt", tmp_path / "bare.txt"
    probed.write_bytes(text)
    bare.write_bytes(b"".join(line for line in text.splitlines(keepends=True) if not OF_PROBES.search(line)))
    answer, counts = kicks_of(probed)
    # `grep -c 'func=nohz_csd_func'` of the lines of csd_queue_cpu.
    assert counts == {"observed": 229, "model": 227, "both": 227}
    observed = {"by": "sched_update_nr_running_tp", "label": "observed"}
    assert (answer["observation"]["nr_running"], answer["label"]) == (observed, "replayed")
    assert answer["observation"]["next_balance"] == {"by": "probe trigger_load_balance", "label": "observed"}
    assert (answer["passes"]["label"], answer["missing"]) == ("observed", ["sched_domain intervals", "kernel version"])
    without, counts = kicks_of(bare)
    assert counts["both"] < 0.8 * counts["observed"]
    assert without["observation"]["nr_running"] == {"by": "run states", "label": "replayed"}
    assert without["observation"]["next_balance"] == {"by": "made up", "label": "inferred"}
    assert (without["label"], without["missing"][0]) == ("inferred", "nohz.next_balance")


def test_functions_that_nobody_can_name_are_not_taken_for_none(tmp_path: Path) -> None:
    packed = str(FIXTURES / "idle-6.12-2x2.part.v6.dat.zst")
    recording = bytearray(pa.input_stream(packed, compression="zstd").read())
    for name in (b"nohz_csd_func", b"tick_nohz_handler"):
        at = recording.index(b" t " + name + b"\n") + 3
        recording[at : at + 4] = b"xxxx"
    path = tmp_path / "trace.dat"
    path.write_bytes(recording)
    answer = report_of(path)
    assert answer["observation"]["kick"]["by"] not in {"csd_function_entry", "csd_queue_cpu"}
    assert answer["observation"]["tick"] == {"by": "made up", "label": "inferred"}
    assert answer["comparison"] is None
    assert answer["kicks"]["label"] == "inferred"


def test_the_sample_has_idle_time_and_late_balancing() -> None:
    answer = json.loads(run("analyze", SAMPLE / "trace.dat", "--topology", NUMACTL, "--json", "-").stdout)
    idle = answer["idle_balancing"]["idle_percent"]
    assert idle["windows"] == 45
    assert idle["min"] <= idle["mean"] <= idle["max"]
    busy = sum(each["busy_ns"] for each in answer["utilisation"]["cpus"])
    all_ns = 8 * (answer["window_ns"][1] - answer["window_ns"][0])
    # Another replay's answer, of the whole window and not of whole seconds.
    assert abs(idle["mean"] - 100 * (1 - busy / all_ns)) < 1
    assert (
        answer["idle_balancing"]["kicks"]["handled"] + answer["idle_balancing"]["kicks"]["dropped"]
        <= answer["idle_balancing"]["kicks"]["sent"]
    )
    assert "ILB_LATE" in {found["id"] for found in answer["findings"]}

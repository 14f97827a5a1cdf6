"""`scripts/lab psi`: which files are read together, and the verdict on the replay."""

import json
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psi_table import Row, Wanted, _rows

from numalens.cli.inputs import OpenedBundle, recordings
from numalens.cli.usage import UsageError
from tests.command import run_lab
from tests.recordings import FIXTURES, LSCPU, NUMA, SAMPLE, SMALL, TRUNCATED
from tests.section_fixtures import MISSING, section

if TYPE_CHECKING:
    from numalens_native import Bundle

PSI = FIXTURES / "samples" / "cling-2x4-small.psi.jsonl.zst"
SWITCHES_ONLY = FIXTURES / "perf" / "perf-numa-mem.data.zst"
SECOND = 1_000_000_000


def table(*arguments: str | Path, status: int = 0) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run_lab("psi", *arguments, "--json", "-", status=status).stdout)
    return rows


def put(target: Path, *sources: Path) -> Path:
    """Copies files into a new folder under their own names."""
    target.mkdir(parents=True)
    for source in sources:
        shutil.copy(source, target)
    return target


def together(*paths: Path) -> dict[str, list[str]]:
    """What is read along with each recording, by folder and name."""
    found = recordings(list(paths))
    return {"/".join(each.recording.parts[-2:]): sorted(path.name for path in each.companions) for each in found}


def test_samples_belong_to_the_recordings_of_their_folder(tmp_path: Path) -> None:
    put(tmp_path / "none", SMALL, LSCPU)
    one = put(tmp_path / "one", NUMA, LSCPU)
    shutil.copy(PSI, one / "psi.jsonl.zst")
    (one / "notes.txt").write_text("nothing to see here\n")
    two = put(tmp_path / "two", PSI, NUMA, SMALL, LSCPU)
    shutil.copy(NUMA, two / "cling-2x4-small.twin.dat")
    assert together(tmp_path) == {
        f"one/{NUMA.name}": ["lscpu-p.txt", "psi.jsonl.zst"],
        f"two/{NUMA.name}": [PSI.name, "lscpu-p.txt"],
        "two/cling-2x4-small.twin.dat": [PSI.name, "lscpu-p.txt"],
    }
    # One that is named comes also without samples.
    assert together(two / SMALL.name) == {f"two/{SMALL.name}": ["lscpu-p.txt"]}


def test_an_archive_has_its_own_samples(tmp_path: Path) -> None:
    for name, members in (
        ("whole/a.tgz", (NUMA, PSI)),
        ("alone/a.tgz", (SMALL,)),
        ("beside/a.tgz", (SMALL,)),
        ("beside/side.tgz", (PSI, LSCPU)),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        with tarfile.open(tmp_path / name, "w:gz") as archive:
            for member in members:
                archive.add(member, member.name)
    assert together(tmp_path) == {"beside/a.tgz": ["side.tgz"], "whole/a.tgz": []}


def test_a_folder_of_samples_has_no_recordings(tmp_path: Path) -> None:
    put(tmp_path / "samples", PSI, LSCPU)
    assert together(tmp_path) == {}
    with pytest.raises(UsageError, match="is not a recording"):
        together(tmp_path / "samples" / PSI.name)


@dataclass
class Engine:
    """Answers with one section whatever it is asked, and keeps what that was."""

    answer: dict[str, Any]
    queries: tuple[int, int, dict[str, Any]] | None = None

    def analysis(self, name: str, from_ns: int, to_ns: int, options: str = "{}") -> bytes:
        assert name == "psi"
        self.requests = (from_ns, to_ns, json.loads(options))
        return json.dumps(self.answer).encode()


def compared(wanted: Wanted, manifest: dict[str, Any] | None = None, **changes: Any) -> tuple[list[Row], Engine]:
    """The rows of a recording with the pressure of a real one, with `changes`."""
    whole = {"window_ns": [5, 5 + 10 * SECOND], "inputs": [], "evidence": evidence()} | (manifest or {})
    engine = Engine({**changes.pop("psi", section("psi")), **changes})
    bundle = OpenedBundle(Path(), cast("Bundle", engine), whole)
    return list(_rows("a.dat", bundle, wanted)), engine


def evidence(*missing: str) -> dict[str, Any]:
    source = {"name": "sched_switch", "label": "replayed", "missing": list(missing)}
    return {"kernel": {"major": 6, "minor": 1}, "run_state": source}


def test_a_row_is_the_residual_of_cpu_after_the_warm_up() -> None:
    psi = section("psi")
    residual = psi["residual"]["cpu"] | {"sampled_some_us": 1_000_000, "replayed_some_us": 1_004_000}
    (row,), engine = compared(
        Wanted(SECOND, hz=300),
        {"inputs": [{"kernel": None}, {"kernel": "Linux vm 6.1.192-x #1"}]},
        residual={"cpu": residual},
    )
    assert engine.requests == (5 + SECOND, 5 + 10 * SECOND, {"hz": 300})
    assert (row.recording, row.what, row.kernel, row.hz, row.rules) == ("a.dat", "cpu", "6.1.192", 250, "6.4")
    assert (row.sampled_us, row.replayed_us) == (1_000_000, 1_004_000)
    for name in ("error_percent", "from_ns", "to_ns", "samples", "tolerance_percent", "pressure_percent"):
        assert getattr(row, name) == residual[name]
    assert row.averages_worst == psi["averages"]["worst"]
    assert (row.verdict, row.reason) == ("within", None)
    assert row.cells()["seconds"] == f"{(residual['to_ns'] - residual['from_ns']) / SECOND:.3f}"
    assert (row.cells()["sampled ms"], row.cells()["replayed ms"]) == ("1,000.0", "1,004.0")


BEYOND = {**section("psi")["residual"]["cpu"], "within": False}


@pytest.mark.parametrize(
    ("manifest", "changes", "verdict", "reason"),
    [
        ({}, {"residual": {"cpu": BEYOND}}, "beyond", None),
        (
            {"replay": {"switches": 9, "missed_wakeups": 1}},
            {"residual": {"cpu": BEYOND}},
            "not comparable",
            "1 of its 9",
        ),
        ({"replay": {"switches": 10, "missed_wakeups": 1}}, {"residual": {"cpu": BEYOND}}, "beyond", None),
        ({"replay": {"switches": 9, "missed_wakeups": 1}}, {}, "within", None),
        ({}, {"averages": {**section("psi")["averages"], "worst": 0.02}}, "beyond", "averages"),
        ({}, {"averages": None}, "within", None),
        ({}, {"residual": None}, "not comparable", "two samples"),
        ({}, {"residual": {"cpu": None}}, "not comparable", "two samples"),
        ({}, {"system": {**section("psi")["system"], "cpu": MISSING}}, "not comparable", MISSING["reason"]),
        ({}, {"psi": MISSING}, "not comparable", MISSING["reason"]),
        ({"evidence": evidence("lost events")}, {}, "within", None),
        ({"evidence": evidence("sched_wakeup")}, {}, "not comparable", "no sched_wakeup events"),
        ({"evidence": None}, {}, "not comparable", "no sched_switch and no sched_wakeup events"),
        ({"window_ns": [5, 5 + SECOND]}, {}, "not comparable", "warm-up"),
    ],
)
def test_verdicts_have_their_reasons(
    manifest: dict[str, Any], changes: dict[str, Any], verdict: str, reason: str | None
) -> None:
    (row,), _ = compared(Wanted(SECOND), manifest, **changes)
    assert row.verdict == verdict
    assert reason in row.reason if reason is not None and row.reason is not None else row.reason == reason


def test_all_resources_and_cgroups_are_rows_when_requested() -> None:
    psi = section("psi")
    residual = psi["residual"]["cpu"]
    missing = {**psi["system"], "memory": MISSING, "io": psi["system"]["cpu"]}
    rows, _ = compared(
        Wanted(0, all_resources=True),
        system=missing,
        cgroups={"/a/b": {**missing, "io": MISSING}},
        residual={"cpu": residual, "memory": None, "io": BEYOND},
        cgroup_residual={"/a/b": {"cpu": residual, "memory": None, "io": None}},
        averages={**psi["averages"], "worst": 0.004},
    )
    assert [(row.what, row.verdict) for row in rows] == [
        ("cpu", "within"),
        ("memory", "not comparable"),
        ("io", "beyond"),
        ("cpu /a/b", "within"),
        ("memory /a/b", "not comparable"),
        ("io /a/b", "not comparable"),
    ]
    assert [row.averages_worst for row in rows] == [0.004, None, None, None, None, None]


@given(
    sampled=st.none() | st.integers(0, 1 << 60),
    error=st.none() | st.floats(-1e6, 1e6),
    span=st.none() | st.integers(0, 1 << 60),
)
def test_every_row_can_be_shown(sampled: int | None, error: float | None, span: int | None) -> None:
    row = Row("a.dat", sampled_us=sampled, error_percent=error, from_ns=5)
    row.to_ns = None if span is None else 5 + span
    cells = row.cells()
    assert (cells["sampled ms"] == "-") == (sampled is None)
    assert (cells["seconds"] == "-") == (span is None)
    assert all(cells.values())


def test_the_sample_is_within_what_is_allowed() -> None:
    (row,) = table(SAMPLE, "--check")
    assert row["recording"] == str(SAMPLE / "trace.dat")
    assert row["verdict"] == "within"
    assert row["kernel"] == "6.1.192"
    assert abs(row["replayed_us"] - row["sampled_us"]) <= row["sampled_us"] * row["tolerance_percent"] / 100
    assert row["averages_worst"] <= 0.01


def test_the_table_has_a_line_a_recording(tmp_path: Path) -> None:
    put(tmp_path / "small", NUMA, PSI)
    put(tmp_path / "without-wake-ups", SWITCHES_ONLY)
    shutil.copy(SAMPLE / "psi.jsonl", tmp_path / "without-wake-ups")
    text = run_lab("psi", tmp_path, "--json", tmp_path / "rows.json").stdout.decode()
    head, *lines, last = text.splitlines()
    assert head.split("  ")[0] == "kernel"
    assert lines[0].endswith(f"  {tmp_path / 'small' / NUMA.name}")
    assert lines[0].startswith("6.1.192")
    assert "not comparable" in lines[1]
    assert "it has no sched_wakeup events" in lines[2]
    assert last == "2 recordings, 1 within, 1 not comparable"
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert [row["verdict"] for row in rows] == ["within", "not comparable"]
    assert run_lab("psi", tmp_path, "--check").returncode == 0


def test_a_recording_that_cannot_be_read_is_a_line_and_status_3(tmp_path: Path) -> None:
    folder = put(tmp_path / "cut", PSI)
    (folder / "cling-2x4-small.cut.dat").write_bytes(TRUNCATED)
    (row,) = table(folder, status=3)
    assert row["verdict"] == "rejected"
    assert "cling-2x4-small.cut.dat" in row["reason"]
    (row,) = table(tmp_path / "none.dat", status=3)
    assert "cannot be opened" in row["reason"]


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "1e30"])
def test_a_warm_up_is_a_length_of_time(seconds: str) -> None:
    assert b"--warm-up" in run_lab("psi", SMALL, "--warm-up", seconds, status=2).stderr


def test_a_file_of_samples_is_no_recording() -> None:
    assert b"is not a recording" in run_lab("psi", SAMPLE / "psi.jsonl", status=2).stderr

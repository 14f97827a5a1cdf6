"""What an analysis leaves for the fleet: the engine's numbers with their labels, and no name of a task or a cgroup."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numalens_native
import pytest

from numalens.fleet.recording import kernel_of, version_of, wall_clock
from numalens.fleet.rows import COLUMNS, Row, write_rows
from numalens.fleet.summary import summary_rows
from numalens.jobs.reading import read_inputs
from numalens.jobs.summaries import COMMAND
from numalens.report import ask, build_report, window_of
from numalens.report.identity import host_of
from numalens.store.summary_file import FILE
from tests.recordings import FIXTURES, LSCPU, NUMA, SAMPLE


@dataclass(frozen=True)
class Summary:
    """A bundle with what its summary says."""

    path: Path
    engine: numalens_native.Bundle
    manifest: dict[str, Any]
    rows: list[Row]

    def one(self, part: str, name: str, node: int | None = None) -> Row:
        found = [row for row in self.rows if (row.part, row.name, row.node) == (part, name, node)]
        assert len(found) == 1, (part, name, len(found))
        return found[0]

    def section(self, name: str, **options: int) -> dict[str, Any]:
        return ask(self.engine, name, window_of(self.manifest, None, None), options)


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    folder = tmp_path_factory.mktemp("summary")
    files = [SAMPLE / name for name in ("trace.dat", "lscpu-p.txt", "numactl-H.txt", "psi.jsonl", "numa_group.jsonl")]
    read_inputs([(file.name, str(file)) for file in files], folder / "heavy", folder / "scratch")
    engine = numalens_native.Bundle(str(folder / "heavy"))
    return Summary(folder / "heavy", engine, json.loads(engine.manifest()), summary_rows(str(folder / "heavy")))


def test_the_numbers_are_those_that_the_report_has(heavy: Summary) -> None:
    report: Any = build_report(heavy.engine)
    ops = report["numa_balancing"]["ops"]
    seconds = (heavy.manifest["window_ns"][1] - heavy.manifest["window_ns"][0]) / 1e9
    for name in ("migrate_failed_no_cpu", "task_migrate_retry", "load_balance_cross_numa"):
        row = heavy.one("fact", name)
        assert (row.value, row.label, row.seconds) == (ops["rows"][name], ops["label"], seconds)
    assert heavy.one("fact", "attempts").value == ops["attempts"]
    assert heavy.one("fact", "attempts_failed").value == sum(ops["failures"].values()) > 0
    assert heavy.one("fact", "cling_flips").value == len(report["cling"]["flips"]) > 0
    assert heavy.one("fact", "psi_cpu_some").value == report["psi"]["system"]["cpu"]["some_us"] / 1000
    assert heavy.one("fact", "psi_cpu_some").label == "inferred"
    sampled = heavy.one("fact", "psi_cpu_some_sampled")
    residual = report["psi"]["residual"]["cpu"]
    assert (sampled.value, sampled.label) == (residual["sampled_some_us"] / 1000, "observed")
    assert sampled.seconds == (residual["to_ns"] - residual["from_ns"]) / 1e9
    assert heavy.one("fact", "latency_p99_ns").value == report["latency"]["p99_ns"]
    assert heavy.one("fact", "ilb_sent").value == report["idle_balancing"]["kicks"]["sent"]
    follows = report["page_migration"]["metrics"]["memory_follows_cpu"]
    assert heavy.one("fact", "migration_pages").value == follows["pages"]
    for node in report["utilisation"]["nodes"]:
        assert heavy.one("node", "utilisation_busy_ns", node["nid"]).value == node["busy_ns"]
    for node in report["latency"]["by_node"]:
        assert heavy.one("node", "latency_wait_ns", node["nid"]).value == node["wait_ns"]


def test_every_wait_is_in_its_bin(heavy: Summary) -> None:
    bins = [row for row in heavy.rows if row.part == "bucket"]
    histogram = heavy.section("wait_windows")["histogram"]
    assert sum(row.count or 0 for row in bins) == heavy.section("latency", limit=1)["wakeups"]
    assert {row.bucket: row.count for row in bins} == {
        at: count for at, count in enumerate(histogram["counts"]) if count
    }
    assert all(row.least is not None and row.below is not None and row.least < row.below for row in bins)
    p99 = heavy.one("fact", "latency_p99_ns").value or 0
    rank = 0.99 * sum(row.count or 0 for row in bins)
    below = [
        row
        for row in bins
        if sum(other.count or 0 for other in bins if (other.bucket or 0) <= (row.bucket or 0)) >= rank
    ]
    assert (below[0].least or 0) <= p99 < (below[0].below or 0)


def test_findings_are_counted_by_kind_severity_and_node(heavy: Summary) -> None:
    found = heavy.section("findings")["findings"]
    rows = [row for row in heavy.rows if row.part == "finding"]
    assert sum(row.count or 0 for row in rows) == len(found) > 0
    assert sum(row.value or 0 for row in rows) == pytest.approx(sum(each["impact_ms"] for each in found))
    for severity in ("high", "medium", "low"):
        answer = sum(row.count or 0 for row in rows if row.text == severity)
        assert answer == sum(each["severity"] == severity for each in found) > 0
    busy = [row for row in rows if row.name == "CLING_BUSY_NODE" and row.text == "high"]
    costs = [each["impact_ms"] for each in found if (each["id"], each["severity"]) == ("CLING_BUSY_NODE", "high")]
    assert max(row.most or 0 for row in busy) == max(costs)
    # Both nodes were busy; one of them cost less than 1 % of all waiting.
    assert {row.node for row in rows if row.name == "CLING_BUSY_NODE"} == {0, 1}
    assert {row.node for row in busy} == {0}


def test_the_recording_itself(heavy: Summary) -> None:
    assert heavy.one("recording", "kernel").text == "6.1.192-cling"
    assert [heavy.one("recording", f"kernel_{part}").value for part in ("major", "minor", "patch")] == [6, 1, 192]
    assert (heavy.one("recording", "nodes").value, heavy.one("recording", "cpus").value) == (2, 8)
    assert [(row.node, row.other, row.value) for row in heavy.rows if row.part == "distance"] == [
        (0, 0, 10),
        (0, 1, 20),
        (1, 0, 20),
        (1, 1, 10),
    ]
    # The samples of pressure are stamped by both clocks: real_ns 1795227806498460328 is mono_ns 4837001545.
    stamp = 1795227806498460328 + heavy.manifest["window_ns"][0] - 4837001545
    assert heavy.one("recording", "recorded_at").moment == datetime.fromtimestamp(stamp // 1000 / 1e6, UTC)


def make_summary(bundle: Path) -> None:
    subprocess.run([*COMMAND, str(bundle)], check=True)


def test_no_row_names_a_task_or_a_cgroup(heavy: Summary) -> None:
    make_summary(heavy.path)
    with duckdb.connect() as connection:
        columns = [name for name, kind in COLUMNS.items() if kind.startswith("VARCHAR")]
        texts = connection.execute(
            f"SELECT DISTINCT unnest([{', '.join(f'{name}::VARCHAR' for name in columns)}]) FROM read_parquet($1)",  # noqa: S608
            [str(heavy.path / FILE)],
        ).fetchall()
    said = "\n".join(text for (text,) in texts if text is not None)
    tasks = [task["comm"] for task in heavy.section("residency", limit=500)["tasks"]]
    cgroups = list(heavy.section("psi")["cgroups"])
    # A name that is also a word (`load`) says nothing.
    names = [name for name in [*tasks, *cgroups] if not name.isalpha()]
    assert len(names) > 20
    assert [name for name in names if name in said] == []


def test_a_file_is_what_was_written(tmp_path: Path) -> None:
    moment = datetime(2026, 11, 2, 3, 4, 5, 678_901, tzinfo=UTC)
    rows = [
        Row("recording", "recorded_at", "observed", moment=moment),
        Row("fact", 'odd "name"\n', "what-if", title="ß", node=-1, value=1e300, count=1 << 62, missing=["a", "b"]),
    ]
    write_rows(rows, tmp_path / FILE)
    with duckdb.connect() as connection:
        answer = connection.execute(
            "SELECT version, moment, name, title, node, value, count, missing FROM read_parquet($1)",
            [str(tmp_path / FILE)],
        ).fetchall()
    assert answer[0][:2] == (1, moment.replace(tzinfo=None))
    assert answer[1][2:] == ('odd "name"\n', "ß", -1, 1e300, 1 << 62, ["a", "b"])


@pytest.mark.parametrize(
    ("inputs", "host", "kernel"),
    [
        ([{"kernel": "Linux vm 6.18.44-fc-v669 x86_64"}], "vm", "6.18.44-fc-v669"),
        ([{"kernel": "Linux 6.18.44-fc-v669 #1 SMP x86_64"}], None, "6.18.44-fc-v669"),
        ([{"kernel": "Linux 10.0.0.7 4.20.3 x86_64"}], "10.0.0.7", "4.20.3"),
        ([{"kernel": "Linux 6.1.2 #1", "name": "b.tar/numalens-db-7-20261127-071713/trace.dat"}], "db-7", "6.1.2"),
        ([{"kernel": "6.1.2", "name": "numalens-notes.txt"}], None, "6.1.2"),
        ([{"kernel": "Linux (none) 6.1.192-cling x86_64"}], None, "6.1.192-cling"),
        ([{"kernel": "6.1.0-56-amd64", "facts": {"host": "db7"}}], "db7", "6.1.0-56-amd64"),
        ([{"kernel": None, "facts": {"host": "(none)"}}], None, None),
        ([{}], None, None),
    ],
)
def test_machine_and_kernel(inputs: list[dict[str, Any]], host: str | None, kernel: str | None) -> None:
    manifest = {"inputs": inputs, "ilb": None}
    assert (host_of(inputs), kernel_of(manifest)) == (host, kernel)


def test_releases_have_an_order() -> None:
    assert version_of("6.9.1") < version_of("6.12.0-rc1") < version_of("6.12.3+") < version_of("10.0")
    assert version_of("next") == (0, 0, 0)


def test_the_wall_clock_by_pairs_of_clocks(heavy: Summary) -> None:
    pair = {"trace_ns": 1_000, "real_ns": 1_800_000_000_000_000_000}
    entry = {"alignment": {"offset_ns": 500_000}, "clock_pairs": [pair]}
    manifest = {"inputs": [entry], "window_ns": [501_000 + 2_000_000, 0], "samples": []}
    assert wall_clock(heavy.engine, manifest) == datetime.fromtimestamp(1_800_000_000 + 0.002, UTC)
    # A machine that thinks it is 1970 knows nothing.
    assert (
        wall_clock(heavy.engine, {**manifest, "inputs": [{**entry, "clock_pairs": [{**pair, "real_ns": 5}]}]}) is None
    )


def test_samples_alone_leave_a_summary_too(tmp_path: Path) -> None:
    file = FIXTURES / "samples" / "tc-small.psi.jsonl"
    read_inputs([(file.name, str(file))], tmp_path / "samples", tmp_path / "scratch")
    rows = summary_rows(str(tmp_path / "samples"))
    names = {row.name for row in rows if row.part == "recording"}
    assert {"length", "recorded_at"} <= names
    assert "kernel" not in names
    assert [row for row in rows if row.part == "bucket"] == []


def test_without_room_the_reading_is_whole_all_the_same(tmp_path: Path) -> None:
    read_inputs([(file.name, str(file)) for file in (NUMA, LSCPU)], tmp_path / "numa", tmp_path / "scratch")
    broken = tmp_path / "broken"
    shutil.copytree(tmp_path / "numa", broken)
    (broken / "manifest.json").write_text("{}")
    with pytest.raises(subprocess.CalledProcessError):
        make_summary(broken)
    assert not (broken / FILE).exists()
    make_summary(tmp_path / "numa")
    assert (tmp_path / "numa" / FILE).is_file()

"""Samples beside a trace: placed on its clock, exported, told in the report."""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest

from tests.command import run
from tests.conftest import running_service
from tests.recordings import NUMA, counts
from tests.service import API, Service, sentence

STEP_US = 1000


def pressure(idx: int, mono_ns: int, real_ns: int) -> str:
    """A line of a recorder's psi.jsonl; the counters go up by a known step."""
    some, full = idx * STEP_US, idx * STEP_US // 2
    averages = "avg10=0.00 avg60=0.00 avg300=0.00"
    text = f"some {averages} total={some}\nfull {averages} total={full}\n"
    stamps = {"idx": idx, "mono_ns": mono_ns, "real_ns": real_ns, "boot_ns": mono_ns, "mono_end_ns": mono_ns + 50_000}
    return json.dumps({**stamps, "cpu": text, "memory": text, "io": text}) + "\n"


def markers() -> list[tuple[int, dict[str, int]]]:
    """The marks that the recorder left in the trace: time on the trace clock, and what the line says."""
    lines = run("events", NUMA, "--type", "print", "--format", "ndjson").stdout.splitlines()
    events = [json.loads(line) for line in lines]
    found = [(event["ts_ns"], event["buf"].split()) for event in events if event["buf"].startswith("psi_sample ")]
    return [(at, {key: int(value) for key, value in (word.split("=") for word in words[1:])}) for at, words in found]


@pytest.fixture(scope="module")
def marks() -> list[tuple[int, dict[str, int]]]:
    return markers()


@pytest.fixture(scope="module")
def psi(marks: list[tuple[int, dict[str, int]]]) -> bytes:
    return "".join(pressure(said["idx"], said["mono_ns"], said["real_ns"]) for _, said in marks).encode()


class Mixed:
    """A ready analysis of a trace and its samples."""

    def __init__(self, service: Service, psi: bytes) -> None:
        self.service = service
        self.id = service.analyse(NUMA, ("psi.jsonl", psi))
        self.detail = service.get(f"/analyses/{self.id}").json()

    def get(self, path: str, **parameters: Any) -> Any:
        return self.service.get(f"/analyses/{self.id}/{path}", params=parameters)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, psi: bytes) -> Iterator[Mixed]:
    with running_service(tmp_path_factory.mktemp("mixed")) as service:
        yield Mixed(service, psi)


def test_samples_are_placed_by_the_marks_in_the_trace(mixed: Mixed, marks: list[tuple[int, dict[str, int]]]) -> None:
    trace, samples = mixed.detail["inputs"]
    assert trace["alignment"]["method"] == "reference"
    assert (samples["kind"], samples["samples"], samples["events"]) == ("psi", len(marks), None)
    assert samples["tables"] == {"psi": 3 * len(marks)}
    alignment = samples["alignment"]
    assert alignment["method"] in {"markers", "same-clock"}
    assert int(alignment["uncertainty_ns"]) < 1_000_000
    (table,) = mixed.detail["timeline"]["samples"]
    assert (table["table"], table["rows"], table["placed"]) == ("psi", 3 * len(marks), 3 * len(marks))
    for idx, edge in ((0, "from_ns"), (-1, "to_ns")):
        assert abs(int(table[edge]) - marks[idx][0]) < 1_000_000


@pytest.mark.parametrize("fmt", ["csv", "ndjson", "arrow"])
def test_sample_exports(mixed: Mixed, marks: list[tuple[int, dict[str, int]]], fmt: str) -> None:
    answer = mixed.get("samples/psi", format=fmt)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == f'attachment; filename="psi.{fmt}"'
    if fmt == "arrow":
        rows = pa.ipc.open_stream(answer.content).read_all().to_pylist()
    elif fmt == "ndjson":
        rows = [json.loads(line) for line in answer.text.splitlines()]
    else:
        header, *lines = answer.text.splitlines()
        names = header.split(",")
        rows = [dict(zip(names, line.split(","), strict=True)) for line in lines]
    assert len(rows) == 3 * len(marks)
    cpu = [row for row in rows if row["resource"] == "cpu"]
    assert [int(row["some_total_us"]) for row in cpu] == [said["idx"] * STEP_US for _, said in marks]
    times = [int(row["ts_ns"]) for row in cpu]
    assert times == sorted(times)
    assert {int(row["input"]) for row in rows} == {1}


def test_an_export_is_cut_to_the_window(mixed: Mixed) -> None:
    rows = [json.loads(line) for line in mixed.get("samples/psi", format="ndjson").text.splitlines()]
    first, last = rows[30]["ts_ns"], rows[90]["ts_ns"]
    answer = mixed.get("samples/psi", format="ndjson", from_ns=first, to_ns=last)
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert found == [row for row in rows if first <= row["ts_ns"] < last]


def test_an_export_of_samples_is_checked(mixed: Mixed) -> None:
    sentence(mixed.get("samples/vmstat"), 404)
    sentence(mixed.get("samples/../manifest.json"), 404)
    sentence(mixed.get("samples/psi", format="xml"), 422)
    sentence(mixed.get("samples/psi", from_ns=-1), 422)


def test_a_shared_link_reads_samples(mixed: Mixed) -> None:
    shares = f"{API}/analyses/{mixed.id}/shares"
    token = mixed.service.client.post(shares, json={"view": ""}).json()["token"]
    path = f"/analyses/{mixed.id}/samples/psi"
    assert mixed.service.get(path, headers={"X-NumaLens-Share": token}).status_code == 200
    sentence(mixed.service.get(path, headers={"X-NumaLens-Share": "x"}), 404)


def test_the_report_has_the_sampled_pressure(mixed: Mixed) -> None:
    report = mixed.get("report").json()
    first, last = report["window_ns"]
    rows = [json.loads(line) for line in mixed.get("samples/psi", format="ndjson").text.splitlines()]
    totals = [row["some_total_us"] for row in rows if row["resource"] == "io" and first <= row["ts_ns"] <= last]
    expected = {"some_us": totals[-1] - totals[0], "full_us": (totals[-1] - totals[0]) // 2, "label": "observed"}
    assert report["psi"]["sampled"] == dict.fromkeys(("cpu", "memory", "io"), expected)
    assert report["inputs"][1]["alignment"]["method"] in {"markers", "same-clock"}


def test_an_archive_is_its_members(mixed: Mixed, psi: bytes) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in (("night/trace.dat", NUMA.read_bytes()), ("night/psi.jsonl", psi), ("notes", b"Hm.\n")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    service = mixed.service
    analysis_id = service.analyse(("night.tgz", packed.getvalue()))
    detail = service.get(f"/analyses/{analysis_id}").json()
    assert [entry["name"] for entry in detail["inputs"]] == ["night.tgz/night/trace.dat", "night.tgz/night/psi.jsonl"]
    assert [entry["kind"] for entry in detail["inputs"]] == ["trace.dat", "psi"]
    assert detail["timeline"]["event_counts"] == counts("cling-2x4-small")
    assert any("notes" in note for note in detail["timeline"]["notes"])
    assert sorted(path.name for path in service.services.folder.bundles.iterdir()) == sorted([analysis_id, mixed.id])


def test_a_shift_places_samples_that_nothing_ties_to_the_trace(
    mixed: Mixed, marks: list[tuple[int, dict[str, int]]], psi: bytes, tmp_path: Path
) -> None:
    """The owner's word beats the stamps; here it takes the samples 5 s back."""
    service = mixed.service
    analysis_id = service.analyse(NUMA, ("psi.jsonl", psi))
    shift = str(-5_000_000_000)
    answer = service.client.post(f"{API}/analyses/{analysis_id}/reread", json={"offsets": {"psi.jsonl": shift}})
    assert answer.status_code == 202
    service.watch(analysis_id)
    detail = service.get(f"/analyses/{analysis_id}").json()
    assert detail["offsets"] == {"psi.jsonl": shift}
    assert detail["inputs"][1]["alignment"]["method"] == "user"
    assert detail["inputs"][1]["alignment"]["offset_ns"] == shift
    rows = [
        json.loads(line) for line in service.get(f"/analyses/{analysis_id}/samples/psi?format=ndjson").text.splitlines()
    ]
    assert rows[0]["ts_ns"] == marks[0][1]["mono_ns"] - 5_000_000_000
    (tmp_path / "psi.jsonl").write_bytes(psi)
    ended = run("analyze", NUMA, tmp_path / "psi.jsonl", "--offset", f"psi.jsonl={shift}", "--json", "-")
    assert json.loads(ended.stdout)["inputs"][1]["alignment"]["method"] == "user"


def test_a_damaged_recording_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    damaged = bytearray(NUMA.read_bytes())
    damaged[-400_000:-396_000] = b"\xff" * 4000
    (tmp_path / "cut.dat").write_bytes(damaged)
    run("analyze", tmp_path / "cut.dat", status=3)
    text = run("analyze", tmp_path / "cut.dat", "--tolerant").stdout.decode()
    assert "left out:" in text
    found = json.loads(run("analyze", tmp_path / "cut.dat", "--tolerant", "--json", "-").stdout)
    assert found["inputs"][0]["skipped"]
    assert 0 < found["inputs"][0]["events"] < sum(counts("cling-2x4-small").values())

"""The sample that a newcomer sees: made once, found again, not forced on anybody."""

import json
from pathlib import Path

import pytest

from numalens.cli.server import _sample_files, open_sample
from numalens.cli.usage import UsageError
from tests.recordings import LSCPU, NUMA, SAMPLE, SMALL
from tests.service import API, Service


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "trace.dat").write_bytes(NUMA.read_bytes())
    (folder / "lscpu-p.txt").write_bytes(LSCPU.read_bytes())
    (folder / "sample.json").write_text(json.dumps({"title": "Two nodes", "files": ["trace.dat", "lscpu-p.txt"]}))
    return folder


def test_an_empty_folder_gets_the_sample(service: Service, sample: Path) -> None:
    ((title, path),) = open_sample(service.services, sample)
    assert title == "Two nodes"
    analysis_id = path.removeprefix("/a/")
    assert service.client.portal is not None
    service.client.portal.call(service.services.jobs.submit, analysis_id)
    assert service.watch(analysis_id)[-1][0] == "ready"
    answer = service.get(f"/analyses/{analysis_id}").json()
    assert answer["sample"] is True
    assert [entry["name"] for entry in answer["inputs"]] == ["trace.dat", "lscpu-p.txt"]
    assert open_sample(service.services, sample) == [(title, path)]
    assert len(service.get("/analyses").json()["analyses"]) == 1


def test_a_folder_in_use_is_left_alone(service: Service, sample: Path) -> None:
    service.analyse(SMALL)
    assert open_sample(service.services, sample) == []
    assert len(service.get("/analyses").json()["analyses"]) == 1


def test_the_sample_does_not_follow_the_checkout(service: Service, sample: Path) -> None:
    open_sample(service.services, sample)
    (sample / "trace.dat").write_bytes(b"changed")
    blobs = service.services.folder.blobs
    kept = {blobs.hold(sha256).path.read_bytes()[:7] for sha256 in blobs.all()}
    assert b"changed" not in kept


def test_a_folder_without_a_description_is_taken_by_its_names(sample: Path) -> None:
    (sample / "sample.json").unlink()
    title, files = _sample_files(sample)
    assert title == "sample"
    assert [file.name for file in files] == ["trace.dat", "lscpu-p.txt"]


@pytest.mark.parametrize("description", ["{", '{"files": ["none.dat"]}', '{"files": 3}'])
def test_a_wrong_description_is_a_sentence(sample: Path, description: str) -> None:
    (sample / "sample.json").write_text(description)
    with pytest.raises(UsageError, match="sample"):
        _sample_files(sample)


def test_the_checkouts_own_sample_is_complete() -> None:
    title, files = _sample_files(SAMPLE)
    assert title
    assert SAMPLE / "trace.dat" in files


def test_shown_in_the_list(service: Service, sample: Path) -> None:
    open_sample(service.services, sample)
    listed = service.client.get(f"{API}/analyses").json()["analyses"]
    assert [entry["sample"] for entry in listed] == [True]

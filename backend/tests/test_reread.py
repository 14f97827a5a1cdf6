"""Reading stored files again with other options, while what was read before stays in use."""

import json
from typing import Any

import pytest

from numalens.cli.inputs import copy_bundle
from tests.conftest import MakeService, Misbehave
from tests.recordings import LSCPU, NUMA, SMALL, TRUNCATED
from tests.service import API, Service, sentence


def reread(service: Service, analysis_id: str, **body: Any) -> Any:
    return service.client.post(f"{API}/analyses/{analysis_id}/reread", json=body)


def ended(service: Service, analysis_id: str) -> dict[str, Any]:
    """The analysis once its reading has ended."""
    service.watch(analysis_id)
    answer: dict[str, Any] = service.get(f"/analyses/{analysis_id}").json()
    return answer


def test_options_are_reported_and_kept(service: Service) -> None:
    analysis_id = service.analyse(SMALL, LSCPU)
    before = service.get(f"/analyses/{analysis_id}").json()
    assert (before["tolerant"], before["offsets"], before["rereadable"]) == (False, {}, True)
    queued = reread(service, analysis_id, tolerant=True)
    assert queued.status_code == 202
    assert (queued.json()["status"], queued.json()["tolerant"]) == ("queued", True)
    after = ended(service, analysis_id)
    assert (after["status"], after["tolerant"], after["error"]) == ("ready", True, None)
    assert after["inputs"] == before["inputs"]
    assert after["timeline"] == before["timeline"]
    # What is not named stays as it was.
    assert reread(service, analysis_id, offsets={}).json()["tolerant"] is True
    assert [path.name for path in service.services.folder.bundles.iterdir() if not path.name.startswith(".")]
    assert ended(service, analysis_id)["status"] == "ready"


def test_an_analysis_can_be_tolerant_from_the_start(service: Service) -> None:
    upload = service.upload(SMALL.read_bytes())
    made = service.client.post(f"{API}/analyses", json={"uploads": [upload], "tolerant": True}).json()
    assert made["tolerant"] is True
    assert ended(service, made["id"])["tolerant"] is True


def test_what_was_read_stays_in_use_meanwhile(service: Service, misbehaving: Misbehave) -> None:
    analysis_id = service.analyse(NUMA)
    before = service.get(f"/analyses/{analysis_id}").json()
    misbehaving("wait")
    assert reread(service, analysis_id).status_code == 202
    sentence(reread(service, analysis_id), 409)
    now = service.get(f"/analyses/{analysis_id}").json()
    assert now["status"] in {"queued", "parsing"}
    assert (now["timeline"], now["inputs"]) == (before["timeline"], before["inputs"])
    assert service.get(f"/analyses/{analysis_id}/tasks").status_code == 200
    assert service.get(f"/analyses/{analysis_id}/report").status_code == 200
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    assert list(service.services.folder.bundles.iterdir()) == []


def test_a_failed_reading_keeps_what_was_read(service: Service, misbehaving: Misbehave) -> None:
    analysis_id = service.analyse(NUMA)
    before = service.get(f"/analyses/{analysis_id}").json()
    misbehaving("raise")
    reread(service, analysis_id, tolerant=True)
    after = ended(service, analysis_id)
    assert after["status"] == "ready"
    assert "server's log" in after["error"]["sentence"]
    assert {**after, "error": None} == before
    assert [path.name for path in service.services.folder.bundles.iterdir()] == [analysis_id]
    assert service.get(f"/analyses/{analysis_id}/tasks").status_code == 200
    # The next try shows nothing of the last.
    misbehaving("nothing")
    assert reread(service, analysis_id).json()["error"] is None
    assert ended(service, analysis_id)["error"] is None


def test_a_failed_analysis_is_read_again(service: Service) -> None:
    analysis_id = service.analyse(("cut.dat", TRUNCATED), status="failed")
    assert reread(service, analysis_id, tolerant=True).status_code == 202
    answer = ended(service, analysis_id)
    assert (answer["tolerant"], answer["status"]) == (True, "failed")
    sentence(service.get(f"/analyses/{analysis_id}/report"), 409)


def test_a_bundle_without_files_cannot_be_read_again(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    folder = service.services.folder.bundle(analysis_id)
    manifest = json.loads((folder / "manifest.json").read_text())
    kept = service.services.analyses.create_from_bundle(
        manifest, "Kept", origin="bundle:x", fill=lambda new: copy_bundle(folder, new)
    )
    assert service.get(f"/analyses/{kept.id}").json()["rereadable"] is False
    assert "not kept here" in sentence(reread(service, kept.id), 409)
    assert service.get(f"/analyses/{kept.id}/tasks").status_code == 200


def test_what_another_version_read_is_read_again(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    before = service.get(f"/analyses/{analysis_id}").json()
    manifest = service.services.folder.bundle(analysis_id) / "manifest.json"
    manifest.write_text(manifest.read_text().replace("numalens.bundle/1", "numalens.bundle/9"))
    service.services.bundles.forget(analysis_id)
    shown = service.get(f"/analyses/{analysis_id}").json()
    assert (shown["status"], shown["timeline"], shown["error"]["again"]) == ("failed", None, True)
    assert "another version of NumaLens" in shown["error"]["sentence"]
    assert sentence(service.get(f"/analyses/{analysis_id}/report"), 409) == shown["error"]["sentence"]
    assert reread(service, analysis_id).status_code == 202
    assert ended(service, analysis_id) == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"offsets": {"other.dat": "5"}}, 422),
        ({"offsets": {f"{SMALL.name}/member": "5"}}, 422),
        ({"offsets": {SMALL.name: "soon"}}, 422),
        ({"offsets": {SMALL.name: 5}}, 422),
        ({"offsets": {SMALL.name: str(1 << 63)}}, 422),
        ({"offsets": {SMALL.name: "-9" * 30}}, 422),
        ({"tolerant": "perhaps"}, 422),
        ({"title": "x"}, 422),
    ],
)
def test_a_wish_is_checked(service: Service, body: dict[str, Any], status: int) -> None:
    analysis_id = service.analyse(SMALL)
    sentence(reread(service, analysis_id, **body), status)
    assert service.get(f"/analyses/{analysis_id}").json()["status"] == "ready"
    sentence(reread(service, "nothing"), 404)


def test_a_failed_analysis_believes_in_members_of_its_files(service: Service) -> None:
    analysis_id = service.analyse(("a.tgz", b"garbage"), status="failed")
    sentence(reread(service, analysis_id, offsets={"b.tgz/x": "1"}), 422)
    assert reread(service, analysis_id, offsets={"a.tgz/x": "-1"}).json()["offsets"] == {"a.tgz/x": "-1"}
    assert ended(service, analysis_id)["status"] == "failed"


def test_a_reader_may_not(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    token = service.client.post(f"{API}/analyses/{analysis_id}/shares", json={"view": ""}).json()["token"]
    refused = service.client.post(f"{API}/analyses/{analysis_id}/reread", json={}, headers={"X-NumaLens-Share": token})
    sentence(refused, 403)


def test_the_scratch_folder_does_not_outlive_the_reading(make_service: MakeService, misbehaving: Misbehave) -> None:
    service = make_service(job_seconds=3)
    misbehaving("wait")
    service.analyse(SMALL, status="failed")
    assert list(service.services.folder.bundles.iterdir()) == []

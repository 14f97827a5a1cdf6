"""Analyses through the API: made, listed, renamed, deleted for good."""

import re
from typing import Any

import pytest

from tests.conftest import MakeService
from tests.recordings import LSCPU, NUMA, SMALL, counts
from tests.service import API, TUS, Service, creation_headers, sentence


def create(service: Service, body: dict[str, Any]) -> Any:
    return service.client.post(f"{API}/analyses", json=body)


def test_info_tells_the_caps(make_service: MakeService) -> None:
    answer = make_service(max_upload_bytes=123, upload_days=2).get("/info").json()
    assert answer["owner"] is True
    assert answer["limits"] == {
        "max_upload_bytes": 123,
        "max_files": 64,
        "max_px": 8192,
        "max_lanes": 4096,
        "upload_days": 2.0,
        "keep_days": None,
    }


def test_an_analysis_from_beginning_to_end(service: Service) -> None:
    assert service.get("/analyses").json() == {"analyses": []}
    analysis_id = service.analyse(NUMA)
    listed = service.get("/analyses").json()["analyses"]
    assert [(entry["id"], entry["status"]) for entry in listed] == [(analysis_id, "ready")]
    detail = service.get(f"/analyses/{analysis_id}").json()
    result = detail["inputs"][0]
    assert (result["kind"], result["bytes"], result["cpus"], result["clock"]) == (
        "trace.dat",
        NUMA.stat().st_size,
        8,
        "mono",
    )
    assert result["events"] == sum(counts("cling-2x4-small").values())
    first, last = (int(edge) for edge in detail["timeline"]["window_ns"])
    assert int(detail["timeline"]["origin_ns"]) <= first < last <= int(detail["timeline"]["end_ns"])
    assert isinstance(detail["timeline"]["origin_ns"], str)
    renamed = service.client.patch(f"{API}/analyses/{analysis_id}", json={"title": "  Night of the incident "})
    assert renamed.json()["title"] == "Night of the incident"
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    assert service.get("/analyses").json() == {"analyses": []}
    sentence(service.get(f"/analyses/{analysis_id}"), 404)
    sentence(service.client.delete(f"{API}/analyses/{analysis_id}"), 404)


def test_newest_first_with_titles_of_their_files(service: Service) -> None:
    one = service.create(SMALL)
    two = service.create(NUMA, LSCPU)
    three = service.create(SMALL, title="Mine")
    for analysis_id in (one, two, three):
        service.watch(analysis_id)
    listed = service.get("/analyses").json()["analyses"]
    assert [entry["id"] for entry in listed] == [three, two, one]
    titles = [entry["title"] for entry in listed]
    assert titles[0] == "Mine"
    # Host and verdict; the file where neither host nor command is recorded. Nothing says when these began.
    for title, begin in zip(titles[1:], (NUMA.name, "vm"), strict=True):
        assert re.fullmatch(rf"{re.escape(begin)}(, [^:,]+: [^:,]+)?", title), title


def test_deleting_removes_the_bytes_unless_another_analysis_has_them(service: Service) -> None:
    folder = service.services.folder
    one, two = service.analyse(SMALL, LSCPU), service.analyse(SMALL)
    assert len(list(folder.blobs.all())) == 2
    service.get(f"/analyses/{one}/tasks")
    service.client.delete(f"{API}/analyses/{one}")
    assert len(list(folder.blobs.all())) == 1
    assert [path.name for path in folder.bundles.iterdir()] == [two]
    sentence(service.get(f"/analyses/{one}/tasks"), 404)
    assert service.get(f"/analyses/{two}/tasks").status_code == 200
    service.client.delete(f"{API}/analyses/{two}")
    assert list(folder.blobs.all()) == []
    assert [path for path in (folder.root / "blobs").rglob("*") if path.is_file()] == []
    assert list(folder.bundles.iterdir()) == []
    assert list(folder.uploads.iterdir()) == []


def test_an_upload_is_used_once(service: Service) -> None:
    upload = service.upload(SMALL.read_bytes())
    assert create(service, {"uploads": [upload]}).status_code == 201
    again = create(service, {"uploads": [upload]})
    assert again.status_code in {404, 409}


def test_a_claimed_upload_can_be_neither_removed_nor_written(service: Service) -> None:
    upload = service.upload(b"x" * 10)
    service.services.analyses.create([upload], None)
    path = f"{API}/uploads/{upload}"
    sentence(service.client.delete(path, headers=TUS), 409)
    headers = {**TUS, "Upload-Offset": "10", "Content-Type": "application/offset+octet-stream"}
    sentence(service.client.patch(path, content=b"", headers=headers), 409)
    sentence(create(service, {"uploads": [upload]}), 409)
    assert service.services.uploads.sweep() == 0


def test_an_unfinished_upload_is_reported_with_its_numbers(service: Service) -> None:
    done = service.upload(SMALL.read_bytes())
    answer = service.client.post(f"{API}/uploads/", headers=creation_headers("half.dat", 1000))
    half = answer.headers["location"].rsplit("/", 1)[1]
    refused = create(service, {"uploads": [done, half]})
    assert "0 of 1,000" in sentence(refused, 409)
    assert refused.json()["error"]["file"] == "half.dat"
    # Nothing was claimed by the refused request.
    assert create(service, {"uploads": [done]}).status_code == 201


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"uploads": ["nothing"]}, 404),
        ({"uploads": ["../numalens.sqlite3"]}, 404),
        ({"uploads": []}, 422),
        ({"uploads": "x"}, 422),
        ({}, 422),
        ({"uploads": ["x"], "title": ""}, 422),
        ({"uploads": ["x"], "title": "t" * 201}, 422),
        ({"uploads": ["x"], "other": 1}, 422),
    ],
)
def test_creation_is_checked(service: Service, body: dict[str, Any], status: int) -> None:
    sentence(create(service, body), status)
    assert service.get("/analyses").json() == {"analyses": []}


def test_an_upload_cannot_be_named_twice(service: Service) -> None:
    upload = service.upload(SMALL.read_bytes())
    sentence(create(service, {"uploads": [upload, upload]}), 422)


def test_too_many_files_name_the_cap(make_service: MakeService) -> None:
    service = make_service(max_files=1)
    refused = create(service, {"uploads": ["a", "b"]})
    sentence(refused, 413)
    assert refused.json()["error"]["cap"] == "max_files"


@pytest.mark.parametrize("body", [{"title": ""}, {"title": "   "}, {"title": 5}, {"title": "x", "status": "ready"}])
def test_a_change_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(service.client.patch(f"{API}/analyses/x", json=body), 422)


def test_a_change_of_nothing_is_not_found(service: Service) -> None:
    sentence(service.client.patch(f"{API}/analyses/nothing", json={"title": "x"}), 404)
    sentence(service.get("/analyses/nothing/progress"), 404)


@pytest.mark.parametrize(
    "path",
    ["tasks", "report", "slice?cpu=0&t_ns=1", "timeline?from_ns=0&to_ns=1&px=1&lanes=cpu:0", "events/sched_switch"],
)
def test_a_failed_analysis_cannot_be_looked_into(service: Service, path: str) -> None:
    analysis_id = service.analyse(("garbage.dat", b"garbage"), status="failed")
    assert "The import of this analysis failed" in sentence(service.get(f"/analyses/{analysis_id}/{path}"), 409)


def test_an_analysis_cannot_be_looked_into_before_it_is_ready(service: Service) -> None:
    row = service.services.analyses.create([service.upload(SMALL.read_bytes())], None)
    assert "still being imported" in sentence(service.get(f"/analyses/{row.id}/tasks"), 409)
    assert service.get(f"/analyses/{row.id}").json()["timeline"] is None

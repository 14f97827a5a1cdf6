"""Resumable uploads: the protocol, the caps, and what a hostile client may try."""

import asyncio
import base64
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numalens.api.limits import UploadLocks
from numalens.errors import SentenceError
from numalens.store.names import clean_file_name
from tests.conftest import MakeService
from tests.service import API, TUS, Service, creation_headers, patch_headers, sentence

UPLOADS = f"{API}/uploads/"


def create(service: Service, length: int, name: str = "trace.dat") -> str:
    answer = service.client.post(UPLOADS, headers=creation_headers(name, length))
    assert answer.status_code == 201
    return str(answer.headers["location"])


def offset(service: Service, location: str) -> int:
    answer = service.client.head(location, headers=TUS)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return int(answer.headers["upload-offset"])


def stored(service: Service, location: str) -> bytes:
    return service.services.uploads.path(location.rsplit("/", 1)[1]).read_bytes()


def test_options_describe_the_server(make_service: MakeService) -> None:
    answer = make_service(max_upload_bytes=1234).client.options(UPLOADS)
    assert answer.status_code == 204
    assert answer.headers["tus-version"] == "1.0.0"
    assert answer.headers["tus-max-size"] == "1234"
    assert answer.headers["tus-extension"] == "creation,expiration,termination"


def test_an_upload_goes_on_where_it_stopped(service: Service) -> None:
    location = create(service, 10)
    assert location.startswith(UPLOADS)
    assert offset(service, location) == 0
    first = service.client.patch(location, content=b"01234", headers=patch_headers(0))
    assert first.headers["upload-offset"] == "5"
    assert first.headers["upload-expires"].endswith("GMT")
    assert offset(service, location) == 5
    second = service.client.patch(location, content=b"56789", headers=patch_headers(5))
    assert (second.status_code, second.headers["upload-offset"]) == (204, "10")
    assert stored(service, location) == b"0123456789"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)
@given(content=st.binary(max_size=4000), cuts=st.lists(st.integers(1, 1500), max_size=8))
def test_any_split_of_a_file_arrives_whole(service: Service, content: bytes, cuts: list[int]) -> None:
    location = create(service, len(content))
    position = 0
    for size in [*cuts, len(content)]:
        piece = content[position : position + size]
        answer = service.client.patch(location, content=piece, headers=patch_headers(position))
        assert answer.status_code == 204
        position += len(piece)
    assert stored(service, location) == content


def test_metadata_comes_back(service: Service) -> None:
    headers = creation_headers("trace.dat", 3)
    location = service.client.post(UPLOADS, headers=headers).headers["location"]
    answer = service.client.head(location, headers=TUS)
    assert answer.headers["upload-metadata"] == headers["Upload-Metadata"]
    assert answer.headers["upload-length"] == "3"


@pytest.mark.parametrize("wrong", [0, 4, 6, 11])
def test_a_wrong_offset_changes_nothing(service: Service, wrong: int) -> None:
    location = create(service, 10)
    service.client.patch(location, content=b"01234", headers=patch_headers(0))
    answer = service.client.patch(location, content=b"x", headers=patch_headers(wrong))
    assert "5 bytes" in sentence(answer, 409)
    assert stored(service, location) == b"01234"


def test_more_than_announced_is_refused_with_and_without_content_length(service: Service) -> None:
    location = create(service, 4)
    whole = service.client.patch(location, content=b"012345", headers=patch_headers(0))
    assert "trace.dat" in sentence(whole, 413)
    assert whole.json()["error"]["cap"] == "Upload-Length"
    chunked = service.client.patch(location, content=iter([b"012", b"345"]), headers=patch_headers(0))
    sentence(chunked, 413)
    # Whole pieces that fitted may be kept; never more than was announced, and the offset shows how many.
    kept = stored(service, location)
    assert kept in {b"", b"012"}
    assert offset(service, location) == len(kept)


def test_the_cap_on_a_file_is_named(make_service: MakeService) -> None:
    service = make_service(max_upload_bytes=100)
    assert create(service, 100)
    answer = service.client.post(UPLOADS, headers=creation_headers("big.dat", 101))
    assert "NUMALENS_MAX_UPLOAD_BYTES" in sentence(answer, 413)
    assert answer.json()["error"] == {
        "sentence": answer.json()["error"]["sentence"],
        "cap": "max_upload_bytes",
        "limit": 100,
    }


def test_a_lowered_cap_stops_an_upload_that_began_before(make_service: MakeService, tmp_path: Path) -> None:
    first = make_service(data=tmp_path / "one")
    location = create(first, 200)
    object.__setattr__(first.services.uploads, "_max_bytes", 100)
    sentence(first.client.patch(location, content=b"x", headers=patch_headers(0)), 413)


def test_a_full_disk_is_reported_before_the_first_byte(make_service: MakeService) -> None:
    service = make_service(min_free_bytes=1 << 60)
    answer = service.client.post(UPLOADS, headers=creation_headers("trace.dat", 1))
    assert "bytes free" in sentence(answer, 507)
    assert list(service.services.folder.uploads.iterdir()) == []


def test_a_disk_that_fills_up_keeps_what_fitted(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    location = create(service, 10)
    real = os.pwrite

    def full_after_four(descriptor: int, data: bytes, position: int) -> int:
        if position >= 4:
            raise OSError(28, "No space left on device")
        return real(descriptor, bytes(data)[: 4 - position], position)

    monkeypatch.setattr(os, "pwrite", full_after_four)
    answer = service.client.patch(location, content=b"0123456789", headers=patch_headers(0))
    assert "disk is full" in sentence(answer, 507)
    monkeypatch.undo()
    assert offset(service, location) == 4
    assert stored(service, location) == b"0123"


def test_termination_deletes_the_bytes(service: Service) -> None:
    location = create(service, 4)
    service.client.patch(location, content=b"01", headers=patch_headers(0))
    assert service.client.delete(location, headers=TUS).status_code == 204
    assert list(service.services.folder.uploads.iterdir()) == []
    for method in ("HEAD", "PATCH", "DELETE"):
        assert service.client.request(method, location, headers=patch_headers(0)).status_code == 404


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {"Upload-Length": "1"}, 412),
        ("POST", {"Tus-Resumable": "0.2.2", "Upload-Length": "1"}, 412),
        ("POST", TUS, 400),
        ("POST", {**TUS, "Upload-Length": "-1"}, 400),
        ("POST", {**TUS, "Upload-Length": "1e3"}, 400),
        ("POST", {**TUS, "Upload-Length": "9" * 30}, 400),
        ("POST", {**TUS, "Upload-Length": "1", "Upload-Metadata": "filename ***"}, 400),
        ("POST", {**TUS, "Upload-Length": "1", "Upload-Metadata": "filename /w=="}, 400),
        ("POST", {**TUS, "Upload-Length": "1", "Upload-Metadata": "x" * 5000}, 400),
        ("POST", {**TUS, "Upload-Defer-Length": "1"}, 400),
    ],
)
def test_creation_refuses_what_the_protocol_does_not_know(
    service: Service, method: str, headers: dict[str, str], status: int
) -> None:
    answer = service.client.request(method, UPLOADS, headers=headers)
    sentence(answer, status)
    if status == 412:
        assert answer.headers["tus-version"] == "1.0.0"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}, 412),
        ({**TUS, "Content-Type": "application/json", "Upload-Offset": "0"}, 415),
        ({**TUS, "Upload-Offset": "0"}, 415),
        ({**TUS, "Content-Type": "application/offset+octet-stream"}, 400),
        ({**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "x"}, 400),
    ],
)
def test_patch_refuses_what_the_protocol_does_not_know(service: Service, headers: dict[str, str], status: int) -> None:
    location = create(service, 4)
    sentence(service.client.patch(location, content=b"0123", headers=headers), status)
    assert stored(service, location) == b""


@pytest.mark.parametrize("name", ["../../etc/passwd", "..%2f..%2fnumalens.sqlite3", "nothing", "%00", "a" * 100])
def test_an_upload_id_is_never_a_path(service: Service, name: str) -> None:
    for method in ("HEAD", "PATCH", "DELETE"):
        answer = service.client.request(method, f"{UPLOADS}{name}", headers=patch_headers(0))
        assert answer.status_code in {404, 405, 422}
    assert (service.services.folder.root / "numalens.sqlite3").is_file()


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("../../../etc/cron.d/evil", "evil"),
        ("C:\\Users\\x\\trace.dat", "trace.dat"),
        ("a\x00b\nc.dat", "abc.dat"),
        ("\u202etad.ecart", "tad.ecart"),
        ("..", "recording"),
        ("", "recording"),
        ("x" * 300 + ".dat", "x" * 196 + ".dat"),
        ("Aufnahme äöü.dat", "Aufnahme äöü.dat"),
    ],
)
def test_file_names_are_only_shown(service: Service, given_name: str, shown: str) -> None:
    location = create(service, 0, given_name)
    assert service.services.uploads.get(location.rsplit("/", 1)[1]).name == shown


@given(st.text(max_size=400))
def test_a_clean_name_can_always_be_shown(name: str) -> None:
    clean = clean_file_name(name)
    assert 1 <= len(clean) <= 200
    assert not set(clean) & set("/\\\x00\n\r")
    assert clean not in {".", ".."}
    clean.encode()


def test_an_upload_that_waits_too_long_is_given_up(service: Service) -> None:
    location = create(service, 4)
    path = service.services.uploads.path(location.rsplit("/", 1)[1])
    eight_days_ago = time.time() - 8 * 86400
    os.utime(path, (eight_days_ago, eight_days_ago))
    assert service.client.head(location, headers=TUS).status_code == 410
    sentence(service.client.patch(location, content=b"0", headers=patch_headers(0)), 410)
    assert service.services.uploads.sweep() == 1
    assert not path.exists()
    assert service.client.head(location, headers=TUS).status_code == 404


def test_the_sweep_spares_young_and_claimed_uploads(service: Service) -> None:
    young = create(service, 4)
    assert service.services.uploads.sweep() == 0
    assert offset(service, young) == 0
    stray = service.services.folder.uploads / "stray.part"
    stray.write_bytes(b"left by a killed server")
    assert service.services.uploads.sweep() == 0
    os.utime(stray, (0, 0))
    assert service.services.uploads.sweep() == 1
    assert not stray.exists()


@pytest.mark.parametrize("days", [366, -366])
def test_a_clock_that_jumps_gives_no_upload_up(service: Service, monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    location = create(service, 4)
    path = service.services.uploads.path(location.rsplit("/", 1)[1])
    at = datetime.now(UTC) + timedelta(days=days)
    monkeypatch.setattr("numalens.store.names.now", lambda: at)
    assert service.services.uploads.sweep() == 0
    # Files that are written from now on have the clock's new time.
    os.utime(path, (at.timestamp(), at.timestamp()))
    assert service.services.uploads.sweep() == 0
    assert offset(service, location) == 0
    assert service.client.patch(location, content=b"0123", headers=patch_headers(0)).status_code == 204


def test_a_row_without_a_file_is_no_upload(service: Service) -> None:
    location = create(service, 4)
    service.services.uploads.path(location.rsplit("/", 1)[1]).unlink()
    assert service.client.head(location, headers=TUS).status_code == 404
    assert service.services.uploads.sweep() == 1


def test_sizes_at_the_edge_of_the_cap(make_service: MakeService) -> None:
    uploads = make_service(max_upload_bytes=10).services.uploads
    uploads.check_size(10)
    with pytest.raises(SentenceError) as refused:
        uploads.check_size(11)
    assert refused.value.status == 413


def test_the_newest_request_gets_the_upload() -> None:
    async def meet() -> None:
        locks = UploadLocks()
        order: list[str] = []

        async def hold(name: str) -> None:
            async with locks.hold("x") as stop:
                order.append(name)
                await stop.wait()

        tasks = []
        for name in ("first", "second", "third"):
            tasks.append(asyncio.create_task(hold(name)))
            await asyncio.sleep(0)
        async with locks.hold("x"):
            assert order == ["first", "second", "third"]
        await asyncio.gather(*tasks)
        assert not locks._places

    asyncio.run(meet())


def test_a_request_that_does_not_let_go_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numalens.api.limits.PATIENCE_S", 0)

    async def meet() -> None:
        locks = UploadLocks()
        async with locks.hold("x"):
            with pytest.raises(SentenceError) as refused:
                async with locks.hold("x"):
                    pass
            assert refused.value.status == 423

    asyncio.run(meet())


def test_files_are_recognized_before_they_are_uploaded(service: Service) -> None:
    """An image among good files, and alone; each is named by its kind."""

    def refused(*files: tuple[str, bytes]) -> list[str | None]:
        heads = [{"name": name, "bytes": len(head), "head": base64.b64encode(head).decode()} for name, head in files]
        answer = service.client.post(f"{API}/uploads/recognition", json={"files": heads})
        assert answer.status_code == 200, answer.text
        return list(answer.json()["refused"])

    image = ("shot.png", b"\x89PNG\r\n\x1a\n\x00")
    topology = ("lscpu-p.txt", b"# CPU,Core,Socket,Node\n0,0,0,0\n")
    good, bad = refused(topology, image)
    assert good is None
    assert bad is not None
    assert bad.startswith("shot.png is a PNG image. NumaLens reads")
    assert refused(("data.bin", b"\x00\x01"))[0] == bad.replace(
        "shot.png is a PNG image", "data.bin is of an unknown kind"
    )
    simple = refused(("perf.data", b"SIMPLEPERF\x00\x00\x00\x00"))[0]
    assert simple is not None
    assert "simpleperf" in simple
    wrong = service.client.post(f"{API}/uploads/recognition", json={"files": [{"name": "a", "bytes": 1, "head": "?"}]})
    assert wrong.status_code == 422

"""Disks that fill up, real ones: one sentence and 507, nothing acknowledged is lost, and with room everything goes on."""

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event, text

from numalens.errors import DISK_FULL, AwayError, FullError, RefusedError, SentenceError
from numalens.jobs import cluster, runner
from numalens.jobs.cluster_task import result_of
from numalens.store.cache import FULL as CACHE_FULL
from numalens.store.database import BROKEN_DISK, READ_ONLY, Database, of_sqlite
from numalens.store.database import FULL as DATABASE_FULL
from numalens.store.folder import RESERVE_BYTES
from numalens.store.objects import PIECE, Objects
from numalens.store.uploads import FULL as UPLOAD_FULL
from tests.conftest import running_service
from tests.recordings import NUMA, SMALL
from tests.servers import Gateway, Postgres, Scheduler, Worker, wait_until
from tests.service import API, TUS, Service, creation_headers, patch_headers, sentence
from tests.small_disk import SmallDisk, small_disk

MIB = 1 << 20
NOTE: dict[str, Any] = {"author": "A", "text": "x", "place": None}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(cluster, "PATIENCE_S", 2.0)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 48 * MIB) as found:
        yield found


@pytest.fixture
def full_bucket(tmp_path: Path, disk: SmallDisk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    """A real S3 server on a small disk that has all its room yet."""
    gateway = Gateway(disk.root / "s3")
    gateway.log = tmp_path / "s3.log"
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    with gateway:
        yield gateway


def note(service: Service, analysis_id: str) -> Any:
    return service.client.post(f"{API}/analyses/{analysis_id}/notes", json=NOTE)


def share(service: Service, analysis_id: str) -> int:
    wanted = {"view": "", "expires_in_s": 60}
    return int(service.client.post(f"{API}/analyses/{analysis_id}/shares", json=wanted).status_code)


def failure(service: Service, analysis_id: str) -> dict[str, Any]:
    error: dict[str, Any] = service.get(f"/analyses/{analysis_id}").json()["error"]
    return error


def reread(service: Service, analysis_id: str) -> str:
    """Has the files read again; returns how that ended."""
    result = service.client.post(f"{API}/analyses/{analysis_id}/reread", json={"tolerant": True})
    assert result.status_code == 202, result.text
    return service.watch(analysis_id)[-1][0]


def until_not_ready(service: Service, expected: dict[str, str]) -> None:
    """Waits until /readyz tells of these parts and no others: under load, a check may take longer than it may."""

    def is_so() -> bool:
        answer = service.client.get("/readyz")
        failed = {name: result for name, result in answer.json()["checks"].items() if result != "ok"}
        assert answer.status_code == (503 if failed else 200)
        return failed == expected

    wait_until(f"readiness but for {expected}", is_so)


def until_lock_is_lost(service: Service) -> None:
    """Waits until a server whose database was stopped knows it: it looks every few seconds, and refuses only from then on."""
    lock = service.services.folder.database_lock
    assert lock is not None

    def is_lost() -> bool:
        try:
            lock.check()
        except AwayError:
            return True
        return False

    wait_until("the loss of the lock", is_lost)


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_an_upload_goes_on_when_there_is_room(tmp_path: Path, disk: SmallDisk) -> None:
    content = os.urandom(6 * MIB)
    with running_service(tmp_path, data=disk.root / "data") as service:
        created = service.client.post(f"{API}/uploads/", headers=creation_headers("x.dat", len(content)))
        location = created.headers["location"]
        disk.fill(but=2 * MIB)
        answer = service.client.patch(location, content=content, headers=patch_headers(0))
        assert sentence(answer, 507) == UPLOAD_FULL
        begun = int(service.client.head(location, headers=TUS).headers["upload-offset"])
        assert 0 < begun <= 2 * MIB
        # Nothing new is begun, and what cannot work says so.
        assert "bytes free" in sentence(
            service.client.post(f"{API}/uploads/", headers=creation_headers("y.dat", MIB)), 507
        )
        until_not_ready(service, {"store": DISK_FULL})
        disk.clear()
        result = service.client.patch(location, content=content[begun:], headers=patch_headers(begun))
        assert result.status_code == 204
        assert service.services.uploads.path(location.rsplit("/", 1)[1]).read_bytes() == content
        until_not_ready(service, {})


def test_what_could_be_written_in_part_is_not_written_once_more(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = os.urandom(3 * MIB)
    location = service.client.post(f"{API}/uploads/", headers=creation_headers("x.dat", len(content))).headers[
        "location"
    ]
    real, calls = os.pwrite, iter(range(1000))

    def full_for_a_moment(descriptor: int, data: Any, position: int) -> int:
        call = next(calls)
        if call == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, bytes(data)[: MIB // 2] if call == 0 else data, position)

    monkeypatch.setattr(os, "pwrite", full_for_a_moment)
    assert sentence(service.client.patch(location, content=content, headers=patch_headers(0)), 507) == UPLOAD_FULL
    monkeypatch.undo()
    kept = service.services.uploads.path(location.rsplit("/", 1)[1]).read_bytes()
    assert len(kept) >= MIB // 2
    assert content.startswith(kept)


def test_a_reading_without_room_fails_and_can_be_done_again(tmp_path: Path, disk: SmallDisk) -> None:
    with running_service(tmp_path, data=disk.root / "data") as service:
        old = service.analyse(SMALL)
        disk.fill(but=5 * MIB)
        analysis_id = service.analyse(NUMA, status="failed")
        result = failure(service, analysis_id)
        assert "full" in result["sentence"]
        assert result["again"] is True
        # Nothing is left of it but the stored file, and the others are as they were.
        assert {path.name for path in service.services.folder.bundles.iterdir()} == {old}
        assert service.get(f"/analyses/{old}/tasks").status_code == 200
        disk.clear()
        assert reread(service, analysis_id) == "ready"
        assert failure(service, analysis_id) is None


def test_rows_that_find_no_room_are_reported_and_waited_for(tmp_path: Path, disk: SmallDisk) -> None:
    with running_service(tmp_path, data=disk.root / "data") as service:
        analysis_id = service.analyse(SMALL)
        services = service.services
        # Queued, as by a server that ended before it began.
        waiting = services.analyses.create([service.upload(SMALL.read_bytes())], None).id
        disk.fill()
        assert sentence(note(service, analysis_id), 507) == DATABASE_FULL
        assert share(service, analysis_id) == 507
        created = service.client.post(f"{API}/uploads/", headers=creation_headers("empty.dat", 0))
        assert sentence(created, 507) == DATABASE_FULL
        assert len(list(services.folder.uploads.iterdir())) == 1
        assert service.get(f"/analyses/{analysis_id}/tasks").status_code == 200
        services.jobs.look_again()
        wait_until("the wait", lambda: waits_for(service, waiting) == DATABASE_FULL)
        disk.clear()
        assert service.watch(waiting)[-1][0] == "ready"
        assert note(service, analysis_id).status_code == 201
        assert share(service, analysis_id) == 201


def test_a_deletion_makes_room_on_a_full_disk(tmp_path: Path, disk: SmallDisk) -> None:
    with running_service(tmp_path, data=disk.root / "data") as service:
        kept, analysis_id = service.analyse(SMALL), service.analyse(NUMA)
        disk.fill()
        assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
        assert disk.free() > 5 * MIB
        assert (disk.root / "data" / "reserve").stat().st_blocks * 512 == RESERVE_BYTES
        assert note(service, kept).status_code == 201


def waits_for(service: Service, analysis_id: str) -> str | None:
    progress = service.get(f"/analyses/{analysis_id}").json()["progress"]
    return None if progress is None else progress["sentence"]


@pytest.mark.parametrize("error", [FullError(DATABASE_FULL), OSError(errno.ENOSPC, "No space left on device")])
def test_what_a_reading_came_to_is_noted_when_there_is_room(
    service: Service, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    room = threading.Event()
    analyses = service.services.analyses
    note_ready = analyses.set_ready

    def full(*arguments: Any) -> bool:
        if not room.is_set():
            raise error
        return note_ready(*arguments)

    monkeypatch.setattr(analyses, "set_ready", full)
    analysis_id = service.create(SMALL)
    wait_until("the wait", lambda: waits_for(service, analysis_id) in {DATABASE_FULL, DISK_FULL})
    room.set()
    assert service.watch(analysis_id)[-1][0] == "ready"


def test_a_full_disk_that_nobody_thought_of_is_reported(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: Any, **_options: Any) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    analysis_id = service.analyse(SMALL)
    monkeypatch.setattr(service.services.notes, "create", full)
    assert sentence(note(service, analysis_id), 507) == DISK_FULL


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EIO])
def test_storage_that_cannot_be_used_is_reported(
    service: Service, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*_arguments: Any, **_options: Any) -> None:
        raise OSError(number, os.strerror(number), "/secret/path")

    analysis_id = service.analyse(SMALL)
    monkeypatch.setattr(service.services.notes, "create", fails)
    assert os.strerror(number) in sentence(note(service, analysis_id), 503)


@pytest.fixture
def read_only(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A service with one analysis, and nothing below its data folder can be written any more."""
    analysis_id = service.analyse(SMALL)
    root = service.services.folder.root

    def refusing(call: Callable[..., Any], writes: Callable[..., bool]) -> Callable[..., Any]:
        def called(path: Any, *arguments: Any, **options: Any) -> Any:
            below = isinstance(path, str | Path) and Path(path).is_relative_to(root)
            if below and writes(*arguments, **options):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
            return call(path, *arguments, **options)

        return called

    def opens_to_write(flags: int, *_arguments: Any, **_options: Any) -> bool:
        return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    def in_mode(mode: str = "r", *_arguments: Any, **_options: Any) -> bool:
        return mode.strip("tb") != "r"

    monkeypatch.setattr(os, "open", refusing(os.open, opens_to_write))
    monkeypatch.setattr("io.open", refusing(open, in_mode))
    for name in ("mkdir", "rename", "replace", "unlink", "rmdir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), lambda *_arguments, **_options: True))
    engine = service.services.folder.database.engine
    engine.dispose()
    event.listen(engine, "connect", lambda connection, _record: connection.execute("PRAGMA query_only=ON"))
    yield analysis_id
    monkeypatch.undo()


def test_a_data_folder_that_became_read_only_is_a_503(
    service: Service, read_only: str, caplog: pytest.LogCaptureFixture
) -> None:
    client, path = service.client, f"{API}/analyses/{read_only}"
    answers = [
        client.post(f"{API}/uploads/", headers=creation_headers("a.dat", 10)),
        client.post(f"{API}/analyses", json={"uploads": ["nothing"]}),
        client.patch(path, json={"title": "New"}),
        client.post(f"{path}/shares", json={"view": ""}),
        client.post(f"{path}/reread", json={}),
        client.post(f"{path}/copies", json={}),
        note(service, read_only),
        client.delete(path),
    ]
    for answer in answers:
        assert answer.status_code in {400, 404, 409, 422, 503}, answer.text
    assert [answer.status_code for answer in answers].count(503) >= 5
    assert client.get(f"{path}/report").status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


def test_a_cache_without_room(
    tmp_path: Path, disk: SmallDisk, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    store = f"s3://{gateway.bucket.name}/full-cache"
    with running_service(tmp_path, data=disk.root / "data", store=store) as service:
        analysis_id = service.analyse(NUMA)
        service.services.forget(analysis_id)
        service.services.folder.kept._cache.drop("")  # type: ignore[attr-defined]
        disk.fill()
        assert sentence(service.get(f"/analyses/{analysis_id}/tasks"), 507) == CACHE_FULL
        disk.clear()
        assert service.get(f"/analyses/{analysis_id}/tasks").status_code == 200
        # A part of a file of an open bundle meets it, too.
        disk.fill(but=MIB // 4)
        assert sentence(service.get(f"/analyses/{analysis_id}/sections/latency"), 507) == CACHE_FULL
        disk.clear()
        assert service.get(f"/analyses/{analysis_id}/sections/latency").status_code == 200


def test_a_bucket_without_room_for_the_file(tmp_path: Path, disk: SmallDisk, full_bucket: Gateway) -> None:
    with running_service(tmp_path, store=full_bucket.url) as service:
        old = service.analyse(SMALL)
        before = names(full_bucket.bucket / "numalens")
        disk.fill(but=NUMA.stat().st_size // 2)
        analysis_id = service.analyse(NUMA, status="failed")
        result = failure(service, analysis_id)
        assert "is full (507 InsufficientStorage)" in result["sentence"]
        assert result["again"] is True
        assert names(full_bucket.bucket / "numalens") == before
        # What needs rows alone does not notice.
        assert note(service, old).status_code == 201
        assert share(service, old) == 201
        until_not_ready(service, {"store": result["sentence"]})
        # What was uploaded is still here, and finds its way when there is room.
        assert len(list((service.services.folder.uploads).iterdir())) == 1
        disk.clear()
        until_not_ready(service, {})
        assert reread(service, analysis_id) == "ready"
        assert list((service.services.folder.uploads).iterdir()) == []


def test_a_bucket_without_room_for_the_bundle(tmp_path: Path, disk: SmallDisk, full_bucket: Gateway) -> None:
    with running_service(tmp_path, store=full_bucket.url) as service:
        disk.fill(but=6 * MIB)
        analysis_id = service.analyse(NUMA, status="failed")
        assert "is full (507" in failure(service, analysis_id)["sentence"]
        root = service.services.folder.root
        assert names(full_bucket.bucket / "numalens" / "bundles") == set()
        assert names(full_bucket.bucket / ".sgwtmp") == set()
        assert names(root / "bundles") == set()
        disk.clear()
        assert reread(service, analysis_id) == "ready"
        assert service.get(f"/analyses/{analysis_id}/tasks").status_code == 200


def test_a_large_object_without_room_leaves_no_parts(tmp_path: Path, disk: SmallDisk, full_bucket: Gateway) -> None:
    source = tmp_path / "source"
    source.write_bytes(bytes(2 * PIECE))
    disk.fill(but=PIECE + MIB)
    objects = Objects(full_bucket.url)
    with pytest.raises(FullError, match="507 InsufficientStorage"):
        objects.put("x", source)
    assert names(full_bucket.bucket) == set()
    disk.clear()
    objects.put("x", source)
    assert objects.size("x") == 2 * PIECE


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    with Scheduler(tmp_path / "scheduler") as server:
        yield server


@pytest.mark.exhaustive
def test_a_worker_passes_on_that_the_bucket_is_full(
    tmp_path: Path, disk: SmallDisk, full_bucket: Gateway, scheduler: Scheduler
) -> None:
    with (
        Worker(tmp_path / "w", scheduler.url),
        running_service(tmp_path / "s", scheduler=scheduler.url, store=full_bucket.url) as service,
    ):
        disk.fill(but=6 * MIB)
        analysis_id = service.analyse(NUMA, status="failed")
        result = failure(service, analysis_id)
        assert ("is full (507" in result["sentence"], result["again"]) == (True, True)
        assert names(full_bucket.bucket / "numalens" / "bundles") == set()
        disk.clear()
        assert reread(service, analysis_id) == "ready"


@pytest.mark.exhaustive
def test_a_worker_whose_disk_is_full(
    tmp_path: Path, disk: SmallDisk, gateway: Gateway, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    store = f"s3://{gateway.bucket.name}/full-worker"
    with (
        Worker(disk.root / "w", scheduler.url),
        running_service(tmp_path / "s", scheduler=scheduler.url, store=store) as service,
    ):
        for room in (5 * MIB, NUMA.stat().st_size // 2):
            # Once for what is read, once for what is fetched.
            disk.fill(but=room)
            analysis_id = service.analyse((f"{room}.dat", NUMA.read_bytes() + bytes(room % 7)), status="failed")
            result = failure(service, analysis_id)
            assert "The disk of the worker tcp://" in result["sentence"]
            assert result["again"] is True
            disk.clear()
            assert reread(service, analysis_id) == "ready"


@pytest.mark.parametrize("refused", [True, False])
def test_a_workers_refusal_stays_one(refused: bool) -> None:
    with pytest.raises(SentenceError, match="x") as caught:
        result_of({"refused" if refused else "away": "x."})
    assert isinstance(caught.value, RefusedError) is refused


@pytest.mark.exhaustive
def test_a_full_disk_of_postgresql(tmp_path: Path) -> None:
    # In the server's own folder: its user may not enter pytest's.
    with Postgres() as server, small_disk(server.root / "disk", 24 * MIB) as disk:
        place = disk.root / "rows"
        place.mkdir()
        if server.user is not None:
            shutil.chown(place, server.user)
        with psycopg.connect(server.url, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{place}'".encode())
            connection.execute("CREATE DATABASE small TABLESPACE small")
        with running_service(tmp_path, database=server.url.removesuffix("numalens") + "small") as service:
            analysis_id = service.analyse(SMALL)
            disk.fill()
            long = {**NOTE, "text": "x" * 9000}

            def is_full() -> bool:
                answer = service.client.post(f"{API}/analyses/{analysis_id}/notes", json=long)
                return answer.status_code != 201 and sentence(answer, 507) == DATABASE_FULL

            wait_until("the last page", is_full)
            assert service.get(f"/analyses/{analysis_id}").status_code == 200
            until_not_ready(service, {"database": DATABASE_FULL})
            disk.clear()
            assert service.client.post(f"{API}/analyses/{analysis_id}/notes", json=long).status_code == 201


def test_what_sqlite_calls_the_disks_errors(tmp_path: Path, disk: SmallDisk) -> None:
    database = Database(tmp_path / "x.sqlite3")

    def protect(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA query_only=ON")

    database.engine.dispose()
    event.listen(database.engine, "connect", protect)
    with pytest.raises(RefusedError) as caught, database.session() as session:
        session.execute(text("DELETE FROM notes"))
    assert (caught.value.status, caught.value.sentence) == (503, READ_ONLY)
    database.close()
    result: Callable[[], SentenceError | None] = lambda: of_sqlite("SQLITE_IOERR_WRITE", disk.root / "x")  # noqa: E731
    assert str(result()) == BROKEN_DISK
    disk.fill()
    assert str(result()) == DATABASE_FULL
    assert of_sqlite("SQLITE_ERROR", disk.root / "x") is None

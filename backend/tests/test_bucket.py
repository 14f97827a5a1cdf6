"""Recordings and bundles in a bucket of a real S3 server: read from any machine, whole or absent, gone when deleted."""

import contextlib
import errno
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from numalens.api import services as services_module
from numalens.errors import AwayError, SentenceError
from numalens.jobs import runner
from numalens.store import cache as cache_module
from numalens.store import cache as store_cache
from numalens.store.blobs import ObjectBlobs, hash_file
from numalens.store.bundles import MANIFEST, ObjectBundles, Workshop
from numalens.store.cache import Cache, Plan
from numalens.store.objects import PIECE, Objects
from tests.conftest import running_service
from tests.recordings import LSCPU, NUMA, SMALL
from tests.servers import Gateway, wait_until
from tests.service import API, Service, sentence
from tests.test_deletion import MARK, analysed, holding_mark


@pytest.fixture
def bucket(gateway: Gateway, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty part of a bucket."""
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    return f"s3://{gateway.bucket.name}/{request.node.name.partition('[')[0]}"


def folder_of(gateway: Gateway, url: str) -> Path:
    return gateway.bucket / url.rsplit("/", 1)[1]


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def look(service: Service, analysis_id: str) -> list[int]:
    """The statuses of what a page asks first."""
    queries = ("", "/tasks", "/sections/findings", "/sections/latency")
    return [service.get(f"/analyses/{analysis_id}{path}").status_code for path in queries]


def test_what_one_machine_read_another_one_shows(tmp_path: Path, gateway: Gateway, bucket: str) -> None:
    root = folder_of(gateway, bucket)
    with running_service(tmp_path / "a", store=bucket) as service:
        one, two = service.analyse(NUMA, LSCPU), service.analyse(SMALL)
        whole = service.get(f"/analyses/{one}/report").json()
        generations = {row.id: row.generation for row in service.services.analyses.all()}
        data = service.services.folder.root
        assert not (data / "blobs").exists()
        assert list((data / "bundles").iterdir()) == []
        assert list((data / "uploads").iterdir()) == []
    kept = files(root)
    assert sum(name.startswith("blobs/") for name in kept) == 3
    for analysis_id, generation in generations.items():
        assert f"bundles/{analysis_id}/{generation}/{MANIFEST}" in kept
    # Another machine has the same database, and nothing in its cache.
    (tmp_path / "b" / "data").mkdir(parents=True)
    (data / "numalens.sqlite3").rename(tmp_path / "b" / "data" / "numalens.sqlite3")
    with running_service(tmp_path / "b", store=bucket) as service:
        assert service.get(f"/analyses/{one}/report").json() == whole
        assert look(service, two) == [200] * 4
        assert service.client.post(f"{API}/analyses/{one}/reread", json={"tolerant": True}).status_code == 202
        assert service.watch(one)[-1][0] == "ready"
        # The generation of before is gone, the new one is read.
        row = service.services.analyses.get(one)
        assert row.generation not in {None, generations[one]}
        folders = {path.name for path in (root / "bundles" / one).iterdir()}
        assert folders == {row.generation}
        assert look(service, one) == [200] * 4


def test_nothing_is_left_in_the_bucket_of_a_deleted_analysis(tmp_path: Path, gateway: Gateway, bucket: str) -> None:
    with running_service(tmp_path, store=bucket) as service:
        kept = service.analyse(SMALL)
        analysis_id = analysed(service)
        root = service.services.folder.root
        places = {Path(name).parts[0] for name in holding_mark(folder_of(gateway, bucket))}
        assert places == {"blobs", "bundles"}
        assert any(name.startswith("cache/") for name in holding_mark(root))
        assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
        for mark in (MARK, analysis_id):
            assert holding_mark(gateway.root, mark) == []
            assert holding_mark(root, mark) == []
        assert look(service, kept) == [200] * 4


def test_a_start_removes_what_no_row_names(tmp_path: Path, gateway: Gateway, bucket: str) -> None:
    with running_service(tmp_path, store=bucket) as service:
        analysis_id = service.analyse(SMALL)
    before = files(folder_of(gateway, bucket))
    objects = Objects(bucket)
    for name in (f"bundles/{analysis_id}/half/events/x.arrow", "bundles/gone/g/manifest.json", f"blobs/ff/{'f' * 62}"):
        objects.put(name, SMALL)
    with running_service(tmp_path, store=bucket) as service:
        assert files(folder_of(gateway, bucket)) == before
        assert look(service, analysis_id) == [200] * 4


def test_the_cache_has_as_many_bytes_as_it_may(
    tmp_path: Path, gateway: Gateway, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numalens.api.bundles.OPEN_BUNDLES", 1)
    with running_service(tmp_path, store=bucket) as service:
        ids = [service.analyse((f"{n}.dat", SMALL.read_bytes())) for n in range(4)]
    cap = 5 * _bytes(folder_of(gateway, bucket) / "bundles" / ids[0]) // 2
    with running_service(tmp_path, store=bucket, cache_bytes=cap) as service:
        cache = service.services.folder.root / "cache"
        for analysis_id in [*ids, *ids]:
            assert look(service, analysis_id) == [200] * 4
            assert _allocated(cache, "") <= cap + 64 * 4096
            service.client.post(f"{API}/analyses/{analysis_id}/sql", json={"sql": "SELECT 1"})
        there = {path.name.split(".")[1] for path in cache.iterdir()}
        assert ids[-1] in there
        assert ids[0] not in there


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_a_store_that_is_away_is_reported_and_nothing_acknowledged_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(services_module, "SWEEP_AGAIN_S", 0.2)
    with Gateway(tmp_path / "s3") as server:
        for name, value in server.access.items():
            monkeypatch.setenv(name, value)
        with running_service(tmp_path, store=server.url) as service:
            old, other = service.analyse(NUMA), service.analyse(LSCPU, SMALL)
            services = service.services
            services.forget(old)
            services.folder.kept._cache.drop("")  # type: ignore[attr-defined]
            server.kill()
            answer = service.get(f"/analyses/{old}/tasks")
            assert "store" in sentence(answer, 503)
            assert int(answer.headers["retry-after"]) > 0
            # What needs no store continues: an upload, and a new analysis that waits.
            waiting = service.create((f"{MARK}.dat", SMALL.read_bytes()))
            wait_until("the wait", lambda: _stage(service, waiting) == "away")
            assert "so its files there are removed later" in sentence(
                service.client.delete(f"{API}/analyses/{other}"), 503
            )
            assert service.get(f"/analyses/{other}").status_code == 404
            server.start()
            assert service.watch(waiting)[-1][0] == "ready"
            assert look(service, old) == [200] * 4
            wait_until("the sweep", lambda: holding_mark(server.root, other) == [])
            assert len(list(services.folder.blobs.all())) == 2


def test_a_window_needs_a_part_of_the_files(
    tmp_path: Path, gateway: Gateway, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The recordings of the tests are smaller than those that this is for.
    monkeypatch.setattr(store_cache, "BLOCK", 4096)
    with running_service(tmp_path, store=bucket) as service:
        analysis_id = service.analyse(NUMA, LSCPU)
        detail = service.get(f"/analyses/{analysis_id}").json()
        queries = _window(analysis_id, detail)
        result = {path: service.get(path).content for path in queries}
    whole = _bytes(folder_of(gateway, bucket) / "bundles" / analysis_id)
    with running_service(tmp_path, store=bucket) as service:
        cache = service.services.folder.root / "cache"
        fetched = []
        for path, content in result.items():
            assert service.get(path).content == content
            fetched.append(_allocated(cache, "bundle."))
        drawn, latency, rows, export = fetched
        assert drawn < whole // 5
        assert drawn < latency < rows <= export < whole + 64 * 4096
        # The others do not see more than there is either.
        assert service.client.post(f"{API}/analyses/{analysis_id}/sql", json={"sql": "SELECT 1"}).status_code == 200
        assert _allocated(cache, "bundle.") >= whole


def _window(analysis_id: str, detail: dict[str, Any]) -> list[str]:
    begin = int(detail["timeline"]["window_ns"][0])
    path = f"/analyses/{analysis_id}"
    return [
        f"{path}/timeline?from_ns={begin}&to_ns={begin + 1_000_000}&px=100&lanes=cpu:0",
        f"{path}/sections/latency",
        f"{path}/event-rows?from_ns={begin}&to_ns={begin + 1_000_000}&limit=5",
        f"{path}/events/sched_switch?format=csv",
    ]


def _allocated(folder: Path, prefix: str) -> int:
    """Bytes of the disk that files have, holes not counted."""
    found = [path for entry in folder.iterdir() if entry.name.startswith(prefix) for path in entry.rglob("*")]
    return sum(path.stat().st_blocks * 512 for path in found if path.is_file())


def test_a_part_that_cannot_be_fetched_now_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Gateway(tmp_path / "s3") as server:
        for name, value in server.access.items():
            monkeypatch.setenv(name, value)
        with running_service(tmp_path, store=server.url) as service:
            analysis_id = service.analyse(NUMA)
        with running_service(tmp_path, store=server.url) as service:
            assert service.get(f"/analyses/{analysis_id}").status_code == 200
            server.kill()
            for path in ("/sections/latency", "/event-rows", "/events/sched_switch"):
                assert "store" in sentence(service.get(f"/analyses/{analysis_id}{path}"), 503)
            assert service.get(f"/analyses/{analysis_id}").status_code == 200
            server.start()
            for path in ("/sections/latency", "/event-rows", "/events/sched_switch"):
                assert service.get(f"/analyses/{analysis_id}{path}").status_code == 200


def _stage(service: Service, analysis_id: str) -> str | None:
    progress = service.get(f"/analyses/{analysis_id}").json()["progress"]
    return None if progress is None else str(progress["stage"])


def test_a_store_that_refuses_is_reported(tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with running_service(tmp_path, store=bucket) as service:
        analysis_id = service.create(SMALL)
        wait_until("the refusal", lambda: _stage(service, analysis_id) == "away")
    with pytest.raises(AwayError, match="AWS_SECRET_ACCESS_KEY"):
        Objects(bucket).size("x")


@pytest.fixture
def objects(bucket: str) -> Objects:
    return Objects(bucket)


def test_a_file_of_many_pieces_comes_back_whole(tmp_path: Path, objects: Objects) -> None:
    source = tmp_path / "source"
    source.write_bytes(bytes(range(251)) * (5 * PIECE // 251) + b"end")
    sha256 = hash_file(source)
    blobs = ObjectBlobs(objects, Cache(tmp_path / "cache", 1 << 30))
    blobs.put(sha256, source, link=False)
    assert list(blobs.all()) == [sha256]
    hold = blobs.hold(sha256)
    assert hash_file(hold.path) == sha256
    blobs.remove(sha256)
    blobs.remove(sha256)
    assert not hold.path.exists()
    with pytest.raises(SentenceError, match="missing"):
        blobs.hold(sha256)


def test_a_damaged_file_is_not_read(tmp_path: Path, objects: Objects) -> None:
    sha256 = hash_file(SMALL)
    objects.put(f"blobs/{sha256[:2]}/{sha256[2:]}", LSCPU)
    cache = Cache(tmp_path / "cache", 1 << 30)
    with pytest.raises(SentenceError, match="damaged"):
        ObjectBlobs(objects, cache).hold(sha256)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_bundle_without_its_manifest_is_not_seen(tmp_path: Path, objects: Objects) -> None:
    bundles = ObjectBundles(objects, Cache(tmp_path / "cache", 1 << 30), Workshop(tmp_path / "bundles"))
    new = bundles.workshop.new("x", "g")
    (new / "events").mkdir(parents=True)
    (new / "events" / "a").write_bytes(b"a")
    objects.put("bundles/x/g/events/a", new / "events" / "a")
    with pytest.raises(SentenceError) as caught, bundles.opening("x", "g"):
        pass
    assert caught.value.status == 404
    (new / MANIFEST).write_bytes(b"{}")
    bundles.keep("x", "g")
    with bundles.opening("x", "g") as hold:
        assert files(hold.path) == {"events/a", MANIFEST}
    bundles.drop("x")
    assert list(objects.list("bundles")) == []


@contextlib.contextmanager
def entries(cache: Cache, root: Path, sizes: dict[str, int]) -> Iterator[set[str]]:
    for name, size in sizes.items():
        cache.hold(name, partial(_plan, size)).release()
    yield {path.name for path in root.iterdir()}


def _plan(size: int) -> Plan:
    def fill(path: Path) -> None:
        path.write_bytes(bytes(size))

    return size, fill


def test_what_was_used_longest_ago_gives_way_unless_somebody_holds_it(tmp_path: Path) -> None:
    root = tmp_path / "cache"
    cache = Cache(root, 100)
    with entries(cache, root, {"a": 40, "b": 40}) as there:
        assert there == {"a", "b"}
    held = cache.hold("a", pytest.fail)
    with entries(cache, root, {"c": 40}) as there:
        assert there == {"a", "c"}
    with entries(cache, root, {"d": 40}) as there:
        assert there == {"a", "d"}
    held.release()
    with entries(cache, root, {"e": 90}) as there:
        assert there == {"e"}
    (root / f"{cache_module.NEW}half").mkdir()
    # The next process takes up what is whole.
    again = Cache(root, 100)
    assert {path.name for path in root.iterdir()} == {"e"}
    again.hold("e", pytest.fail)
    again.drop("e")
    assert list(root.iterdir()) == []


def test_a_fetch_that_fails_leaves_nothing_and_can_be_tried_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", 100)

    def fails(path: Path) -> None:
        path.mkdir()
        (path / "x").write_bytes(b"half")
        raise AwayError("Away.")

    with pytest.raises(AwayError):
        cache.hold("a", lambda: (4, fails))
    assert list((tmp_path / "cache").iterdir()) == []
    with entries(cache, tmp_path / "cache", {"a": 4}) as there:
        assert there == {"a"}


def test_a_disk_without_room_for_the_cache_is_a_sentence(tmp_path: Path) -> None:
    def fills(_path: Path) -> None:
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(SentenceError) as caught:
        Cache(tmp_path / "cache", 100).hold("a", lambda: (4, fills))
    assert caught.value.status == 507

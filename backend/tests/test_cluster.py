"""Readings by workers of a real Dask scheduler: once each, cancelled, taken over when somebody dies, refused across versions."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest

from numalens.jobs import cluster, runner
from numalens.jobs.cluster_task import METADATA, read_on_worker, version_resource
from tests.conftest import running_service
from tests.live import hooked
from tests.recordings import LSCPU, NUMA, SMALL
from tests.scope import exhaustive
from tests.servers import Gateway, Scheduler, Worker, wait_until
from tests.service import API, Service

GIB = 1 << 30


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(cluster, "PATIENCE_S", 2.0)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    with Scheduler(tmp_path / "scheduler") as server:
        yield server


def stage(service: Service, analysis_id: str) -> str | None:
    progress = service.get(f"/analyses/{analysis_id}").json()["progress"]
    return None if progress is None else str(progress["stage"])


def test_workers_read_and_tell_how_far_they_are(tmp_path: Path, scheduler: Scheduler) -> None:
    with Worker(tmp_path / "w", scheduler.url), running_service(tmp_path / "s", scheduler=scheduler.url) as service:
        analysis_id = service.create(NUMA, LSCPU)
        answer = service.watch(analysis_id)
        assert answer[-1][0] == "ready"
        assert {"decoding", "indexing"} & {data["stage"] for event, data in answer if event == "progress"}
        assert service.get(f"/analyses/{analysis_id}/report").status_code == 200
        failed = service.analyse(("x.dat", b"no recording"), status="failed")
        assert "x.dat" in service.get(f"/analyses/{failed}").json()["error"]["sentence"]
        assert {path.name for path in service.services.folder.bundles.iterdir()} == {analysis_id}


@pytest.mark.exhaustive
def test_a_worker_elsewhere_needs_only_the_bucket(tmp_path: Path, scheduler: Scheduler, gateway: Gateway) -> None:
    store = f"s3://{gateway.bucket.name}/elsewhere"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in gateway.access.items():
            patch.setenv(name, value)
        with (
            Worker(tmp_path / "w", scheduler.url) as worker,
            running_service(tmp_path / "s", scheduler=scheduler.url, store=store) as service,
        ):
            analysis_id = service.analyse(NUMA, LSCPU)
            assert service.get(f"/analyses/{analysis_id}/report").status_code == 200
            row = service.services.analyses.get(analysis_id)
            kept = gateway.bucket / "elsewhere" / "bundles" / analysis_id
            assert [path.name for path in kept.iterdir()] == [row.generation]
            # What was unpacked and written there is gone.
            assert not [path for path in worker.folder.rglob(f"*{analysis_id}*") if "cache" not in path.parts]


def test_deleting_ends_the_reading_on_its_worker(tmp_path: Path, scheduler: Scheduler) -> None:
    with (
        Worker(tmp_path / "w", scheduler.url, hooked("reading=wait")) as worker,
        running_service(tmp_path / "s", scheduler=scheduler.url) as service,
    ):
        analysis_id = service.create(NUMA)
        wait_until("the reading", lambda: len(worker.readings()) == 1)
        assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
        # A worker whose first words are still on their way is not waited for.
        wait_until("the reading's end", lambda: worker.readings() == [])
        assert list(service.services.folder.bundles.iterdir()) == []


@pytest.mark.parametrize("who", ["worker", exhaustive("nanny")])
def test_a_dead_workers_reading_is_done_by_another(tmp_path: Path, scheduler: Scheduler, who: str) -> None:
    with (
        Worker(tmp_path / "bad", scheduler.url, hooked("reading=wait")) as bad,
        running_service(tmp_path / "s", scheduler=scheduler.url) as service,
    ):
        analysis_id = service.create(NUMA)
        wait_until("the reading", lambda: len(bad.readings()) == 1)
        with Worker(tmp_path / "good", scheduler.url):
            bad.lose(who)
            assert service.watch(analysis_id)[-1][0] == "ready"
            assert {path.name for path in service.services.folder.bundles.iterdir()} == {analysis_id}


@pytest.mark.exhaustive
def test_a_reading_that_kills_every_worker_ends_with_a_sentence(tmp_path: Path, scheduler: Scheduler) -> None:
    with (
        Worker(tmp_path / "w", scheduler.url, hooked("reading=wait")) as worker,
        running_service(tmp_path / "s", scheduler=scheduler.url) as service,
    ):
        analysis_id = service.create(NUMA)

        def kill() -> bool:
            if worker.readings():
                for pid in worker.processes():
                    os.kill(pid, signal.SIGKILL)
            return bool(service.get(f"/analyses/{analysis_id}").json()["status"] == "failed")

        wait_until("the end", kill, 120)
        assert "workers in a row" in service.get(f"/analyses/{analysis_id}").json()["error"]["sentence"]


@pytest.mark.exhaustive
def test_a_scheduler_that_died_is_given_the_work_again(tmp_path: Path, scheduler: Scheduler) -> None:
    with (
        Worker(tmp_path / "w", scheduler.url, hooked("reading=wait")) as worker,
        running_service(tmp_path / "s", scheduler=scheduler.url) as service,
    ):
        analysis_id = service.create(NUMA)
        wait_until("the reading", lambda: len(worker.readings()) == 1)
        scheduler.kill()
        wait_until("the loss", lambda: stage(service, analysis_id) == "away")
        # No client needs the import any more.
        wait_until("its end", lambda: worker.readings() == [])
        worker.kill()
        scheduler.start()
        with Worker(tmp_path / "good", scheduler.url):
            assert service.watch(analysis_id)[-1][0] == "ready"
            assert {path.name for path in service.services.folder.bundles.iterdir()} == {analysis_id}


@pytest.mark.exhaustive
def test_a_worker_comes_back_to_a_scheduler_that_was_away(tmp_path: Path, scheduler: Scheduler) -> None:
    with (
        Worker(tmp_path / "w", scheduler.url),
        running_service(tmp_path / "s", scheduler=scheduler.url) as service,
    ):
        service.analyse(SMALL)
        scheduler.kill()
        waiting = service.create(NUMA)
        wait_until("the loss", lambda: stage(service, waiting) == "away")
        scheduler.start()
        assert service.watch(waiting)[-1][0] == "ready"


@pytest.mark.exhaustive
def test_no_more_readings_than_there_is_memory_for(tmp_path: Path, scheduler: Scheduler) -> None:
    with (
        Worker(tmp_path / "w", scheduler.url, hooked("reading=wait"), memory=3 * GIB, jobs=8) as worker,
        running_service(tmp_path / "s", scheduler=scheduler.url, job_memory_bytes=GIB) as service,
    ):
        ids = [service.create((f"{n}.dat", SMALL.read_bytes())) for n in range(5)]
        wait_until("the readings", lambda: len(worker.readings()) == 3)
        wait_until("the wait", lambda: [stage(service, one) for one in ids].count("worker") == 2)
        assert len(worker.readings()) == 3
        for one in ids[:3]:
            service.client.delete(f"{API}/analyses/{one}")
        wait_until("the others", lambda: len(worker.readings()) == 2)


def test_a_reading_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numalens.jobs.cluster_task.get_worker", lambda: type("W", (), {"address": "tcp://w:1"}))
    answer: dict[str, Any] = read_on_worker({"version": "0.0.1", "something": "else"}, "topic")
    assert "tcp://w:1" in answer["failure"]["sentence"]
    assert "0.0.1" in answer["failure"]["sentence"]


def test_workers_of_another_version_get_nothing_and_are_reported(
    tmp_path: Path, scheduler: Scheduler, caplog: pytest.LogCaptureFixture
) -> None:
    old = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler.url, "--no-dashboard"]
    old += ["--resources", f"memory={8 * GIB} {version_resource('0.0.1')}=2", "--local-directory", str(tmp_path)]
    process = subprocess.Popen(old, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with running_service(tmp_path / "s", scheduler=scheduler.url) as service:
            analysis_id = service.create(SMALL)
            wait_until("the wait", lambda: stage(service, analysis_id) == "worker")
            wait_until("the warning", lambda: "none of NumaLens" in caplog.text)
            with Worker(tmp_path / "w", scheduler.url):
                assert service.watch(analysis_id)[-1][0] == "ready"
    finally:
        process.kill()
        process.wait()


def test_a_worker_of_another_version_does_not_begin(scheduler: Scheduler) -> None:
    with distributed.Client(scheduler.url, set_as_default=False) as client:
        client.set_metadata([METADATA], {"version": "9.9.9"})
    command = [sys.executable, "-m", "numalens", "worker", "--scheduler", scheduler.url]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("numalens: this worker is NumaLens")
    assert "9.9.9" in ended.stderr


def test_what_is_local_waits_for_memory_too(tmp_path: Path, misbehaving: Callable[[str], None]) -> None:
    limits: dict[str, Any] = {"jobs": 4, "job_memory_bytes": GIB, "jobs_memory_bytes": 2 * GIB}
    misbehaving("wait")
    with running_service(tmp_path, **limits) as service:
        ids = [service.create((f"{n}.dat", SMALL.read_bytes())) for n in range(3)]
        wait_until("the wait", lambda: sorted(str(stage(service, one)) for one in ids).count("memory") == 1)
        reading = [one for one in ids if stage(service, one) != "memory"]
        assert len(reading) == 2
        service.client.delete(f"{API}/analyses/{reading[0]}")
        wait_until("the third", lambda: "memory" not in {stage(service, one) for one in ids if one != reading[0]})

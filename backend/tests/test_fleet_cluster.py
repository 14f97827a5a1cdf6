"""Questions over the fleet by workers of a real Dask scheduler: the same answers, from the folder or a bucket, whoever dies."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from numalens.errors import AwayError
from numalens.fleet.answer import Question, ask
from numalens.fleet.asking import SelectLimits
from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetDatabase, FleetError
from numalens.fleet.over_time import Series
from numalens.fleet.parquet import keep_summary
from numalens.fleet.questions import Choices, Chosen, Findings, Machines
from numalens.fleet.rows import FILE
from numalens.fleet.select import select
from numalens.fleet.upgrade import Upgrade
from numalens.jobs import fleet_cluster
from numalens.jobs.fleet_cluster import ClusterAsker
from numalens.jobs.fleet_task import FleetTask, answer_of, ask_on_worker
from numalens.settings import Settings
from numalens.store.folder import Place
from tests.command import run
from tests.conftest import HOOKS, running_service
from tests.made_fleet import files_of, made_fleet
from tests.recordings import LSCPU, NUMA, SMALL
from tests.servers import Gateway, Scheduler, Worker, free_port, wait_until
from tests.service import API, sentence

COUNT = 200
LIMITS = SelectLimits(60, 1 << 30)
QUESTIONS: tuple[Question, ...] = (
    Choices(),
    Machines(Chosen()),
    Machines(Chosen(kernel="6.12.61", tag="web")),
    Series("wakeup_p99", "kernel", "week", Chosen()),
    Series("failure_ratio", "tag", "all", Chosen()),
    Findings(Chosen(), "month"),
    Upgrade(Chosen()),
)
SQL = """
    SELECT machine, kernel, sum(value)::BIGINT AS flips FROM recordings JOIN facts USING (analysis)
    WHERE name = 'cling_flips' GROUP BY ALL ORDER BY ALL
"""
UPGRADE = "/upgrade?before=6.1.192-cling&after=6.18.44-fc-v669"
PATHS = ("", "/machines", "/metric?metric=wakeup_p99&by=kernel", "/findings", UPGRADE)


@dataclass(frozen=True)
class Cluster:
    scheduler: Scheduler
    workers: list[Worker]


@dataclass(frozen=True)
class Made:
    folder: Path
    entries: list[Entry]

    @contextmanager
    def asker(self, scheduler: str, limits: SelectLimits = LIMITS) -> Iterator[Callable[[Question | str], Any]]:
        """Asks the workers of a scheduler, over one connection."""
        asker = ClusterAsker(scheduler, limits, Place(str(self.folder)), lambda entries: files_of(self.folder, entries))
        with asyncio.Runner() as runner:

            def told(question: Question | str) -> Any:
                if isinstance(question, str):
                    return runner.run(asker.select(self.entries, question, 1000))
                return runner.run(asker.answer(question, self.entries))

            try:
                yield told
            finally:
                runner.run(asker.close())

    def asked(self, scheduler: str, question: Question | str = QUESTIONS[1], limits: SelectLimits = LIMITS) -> Any:
        with self.asker(scheduler, limits) as told:
            return told(question)

    @contextmanager
    def meanwhile(self, scheduler: str, limits: SelectLimits = LIMITS) -> Iterator[Future[Any]]:
        """Asks, and lets the block do something until the answer is there."""
        with ThreadPoolExecutor(1) as threads:
            yield threads.submit(self.asked, scheduler, QUESTIONS[1], limits)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, gateway: Gateway) -> Iterator[Cluster]:
    root = tmp_path_factory.mktemp("fleet-cluster")
    with ExitStack() as stack:
        scheduler = stack.enter_context(Scheduler(root / "scheduler"))
        # What answers there reaches for what is none of its business, and ends without an answer when it gets it.
        access = {**gateway.access, **(hooked("reach") if "landlock" in layers() else {})}
        workers = [stack.enter_context(Worker(root / name, scheduler.url, access)) for name in ("one", "two")]
        yield Cluster(scheduler, workers)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    with Scheduler(tmp_path / "scheduler") as server:
        yield server


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, bundles: Path) -> Made:
    folder = tmp_path_factory.mktemp("fleet-made")
    for name in ("numa", "small"):
        keep_summary(bundles / name)
    return Made(folder, made_fleet(folder, [bundles / name / FILE for name in ("numa", "small")], COUNT))


@pytest.fixture(scope="module")
def here(made: Made) -> Callable[[Question], Any]:
    database = FleetDatabase(files_of(made.folder, made.entries))

    def told(question: Question) -> Any:
        with database.asked(made.entries) as cursor:
            return ask(cursor, question)

    return told


def layers() -> list[str]:
    """What the kernel of this machine has to confine a process."""
    script = "import json; from numalens.sandbox.confine import confine; print(json.dumps(confine('auto', read=[], write=[])))"
    told: list[str] = json.loads(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)
    return told


def hooked(how: str) -> dict[str, str]:
    return {"PYTHONPATH": str(HOOKS), "NUMALENS_TEST_READING": how}


def test_workers_answer_as_one_machine_does(
    cluster: Cluster, made: Made, here: Callable[[Question], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    split = fleet_cluster.shares_of

    def counted(entries: list[Entry], count: int) -> list[list[Entry]]:
        counts.append(count)
        return split(entries, count)

    monkeypatch.setattr(fleet_cluster, "shares_of", counted)
    with made.asker(cluster.scheduler.url) as told:
        for question in QUESTIONS:
            assert told(question) == here(question), question
        by_one = told(SQL)
        with pytest.raises(FleetError, match="Only SELECT"):
            told("DROP VIEW facts")
        with pytest.raises(FleetError, match="No machine was recorded both"):
            told(Upgrade(Chosen(), "6.6.119", "7.0"))
    assert counts == [2] * (len(QUESTIONS) + 1)
    database = FleetDatabase(files_of(made.folder, made.entries))
    assert by_one == select(database, made.entries, SQL, 1000, 60)


def test_only_what_is_filed_comes_into_an_answer(cluster: Cluster, made: Made) -> None:
    mine = Made(made.folder, [replace(made.entries[0], title="mine"), made.entries[1]])
    told = mine.asked(cluster.scheduler.url, Machines(Chosen()))
    assert sum(row["recordings"] for row in told) == 2
    rows = mine.asked(cluster.scheduler.url, "SELECT DISTINCT analysis FROM facts ORDER BY 1")["rows"]
    assert rows == [[entry.analysis] for entry in mine.entries]
    assert Made(made.folder, []).asked(cluster.scheduler.url, Machines(Chosen())) == []


def test_the_service_has_the_same_answers(tmp_path: Path, cluster: Cluster) -> None:
    with running_service(tmp_path) as service:
        ids = service.analyse(NUMA, LSCPU), service.analyse(SMALL)
        for analysis_id in ids:
            change = {"tags": ["machine:db7"]}
            assert service.client.patch(f"{API}/analyses/{analysis_id}", json=change).status_code == 200
        before = [service.get(f"/fleet{path}").json() for path in PATHS]
        rows = service.client.post(f"{API}/fleet/sql", json={"sql": SQL}).json()
    with running_service(tmp_path, fleet="dask", scheduler=cluster.scheduler.url) as service:
        assert [service.get(f"/fleet{path}").json() for path in PATHS] == before
        assert service.client.post(f"{API}/fleet/sql", json={"sql": SQL}).json() == rows
        refused = service.client.post(f"{API}/fleet/sql", json={"sql": "SELECT * FROM read_csv('/etc/passwd')"})
        assert "Permission Error" in sentence(refused, 422)
        assert "There are not two kernels" in sentence(service.get("/fleet/upgrade?machine=nobody"), 422)
        assert service.client.delete(f"{API}/analyses/{ids[0]}").status_code == 204
        assert service.get("/fleet").json()["recordings"] == 1
    with running_service(tmp_path, peer="192.0.2.7", fleet="dask", scheduler=cluster.scheduler.url) as elsewhere:
        assert elsewhere.get("/fleet/machines").status_code == 403


def test_workers_fetch_summaries_from_a_bucket_and_nothing_else(
    tmp_path: Path, cluster: Cluster, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = f"s3://{gateway.bucket.name}/fleet"
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    with running_service(tmp_path, store=store) as service:
        # Read by the server's own machine: the workers have nothing of it yet.
        analysis_id = service.analyse(NUMA, LSCPU)
    with running_service(tmp_path, store=store, fleet="dask", scheduler=cluster.scheduler.url) as service:
        (machine,) = service.get("/fleet/machines").json()["machines"]
        assert machine["latest"] == analysis_id
        copies = [path for worker in cluster.workers for path in worker.folder.rglob(f"*{analysis_id}*")]
        assert [path.parent.name for path in copies] == ["summaries"]
        assert [file.name for path in copies for file in path.rglob("*") if file.is_file()] == [FILE]
        gateway.signal(signal.SIGSTOP)
        try:
            assert service.get("/fleet/machines").json() == {"machines": [machine]}
        finally:
            gateway.signal(signal.SIGCONT)
    monkeypatch.setenv("NUMALENS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NUMALENS_STORE", store)
    for more in ((), ("--scheduler", cluster.scheduler.url)):
        (row,) = json.loads(run("fleet", "machines", "--json", *more).stdout)
        assert (row["latest"], row["flips"]) == (analysis_id, machine["flips"])


@pytest.mark.parametrize("who", ["worker", "nanny"])
def test_a_dead_workers_share_is_told_by_another(
    tmp_path: Path, scheduler: Scheduler, made: Made, here: Callable[[Question], Any], who: str
) -> None:
    with Worker(tmp_path / "bad", scheduler.url, hooked("wait")) as bad, made.meanwhile(scheduler.url) as answer:
        wait_until("the question", lambda: len(bad.answering()) == 1)
        with Worker(tmp_path / "good", scheduler.url):
            bad.lose(who)
            assert answer.result(120) == here(QUESTIONS[1])


def test_a_question_that_kills_every_worker_ends_with_a_sentence(
    tmp_path: Path, scheduler: Scheduler, made: Made
) -> None:
    with Worker(tmp_path / "w", scheduler.url, hooked("wait")) as worker, made.meanwhile(scheduler.url) as answer:

        def kill() -> bool:
            if worker.answering():
                for pid in worker.processes():
                    os.kill(pid, signal.SIGKILL)
            return answer.done()

        wait_until("the end", kill, 120)
        with pytest.raises(FleetError, match="workers one after the other"):
            answer.result()


def test_a_scheduler_that_dies_is_a_sentence_and_one_that_is_back_is_asked_again(
    tmp_path: Path, scheduler: Scheduler, made: Made, here: Callable[[Question], Any]
) -> None:
    with Worker(tmp_path / "w", scheduler.url, hooked("wait")) as worker, made.meanwhile(scheduler.url) as answer:
        wait_until("the question", lambda: len(worker.answering()) == 1)
        scheduler.kill()
        with pytest.raises(AwayError, match=r"scheduler .* does not answer"):
            answer.result(60)
        wait_until("the end of the process", lambda: worker.answering() == [])
    with pytest.raises(AwayError, match=r"scheduler .* does not answer"):
        made.asked(scheduler.url)
    scheduler.start()
    with Worker(tmp_path / "good", scheduler.url):
        assert made.asked(scheduler.url) == here(QUESTIONS[1])


def test_a_service_whose_scheduler_is_away_says_so_and_comes_back(tmp_path: Path) -> None:
    away = f"tcp://127.0.0.1:{free_port()}"
    with running_service(tmp_path, fleet="dask", scheduler=away) as service:
        for answer in (
            service.get("/fleet/machines"),
            service.client.post(f"{API}/fleet/sql", json={"sql": "SELECT 1"}),
        ):
            assert "does not answer" in sentence(answer, 503)
            assert answer.headers["Retry-After"]


def test_without_workers_it_is_said_what_is_missing(
    scheduler: Scheduler, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_cluster, "WAIT_S", 1.0)
    with pytest.raises(AwayError, match=r"No worker of NumaLens .* start some"):
        made.asked(scheduler.url)


def test_what_takes_too_long_is_given_up_and_ended(
    tmp_path: Path, scheduler: Scheduler, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_cluster, "WAIT_S", 5.0)
    monkeypatch.setattr(fleet_cluster, "GRACE_S", 1.0)
    with (
        Worker(tmp_path / "w", scheduler.url, hooked("wait")) as worker,
        made.meanwhile(scheduler.url, SelectLimits(1.0, 1 << 30)) as answer,
    ):
        wait_until("the process", lambda: answer.done() or len(worker.answering()) == 1)
        with pytest.raises(AwayError, match="did not answer the question within 7 seconds"):
            answer.result(60)
        wait_until("the end of the process", lambda: worker.answering() == [])


def test_questions_do_not_wait_for_readings(tmp_path: Path, scheduler: Scheduler) -> None:
    with running_service(tmp_path / "s") as service:
        service.analyse(SMALL)
    with (
        Worker(tmp_path / "w", scheduler.url, hooked("wait"), jobs=1) as worker,
        running_service(tmp_path / "s", fleet="dask", scheduler=scheduler.url) as service,
        ThreadPoolExecutor(1) as threads,
    ):
        service.create(NUMA)
        wait_until("the reading", lambda: len(worker.readings()) == 1)
        answer = threads.submit(service.get, "/fleet/machines")
        # Its process waits as well; that there is one is the point.
        wait_until("the question", lambda: len(worker.answering()) == 1)
        for pid in worker.answering():
            os.kill(pid, signal.SIGKILL)
        assert "stopped unexpectedly" in sentence(answer.result(60), 422)


def test_a_task_of_another_version_or_another_machine_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = type(
        "W", (), {"address": "tcp://w:1", "local_directory": str(tmp_path), "get_current_task": lambda _: "k"}
    )
    monkeypatch.setattr("numalens.jobs.fleet_task.get_worker", worker)
    with pytest.raises(AwayError, match=r"tcp://w:1 .*0\.0\.1"):
        answer_of(ask_on_worker({"version": "0.0.1", "something": "else"}))
    task = FleetTask(
        {"sql": "SELECT 1", "limit": 1}, [], 1, 1 << 30, "auto", files={"a": "/nowhere/bundles/a/x.parquet"}
    )
    with pytest.raises(AwayError, match=r"tcp://w:1 has no /nowhere/bundles;"):
        answer_of(ask_on_worker(task.plain()))


def test_the_command_line_has_the_same_answers(cluster: Cluster, made: Made) -> None:
    asked = ("--data", made.folder, "--json")
    by_workers = ("--scheduler", cluster.scheduler.url)
    for question in (("machines",), ("upgrade",), ("sql", SQL)):
        assert run("fleet", *question, *asked, *by_workers).stdout == run("fleet", *question, *asked).stdout
    environment = {**os.environ, "NUMALENS_FLEET": "dask", "NUMALENS_SCHEDULER": f"tcp://127.0.0.1:{free_port()}"}
    ended = run("fleet", "machines", *asked, status=1, env=environment)
    assert ended.stderr.decode().splitlines() == [f"numalens: {fleet_cluster.AWAY}"]


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("fleet", "machines")])
def test_half_a_configuration_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    environment = {**os.environ, "NUMALENS_FLEET": "dask", "NUMALENS_DATA": str(tmp_path)}
    ended = run(*command, status=2, env=environment)
    (line,) = ended.stderr.decode().splitlines()
    assert line.startswith("numalens: the environment variable NUMALENS_FLEET is not valid")
    assert "NUMALENS_SCHEDULER" in line
    with pytest.raises(ValueError, match="dask needs NUMALENS_SCHEDULER"):
        Settings.model_validate({"fleet": "dask"})
    wrong = run("fleet", "machines", "--scheduler", "nonsense", status=2)
    assert wrong.stderr.decode().startswith("numalens: --scheduler nonsense is not valid")

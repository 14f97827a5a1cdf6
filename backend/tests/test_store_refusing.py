"""A bucket or a database that answers, but refuses: who can do what is said, and never a key."""

import logging
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from numalens.errors import AwayError, FullError, RefusedError, SentenceError
from numalens.jobs import cluster, runner
from numalens.store import objects as objects_module
from numalens.store.database import (
    BUSY,
    NO_DATABASE,
    PASSWORD,
    POOL_BUSY,
    READ_ONLY,
    RIGHTS,
    Database,
)
from numalens.store.folder import DataFolder
from numalens.store.objects import MissingError, Objects
from tests.conftest import running_service
from tests.odd_bucket import ERROR, OddBucket, odd_bucket
from tests.recordings import SMALL
from tests.servers import Gateway, Postgres, Scheduler, Worker, wait_until
from tests.service import API, sentence
from tests.test_full import NOTE, failure, reread, until_lock_is_lost, until_not_ready, waits_for

SECRETS = ("key-of-nobody", "secret-of-nobody", "numalens-tests", "no-secret-of-anybody")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(cluster, "PATIENCE_S", 2.0)
    monkeypatch.setattr(objects_module, "RETRIES", objects_module.ONCE)


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Iterator[OddBucket]:
    with odd_bucket() as server:
        for name, value in server.access.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def access(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> Gateway:
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    return gateway


REFUSALS: list[tuple[int, str | None, type[SentenceError], int, str]] = [
    (403, "InvalidAccessKeyId", RefusedError, 503, "AWS_ACCESS_KEY_ID"),
    (403, "SignatureDoesNotMatch", RefusedError, 503, "AWS_SECRET_ACCESS_KEY"),
    (400, "ExpiredToken", RefusedError, 503, "AWS_SESSION_TOKEN"),
    (403, "AccessDenied", RefusedError, 503, "list, read, write and delete in the bucket team"),
    (403, None, RefusedError, 503, "list, read, write and delete in the bucket team"),
    (401, None, RefusedError, 503, "list, read, write and delete in the bucket team"),
    (403, "RequestTimeTooSkewed", RefusedError, 503, "clock"),
    (400, "AuthorizationHeaderMalformed", RefusedError, 503, "AWS_REGION"),
    (301, "PermanentRedirect", RefusedError, 503, "AWS_REGION"),
    (404, "NoSuchBucket", RefusedError, 503, "bucket team of recordings and bundles does not exist"),
    (404, None, RefusedError, 503, "NUMALENS_STORE"),
    (405, None, RefusedError, 503, "NUMALENS_STORE"),
    (403, "QuotaExceeded", FullError, 507, "is full (403 QuotaExceeded)"),
    (400, "XMinioAdminBucketQuotaExceeded", FullError, 507, "is full (400 XMinioAdminBucketQuotaExceeded)"),
    (507, "XMinioStorageFull", FullError, 507, "is full (507 XMinioStorageFull)"),
    (507, None, FullError, 507, "is full (507)"),
    (400, "EntityTooLarge", SentenceError, 413, "rejects files of this size (400 EntityTooLarge)"),
    (413, None, SentenceError, 413, "rejects files of this size (413)"),
    (503, "SlowDown", AwayError, 503, "limits requests (503 SlowDown); please try again"),
    (429, None, AwayError, 503, "limits requests (429); please try again"),
    (500, "InternalError", AwayError, 503, "had an internal error (500 InternalError); please try again"),
    (502, None, AwayError, 503, "had an internal error (502); please try again"),
    (409, "OperationAborted", AwayError, 503, "had an internal error (409 OperationAborted); please try again"),
]


@pytest.mark.parametrize(("status", "code", "kind", "result", "words"), REFUSALS)
def test_what_a_bucket_answers(
    odd: OddBucket,
    caplog: pytest.LogCaptureFixture,
    status: int,
    code: str | None,
    kind: type[SentenceError],
    result: int,
    words: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    odd.refuse(status, code)
    objects = Objects("s3://team/x")
    queries: dict[str, Any] = {
        "put": lambda: objects.put("a", SMALL),
        "size": lambda: objects.size("a"),
        "pieces": lambda: list(objects.pieces("a", 0, 1)),
        "list": lambda: list(objects.list("a")),
        "delete": lambda: objects.delete(["a"]),
        "check": objects.check,
    }
    for name, ask in queries.items():
        with pytest.raises(SentenceError) as caught:
            ask()
        error = caught.value
        assert (name, type(error), error.status) == (name, kind, result)
        assert words in error.sentence
        assert error.sentence.endswith(".")
        assert not [secret for secret in SECRETS if secret in error.sentence + caplog.text]


def test_other_odd_answers(odd: OddBucket, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = Objects("s3://team/x")
    denied = ERROR.format("AccessDenied").partition("\n")[2].replace("<Error>", "<Error><Key>x/a</Key>")
    odd.answers["POST"] = (200, f"<DeleteResult>{denied}</DeleteResult>")
    with pytest.raises(RefusedError, match="delete in the bucket team"):
        objects.delete(["a", "b"])
    odd.answers["POST"] = (200, f"<DeleteResult>{denied.replace('AccessDenied', 'NoSuchKey')}</DeleteResult>")
    objects.delete(["a", "b"])
    # Something else than an S3 server at the address.
    odd.other = (200, "<html>Welcome</html>")
    with pytest.raises(AwayError, match="no answer of S3"):
        objects.put("a", SMALL)
    # This server has no keys, so those of the cloud's machine are requested.
    odd.refuse(404, None)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", odd.access["AWS_ENDPOINT_URL"])
    with pytest.raises(RefusedError, match="has no keys"):
        Objects("s3://team/x").put("a", SMALL)


def test_a_check_keeps_something_seldom(odd: OddBucket) -> None:
    odd.answers = {
        "GET": (404, ERROR.format("NoSuchKey")),
        "POST": (200, "<DeleteResult><Deleted><Key>x/.probe</Key></Deleted></DeleteResult>"),
    }
    odd.other = (507, ERROR.format("InsufficientStorage"))
    objects = Objects("s3://team/x")
    with pytest.raises(FullError):
        objects.check()
    with pytest.raises(FullError):
        objects.check()
    assert [queries.split()[0] for queries in odd.requests] == ["GET", "PUT"] * 2
    odd.other, odd.etag = (200, ""), True
    odd.requests.clear()
    objects.check()
    objects.check()
    assert [queries.split()[0] for queries in odd.requests] == ["GET", "PUT", "POST", "GET"]


def test_keys_and_buckets_that_a_real_server_refuses(access: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {
        "AWS_SECRET_ACCESS_KEY": "(403 SignatureDoesNotMatch)",
        "AWS_ACCESS_KEY_ID": "(404 XAdminUserNotFound)",
        "AWS_REGION": "(400 AuthorizationHeaderMalformed)",
    }
    for name, words in wrong.items():
        with monkeypatch.context() as patch:
            patch.setenv(name, "wrong")
            _refuses(Objects(access.url), words, name)
    _refuses(Objects("s3://nowhere/numalens"), "bucket nowhere", "NUMALENS_STORE")
    there = Objects(f"s3://{access.bucket.name}/refusing")
    assert there.size("a") is None
    with pytest.raises(MissingError):
        list(there.pieces("a", 0, 1))
    there.check()
    assert list(there.list("")) == []


def _refuses(objects: Objects, *words: str) -> None:
    for ask in (
        lambda: objects.put("a", SMALL),
        lambda: objects.size("a"),
        lambda: list(objects.pieces("a", 0, 1)),
        lambda: list(objects.list("a")),
        lambda: objects.delete(["a"]),
        objects.check,
    ):
        with pytest.raises(RefusedError) as caught:
            ask()
        assert all(word in caught.value.sentence for word in words), caught.value.sentence


def test_a_server_that_hangs_is_away_within_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Gateway(tmp_path / "s3") as server:
        for name, value in server.access.items():
            monkeypatch.setenv(name, value)
        objects = Objects(server.url)
        wait_until("an answer", lambda: _answers(objects))
        server.signal(signal.SIGSTOP)
        # A signal takes a moment to have its effect.
        wait_until("silence", lambda: not _answers(objects))
        with pytest.raises(AwayError, match="does not answer"):
            objects.check()
        server.kill()
        with pytest.raises(AwayError, match="does not answer"):
            objects.put("a", SMALL)


def _answers(objects: Objects) -> bool:
    with suppress(AwayError):
        objects.check()
        return True
    return False


def test_a_bucket_that_is_gone_ends_readings_until_it_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Gateway(tmp_path / "s3") as server:
        for name, value in server.access.items():
            monkeypatch.setenv(name, value)
        with running_service(tmp_path, store=server.url) as service:
            old = service.analyse(SMALL)
            server.bucket.rename(server.root / "elsewhere")
            analysis_id = service.analyse(("new.dat", SMALL.read_bytes() + b"x"), status="failed")
            result = failure(service, analysis_id)
            assert "bucket team of recordings and bundles does not exist" in result["sentence"]
            assert result["again"] is True
            until_not_ready(service, {"store": result["sentence"]})
            assert service.client.post(f"{API}/analyses/{old}/notes", json=NOTE).status_code == 201
            (server.root / "elsewhere").rename(server.bucket)
            until_not_ready(service, {})
            assert reread(service, analysis_id) == "ready"
            assert service.get(f"/analyses/{old}/tasks").status_code == 200


def test_rights_that_come_soon_are_waited_for(access: Gateway, tmp_path: Path) -> None:
    with running_service(tmp_path, store=f"s3://{access.bucket.name}/rights") as service:
        moved = access.root / "moved"
        access.bucket.rename(moved)
        try:
            analysis_id = service.create(SMALL)
            wait_until("a refusal", lambda: "does not exist" in (waits_for(service, analysis_id) or ""))
        finally:
            moved.rename(access.bucket)
        assert service.watch(analysis_id)[-1][0] == "ready"


@pytest.mark.exhaustive
def test_a_worker_with_other_keys_passes_the_refusal_on(tmp_path: Path, access: Gateway) -> None:
    store = f"s3://{access.bucket.name}/worker-keys"
    with (
        Scheduler(tmp_path / "scheduler") as scheduler,
        running_service(tmp_path / "s", scheduler=scheduler.url, store=store) as service,
    ):
        with Worker(tmp_path / "bad", scheduler.url, {"AWS_SECRET_ACCESS_KEY": "wrong"}):
            analysis_id = service.analyse(SMALL, status="failed")
            result = failure(service, analysis_id)
            assert "(403 SignatureDoesNotMatch)" in result["sentence"]
            assert "AWS_SECRET_ACCESS_KEY" in result["sentence"]
            assert result["again"] is True
        with Worker(tmp_path / "good", scheduler.url):
            assert reread(service, analysis_id) == "ready"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server that asks some for a password, and has few connections."""
    with Postgres() as found:
        with psycopg.connect(found.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE ann LOGIN PASSWORD 'right'")
            connection.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 1")
            connection.execute("CREATE ROLE new LOGIN")
            connection.execute("CREATE DATABASE standing")
            rules = found.root / "data" / "pg_hba.conf"
            rules.write_text("host all ann 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
            connection.execute("SELECT pg_reload_conf()")
        wait_until("the rules", lambda: _refusal(f"postgresql://ann:wrong@127.0.0.1:{found.port}/numalens") == PASSWORD)
        yield found


def _refusal(url: str) -> str:
    try:
        Database(url).close()
    except SentenceError as error:
        return error.sentence
    return ""


def test_what_a_database_server_refuses(tmp_path: Path, server: Postgres) -> None:
    where = f"127.0.0.1:{server.port}"
    assert _refusal(f"postgresql://zed@{where}/numalens") == PASSWORD
    assert _refusal(f"postgresql://numalens@{where}/nowhere") == NO_DATABASE
    assert _refusal(f"postgresql://new@{where}/standing") == RIGHTS
    with psycopg.connect(f"postgresql://few@{where}/numalens"):
        assert _refusal(f"postgresql://few@{where}/numalens") == BUSY
    # The start of a server says the same, by whatever connection it comes to it first.
    for url, words in {
        f"postgresql://ann:wrong@{where}/numalens": "NUMALENS_DATABASE",
        f"postgresql://numalens@{where}/nowhere": "does not exist",
    }.items():
        with pytest.raises(RefusedError, match=words) as caught:
            DataFolder(tmp_path / "data", url)
        assert "wrong" not in caught.value.sentence


def test_a_database_that_has_no_connection_left_or_becomes_read_only(tmp_path: Path, server: Postgres) -> None:
    url = server.create("turning").replace("//numalens@", "//new@")
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute("ALTER DATABASE turning OWNER TO new")
        with running_service(tmp_path, database=url) as service:
            analysis_id = service.analyse(SMALL)
            pool = service.services.folder.database.engine
            other.execute("ALTER DATABASE turning SET default_transaction_read_only = on")
            pool.dispose()
            answer = service.client.post(f"{API}/analyses/{analysis_id}/notes", json=NOTE)
            assert sentence(answer, 503) == READ_ONLY
            assert service.get(f"/analyses/{analysis_id}").status_code == 200
            until_not_ready(service, {"database": READ_ONLY})
            other.execute("ALTER DATABASE turning RESET default_transaction_read_only")
            other.execute("ALTER ROLE new CONNECTION LIMIT 0")
            pool.dispose()
            assert sentence(service.get(f"/analyses/{analysis_id}"), 503) == BUSY
            until_not_ready(service, {"database": BUSY})
            other.execute("ALTER ROLE new CONNECTION LIMIT -1")
            assert service.client.post(f"{API}/analyses/{analysis_id}/notes", json=NOTE).status_code == 201
            until_not_ready(service, {})


def test_a_server_whose_own_connections_are_all_in_use(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(server.create("busy"))
    monkeypatch.setattr(database.engine.pool, "_timeout", 0.05)
    held = [database.engine.connect() for _ in range(40)]
    with pytest.raises(AwayError) as caught, database.session() as session:
        session.execute(text("SELECT 1"))
    assert caught.value.sentence == POOL_BUSY
    for connection in held:
        connection.close()
    database.check()
    database.close()


def test_a_standby_can_be_looked_at_until_it_is_promoted(tmp_path: Path) -> None:
    with Postgres() as standby, running_service(tmp_path, database=standby.url) as service:
        analysis_id = service.analyse(SMALL)
        standby.signal(signal.SIGINT)
        assert standby.process is not None
        standby.process.wait()
        until_lock_is_lost(service)
        (standby.root / "data" / "standby.signal").touch()
        standby.start()
        wait_until("an answer", lambda: bool(service.get(f"/analyses/{analysis_id}").status_code == 200))
        answer = service.client.post(f"{API}/analyses/{analysis_id}/notes", json=NOTE)
        assert sentence(answer, 503) == READ_ONLY
        until_not_ready(service, {"database": READ_ONLY})
        with psycopg.connect(standby.url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")
        assert service.client.post(f"{API}/analyses/{analysis_id}/notes", json=NOTE).status_code == 201
        until_not_ready(service, {})

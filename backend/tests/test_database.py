"""The database of either kind: the same schema, the same times, and sentences when it is away."""

import datetime as dt
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, event, select, text
from sqlalchemy.orm import Session

from numalens.errors import AwayError, FolderInUseError, RefusedError, SentenceError
from numalens.store.database import MIGRATIONS, Database, migrate
from numalens.store.database import database_url as url_of
from numalens.store.folder import DATABASE, DataFolder
from numalens.store.lock import KEY, DatabaseLock
from numalens.store.notes import NoteStore
from numalens.store.schema import (
    Analysis,
    ApiToken,
    Base,
    Input,
    Member,
    Note,
    Report,
    ReportRevision,
    Share,
    SignedIn,
    Upload,
    User,
)
from tests.command import run
from tests.conftest import MakeService, running_service
from tests.recordings import SMALL
from tests.servers import Postgres, wait_until
from tests.service import API, sentence
from tests.test_full import until_lock_is_lost

MADE = dt.datetime(2026, 1, 2, 3, 4, 5, 678901, dt.UTC)


@pytest.fixture
def where(database_url: str | None, tmp_path: Path) -> Path | str:
    return database_url or tmp_path / "numalens.sqlite3"


def fill(session: Session) -> None:
    """A row in each table."""
    session.add_all(
        [
            User(id="ann", name="ann@example.org", groups=["a"], created_at=MADE, signed_in_at=MADE),
            Upload(id="coming", name="c", length=5, metadata_header="", created_at=MADE),
            Analysis(
                id="read",
                title="T",
                status="ready",
                created_at=MADE,
                input_summaries=[{"name": "x.dat", "events": 7}],
                options={"tolerant": True, "offsets": {}},
                tags=["a"],
                incident="I",
                keep=True,
            ),
            Analysis(id="waiting", title="W", status="queued", created_at=MADE),
            ApiToken(id="token", name="CI", scope="upload", person_id="ann", token_hash="t", created_at=MADE),
        ]
    )
    session.flush()
    session.add_all(
        [
            SignedIn(token_hash="s", person_id="ann", created_at=MADE, expires_at=MADE),
            Input(analysis_id="read", position=0, name="x.dat", bytes=5, sha256="f" * 64),
            Input(analysis_id="waiting", position=0, name="c", bytes=5, upload_id="coming"),
            Member(analysis_id="read", person_id="ann", role="owner", download=True, created_at=MADE),
            Share(id="link", analysis_id="read", token_hash="h", view="", created_at=MADE, opened=2),
            Note(id="note", analysis_id="read", author="A", text="T", key_hash="k", by_owner=True, created_at=MADE),
            Report(id="report", analysis_id="read", revision=1, given=1, created_at=MADE),
        ]
    )
    session.flush()
    session.add(ReportRevision(report_id="report", number=1, title="T", text="# T", aside=False, created_at=MADE))


def scripts_of(folder: Path, **versions: str) -> Path:
    """The migrations, and further ones: each a revision and what it does."""
    scripts = folder / "migrations"
    shutil.copytree(MIGRATIONS, scripts)
    before = ScriptDirectory(str(scripts)).get_current_head()
    for revision, upgrade in versions.items():
        text = f"from alembic import op\nimport sqlalchemy as sa\nrevision = {revision!r}\ndown_revision = {before!r}\n"
        (scripts / "versions" / f"{revision}.py").write_text(f"{text}def upgrade():\n    {upgrade}\n")
        before = revision
    return scripts


def test_the_schema_is_that_of_the_code(where: Path | str) -> None:
    database = Database(where)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
    with database.session() as session:
        fill(session)
        # Files may have any size.
        session.get_one(Upload, "coming").length = 50 << 30
        session.add(Input(analysis_id="read", position=1, name="y.dat", bytes=50 << 30))
    with database.session() as session:
        assert session.get_one(Upload, "coming").length == 50 << 30
        session.delete(session.get_one(Analysis, "read"))
        session.flush()
        for table in (Share, Note, Report, ReportRevision, Member):
            assert session.query(table).count() == 0, table
        # What was owned goes, who owned it stays.
        assert session.get_one(User, "ann").groups == ["a"]
    database.close()


def test_a_migration_keeps_the_rows(where: Path | str, tmp_path: Path) -> None:
    database = Database(where)
    with database.session() as session:
        fill(session)
    database.close()
    scripts = scripts_of(
        tmp_path,
        later="op.add_column('analyses', sa.Column('events', sa.Integer(), nullable=False, server_default='7'))",
        latest="op.drop_column('shares', 'opened')",
    )
    migrate(database.engine, scripts)
    migrate(database.engine, scripts)
    tables = MetaData()
    tables.reflect(database.engine)
    with database.engine.connect() as connection:
        rows = {name: connection.execute(select(table)).mappings().all() for name, table in tables.tables.items()}
    database.engine.dispose()
    assert {name: len(found) for name, found in rows.items()} == {
        **dict.fromkeys(tables.tables, 1),
        "analyses": 2,
        "inputs": 2,
    }
    assert {row["events"] for row in rows["analyses"]} == {7}
    (link,) = rows["shares"]
    assert "opened" not in link
    assert (link["id"], link["analysis_id"], link["token_hash"]) == ("link", "read", "h")
    # This version does not know what a later one made of a database, and leaves it alone.
    with pytest.raises(RefusedError, match="schema latest, which this version of NumaLens does not support"):
        Database(where)


def test_a_database_of_before_the_first_release_is_refused_in_one_sentence(tmp_path: Path) -> None:
    Database(tmp_path / DATABASE).close()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '0009'")
    refused = run("serve", "--port", "0", "--data", tmp_path, status=1, timeout=120)
    assert b"schema 0009" in refused.stderr
    assert refused.stderr.count(b"\n") == 1


def test_a_moment_stays_the_same_moment(where: Path | str) -> None:
    database = Database(where)
    if database.is_postgresql:
        # A server elsewhere thinks in its own time zone.
        with database.engine.begin() as connection:
            name = connection.execute(text("SELECT current_database()")).scalar()
            connection.execute(text(f"ALTER DATABASE {name} SET timezone = 'Asia/Tokyo'"))
        database.engine.dispose()
    moment = dt.datetime(2026, 7, 1, 23, 30, 0, 123456, dt.timezone(dt.timedelta(hours=-7)))
    with database.session() as session:
        session.add(Analysis(id="a", title="T", status="queued", created_at=moment))
    with database.session() as session:
        assert session.get_one(Analysis, "a").created_at == moment
        assert session.query(Analysis).where(Analysis.created_at > moment).count() == 0
        assert session.query(Analysis).where(Analysis.created_at >= moment).count() == 1
    database.close()


def test_the_service_does_the_same_on_both(make_service: MakeService, database_url: str | None) -> None:
    service = make_service(database=database_url)
    analysis_id = service.analyse(SMALL)
    path = f"{API}/analyses/{analysis_id}"
    note = {"author": "A", "text": "x" * 9000, "place": None}
    assert service.client.post(f"{path}/notes", json=note).status_code == 201
    token = service.client.post(f"{path}/shares", json={"view": "", "expires_in_s": 60}).json()["token"]
    opened = service.client.post(f"{API}/shares/open", json={"token": token})
    assert opened.status_code == 200, opened.text
    assert service.client.patch(path, json={"tags": ["a", "b"], "keep": True}).json()["tags"] == ["a", "b"]
    assert [entry["id"] for entry in service.get("/analyses").json()["analyses"]] == [analysis_id]
    assert service.client.delete(path).status_code == 204
    assert service.get("/analyses").json()["analyses"] == []
    with service.services.folder.database.session() as session:
        for table in (Analysis, Input, Share, Note, Upload):
            assert session.query(table).count() == 0


def test_a_character_that_no_database_keeps_is_refused(make_service: MakeService, postgres: Postgres) -> None:
    service = make_service(database=postgres.create("nul"))
    analysis_id = service.create(SMALL)
    result = service.client.post(f"{API}/analyses/{analysis_id}/shares", json={"view": "a\x00b"})
    assert "character" in sentence(result, 422)


def test_one_server_per_database(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.create("one")
    with DataFolder(tmp_path / "a", url):
        with pytest.raises(FolderInUseError, match="using this database"):
            DataFolder(tmp_path / "b", url)
        # The folder of the one that was refused is free again.
        with DataFolder(tmp_path / "b", postgres.create("two")):
            pass
    with DataFolder(tmp_path / "b", url):
        pass


def test_a_server_without_its_lock_writes_nothing(tmp_path: Path, postgres: Postgres) -> None:
    with DataFolder(tmp_path, postgres.create("without")) as folder:
        lock = folder.database_lock
        assert lock is not None
        assert _refused(folder.database) is None
        # No server takes it again in the meantime.
        lock._ended.set()
        lock._thread.join()
        lock._drop()
        assert _refused(folder.database) is not None


def test_a_lock_that_is_here_again_has_unfinished_work_taken_up(make_service: MakeService, postgres: Postgres) -> None:
    service = make_service(database=postgres.create("again"))
    services = service.services
    lock = services.folder.database_lock
    assert lock is not None
    # What another server had queued before it ended.
    row = services.analyses.create([service.upload(SMALL.read_bytes())], None)
    lock.on_regained()
    wait_until("the reading", lambda: bool(services.analyses.get(row.id).status == "ready"))


def test_a_lost_lock_is_noticed_and_nothing_is_written_without_it(postgres: Postgres) -> None:
    url = url_of(postgres.create("lost"))
    lock = DatabaseLock(url, look_s=0.05)
    regained = threading.Event()
    lock.on_regained = regained.set
    database = Database(url.render_as_string(hide_password=False))
    database.guard = lock.check
    with psycopg.connect(postgres.url, dbname="lost", autocommit=True) as other:
        # What a break of the connection is: the server ends it, and another server is quicker.
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'numalens lock'"
        while other.execute("SELECT pg_try_advisory_lock(%s)", (KEY,)).fetchone() != (True,):
            other.execute(f"{end} AND datname = 'lost'")
        wait_until("the loss", lambda: _refused(database) == "Another")
        assert not regained.is_set()
        other.execute("SELECT pg_advisory_unlock(%s)", (KEY,))
        assert regained.wait(60)
        assert _refused(database) is None
    lock.close()
    database.close()


def _refused(database: Database) -> str | None:
    try:
        with database.session():
            return None
    except AwayError as error:
        return error.sentence.split()[0]


def test_a_database_that_is_away_is_a_503_and_comes_back(tmp_path: Path) -> None:
    with Postgres() as server, running_service(tmp_path, database=server.url) as service:
        analysis_id = service.analyse(SMALL)
        server.kill()
        answer = service.get(f"/analyses/{analysis_id}")
        assert "database" in sentence(answer, 503)
        assert int(answer.headers["retry-after"]) > 0
        until_lock_is_lost(service)
        server.start()
        wait_until("an answer", lambda: bool(service.get(f"/analyses/{analysis_id}").status_code == 200))
        service.analyse(SMALL)


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    database = Database(tmp_path / "small.sqlite3")
    notes = NoteStore.__new__(NoteStore)
    notes._database = database
    with database.session() as session:
        session.add(Analysis(id="a", title="T", status="ready", created_at=dt.datetime.now(dt.UTC)))
    with database.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    database.engine.dispose()

    def limit(connection: Any, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(database.engine, "connect", limit)
    with pytest.raises(SentenceError) as caught:
        notes.create("a", "A", "x" * 100_000, about=None, parent_id=None, by_owner=True)
    assert caught.value.status == 507
    database.close()


def test_a_defect_is_not_taken_for_a_database_that_is_away(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite3")
    with pytest.raises(Exception, match="no such table") as caught, database.session() as session:
        session.execute(text("SELECT * FROM nowhere"))
    assert not isinstance(caught.value, SentenceError)
    database.close()

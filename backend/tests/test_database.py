"""The database of either kind: the same schema, the same times, and sentences when it is away."""

import datetime as dt
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, create_engine, event, insert, text

from numalens.errors import AwayError, FolderInUseError, SentenceError
from numalens.store.database import MIGRATIONS, Database, migrate
from numalens.store.database import database_url as url_of
from numalens.store.folder import DataFolder
from numalens.store.lock import KEY, DatabaseLock
from numalens.store.notes import NoteStore
from numalens.store.schema import Analysis, Base, Input, Member, Note, Report, Share, Upload, User
from tests.conftest import MakeService, running_service
from tests.migration_rows import rows_of
from tests.recordings import SMALL
from tests.servers import Postgres, wait_until
from tests.service import API, sentence
from tests.test_full import until_lock_is_lost

REVISIONS = [script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]


@pytest.fixture
def where(database_url: str | None, tmp_path: Path) -> Path | str:
    return database_url or tmp_path / "numalens.sqlite3"


@pytest.fixture
def engine(where: Path | str) -> Iterator[Engine]:
    found = create_engine(url_of(where))
    yield found
    found.dispose()


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_released_schema_becomes_todays_with_its_rows(engine: Engine, where: Path | str, revision: str) -> None:
    migrate(engine, revision)
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        for table, row in rows_of(revision):
            connection.execute(insert(tables.tables[table]).values(row))
    database = Database(where)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": False})
        assert compare_metadata(context, Base.metadata) == []
    with database.session() as session:
        read = session.get_one(Analysis, "read")
        assert read.input_summaries == [{"name": "x.dat", "events": 7}]
        assert read.created_at == dt.datetime(2026, 1, 2, 3, 4, 5, 678901, dt.UTC)
        assert (read.generation, read.attempt) == (None, None)
        assert [row.bytes for row in read.inputs] == [5]
        assert session.get_one(Analysis, "waiting").inputs[0].upload_id == "coming"
        link = session.get_one(Share, "link")
        assert (link.opened, link.download, link.analysis_id) == (2, True, "read")
        # What came later has room for files of any size.
        session.get_one(Upload, "coming").length = 50 << 30
        session.add(Input(analysis_id="read", position=1, name="y.dat", bytes=50 << 30))
    with database.session() as session:
        assert session.get_one(Upload, "coming").length == 50 << 30
        session.delete(session.get_one(Analysis, "read"))
        session.flush()
        assert session.get(Share, "link") is None
        assert session.query(Note).count() == 0
        if revision >= "0006":
            assert session.query(Report).count() == 0
        if revision >= "0007":
            # What was owned goes, who owned it stays.
            assert session.query(Member).count() == 0
            ann = session.get_one(User, "ann")
            assert ann.groups == ["a"]
            # Before it was noted, the session that goes on tells it.
            assert ann.signed_in_at == dt.datetime(2026, 1, 2, 3, 4, 5, 678901, dt.UTC)
    database.close()


def test_migrations_can_be_taken_back(engine: Engine) -> None:
    migrate(engine)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    tables = MetaData()
    tables.reflect(engine)
    assert set(tables.tables) == {"alembic_version"}


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
        # Nobody takes it again meanwhile.
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
        # What a break of the connection is: the server ends it, and somebody else is quicker.
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

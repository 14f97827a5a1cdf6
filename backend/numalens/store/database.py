"""Opens the database, SQLite or PostgreSQL, and brings it to the current schema."""

import logging
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session, sessionmaker

from numalens.errors import AwayError, FullError, RefusedError, SentenceError
from numalens.store.schema import Base

SCRUBS: Final = 10
SCRUB_PAUSE_S: Final = 0.05
MIGRATIONS: Final = Path(__file__).with_name("migrations")
CONNECT_S: Final = 5
STATEMENT_MS: Final = 60_000
MIGRATING: Final = 0x6E756D61
"""Key of the advisory lock under which schemas change."""
FULL_SHOWN_S: Final = 60.0
"""Time for which `check` reports a full disk of the server after an error, as there is no other sign."""

log = logging.getLogger(__name__)


class Database:
    """Sessions on one database. SQLite: write-ahead log, foreign keys enforced. PostgreSQL: connections tried before use."""

    def __init__(self, where: Path | str) -> None:
        """Opens (or creates) the file `where`, or the database of that URL, and runs the migrations that it lacks.

        Raises AwayError when a database server does not answer, and RefusedError for a database of an unknown schema.
        """
        self.url = database_url(where)
        self.is_postgresql = self.url.get_backend_name() == "postgresql"
        self.engine = _postgresql(self.url) if self.is_postgresql else _sqlite(self.url)
        self.guard: Callable[[], None] = lambda: None
        """Called before each transaction; raises AwayError while this server may not use the database."""
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._file = where if isinstance(where, Path) else None
        self._full_at: float | None = None
        try:
            with self._telling():
                migrate(self.engine)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction: committed at the end of the block, rolled back when the block raises.

        Raises AwayError when the database is unavailable or refuses, also in the middle, and FullError when its disk is full.
        """
        self.guard()
        with self._telling(), self._sessions.begin() as session:
            yield session

    def check(self) -> None:
        """Checks the database. Raises as `session` does, also when rows are read-only, or after a recent full disk."""
        with self._telling(), self.engine.connect() as connection:
            if not self.is_postgresql:
                connection.execute(text("SELECT 1"))
            elif connection.execute(text("SHOW transaction_read_only")).scalar() == "on":
                raise RefusedError(READ_ONLY)
        if self._full_at is not None and time.monotonic() - self._full_at < FULL_SHOWN_S:
            raise FullError(FULL)

    def scrub(self) -> None:
        """Makes deleted rows unreadable as far as the database can: on SQLite for good.

        SQLite itself overwrites deleted rows, and here the write-ahead log is emptied, which still has the bytes. That is
        impossible during reads; it is tried a few times, and the rest goes with the next scrubbing or when the last connection
        closes. PostgreSQL frees the space by VACUUM; its own log and backups belong to its administrator. The rows are already
        deleted: a disk that is full now does not make the deletion fail.
        """
        if self.is_postgresql:
            self._vacuum()
            return
        for _ in range(SCRUBS):
            with suppress(SentenceError), self._telling(), self.engine.connect() as connection:
                if not connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar():
                    return
            time.sleep(SCRUB_PAUSE_S)

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turns database errors (unavailable, full, refusing, text that cannot be stored) into messages."""
        try:
            yield
        except SQLAlchemyError as error:
            sentence = meaning(error, self._file)
            if sentence is None:
                raise
            if isinstance(sentence, FullError) and self.is_postgresql:
                self._full_at = time.monotonic()
            log.warning("database: %s", getattr(error, "orig", error))
            raise sentence from error

    def _vacuum(self) -> None:
        """The rows are already deleted: a database that is unavailable now does not make the deletion fail."""
        tables = ", ".join(Base.metadata.tables)
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text(f"VACUUM {tables}"))
        except SQLAlchemyError as error:
            log.warning("vacuum after a deletion: %s", error)


class RowStore:
    """Base of what keeps rows in one database, and needs nothing else of the data folder."""

    def __init__(self, database: Database) -> None:
        """Uses `database`."""
        self._database = database


def database_url(where: Path | str) -> URL:
    """The URL of a database: that of an SQLite file, or the one given, with the driver that is installed."""
    if isinstance(where, Path):
        return URL.create("sqlite", database=str(where))
    return make_url(where).set(drivername="postgresql+psycopg")


def migrate(engine: Engine, scripts: Path = MIGRATIONS) -> None:
    """Runs all pending migrations in one connection, and only one server's at a time.

    Raises RefusedError for a database with an unknown schema: of a later version, or one before 1.0.
    """
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
        found = MigrationContext.configure(connection).get_current_revision()
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if found is not None and found not in known:
            raise RefusedError(OTHER_SCHEMA.format(found=found))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": 30})
    event.listen(engine, "connect", _configure)
    return engine


def _postgresql(url: URL) -> Engine:
    limits = {"connect_timeout": CONNECT_S, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
    limits["tcp_user_timeout"] = 1000 * 2 * CONNECT_S
    options = f"-c statement_timeout={STATEMENT_MS} -c idle_in_transaction_session_timeout={STATEMENT_MS}"
    arguments = {**limits, "application_name": "numalens", "options": options}
    return create_engine(
        url, pool_pre_ping=True, pool_timeout=2 * CONNECT_S, pool_size=10, max_overflow=30, connect_args=arguments
    )


def _configure(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own, untyped)
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # A row that was answered for must survive a power cut too, not only a killed process.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    # What a file's schema holds may come from any user: it runs no function with side effects.
    cursor.execute("PRAGMA trusted_schema=OFF")
    # A trace holds names of a production system: what is deleted must not stay in free pages.
    cursor.execute("PRAGMA secure_delete=ON")
    cursor.close()


OPERATOR: Final = "an administrator must"
AWAY: Final = "The server's database does not answer; please try again in a moment."
BUSY: Final = (
    "The server's database has no connection left; please try again in a "
    "moment, or ask an administrator to allow more (max_connections)."
)
POOL_BUSY: Final = "All connections of this server to its database are in use; please try again in a moment."
FULL: Final = (
    "The disk of the server's database is full, so nothing more can be stored until an administrator frees space."
)
READ_ONLY: Final = (
    "The server's database is read-only, as a standby or on a disk mounted read-only;"
    f" {OPERATOR} make it writable, or correct NUMALENS_DATABASE."
)
BROKEN_DISK: Final = f"The disk of the server's database has errors; {OPERATOR} look at the disk and the log."
NO_FILE: Final = (
    f"The file of the server's database cannot be opened; {OPERATOR} look at the data folder's owner and disk."
)
PASSWORD: Final = (
    f"The server's database refuses the user or the password of this server; {OPERATOR} correct NUMALENS_DATABASE."
)
RIGHTS: Final = (
    "The server's database denies rights to this server's user;"
    f" {OPERATOR} give the user of NUMALENS_DATABASE its tables."
)
OTHER_SCHEMA: Final = (
    "The server's database has schema {found}, which this version of NumaLens does not support; start "
    "the version that created the database, or start with a new data folder and database."
)
NO_DATABASE: Final = f"The database of this server does not exist; {OPERATOR} make it, or correct NUMALENS_DATABASE."

LEAST_BYTES: Final = 64 << 10
"""Free space below which a disk counts as full, whatever SQLite calls the error: it cannot hold SQLite's next write."""
STATES: Final[dict[str, tuple[type[FullError | AwayError], str]]] = {
    "53100": (FullError, FULL),
    "53300": (AwayError, BUSY),
    "25006": (RefusedError, READ_ONLY),
    "42501": (RefusedError, RIGHTS),
    "58030": (RefusedError, BROKEN_DISK),
}
"""https://www.postgresql.org/docs/current/errcodes-appendix.html"""
CONNECTING: Final[tuple[tuple[re.Pattern[str], type[AwayError], str], ...]] = (
    (re.compile("too many (clients|connections)|remaining connection slots"), AwayError, BUSY),
    (re.compile('password|pg_hba|role ".*" (does not exist|is not permitted)'), RefusedError, PASSWORD),
    (re.compile('database ".*" does not exist'), RefusedError, NO_DATABASE),
    (re.compile("permission denied for database"), RefusedError, RIGHTS),
)
SQLITE: Final[tuple[tuple[str, type[FullError | AwayError], str], ...]] = (
    ("SQLITE_FULL", FullError, FULL),
    ("SQLITE_READONLY", RefusedError, READ_ONLY),
    ("SQLITE_IOERR", RefusedError, BROKEN_DISK),
    ("SQLITE_CANTOPEN", RefusedError, NO_FILE),
    ("SQLITE_BUSY", AwayError, AWAY),
    ("SQLITE_LOCKED", AwayError, AWAY),
)
"""Anything else that SQLite calls an operational error, such as a missing column, is a defect of ours."""


def meaning(error: SQLAlchemyError, file: Path | None) -> SentenceError | None:
    """Meaning of a database error, of SQLite's `file` or a server; None: a defect of NumaLens.

    For an established connection, PostgreSQL's SQLSTATE and SQLite's own names decide. For a failed connection the driver has
    only the server's words, which are distinguished in English: a server with another language "does not answer".
    """
    if isinstance(error, PoolTimeoutError):
        return AwayError(POOL_BUSY)
    if isinstance(error, DataError):
        return SentenceError(422, "The request has a character that cannot be stored, such as NUL.")
    if not isinstance(error, DBAPIError):
        return None
    if file is not None:
        return of_sqlite(getattr(error.orig, "sqlite_errorname", None) or "", file)
    away = isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated
    return of_postgresql(error.orig, away=away)


def of_sqlite(name: str, file: Path) -> FullError | AwayError | None:
    """Meaning of a SQLite error."""
    for begin, kind, sentence in SQLITE:
        if name.startswith(begin):
            without_room = kind is RefusedError and shutil.disk_usage(file.parent).free < LEAST_BYTES
            return FullError(FULL) if without_room else kind(sentence)
    return None


def of_postgresql(cause: BaseException | None, *, away: bool = True) -> FullError | AwayError | None:
    """Meaning of a psycopg error; `away`: it may concern a server that cannot be used now, and not only a query."""
    state = getattr(cause, "sqlstate", None)
    if state in STATES:
        kind, sentence = STATES[state]
        return kind(sentence)
    if state is None:
        for words, refused, sentence in CONNECTING:
            if words.search(str(cause)):
                return refused(sentence)
    return AwayError(AWAY) if away else None

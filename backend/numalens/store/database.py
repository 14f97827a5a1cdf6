"""Opens the SQLite database and brings it to the current schema."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.orm import Session, sessionmaker

SCRUBS: Final = 10
SCRUB_PAUSE_S: Final = 0.05
MIGRATIONS: Final = Path(__file__).with_name("migrations")


class Database:
    """Sessions on one SQLite file in write-ahead-log mode, with foreign keys enforced."""

    def __init__(self, path: Path) -> None:
        """Opens (or creates) the file and runs the migrations that it lacks."""
        self.engine: Engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})
        event.listen(self.engine, "connect", _configure)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        migrate(self.engine)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction: committed at the end of the block, rolled back when the block raises."""
        with self._sessions.begin() as session:
            yield session

    def check(self) -> None:
        """Asks for nothing. Raises what the driver does when the database does not answer."""
        with self.engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    def scrub(self) -> None:
        """Makes deleted rows unreadable: empties the write-ahead log, where their bytes still stand.

        The database itself overwrites what is deleted. While somebody reads, the log cannot be emptied; that is tried a few
        times, and what is left of it goes with the next scrubbing or when the last connection closes.
        """
        for _ in range(SCRUBS):
            with self.engine.connect() as connection:
                busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar()
            if not busy:
                return
            time.sleep(SCRUB_PAUSE_S)

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


def migrate(engine: Engine) -> None:
    """Runs all pending migrations in one connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _configure(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own, untyped)
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # A row that was answered for must survive a power cut too, not only a killed process.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    # A trace holds names of somebody's production: what is deleted must not stay in free pages.
    cursor.execute("PRAGMA secure_delete=ON")
    cursor.close()

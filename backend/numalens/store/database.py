"""Opens the SQLite database and brings it to the current schema."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker

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
    cursor.close()

"""NumaLens as a team runs it: PostgreSQL, a bucket, a scheduler with a worker, and the application in front of them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.live import LiveServer, hooked, live_server
from tests.servers import Gateway, Postgres, Program, Scheduler, Worker

# The application looks for what came back sooner than it does for people; see tests/hooks/sitecustomize.py.
IMPATIENT = {**hooked(), "NUMALENS_TEST_IMPATIENT": "1"}


@dataclass
class Team:
    """The servers, by name, and where the application has its folder."""

    root: Path
    postgres: Postgres
    gateway: Gateway
    scheduler: Scheduler
    worker: Worker

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the application."""
        return {
            "NUMALENS_DATABASE": self.postgres.url,
            "NUMALENS_STORE": self.gateway.url,
            "NUMALENS_SCHEDULER": self.scheduler.url,
            **self.gateway.access,
            **IMPATIENT,
        }

    @property
    def data(self) -> Path:
        return self.root / "data"

    @contextmanager
    def app(self) -> Iterator[LiveServer]:
        """The application, killed at the end of the block."""
        with live_server(self.data, **self.environment) as server:
            yield server

    def program(self, name: str) -> Program:
        """The server with this name."""
        found = {"database": self.postgres, "store": self.gateway, "scheduler": self.scheduler, "worker": self.worker}
        return found[name]

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Rows of the database, asked beside the application."""
        with psycopg.connect(self.postgres.url) as connection:
            return list(connection.execute(query.encode()))

    def objects(self) -> set[str]:
        """Names of all objects."""
        root = self.gateway.bucket / "numalens"
        return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@contextmanager
def team(root: Path) -> Iterator[Team]:
    """A team's servers, all running."""
    with ExitStack() as stack:
        postgres = stack.enter_context(Postgres())
        gateway = stack.enter_context(Gateway(root / "s3"))
        scheduler = stack.enter_context(Scheduler(root / "scheduler"))
        worker = stack.enter_context(Worker(root / "worker", scheduler.url, gateway.access))
        yield Team(root, postgres, gateway, scheduler, worker)

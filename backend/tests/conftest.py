"""What all tests share: services on fresh data folders, asked as their owner unless told otherwise."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from hypothesis import settings as hypothesis_settings

from numalens.api.app import create_app
from numalens.settings import Settings
from numalens.store.database import Database
from numalens.store.folder import DATABASE, DataFolder
from tests.live import hooked
from tests.recordings import PAGE, ROOT
from tests.scope import EVERYTHING, exhaustive
from tests.servers import Gateway, Postgres
from tests.service import Service
from tests.sql_helpers import make_bundles

# The compiled trace processor outlives the tests' process: compiling takes seconds.
os.environ.setdefault("NUMALENS_CACHE", str(ROOT / "target" / "numalens-cache"))

# The tests do not use the configuration file of the developer.
os.environ["NUMALENS_CONFIG"] = ""

# The same for Python's own: each server that a test starts would compile thousands of modules again. They stay out of the sources.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) or sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(ROOT / "target" / "pycache")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

# A gate must say the same of the same tree; looking for new examples is what NUMALENS_EXPLORE=1 is for.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None)
if not os.environ.get("NUMALENS_EXPLORE"):
    hypothesis_settings.load_profile("steady")

# What takes longest begins first: else one process would still be at it when the others have nothing left to do.
LONGEST = (
    "test_perfetto_recordings",
    "test_perfetto_export",
    "test_cli",
    "test_open",
    "test_live_server",
    "test_store_refusing",
    "test_cluster",
    "test_faults",
    "test_waits",
    "test_fleet_merge",
    "test_api_fuzz",
    "test_jobs",
    "test_stopping",
)


_numbers = count()

MakeService = Callable[..., Service]
Misbehave = Callable[[str], None]


@cache
def _empty_database() -> bytes:
    """An SQLite database that has all migrations, which take longer than most tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DATABASE
        Database(path).close()
        return path.read_bytes()


@contextmanager
def running_service(
    root: Path, host: str = "localhost:8000", peer: str = "127.0.0.1", **settings: object
) -> Iterator[Service]:
    """A service below `root`, asked from `peer` under the name `host`."""
    web = root / "web"
    (web / "assets").mkdir(parents=True, exist_ok=True)
    (web / "index.html").write_text(PAGE)
    (web / "assets" / "app-1a2b3c.js").write_text("export {};")
    chosen = Settings.model_validate({"data": root / "data", "web": web, "min_free_bytes": 0, **settings})
    if chosen.database is None and not chosen.data.exists():
        chosen.data.mkdir(parents=True, mode=0o700)
        (chosen.data / DATABASE).write_bytes(_empty_database())
    with DataFolder(chosen.data, chosen.database_url, chosen.store, chosen.cache_bytes) as folder:
        app = create_app(chosen, folder)
        with TestClient(app, base_url=f"http://{host}", client=(peer, 50000)) as client:
            yield Service(client, app.state.services)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not EVERYTHING:
        exhaustive = [item for item in items if item.get_closest_marker("exhaustive")]
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
        if exhaustive:
            config.hook.pytest_deselected(items=exhaustive)
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    """Makes services by settings; the data folder and a small page are there unless told otherwise."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(running_service(tmp_path, **settings))


@pytest.fixture
def service(make_service: MakeService) -> Service:
    """A service with default settings, asked by its owner."""
    return make_service()


@pytest.fixture
def misbehaving(monkeypatch: pytest.MonkeyPatch) -> Misbehave:
    """Makes reading processes misbehave from now on; see hooks/sitecustomize.py."""

    def use(how: str) -> None:
        for name, value in hooked(f"reading={how}").items():
            monkeypatch.setenv(name, value)

    return use


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small recordings as bundles, by the names of `tests.sql_helpers.FILES`."""
    return make_bundles(tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server for tests that do not end it; each takes a database of its own."""
    with Postgres() as server:
        yield server


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """An S3 server for tests that do not end it; each takes a prefix of its own."""
    with Gateway(tmp_path_factory.mktemp("servers") / "s3") as server:
        yield server


@pytest.fixture(params=["sqlite", exhaustive("postgresql")])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """An empty database of each kind; None is the data folder's own."""
    if request.param == "sqlite":
        return None
    server: Postgres = request.getfixturevalue("postgres")
    return server.create(f"test{next(_numbers)}")

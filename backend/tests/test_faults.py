"""Each kind of fault once, in the gate two of them; `tests.faults` repeats them as often as wanted."""

import random
from collections.abc import Iterator

import pytest

from tests.faults import Application, round_of
from tests.scope import exhaustive
from tests.team import team

# What each server does for the moment in question; the others have no part in it.
KINDS = [
    ("app", "upload"),
    ("worker", "parse"),
    exhaustive("database", "upload"),
    *(exhaustive(victim, "parse") for victim in ("scheduler", "app", "database", "store")),
    exhaustive("app", "share"),
    exhaustive("database", "share"),
]


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with team(tmp_path_factory.mktemp("team")) as servers:
        running = Application(servers)
        running.start()
        yield running
        running.kill()


@pytest.mark.parametrize(("victim", "moment"), KINDS)
def test_nothing_is_lost_and_nothing_is_double(application: Application, victim: str, moment: str) -> None:
    dice = random.Random(f"{victim} {moment}")  # noqa: S311  (dice, no secret)
    assert round_of(application, victim, moment, dice) >= 1

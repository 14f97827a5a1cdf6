"""An administrator beside a running server: who signed in, and an end of somebody's sessions and tokens."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from numalens.store.names import now
from numalens.store.schema import ApiToken, SignedIn, User
from tests.command import call, run
from tests.conftest import MakeService
from tests.issuer import Issuer, running_issuer
from tests.people import ANN, BO, CY, Browser, browser
from tests.service import Service, sentence

LONG_AGO = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass
class Office:
    """A service with people, and its administrator's command line."""

    service: Service
    issuer: Issuer
    database: str | None

    def say(self, *arguments: str, status: int = 0) -> list[str]:
        """Lines that `numalens users` prints; those of its complaint when it is to fail."""
        with pytest.MonkeyPatch.context() as patch:
            if self.database is not None:
                patch.setenv("NUMALENS_DATABASE", self.database)
            out, errors = call("users", *arguments, "--data", self.service.services.folder.root, status=status)
        return (errors if status else out).splitlines()

    def listed(self) -> dict[str, list[str]]:
        """What is told of each person, by name: last sign-in, sessions, tokens."""
        return {line.split()[0]: line.split(maxsplit=1)[1].split("  ") for line in self.say("list")}

    def signed_in(self, name: str) -> Browser:
        return browser(self.service, self.issuer, name)


@pytest.fixture
def office(make_service: MakeService, database_url: str | None) -> Iterator[Office]:
    with running_issuer() as issuer:
        yield Office(make_service(database=database_url, **issuer.settings()), issuer, database_url)


def token_of(who: Browser) -> dict[str, str]:
    """The header of a program that acts for somebody."""
    made = who.post("/tokens", {"name": "CI", "scope": "owner"})
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['secret']}"}


def answer(parts: list[str]) -> list[str]:
    return [part.strip() for part in parts if part.strip()]


def test_sessions_end_at_once_and_nobody_elses_do(office: Office) -> None:
    here, there, bo = office.signed_in(ANN), office.signed_in(ANN), office.signed_in(BO)
    program = token_of(here)
    assert answer(office.listed()[ANN])[1:] == ["2 sessions", "1 token"]
    # Names are compared as everywhere.
    assert office.say("end-sessions", ANN.upper()) == ["2 sessions ended"]
    for ann in (here, there):
        sentence(ann.get("/analyses"), 401)
    assert bo.get("/analyses").status_code == 200
    assert office.service.get("/analyses", headers=program).status_code == 200
    assert answer(office.listed()[ANN])[1:] == ["0 sessions", "1 token"]
    assert office.say("end-sessions", ANN) == ["0 sessions ended"]
    # Users who may still sign in do so again.
    assert office.signed_in(ANN).get("/analyses").status_code == 200


def test_tokens_are_revoked_and_nobody_elses_are(office: Office) -> None:
    ann, bo = office.signed_in(ANN), office.signed_in(BO)
    mine, other = [token_of(ann), token_of(ann)], token_of(bo)
    assert office.say("revoke-tokens", ANN) == ["2 tokens revoked"]
    for headers in mine:
        assert "was revoked" in sentence(office.service.get("/analyses", headers=headers), 401)
    assert office.service.get("/analyses", headers=other).status_code == 200
    assert ann.get("/analyses").status_code == 200
    assert [token["revoked"] for token in ann.get("/tokens").json()["tokens"]] == [True, True]
    assert office.say("revoke-tokens", ANN) == ["0 tokens revoked"]


def test_what_has_ended_by_itself_is_not_counted(office: Office) -> None:
    token_of(office.signed_in(ANN))
    past = now() - timedelta(seconds=1)
    with office.service.services.folder.database.session() as session:
        session.execute(update(SignedIn).values(expires_at=past))
        session.execute(update(ApiToken).values(expires_at=past))
    assert answer(office.listed()[ANN])[1:] == ["0 sessions", "0 tokens"]
    assert office.say("end-sessions", ANN) == ["0 sessions ended"]
    assert office.say("revoke-tokens", ANN) == ["0 tokens revoked"]


def test_everybody_is_listed_with_their_last_sign_in(office: Office) -> None:
    assert office.say("list") == []
    bo = office.signed_in(BO)
    office.signed_in(ANN)
    office.service.services.users.named(CY)
    with office.service.services.folder.database.session() as session:
        session.execute(update(User).where(User.name != CY).values(signed_in_at=LONG_AGO))
    assert list(office.listed()) == sorted([ANN, BO, CY])
    assert answer(office.listed()[CY])[0] == "not signed in"
    assert answer(office.listed()[BO])[0] == "2025-01-02 03:04"
    # The moment stays when the session has ended, and moves with the next sign-in.
    bo.post("/sign-out")
    assert answer(office.listed()[BO])[1] == "0 sessions"
    before = now()
    office.signed_in(BO)
    with office.service.services.folder.database.session() as session:
        at = session.query(User).where(User.name == BO).one().signed_in_at
    assert at is not None
    assert at >= before
    assert answer(office.listed()[BO])[0] == f"{at:%Y-%m-%d %H:%M}"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_name_that_nobody_has_is_reported(office: Office, tmp_path: Path) -> None:
    office.signed_in(ANN)
    for command in ("end-sessions", "revoke-tokens"):
        assert office.say(command, CY, status=2) == [
            f"numalens: there is no user {CY}; `numalens users list` lists the users"
        ]
        assert "without spaces" in office.say(command, "a b", status=2)[0]
    assert b"is missing" in run("users", "list", "--data", tmp_path / "none", status=2).stderr

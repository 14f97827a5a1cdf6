"""The same story, told to NumaLens as one engineer runs it and as a team does."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.live import LiveServer, live_server, upload_whole
from tests.recordings import LSCPU, NUMA, counts
from tests.scope import exhaustive
from tests.servers import wait_until
from tests.service import API, server_sent_events
from tests.team import Team, team
from tests.test_deletion import holding_mark

START = Callable[[], AbstractContextManager[LiveServer]]
QUERY = "SELECT count(*) AS n FROM sched_slice"


@contextmanager
def embedded(root: Path) -> Iterator[tuple[START, None]]:
    yield lambda: live_server(root / "data"), None


@contextmanager
def of_a_team(root: Path) -> Iterator[tuple[START, Team]]:
    with team(root) as servers:
        yield servers.app, servers


def finished(client: httpx2.Client, analysis_id: str) -> dict[str, Any]:
    with client.stream("GET", f"{API}/analyses/{analysis_id}/progress") as response:
        *_, (event, last) = server_sent_events(response.iter_lines())
    assert event == "ready", last
    found: dict[str, Any] = last
    return found


def queries(client: httpx2.Client, analysis_id: str, token: str) -> dict[str, Any]:
    """What everybody can see of an analysis, by owner and link."""
    path = f"{API}/analyses/{analysis_id}"
    detail = client.get(path).json()
    begin, end = (int(ns) for ns in detail["timeline"]["window_ns"])
    window: dict[str, str | int] = {"from_ns": begin, "to_ns": end, "px": 500, "lanes": "node:0,cpu:1"}
    drawn = client.get(f"{path}/timeline", params=window)
    assert drawn.status_code == 200
    link = {"X-NumaLens-Share": token}
    seen = client.get(path, headers=link)
    assert seen.status_code == 200
    answer = client.post(f"{path}/sql", json={"sql": QUERY})
    assert answer.status_code == 200, answer.text
    export = client.get(f"{path}/events/sched_switch", params={"format": "csv"})
    return {
        "counts": detail["timeline"]["event_counts"],
        "title": detail["title"],
        "drawn": drawn.content,
        "findings": client.get(f"{path}/sections/findings").json(),
        "seen": seen.json()["timeline"],
        "notes": client.get(f"{path}/notes", headers=link).json(),
        "rows": answer.json()["rows"],
        "export": export.text,
    }


@pytest.mark.parametrize("kind", [embedded, exhaustive(of_a_team)])
def test_the_whole_story(
    tmp_path: Path, kind: Callable[[Path], AbstractContextManager[tuple[START, Team | None]]]
) -> None:
    with kind(tmp_path) as (start, servers):
        with start() as server, server.client() as client:
            uploads = [upload_whole(client, path.read_bytes(), path.name) for path in (NUMA, LSCPU)]
            created = client.post(f"{API}/analyses", json={"uploads": uploads, "title": "qzxstoryxzq"})
            analysis_id = created.json()["id"]
            finished(client, analysis_id)
            path = f"{API}/analyses/{analysis_id}"
            token = client.post(f"{path}/shares", json={"view": "", "may": ["comment"]}).json()["token"]
            assert client.post(f"{path}/notes", json={"author": "A", "text": "Look."}).status_code == 201
            copy = client.post(f"{path}/copies", json={"pseudonyms": True}).json()["id"]
            finished(client, copy)
            before = queries(client, analysis_id, token)
            assert before["counts"] == counts("cling-2x4-small")
            assert len(before["notes"]["notes"]) == 1
            assert before["export"].count("\n") == before["counts"]["sched_switch"] + 1
            server.kill()
        if servers is not None:
            _check_places(servers, {analysis_id, copy})
        with start() as server, server.client() as client:
            assert queries(client, analysis_id, token) == before
            assert client.get(f"{API}/analyses/{copy}").json()["status"] == "ready"
            for one in (analysis_id, copy):
                assert client.delete(f"{API}/analyses/{one}").status_code == 204
            assert client.get(f"{API}/analyses").json() == {"analyses": []}
            data = tmp_path / "data"
            assert [path for name in ("blobs", "bundles", "uploads") for path in (data / name).rglob("*")] == []
            for mark in ("qzxstoryxzq", analysis_id, copy):
                assert holding_mark(data, mark) == []
            if servers is not None:
                _check_emptiness(servers)


def _check_places(servers: Team, ids: set[str]) -> None:
    """Everything is where the URLs say, and nothing in the folder of the application but what is on its way."""
    assert {str(row[0]) for row in servers.rows("SELECT id FROM analyses WHERE status = 'ready'")} == ids
    objects = servers.objects()
    kept = {tuple(name.split("/")[1:3]) for name in objects if name.startswith("bundles/")}
    assert kept == set(servers.rows("SELECT id, generation FROM analyses"))
    assert len([name for name in objects if name.startswith("blobs/")]) == 2
    assert {path.name for path in servers.data.iterdir()} == {"bundles", "cache", "lock", "uploads"}


def _check_emptiness(servers: Team) -> None:
    wait_until("an empty bucket", lambda: servers.objects() == set())
    tables = "SELECT id FROM {} UNION ALL SELECT id FROM {} UNION ALL SELECT id FROM {} UNION ALL SELECT id FROM {}"
    assert servers.rows(tables.format("analyses", "uploads", "shares", "notes")) == []

"""What the first release wrote is still read: a backup with its database, bundle and share link, its report, and links.

`python -m tests.test_compatibility` writes the fixtures again. After a release, its fixtures stay as they are.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import numalens
from numalens.store.backup import put_back, take
from tests.conftest import running_service
from tests.recordings import FIXTURES, NUMA, SMALL
from tests.service import API

BACKUP: Final = FIXTURES / "release-1.0.tar.gz"
FACTS: Final = FIXTURES / "release-1.0.json"
VIEW: Final = "v=2&w=1000~2000"


def paths(value: object, at: str = "") -> Iterator[tuple[str, str]]:
    """Every field below a value, by its path and the kind of its content; rows of a list have one path."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from paths(part, f"{at}.{name}")
    elif isinstance(value, list):
        yield at, "list"
        for part in value:
            yield from paths(part, f"{at}[]")
    elif value is not None:
        yield at, "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def fields(report: Mapping[str, Any]) -> list[str]:
    return sorted({f"{path} {kind}" for path, kind in paths(report)})


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FACTS.read_text())
    return found


def test_a_backup_of_the_first_release_is_served(facts: dict[str, Any], tmp_path: Path) -> None:
    put_back(BACKUP, tmp_path / "data")
    with running_service(tmp_path) as service:
        (listed,) = service.get("/analyses").json()["analyses"]
        assert (listed["id"], listed["title"], listed["status"]) == (facts["analysis"], "First release", "ready")
        (note,) = service.get(f"/analyses/{listed['id']}/notes").json()["notes"]
        assert note["text"] == "kept"
        for name in facts["sections"]:
            answer = service.get(f"/analyses/{listed['id']}/sections/{name}")
            assert answer.status_code == 200, (name, answer.text)
        report = service.get(f"/analyses/{listed['id']}/report").json()
        assert report["event_counts"] == facts["event_counts"]
        opened = service.client.post(f"{API}/shares/open", json={"token": facts["token"]})
        assert opened.json()["view"] == VIEW


def test_a_report_has_every_field_of_the_first_release(facts: dict[str, Any]) -> None:
    with numalens.open(NUMA) as analysis:
        report = analysis.report()
    assert report["schema"] == facts["schema"]
    assert sorted(set(facts["fields"]) - set(fields(report))) == []


SECTIONS: Final = ("findings", "latency", "psi", "threads", "utilisation")


def make() -> None:
    """Writes the backup and its facts; links are written by hand."""
    kept = json.loads(FACTS.read_text()) if FACTS.exists() else {}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        with running_service(root) as service:
            analysis_id = service.analyse(SMALL)
            path = f"{API}/analyses/{analysis_id}"
            service.client.patch(path, json={"title": "First release"})
            service.client.post(f"{path}/notes", json={"author": "A", "text": "kept"})
            token = service.client.post(f"{path}/shares", json={"view": VIEW}).json()["token"]
            counts = service.get(f"/analyses/{analysis_id}/report").json()["event_counts"]
            take(root / "data", root / BACKUP.name)
        (root / BACKUP.name).replace(BACKUP)
    with numalens.open(NUMA) as analysis:
        report = analysis.report()
    facts = {"analysis": analysis_id, "token": token, "sections": SECTIONS, "event_counts": counts}
    facts |= {"schema": report["schema"], "fields": fields(report), "links": kept.get("links", [])}
    FACTS.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    make()

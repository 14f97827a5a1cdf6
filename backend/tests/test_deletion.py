"""Deleting is for good: of a deleted analysis no byte is left below the data folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import running_service
from tests.recordings import SMALL
from tests.service import API, Service
from tests.test_notes import say
from tests.test_shares import open_link, share
from tests.test_written_reports import write

MARK = "qzxmarkerxzq"
# Long enough for pages of its own in the database.
LONG = f"{MARK} " * 400


def trace() -> bytes:
    """A recording in text whose tasks carry the mark."""
    lines = [
        f"  {MARK[:10]}-{100 + n}   [00{n % 2}] d..2.  {10 + n}.000{n:03}: sched_switch: prev_comm={MARK} prev_pid={100 + n} "
        f"prev_prio=120 prev_state=S ==> next_comm={MARK} next_pid={101 + n} next_prio=120\n"
        for n in range(300)
    ]
    return ("# tracer: nop\n#\n" + "".join(lines)).encode()


def holding_mark(folder: Path, mark: str = MARK) -> list[str]:
    """Files whose bytes or names have the mark, also as UTF-16, since a database may keep text so."""
    wanted = (mark.encode(), mark.encode("utf-16-le"))

    def found() -> Iterator[str]:
        for path in sorted(folder.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            if mark in path.name or any(part in content for part in wanted):
                yield str(path.relative_to(folder))

    return list(found())


@pytest.fixture
def root(service: Service) -> Path:
    return service.services.folder.root


def analysed(service: Service) -> str:
    analysis_id = service.analyse((f"{MARK}.txt", trace()))
    service.client.patch(f"{API}/analyses/{analysis_id}", json={"title": f"{MARK} of last night"})
    note = say(service, analysis_id, author=MARK, text=LONG).json()
    say(service, analysis_id, text=LONG, parent_id=note["id"])
    write(service, analysis_id, title=MARK, text=LONG)
    open_link(service, share(service, analysis_id, name=MARK)["token"])
    assert service.get(f"/analyses/{analysis_id}/report").status_code == 200
    return analysis_id


def test_nothing_is_left_of_a_deleted_analysis(service: Service, root: Path) -> None:
    kept = service.analyse(SMALL)
    analysis_id = analysed(service)
    places = {Path(name).parts[0] for name in holding_mark(root)}
    assert {"blobs", "bundles"} < places
    assert any(name.startswith("numalens.sqlite3") for name in places)
    assert holding_mark(root, analysis_id) != []
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    assert holding_mark(root) == []
    assert holding_mark(root, analysis_id) == []
    assert service.get(f"/analyses/{kept}/report").status_code == 200


def test_nothing_is_left_of_one_that_could_not_be_read(service: Service, root: Path) -> None:
    analysis_id = service.analyse(("x.dat", b"no recording: " + LONG.encode()), status="failed")
    assert holding_mark(root) != []
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    assert holding_mark(root) == []


def test_a_note_that_is_taken_back_is_gone(service: Service, root: Path) -> None:
    analysis_id = service.analyse(SMALL)
    first, second = (say(service, analysis_id, text=LONG).json() for _ in range(2))
    service.client.patch(f"{API}/analyses/{analysis_id}/notes/{first['id']}", json={"text": "Nothing."})
    service.client.delete(f"{API}/analyses/{analysis_id}/notes/{second['id']}")
    assert holding_mark(root) == []


def test_what_a_power_cut_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        analysis_id = analysed(service)
        root = service.services.folder.root
        service.client.delete(f"{API}/analyses/{analysis_id}")
        # As if the process had ended between the row and the files.
        for name in (f".trash-{analysis_id}", f".scratch-{analysis_id}", analysis_id):
            (root / "bundles" / name).mkdir()
            (root / "bundles" / name / "x").write_text(MARK)
        assert len(holding_mark(root)) == 3
    with running_service(tmp_path):
        assert holding_mark(root) == []

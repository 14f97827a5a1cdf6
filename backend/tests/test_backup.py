"""Backups: taken while a server works, put back so that it answers the same, and refused when a byte is another."""

import io
import json
import re
import shutil
import sqlite3
import tarfile
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from numalens.store import backup
from numalens.store.backup import LIST, BackupError, put_back, take
from numalens.store.blobs import hash_file
from numalens.store.folder import DATABASE
from tests.command import run
from tests.conftest import Misbehave, running_service
from tests.live import create_upload, live_server, upload_whole
from tests.recordings import LSCPU, NUMA, SMALL
from tests.service import API, Service, patch_headers

REQUESTED = ("", "/sections/findings", "/sections/latency", "/report", "/notes", "/events/sched_switch")


def answers(service: Service) -> dict[str, Any]:
    """What a server tells of everything that it has."""
    listed = service.get("/analyses").json()
    result = {"list": listed, "fleet": service.get("/fleet/machines").json(), "shares": service.get("/shares").json()}
    for analysis in listed["analyses"]:
        for path in REQUESTED:
            answer = service.get(f"/analyses/{analysis['id']}{path}")
            result[f"{analysis['id']}{path}"] = (answer.status_code, answer.text)
    return result


@dataclass(frozen=True)
class Kept:
    folder: Path
    answers: dict[str, Any]
    token: str


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A backup, and what its server told when it was taken."""
    root = tmp_path_factory.mktemp("backup")
    with running_service(root) as service:
        numa, small = service.analyse(NUMA, LSCPU), service.analyse(SMALL)
        change = {"title": "Numa", "tags": ["p99"], "incident": "INC-1", "description": "a night"}
        service.client.patch(f"{API}/analyses/{numa}", json=change)
        service.client.post(f"{API}/analyses/{small}/notes", json={"author": "A", "text": "look"})
        share = service.client.post(f"{API}/analyses/{numa}/shares", json={"view": "v=2"}).json()
        taken = take(root / "data", root / "kept")
        assert taken.analyses == 2
        yield Kept(root / "kept", answers(service), share["token"])


@pytest.mark.parametrize("form", ["folder", ".tar", ".tar.gz"])
def test_a_restored_server_answers_the_same(kept: Kept, tmp_path: Path, form: str) -> None:
    source = kept.folder
    if form != "folder":
        shutil.copytree(kept.folder, tmp_path / "first")
        put_back(tmp_path / "first", tmp_path / "again")
        source = tmp_path / f"kept{form}"
        take(tmp_path / "again", source)
    put_back(source, tmp_path / "data")
    with running_service(tmp_path) as service:
        assert answers(service) == kept.answers
        opened = service.client.post(f"{API}/shares/open", json={"token": kept.token})
        assert opened.status_code == 200


def test_secrets_are_for_their_owner_alone(kept: Kept, tmp_path: Path) -> None:
    assert kept.folder.stat().st_mode & 0o077 == 0
    put_back(kept.folder, tmp_path / "data")
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    take(tmp_path / "data", tmp_path / "kept.tgz")
    assert (tmp_path / "kept.tgz").stat().st_mode & 0o077 == 0


def damage(folder: Path, how: str) -> str:
    """Damages a backup; returns what is to be said of it."""
    listed = json.loads((folder / LIST).read_text())
    blob = next(name for name in listed["files"] if name.startswith("blobs/"))
    path = folder / blob
    if how == "byte":
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        return f"{blob} differs from the backup"
    if how == "cut":
        path.write_bytes(path.read_bytes()[:-1])
        return f"{blob} differs from the backup"
    if how == "missing":
        path.unlink()
        return f"{blob} is in the backup's list but not in its folder"
    if how == "more":
        (folder / "bundles" / "x").write_text("x")
        return "bundles/x is in the backup's folder but not in its list"
    if how == "link":
        path.unlink()
        path.symlink_to("/etc/passwd")
        return "not in its folder"
    if how == "renamed":
        other = folder / "blobs" / "00" / ("1" * 62)
        other.parent.mkdir(exist_ok=True)
        path.rename(other)
        listed["files"][other.relative_to(folder).as_posix()] = listed["files"].pop(blob)
    elif how == "outside":
        listed["files"]["../outside"] = listed["files"][blob]
    elif how == "form":
        listed["schema"] = "numalens.backup/9"
    elif how == "database":
        (folder / DATABASE).write_bytes(b"no database")
        listed["files"][DATABASE] = {"bytes": 11, "sha256": hash_file(folder / DATABASE)}
    (folder / LIST).write_text({"list": "{", "deep": "[" * 200_000}.get(how) or json.dumps(listed))
    return {
        "renamed": "is not named by the hash of its content",
        "outside": "outside is in the backup's list but not in its folder",
        "form": "numalens.backup/9",
        "database": "cannot be read",
        "list": "so it is not a backup",
        "deep": "so it is not a backup",
    }[how]


@pytest.mark.parametrize(
    "how", ["byte", "cut", "missing", "more", "link", "renamed", "outside", "form", "database", "list", "deep"]
)
def test_a_backup_that_was_changed_is_refused_and_nothing_is_made(kept: Kept, tmp_path: Path, how: str) -> None:
    shutil.copytree(kept.folder, tmp_path / "copy")
    words = damage(tmp_path / "copy", how)
    with pytest.raises(BackupError, match=words.replace("(", r"\(")):
        put_back(tmp_path / "copy", tmp_path / "data")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE analyses SET id = '../../x' WHERE title = 'Numa'", "'../../x' instead of an id of analyses"),
        ("UPDATE inputs SET upload_id = '../x' WHERE name LIKE 'lscpu%'", "'../x' instead of an id of inputs"),
        ("CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM analyses; END", "has a trigger 't'"),
        ("CREATE VIEW v AS SELECT 1", "has a view 'v'"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "has a table 'f'"),
    ],
)
def test_a_database_that_no_server_made_is_refused(kept: Kept, tmp_path: Path, change: str, words: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(kept.folder, folder)
    path = folder / DATABASE
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(change)
    listed = json.loads((folder / LIST).read_text())
    listed["files"][DATABASE] = {"bytes": path.stat().st_size, "sha256": hash_file(path)}
    (folder / LIST).write_text(json.dumps(listed))
    with pytest.raises(BackupError, match=re.escape(words)):
        put_back(folder, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_an_archive_that_reaches_out_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "bad.tar"
    with tarfile.open(archive, "w") as tar:
        member = tarfile.TarInfo("../outside")
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    with pytest.raises(BackupError, match="not a complete backup archive"):
        put_back(archive, tmp_path / "data")
    assert not (tmp_path / "outside").exists()
    archive.write_bytes(b"no archive")
    with pytest.raises(BackupError, match="not a complete backup archive"):
        put_back(archive, tmp_path / "data")


def test_what_is_not_claimed_is_left_out_and_what_is_queued_goes_on(tmp_path: Path, misbehaving: Misbehave) -> None:
    with running_service(tmp_path) as service:
        service.upload(b"nobody's", "nobody.dat")
        misbehaving("wait")
        running, queued = service.create(SMALL), service.create(NUMA)
        take(tmp_path / "data", tmp_path / "kept")
    misbehaving("no more")
    put_back(tmp_path / "kept", tmp_path / "restored" / "data")
    with sqlite3.connect(tmp_path / "restored" / "data" / DATABASE) as database:
        assert database.execute("SELECT count(*) FROM uploads WHERE name = 'nobody.dat'").fetchone() == (0,)
    with running_service(tmp_path / "restored") as service:
        for analysis_id in (running, queued):
            assert service.watch(analysis_id)[-1][0] == "ready"


def test_a_backup_taken_while_much_changes_is_whole(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        stays = service.analyse(SMALL)
        stop = threading.Event()

        def change() -> None:
            while not stop.is_set():
                service.services.analyses.delete(
                    service.services.analyses.create([service.upload(b"x" * 999)], None).id
                )

        changing = threading.Thread(target=change)
        changing.start()
        try:
            for number in range(3):
                take(tmp_path / "data", tmp_path / f"kept{number}")
        finally:
            stop.set()
            changing.join()
    for number in range(3):
        put_back(tmp_path / f"kept{number}", tmp_path / f"restored{number}" / "data")
        with running_service(tmp_path / f"restored{number}") as service:
            assert service.get(f"/analyses/{stays}/sections/latency").status_code == 200


def test_what_goes_away_meanwhile_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_service(tmp_path) as service:
        kept, gone = service.analyse(SMALL), service.analyse(NUMA)
        real = backup._copy_file
        deleted: list[str] = []

        def copy(source: Path, target: Path) -> None:
            real(source, target)
            if not deleted and source.parent.name + source.name == hash_file(NUMA):
                # Copied just before: what is left of it must not stay in the backup.
                deleted.append(gone)
                service.services.analyses.delete(gone)

        monkeypatch.setattr(backup, "_copy_file", copy)
        assert take(tmp_path / "data", tmp_path / "kept").analyses == 1
        assert [path.name for path in (tmp_path / "kept" / "bundles").iterdir()] == [kept]
        assert len(list((tmp_path / "kept" / "blobs").glob("*/*"))) == 1
        monkeypatch.setattr(backup, "TRIES", 2)
        monkeypatch.setattr(backup, "_copy_bundle", lambda *_: (_ for _ in ()).throw(backup._GoneError))
        with pytest.raises(BackupError, match="imported again during the copy"):
            take(tmp_path / "data", tmp_path / "never")
    assert not (tmp_path / "never").exists()


def test_the_commands_next_to_a_running_server(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with live_server(data) as server, server.client() as client:
        made = client.post(f"{API}/analyses", json={"uploads": [upload_whole(client, SMALL.read_bytes())]}).json()
        with client.stream("GET", f"{API}/analyses/{made['id']}/progress") as response:
            response.read()
        half = create_upload(client, 100)
        client.patch(half, content=b"x" * 50, headers=patch_headers(0))
        said = run("backup", tmp_path / "kept.tar.gz", "--data", data).stdout.decode()
        assert "has 1 analyses in" in said
        before = client.get(f"{API}/analyses/{made['id']}/report").text
    run("backup", tmp_path / "kept.tar.gz", "--data", data, status=2)
    run("restore", tmp_path / "kept.tar.gz", "--data", data, status=2)
    run("restore", tmp_path / "kept.tar.gz", "--data", tmp_path / "new")
    with live_server(tmp_path / "new") as server, server.client() as client:
        assert client.get(f"{API}/analyses/{made['id']}/report").text == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("backup", "{tmp}/x", "--data", "{tmp}/nowhere"), "is not a data folder"),
        (("restore", "{tmp}/nowhere", "--data", "{tmp}/new"), "is missing"),
        (("restore", "{tmp}", "--data", "{tmp}/new"), "so it is not a backup"),
    ],
)
def test_what_cannot_be_is_a_sentence(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    ended = run(*(part.format(tmp=tmp_path) for part in arguments), status=2)
    said = ended.stderr.decode()
    assert words in said
    assert said.count("\n") == 1
    assert "Traceback" not in said

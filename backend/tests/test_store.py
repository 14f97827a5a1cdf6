"""What is kept, and that a start after a kill finds nothing half-done."""

import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numalens.errors import FolderInUseError
from numalens.store.analyses import AnalysisStore
from numalens.store.blobs import BlobStore, hash_file
from numalens.store.folder import DataFolder
from numalens.store.names import distinct, title_of
from numalens.store.schema import Base
from numalens.store.uploads import UploadStore, UploadWriter


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def stores(folder: DataFolder) -> tuple[UploadStore, AnalysisStore]:
    uploads = UploadStore(folder, max_bytes=1 << 30, min_free_bytes=0, days=7)
    return uploads, AnalysisStore(folder, uploads)


def uploaded(uploads: UploadStore, content: bytes) -> str:
    state = uploads.create("trace.dat", len(content), "")
    writer = UploadWriter(uploads.path(state.id), 0)
    writer.write(content)
    writer.close()
    return state.id


def test_migrations_make_the_schema_of_the_code(folder: DataFolder) -> None:
    with folder, folder.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_second_start_finds_the_first_ones_rows(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        uploads, analyses = stores(folder)
        row = analyses.create([uploaded(uploads, b"abc")], "One")
    with DataFolder(tmp_path) as folder:
        _, analyses = stores(folder)
        assert analyses.get(row.id).title == "One"
        assert analyses.unfinished() == [row.id]


def test_one_server_per_folder(tmp_path: Path) -> None:
    with DataFolder(tmp_path), pytest.raises(FolderInUseError, match="Another NumaLens server"):
        DataFolder(tmp_path)
    with DataFolder(tmp_path):
        pass


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(contents=st.lists(st.binary(max_size=100), max_size=6))
def test_the_same_content_is_kept_once(tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]) -> None:
    root = tmp_path_factory.mktemp("blobs")
    blobs = BlobStore(root / "blobs")
    for number, content in enumerate(contents):
        source = root / str(number)
        source.write_bytes(content)
        sha256 = hash_file(source)
        blobs.put(sha256, source, link=number % 2 == 0)
        source.unlink()
        assert blobs.path(sha256).read_bytes() == content
    kept = list(blobs.all())
    assert len(kept) == len(set(contents)) == len(set(kept))
    for sha256 in kept:
        blobs.remove(sha256)
        blobs.remove(sha256)
    assert list((root / "blobs").iterdir()) == []


def test_a_copied_file_does_not_follow_its_source(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path / "blobs")
    source = tmp_path / "source"
    source.write_bytes(b"before")
    sha256 = hash_file(source)
    blobs.put(sha256, source, link=False)
    source.write_bytes(b"after!")
    assert blobs.path(sha256).read_bytes() == b"before"


@pytest.mark.parametrize("killed_after", ["hash", "link", "row"])
def test_storing_can_be_cut_off_anywhere(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, killed_after: str
) -> None:
    with folder:
        uploads, analyses = stores(folder)
        content = b"recording" * 1000
        row = analyses.create([uploaded(uploads, content), uploaded(uploads, b"side file")], None)

        def killed(*_arguments: object, **_named: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            if killed_after == "hash":
                patch.setattr(BlobStore, "put", killed)
            elif killed_after == "link":
                patch.setattr(folder.database, "session", _fails_after(folder, 1))
            else:
                patch.setattr(Path, "unlink", killed)
            with pytest.raises(KeyboardInterrupt):
                analyses.store_inputs(row.id, lambda _done, _total: None)
        stored = analyses.store_inputs(row.id, lambda _done, _total: None)
        assert [folder.blobs.hold(sha256).path.read_bytes() for _, sha256 in stored] == [content, b"side file"]
        uploads.sweep()
        analyses.sweep()
        assert len(list(folder.blobs.all())) == 2
        assert [folder.blobs.hold(sha256).path.read_bytes() for _, sha256 in stored] == [content, b"side file"]


def _fails_after(folder: DataFolder, calls: int) -> object:
    real = folder.database.session
    left = calls

    def session() -> object:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return real()

    return session


def test_a_start_removes_what_a_kill_left(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        uploads, analyses = stores(folder)
        row = analyses.create([uploaded(uploads, b"abc")], None)
        analyses.store_inputs(row.id, lambda _done, _total: None)
        folder.kept.workshop.new(row.id, "g").mkdir()
        folder.kept.workshop.scratch(row.id, "g").mkdir()
        (folder.bundles / ".trash-old").mkdir()
        (folder.bundles / "unknown").mkdir()
        assert isinstance(folder.blobs, BlobStore)
        stray = folder.blobs.path("f" * 64)
        stray.parent.mkdir()
        stray.write_bytes(b"no row names this")
        (folder.blobs.root / ".new-x").write_bytes(b"half")
    with DataFolder(tmp_path) as folder:
        uploads, analyses = stores(folder)
        analyses.sweep()
        assert list(folder.bundles.iterdir()) == []
        assert len(list(folder.blobs.all())) == 1
        assert not (folder.root / "blobs" / ".new-x").exists()
        assert analyses.unfinished() == [row.id]


def test_a_kept_bundle_replaces_an_earlier_one_whole(folder: DataFolder) -> None:
    with folder:
        for content in ("one", "two"):
            new = folder.kept.workshop.new("x", content)
            (new / "events").mkdir(parents=True)
            (new / "manifest.json").write_text(content)
            folder.kept.keep("x", content)
            folder.kept.show("x", content)
            folder.kept.show("x", content)
            assert (folder.bundle("x") / "manifest.json").read_text() == content
        folder.kept.drop("x")
        folder.kept.drop("x")
        assert list(folder.bundles.iterdir()) == []


def test_a_deleted_analysis_leaves_neither_scratch_nor_half_a_bundle(folder: DataFolder) -> None:
    with folder:
        (folder.kept.workshop.scratch("x", "g") / "files").mkdir(parents=True)
        folder.kept.workshop.new("x", "g").mkdir()
        folder.kept.drop("x")
        assert list(folder.bundles.iterdir()) == []


@given(names=st.lists(st.sampled_from(["a", "b", "a (2)", "a (3)", ""]), max_size=8))
def test_names_become_distinct_and_the_first_keeps_its_own(names: list[str]) -> None:
    found = distinct(names)
    assert len(set(found)) == len(found) == len(names)
    assert distinct(found) == found
    for position, (name, chosen) in enumerate(zip(names, found, strict=True)):
        assert chosen.startswith(name)
        if name not in names[:position]:
            assert chosen == name


@pytest.mark.parametrize(
    ("names", "title"),
    [
        ([], "recording"),
        (["trace.dat"], "trace.dat"),
        (["lscpu-p.txt", "Trace.DAT", "psi.jsonl"], "Trace.DAT and 2 more"),
        (["a.txt", "b.txt"], "a.txt and 1 more"),
        (["side.tar.zst", "trace.dat"], "trace.dat and 1 more"),
        (["notes.txt", "side.tar.zst"], "side.tar.zst and 1 more"),
    ],
)
def test_a_title_names_a_recording(names: list[str], title: str) -> None:
    assert title_of(names) == title


def test_a_long_list_of_skipped_parts_is_kept_as_a_number(folder: DataFolder) -> None:
    with folder:
        uploads, analyses = stores(folder)
        row = analyses.create([uploaded(uploads, b"abc")], None)
        part = {"from": 1, "to": 2, "unit": "byte", "cpu": None, "why": "No."}
        begun = analyses.set_parsing(row.id)
        assert begun is not None
        analyses.set_ready(
            row.id, begun[0], "g", {"inputs": [{"name": "x", "skipped": [part] * 50, "skipped_more": 7}]}
        )
        answer = analyses.get(row.id).input_summaries
        assert answer is not None
        assert len(answer[0]["skipped"]) + answer[0]["skipped_more"] == 57
        assert len(answer[0]["skipped"]) == 20


def test_only_the_latest_try_has_an_effect_and_only_once(folder: DataFolder) -> None:
    with folder:
        uploads, analyses = stores(folder)
        row = analyses.create([uploaded(uploads, b"abc")], None)
        first, second = analyses.set_parsing(row.id), analyses.set_parsing(row.id)
        assert first is not None
        assert second is not None
        answer = {"inputs": [{"name": "x"}]}
        assert not analyses.set_ready(row.id, first[0], "one", answer)
        analyses.set_failed(row.id, first[0], {"sentence": "No."})
        assert analyses.get(row.id).status == "parsing"
        assert analyses.set_ready(row.id, second[0], "two", answer)
        assert not analyses.set_ready(row.id, second[0], "three", answer)
        assert (analyses.get(row.id).status, analyses.get(row.id).generation) == ("ready", "two")
        # Who comes late finds nothing to do.
        assert analyses.set_parsing(row.id) is None


def test_a_bundle_is_never_missing_while_another_takes_its_place(folder: DataFolder) -> None:
    with folder:
        found: list[bool] = []
        ended = threading.Event()

        def look() -> None:
            while not ended.is_set():
                with folder.kept.opening("x", None) as hold:
                    found.append((hold.path / "manifest.json").is_file())

        def keep() -> None:
            new = folder.kept.workshop.new("x", "g")
            new.mkdir()
            (new / "manifest.json").write_text("{}")
            folder.kept.keep("x", "g")
            folder.kept.show("x", "g")

        keep()
        reader = threading.Thread(target=look)
        reader.start()
        for _ in range(20):
            keep()
        ended.set()
        reader.join()
        assert found
        assert all(found)

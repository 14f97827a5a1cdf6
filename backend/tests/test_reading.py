"""From files to a bundle, with a compiled module that only notes what it was asked."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numalens_native
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numalens.jobs.reading import UnknownInputError, _File, _left_out, _some, read_inputs
from numalens.store.options import Cut


class Module:
    """Unpacks what it is told to, and ingests nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *unpacked: dict[str, Any]) -> None:
        self.unpacked = unpacked
        self.requests: dict[str, Any] = {}
        monkeypatch.setattr(numalens_native, "unpack", self.unpack)
        monkeypatch.setattr(numalens_native, "ingest", self.ingest)

    def unpack(self, inputs: list[tuple[str, str]], out_dir: str, **options: Any) -> str:
        self.requests["unpack"] = (inputs, out_dir, options)
        return json.dumps(self.unpacked)

    def ingest(self, inputs: list[tuple[str, str]], out_dir: str, **options: Any) -> str:
        self.requests["ingest"] = (inputs, out_dir, options)
        Path(out_dir).mkdir()
        manifest = json.dumps({"notes": ["its own"]})
        (Path(out_dir) / "manifest.json").write_text(manifest)
        return manifest


def file(name: str, kind: str | None = "psi", source: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "name": name, "path": f"/x/{name}", "kind": kind, "bytes": 1, "source": source, "notes": [], "skipped": [], **more
    }  # fmt: skip


def test_caps_and_wishes_are_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module(monkeypatch, file("a.dat", "trace.dat"), file("b", source=1))
    steps: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        steps.append((stage, done, total))

    out, scratch = tmp_path / "out", tmp_path / "scratch"
    inputs = [("a.dat", "/1"), ("b", "/2")]
    read_inputs(
        inputs,
        out,
        scratch,
        progress=progress,
        max_events=5,
        max_bytes=7,
        tolerant=True,
        offsets={"b": -(1 << 62)},
        hz=300,
        cut=Cut("source", from_ns=1, to_ns=2, tasks=[7, 7], pseudonyms=True),
    )
    given_inputs, folder, options = module.requests["unpack"]
    assert given_inputs == inputs
    assert Path(folder).is_relative_to(scratch)
    assert options == {"progress": progress, "max_bytes": 7, "tolerant": True}
    given_inputs, folder, options = module.requests["ingest"]
    assert given_inputs == [("a.dat", "/x/a.dat"), ("b", "/x/b")]
    assert folder == str(out)
    assert options == {
        "progress": progress,
        "max_events": 5,
        "max_bytes": 7,
        "tolerant": True,
        "offsets": {1: -(1 << 62)},
        "columns": {},
        "hz": 300,
        "from_ns": 1,
        "to_ns": 2,
        "tasks": {7},
        "pseudonyms": True,
    }


def test_members_that_nobody_reads_are_reported_and_not_ingested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = [file(f"x.tgz/n{number}", None) for number in range(8)]
    module = Module(
        monkeypatch, file("x.tgz/psi.jsonl"), *unread, file("y.zip/psi", source=1), file("y.zip/n", None, 1)
    )
    manifest = json.loads(read_inputs([("x.tgz", "/1"), ("y.zip", "/2")], tmp_path / "out", tmp_path / "scratch"))
    assert module.requests["ingest"][0] == [("x.tgz/psi.jsonl", "/x/x.tgz/psi.jsonl"), ("y.zip/psi", "/x/y.zip/psi")]
    assert manifest["notes"] == [
        "its own",
        "8 files of x.tgz are of an unknown kind: n0, n1, n2 and 5 more.",
        "1 file of y.zip is of an unknown kind: n.",
    ]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == manifest


def test_a_file_that_nobody_reads_is_reported_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module(monkeypatch, file("t.dat", "trace.dat"), file("cmd.txt", None, 1), file("cmd.txt (2)", None, 2))
    inputs = [("t.dat", "/1"), ("cmd.txt", "/2"), ("cmd.txt", "/3")]
    manifest = json.loads(read_inputs(inputs, tmp_path / "out", tmp_path / "scratch"))
    assert module.requests["ingest"][0] == [("t.dat", "/x/t.dat")]
    assert manifest["notes"] == [
        "its own",
        "not read: cmd.txt, no input of a known kind",
        "not read: cmd.txt (2), no input of a known kind",
    ]


def test_what_the_recorder_describes_a_recording_by_is_known(tmp_path: Path) -> None:
    texts = {
        "hz.txt": "CONFIG_HZ=250\n",
        "record.json": '{\n  "schema": "numalens.record/1"}',
        "sched-settings.txt": "/proc/sys/kernel/sched_x: 1\n",
        "uname.txt": "Linux vm 6.1.0 #1 SMP x86_64\n",
    }
    known = []
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        known.append(_File(f"b.tar/vm/{name}", str(tmp_path / name), None, len(text), 0, [], []))
    assert list(_left_out(["b.tar"], known)) == []
    assert list(_left_out(["hz.txt"], [replace(known[0], name="hz.txt")])) == []
    # Others' files of the same name are not.
    for name in texts:
        (tmp_path / name).write_text("hello")
    assert list(_left_out(["b.tar"], known)) == [
        "4 files of b.tar are of an unknown kind: vm/hz.txt, vm/record.json, vm/sched-settings.txt and 1 more."
    ]


def test_what_unpacking_said_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = {"from": 1, "to": 2, "unit": "byte", "cpu": None, "why": "It is cut."}
    Module(monkeypatch, file("x/a", notes=["Same."], skipped=[part] * 7), file("x/b", notes=["Same."]))
    notes = json.loads(read_inputs([("x", "/1")], tmp_path / "out", tmp_path / "scratch"))["notes"]
    assert notes == [
        "its own", "Same.", *["x: It is cut."] * 5, "x: 2 more parts were left out while unpacking."
    ]  # fmt: skip


def test_a_shift_of_what_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module(monkeypatch, file("a"), file("b", None))
    with pytest.raises(UnknownInputError, match=r"^There is no input 'b' to shift; available: a\.$"):
        read_inputs([("a", "/1")], tmp_path / "out", tmp_path / "scratch", offsets={"a": 1, "b": 2})
    assert "ingest" not in module.requests


def test_files_of_one_name_are_distinguished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Module(monkeypatch, file("t"), file("t (2)", source=1))
    read_inputs([("t", "/1"), ("t", "/2")], tmp_path / "out", tmp_path / "scratch", offsets={"t (2)": 5})
    assert module.requests["unpack"][0] == [("t", "/1"), ("t (2)", "/2")]
    assert module.requests["ingest"][2]["offsets"] == {1: 5}


@given(names=st.lists(st.text("abc", min_size=1), max_size=9))
def test_lists_are_short_and_lose_nobody(names: list[str]) -> None:
    text = _some(names)
    more = int(text.rsplit(" and ", 1)[1].split()[0]) if " and " in text else 0
    shown = text.split(" and ")[0]
    assert (len(shown.split(", ")) if names else 0) + more == len(names)
    assert len(shown.split(", ")) <= 3
    assert list(_left_out(["x"], [])) == []

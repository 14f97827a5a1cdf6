"""`scripts/lab inputs`: each file by itself, found or named, compared with the counts next to it."""

import gzip
import json
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inputs_table import differences, expected_counts

from numalens.cli.usage import UsageError
from tests.command import run, run_lab
from tests.recordings import FIXTURES, GARBAGE, LSCPU, SMALL, TRUNCATED, counts


def table(*arguments: str | Path, status: int = 0) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run_lab("inputs", *arguments, "--json", "-", status=status).stdout)
    return rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Recordings beside their counts, a topology, and a file that is nothing."""
    (tmp_path / "tc-small").mkdir()
    shutil.copy(SMALL, tmp_path / "tc-small" / "trace.dat")
    shutil.copy(LSCPU, tmp_path / "tc-small" / "lscpu-p.txt")
    (tmp_path / "tc-small" / "stats.json").write_text(json.dumps({"counts": counts("tc-small")}))
    (tmp_path / "twins").mkdir()
    shutil.copy(SMALL, tmp_path / "twins" / "tc-small.twin.dat")
    (tmp_path / "twins" / "notes.txt").write_text("nothing to see here\n")
    return tmp_path


def test_a_folder_is_searched_and_compared(folder: Path) -> None:
    rows = table(folder, "--check")
    assert [(Path(row["input"]).relative_to(folder).as_posix(), row["kind"], row["check"]) for row in rows] == [
        ("tc-small/lscpu-p.txt", "topology", None),
        ("tc-small/trace.dat", "trace.dat", "="),
        ("twins/tc-small.twin.dat", "trace.dat", "="),
    ]
    assert rows[1]["events"] == sum(counts("tc-small").values())
    assert rows[1]["event_counts"] == counts("tc-small")
    assert rows[1]["clock"] == "mono"
    text = run_lab("inputs", folder, "--check").stdout.decode()
    # What is known and what is not: notes.txt and stats.json.
    assert text.splitlines()[-1].startswith(
        "3 inputs, 5,478 events, 0 samples, 2 as expected, 2 files of no known kind"
    )


def test_a_difference_is_reported_and_is_status_1(folder: Path) -> None:
    said = counts("tc-small") | {"sched_switch": 377}
    del said["print"]
    (folder / "tc-small" / "stats.json").write_text(json.dumps({"counts": said}))
    (row,) = table(folder / "tc-small" / "trace.dat", "--check", status=1)
    assert row["check"] == "differs"
    assert row["differences"] == {"print": [0, counts("tc-small")["print"]], "sched_switch": [377, 376]}
    text = run_lab("inputs", folder / "tc-small", "--check", status=1).stdout.decode()
    assert "sched_switch: 377 expected, 376 found" in text
    # No comparison was requested here.
    assert run_lab("inputs", folder / "tc-small").stdout


def test_the_fixtures_have_their_counts() -> None:
    recordings = sorted(FIXTURES.glob("tc-small.*.dat"))
    rows = table(*recordings, "--check")
    assert [row["check"] for row in rows] == ["="] * len(recordings)


@pytest.mark.parametrize(("name", "content"), [("garbage.dat", GARBAGE), ("cut.dat", TRUNCATED)])
def test_what_is_named_and_cannot_be_read_is_a_line_and_status_3(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    rejected, good = table(tmp_path / name, SMALL, status=3)
    assert rejected["check"] == "rejected"
    assert name in rejected["error"]
    assert good["events"] == sum(counts("tc-small").values())


def test_what_is_damaged_is_a_line_also_when_found(tmp_path: Path) -> None:
    (tmp_path / "cut.dat").write_bytes(TRUNCATED)
    (tmp_path / "garbage").write_bytes(GARBAGE)
    (row,) = table(tmp_path, status=3)
    assert row["check"] == "rejected"


def test_an_archive_is_its_members_and_one_of_other_things_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("nothing to see here\n")
    for name, member in (("a.tgz", SMALL), ("b.tgz", tmp_path / "notes")):
        with tarfile.open(tmp_path / name, "w:gz") as archive:
            archive.add(member, f"in/{member.name}")
    (tmp_path / "c.gz").write_bytes(gzip.compress(GARBAGE))
    (row,) = table(tmp_path)
    assert row["input"] == f"{tmp_path / 'a.tgz'}/in/{SMALL.name}"
    assert row["event_counts"] == counts("tc-small")
    assert b"3 files of no known kind left out" in run_lab("inputs", tmp_path).stdout
    table(tmp_path / "b.tgz", status=3)
    # What lies next to an archive shows nothing of its members.
    (tmp_path / "stats.json").write_text('{"counts": {}}')
    assert [row["check"] for row in table(tmp_path / "a.tgz", "--check")] == [None]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"counts": {"a": "many"}}'])
def test_counts_that_are_none_are_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "stats.json").write_text(text)
    with pytest.raises(UsageError, match=r"stats\.json cannot be compared with"):
        expected_counts(tmp_path / "trace.dat")


def test_counts_are_for_the_files_they_name(tmp_path: Path) -> None:
    (tmp_path / "one.counts.json").write_text(json.dumps({"files": ["a.dat"], "counts": {"s:x": 1, "t:x": 2}}))
    (tmp_path / "two.counts.json").write_text(json.dumps({"counts": {"y": 5}}))
    assert expected_counts(tmp_path / "a.dat") == {"x": 3}
    assert expected_counts(tmp_path / "two.data.zst") == {"y": 5}
    assert expected_counts(tmp_path / "two") == {"y": 5}
    assert expected_counts(tmp_path / "twofold.dat") is None


@given(
    one=st.dictionaries(st.text(max_size=2), st.integers(0, 3)),
    two=st.dictionaries(st.text(max_size=2), st.integers(0, 3)),
)
def test_differences_are_all_there_is_between_two(one: dict[str, int], two: dict[str, int]) -> None:
    found = differences(one, two)
    assert {name for name in one.keys() | two.keys() if one.get(name, 0) != two.get(name, 0)} == found.keys()
    assert differences(two, one) == {name: (found_, said) for name, (said, found_) in found.items()}
    assert differences(one, one) == {}


def test_a_bomb_is_refused_in_one_sentence(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", bytes(20_000_000))
    refused = run("analyze", bomb, status=3).stderr.decode().strip().splitlines()
    assert len(refused) == 1
    assert refused[0].startswith("numalens: bomb.zip: byte ")
    assert "500" in refused[0]

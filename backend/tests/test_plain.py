"""What leaves the command line and the names of downloads: hostile names stay names."""

import io
import json
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numalens.api.export import file_stem
from numalens.cli.plain import PlainStream
from numalens.cli.query import table
from numalens.text import plain
from tests.command import run, run_lab
from tests.hostile import HOSTILE

# Of Unicode's own classes: controls, what formats, halves of pairs, what separates lines.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def unseen(text: str) -> list[str]:
    return [hex(ord(sign)) for sign in text if unicodedata.category(sign) in UNSEEN and sign not in "\n\t"]


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_nothing_unseen_reaches_a_terminal(name: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8")
    stream = PlainStream(out)
    stream.write(f"task {name} ran\n")
    stream.flush()
    printed = raw.getvalue().decode()
    assert unseen(printed) == []
    assert printed.startswith("task ")
    assert printed.endswith(" ran\n")


def test_what_can_be_seen_is_printed_as_it_is() -> None:
    assert plain("kworker/0:1 трасса 中 é\n\t|") == "kworker/0:1 трасса 中 é\n\t|"
    assert plain("a\x1b[31mb\u202ec\x7f\x9b") == "a␛[31mb⟨U+202E⟩c⟨U+007F⟩⟨U+009B⟩"


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    shown = plain(text)
    assert plain(shown) == shown
    assert len(shown) >= len(text)


def test_a_terminal_without_the_letters_is_reported_their_numbers() -> None:
    raw = io.BytesIO()
    stream = PlainStream(io.TextIOWrapper(raw, encoding="ascii"))
    stream.write("é␛\n")
    stream.flush()
    assert raw.getvalue() == rb"\xe9\u241b" + b"\n"


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_download_has_a_name_that_every_system_takes(name: str) -> None:
    stem = file_stem(name)
    assert 1 <= len(stem) <= 100
    assert set(stem) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_row_of_a_query_stays_one_line(name: str) -> None:
    answer = {"columns": [{"name": "name", "kind": "text"}], "rows": [[name], ["next"]]}
    assert [line.strip() for line in plain(table(answer)).split("\n")][2:] == ["next", ""]


def trace(comm: str) -> bytes:
    """A recording in text, by two tasks of which one has this name."""
    return "".join(
        f"  <idle>-0   [000] d..2.  {10 + n}.000000: sched_switch: prev_comm={comm} prev_pid=7 prev_prio=120 prev_state=S "
        f"==> next_comm=other next_pid=8 next_prio=120\n"
        for n in range(3)
    ).encode("utf-8", "surrogateescape")


def test_a_file_whose_name_is_no_text_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"a\xff.txt")
    file.write_bytes(trace("a"))
    refused = run("analyze", file, status=3).stderr.decode()
    assert refused.endswith("a⟨U+DCFF⟩.txt: the file name is not UTF-8; rename the file\n")
    assert len(refused.splitlines()) == 1
    # Among others it is one that could not be read.
    (tmp_path / "b.txt").write_bytes(trace("b"))
    listed = run_lab("inputs", tmp_path, file, status=3).stdout.decode()
    assert "b.txt" in listed
    assert "a⟨U+DCFF⟩.txt" in listed


@pytest.mark.parametrize("what", ["colours of a terminal", "an override of direction", "a control of eight bits"])
def test_the_command_prints_names_of_tasks_and_files_plainly(tmp_path: Path, what: str) -> None:
    name = HOSTILE[what]
    file = tmp_path / f"{name}.txt"
    file.write_bytes(trace(name))
    answer = run("analyze", file, "--json", "-").stdout.decode()
    assert unseen(answer) == []
    assert json.loads(answer)["inputs"]
    assert unseen(run("analyze", file).stdout.decode()) == []
    assert unseen(run_lab("inputs", tmp_path).stdout.decode()) == []
    refused = run("analyze", tmp_path / f"{name}.missing", status=3).stderr.decode()
    assert "Traceback" not in refused
    assert unseen(refused) == []

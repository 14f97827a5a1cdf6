"""Sentences about refused inputs say what a file is, or how much of it is missing."""

from pathlib import Path

import pytest

from numalens.jobs.failures import plain_sentence

EXPECTED = "a recording (trace.dat, perf.data), samples (pressure) or an archive of these"


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b"\x89PNG\r\n\x1a\n and more", "shot.x is a PNG image."),
        (b"%PDF-1.7", "shot.x is a PDF document."),
        (b"\x7fELF\x02", "shot.x is an ELF program or library."),
        (b"", "shot.x is an empty file."),
        (b"hello world", "shot.x is of an unknown kind."),
    ],
)
def test_what_nobody_reads_is_called_what_it_is(tmp_path: Path, head: bytes, says: str) -> None:
    path = tmp_path / "blob"
    path.write_bytes(head)
    sentence = plain_sentence("shot.x: byte 0: expected ..., found ...", "shot.x", path, (0, EXPECTED))
    assert sentence.startswith(says)
    assert "trace.dat" in sentence


def test_a_file_that_is_cut_off_says_how_much_is_there() -> None:
    exact = "trace.dat: byte 2000000: expected a section at byte 5312345, found the end of the file"
    place = (2_000_000, "a section at byte 5312345")
    assert plain_sentence(exact, "trace.dat", None, place).startswith(
        "trace.dat is cut off: 2.0 MB of at least 5.3 MB are here."
    )
    short = "perf.data: byte 104: expected an attribute, found the end of the file"
    assert plain_sentence(short, "perf.data", None, (104, "an attribute")).startswith(
        "perf.data is cut off after 104 bytes: an attribute should follow."
    )


@pytest.mark.parametrize(
    ("why", "says"),
    [
        (
            "expected a section at byte 1377420, found the end of the file",
            ". x is cut off: 911 kB of at least 1.4 MB are here.",
        ),
        ("expected a size, found 0", ": expected a size, found 0."),
    ],
)
def test_damage_that_left_nothing_says_so(why: str, says: str) -> None:
    nothing = "events or samples outside of what is damaged"
    exact = f"x: byte 910548: expected {nothing}, found none: {why}"
    assert plain_sentence(exact, "x", None, (910_548, nothing)).startswith(f"Nothing of x can be read{says}")


def test_any_other_sentence_stays() -> None:
    other = "trace.dat: byte 7: expected a size, found 0"
    assert plain_sentence(other, "trace.dat", None, (7, "a size")) == other

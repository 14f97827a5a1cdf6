"""Reason of a refused input, for users: the kind of the file, or the missing part. The exact position is kept."""

import re
from pathlib import Path
from typing import Final

# How unsupported files begin, and what to call them.
_KNOWN: Final = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program or library"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Microsoft Office document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"<!DOCTYPE html", "a web page"),
    (b"<html", "a web page"),
)
_MEGABYTE: Final = 1_000_000
_KILOBYTE: Final = 1000
_READ: Final = (
    "NumaLens reads recordings (trace.dat, perf.data, ftrace, perf script, LTTng text, Perfetto), samples, logs of requests,"
    " topology and symbols."
)
_NO_KIND: Final = "a recording ("
_SECTION: Final = re.compile(r"at byte (\d+)$")
_END: Final = "the end of the file"
_NOTHING: Final = "events or samples outside of what is damaged"


def plain_sentence(sentence: str, name: str, path: Path | None, place: tuple[int | None, str | None]) -> str:
    """The sentence for the input `name`, whose error says `sentence`; that itself where nothing plainer can be said.

    `path` is the file, None when it is not on this machine; `place` the offset in it, bytes, and what was expected there.
    """
    offset, expected = place
    if offset == 0 and expected is not None and expected.startswith(_NO_KIND) and path is not None:
        with path.open("rb") as file:
            return _unknown_kind(name, file.read(32))
    if expected == _NOTHING:
        why = sentence.partition(", found none: ")[2]
        plain = plain_sentence(why, name, path, (offset, why.removeprefix("expected ").rpartition(", found ")[0]))
        return f"Nothing of {name} can be read. {plain}" if plain != why else f"Nothing of {name} can be read: {why}."
    if sentence.endswith(f"found {_END}") and offset is not None:
        section = _SECTION.search(expected or "")
        here = _megabytes(offset)
        if section is not None and int(section[1]) > offset:
            return f"{name} is cut off: {here} of at least {_megabytes(int(section[1]))} are here. Copy the whole file again."
        return f"{name} is cut off after {here}: {expected} should follow. Copy the whole file again."
    return sentence


def plain_refusal(sentence: str, name: str, head: bytes) -> str:
    """The sentence for a file that was refused by its first bytes; `sentence` itself where nothing plainer can be said."""
    return _unknown_kind(name, head) if sentence.startswith(f"{name}: byte 0: expected {_NO_KIND}") else sentence


def _unknown_kind(name: str, head: bytes) -> str:
    what = next((words for start, words in _KNOWN if head.startswith(start)), None)
    if not head:
        what = "an empty file"
    return f"{name} is {what or 'of an unknown kind'}. {_READ}"


def _megabytes(count: int) -> str:
    """`2.0 MB`, `412 kB`, `104 bytes`."""
    if count >= _MEGABYTE:
        return f"{count / _MEGABYTE:,.1f} MB"
    return f"{count / _KILOBYTE:,.0f} kB" if count >= _KILOBYTE else f"{count} bytes"

"""Text for terminals: names out of recordings must not colour, move, erase or reorder what is printed around them."""

import re
import sys
from typing import Any, Final, TextIO

PICTURES: Final = 0x2400
"""Where Unicode has pictures of the controls, in their order."""
# Controls but for the line end and the tab, what reorders or hides text, halves of surrogate pairs, what is no character.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffc\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def plain(text: str) -> str:
    """`text` with a visible sign in place of what cannot be seen: an escape as `␛`, an override of direction as `⟨U+202E⟩`."""
    return _UNSEEN.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found.group())
    return chr(PICTURES + code) if code < ord(" ") else f"⟨U+{code:04X}⟩"


class PlainStream:
    """A text stream that prints plainly; everything else about it is the stream's own, its `buffer` of bytes too."""

    def __init__(self, stream: TextIO) -> None:
        """Prints to `stream`."""
        self.unfiltered = stream

    def write(self, text: str) -> int:
        """Prints `text`."""
        self.unfiltered.write(self.printable(text))
        return len(text)

    def printable(self, text: str) -> str:
        """`text` as it is printed; an encoding without a sign for a letter gets its number."""
        encoding = self.unfiltered.encoding or "utf-8"
        return plain(text).encode(encoding, "backslashreplace").decode(encoding)

    def writelines(self, lines: list[str]) -> None:
        """Prints all of them."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (whatever the stream has)
        return getattr(self.unfiltered, name)


def print_plainly() -> None:
    """Makes standard output and standard error plain for the rest of the process."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, PlainStream):
            setattr(sys, name, PlainStream(stream))


def as_they_were() -> None:
    """Undoes that, for what brings colours of its own."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, unfiltered(getattr(sys, name)))


def unfiltered(stream: TextIO) -> TextIO:
    """The stream behind a plain one."""
    return stream.unfiltered if isinstance(stream, PlainStream) else stream

"""Text for terminals: names from recordings must not color, move, erase or reorder the text around them."""

import sys
from typing import Any, TextIO

from numalens.text import plain


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
    """Undoes that, for output with its own colors."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, unfiltered(getattr(sys, name)))


def unfiltered(stream: TextIO) -> TextIO:
    """Stream that a plain one writes to."""
    return stream.unfiltered if isinstance(stream, PlainStream) else stream

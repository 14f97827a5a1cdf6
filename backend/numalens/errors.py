"""The one error that people see: a sentence, a status, and what a program may want to know besides."""

import re
from typing import Final

from typing_extensions import override

_SYSTEM_ERROR: Final = re.compile(r"\(os error ([0-9]+)\)")


class SentenceError(Exception):
    """A request or an input was refused for the reason that `sentence` gives."""

    def __init__(
        self,
        status: int,
        sentence: str,
        *,
        headers: dict[str, str] | None = None,
        **details: str | int | None,
    ) -> None:
        """Takes the HTTP status, the sentence, response headers, and further fields of the `error` object."""
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = headers or {}
        self.details = details

    @override
    def __str__(self) -> str:
        return self.sentence

    def body(self) -> dict[str, dict[str, str | int | None]]:
        """The JSON body: `{"error": {"sentence": ..., ...}}`."""
        return {"error": {"sentence": self.sentence, **self.details}}


def system_error_number(error: Exception) -> int | None:
    """The errno behind an exception, also where a library passes the system's error on only as text."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _SYSTEM_ERROR.search(str(error))
    return None if found is None else int(found[1])


class FolderInUseError(Exception):
    """Another server uses the data folder."""


def not_found(what: str) -> SentenceError:
    """404 for a thing that does not exist, or that the asker may not know of."""
    return SentenceError(404, f"There is no such {what}.")

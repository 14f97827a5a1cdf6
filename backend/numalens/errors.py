"""The one error for users: a message, a status, and further fields for programs."""

import errno
import os
import re
from typing import Final

from typing_extensions import override

RETRY_AFTER_S: Final = 5
OUT_OF_SPACE: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
DISK_FULL: Final = "The server's disk is full, so nothing more can be stored until an administrator frees space."
NO_STORAGE: Final = "The server cannot use its storage ({reason}). An administrator must check the data folder."
_SYSTEM_ERROR: Final = re.compile(r"\(os error ([0-9]+)\)")


class ClientGoneError(Exception):
    """The client no longer reads an answer, or reads too slowly: the work for it ends."""


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


class AwayError(SentenceError):
    """A service that this server needs does not answer now; the request can be repeated."""

    def __init__(self, sentence: str) -> None:
        """Takes the sentence; the answer is a 503 that says when to try again."""
        super().__init__(503, sentence, headers={"Retry-After": str(RETRY_AFTER_S)})


class RefusedError(AwayError):
    """A required service answers but refuses: a retry helps only after a change."""


class FullError(SentenceError):
    """There is no room for more. What was kept before stays, and the request can be repeated when there is room."""

    def __init__(self, sentence: str = DISK_FULL) -> None:
        """Takes the sentence; the answer is a 507, whether the disk is here or elsewhere."""
        super().__init__(507, sentence)


def is_out_of_space(error: Exception) -> bool:
    """Returns whether an exception was caused by a full disk, or an exceeded quota."""
    return system_error_number(error) in OUT_OF_SPACE


def system_error_number(error: Exception) -> int | None:
    """The errno of an exception, also where a library passes the system's error on only as text."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _SYSTEM_ERROR.search(str(error))
    return None if found is None else int(found[1])


def storage_error(error: Exception) -> SentenceError | None:
    """The sentence for the system error that caused an exception: a full disk, or storage that cannot be used now."""
    number = system_error_number(error)
    if number is None:
        return None
    return FullError() if number in OUT_OF_SPACE else RefusedError(NO_STORAGE.format(reason=os.strerror(number)))


class FolderInUseError(Exception):
    """Another server uses the data folder or the database."""


def not_found(what: str) -> SentenceError:
    """404 for a thing that does not exist, or that the user may not see."""
    return SentenceError(404, f"There is no such {what}.")

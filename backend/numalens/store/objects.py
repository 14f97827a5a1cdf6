"""An S3 bucket, or a part of one, as far as it is needed here: whole files in and out, lists, deletion.

Endpoint, keys and region are those of the standard AWS_* variables. Every request has a limit of time and is tried again a few
times; what then still fails is one sentence, and whatever was under way can be done again.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import obstore
from obstore.exceptions import BaseError, NotFoundError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from numalens.errors import AwayError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

PIECE: Final = 8 << 20
"""Bytes of one request, so that a slow connection meets no limit of time by the size of a file alone."""
AT_ONCE: Final = 4
CLIENT: "Final[ClientConfig]" = {"connect_timeout": timedelta(seconds=3), "timeout": timedelta(seconds=30)}
RETRIES: "Final[RetryConfig]" = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}
ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
AWAY: Final = "The store of recordings and bundles does not answer; please try again in a moment."
REFUSED: Final = (
    "The store of recordings and bundles refuses this server; its operator must look at the AWS_* settings."
)

log = logging.getLogger(__name__)


class MissingError(Exception):
    """There is no object with the name that was asked for."""


class Objects:
    """The objects whose names begin with one prefix; names are given and told without it. Safe to use from several threads."""

    def __init__(self, url: str) -> None:
        """Takes `s3://bucket/prefix`; asks nobody yet. Raises ValueError for what is no such URL."""
        endpoint = next((os.environ[name] for name in ENDPOINTS if os.environ.get(name)), None)
        client: ClientConfig = {**CLIENT, "allow_http": endpoint is not None and endpoint.startswith("http://")}
        try:
            if endpoint is None:
                self._store = S3Store.from_url(url, client_options=client, retry_config=RETRIES)
            else:
                self._store = S3Store.from_url(url, endpoint=endpoint, client_options=client, retry_config=RETRIES)
        except BaseError as error:
            raise ValueError(f"expected s3://bucket/prefix: {error}") from error

    def put(self, name: str, path: Path) -> None:
        """Keeps the file at `path` as `name`: whole, or not at all."""
        with _telling():
            obstore.put(self._store, name, path, chunk_size=PIECE, max_concurrency=AT_ONCE)

    def size(self, name: str) -> int | None:
        """Bytes of an object; None when there is none."""
        try:
            with _telling():
                return int(obstore.head(self._store, name)["size"])
        except MissingError:
            return None

    def fetch(self, name: str, size: int, path: Path, look: Callable[[memoryview], None] | None = None) -> None:
        """Writes the object, which has `size` bytes, to the new file `path`; `look` sees its bytes in order.

        Raises MissingError when it is not there (any more).
        """
        with path.open("xb") as file:
            for piece in self.pieces(name, 0, size):
                file.write(piece)
                if look is not None:
                    look(piece)

    def pieces(self, name: str, begin: int, end: int) -> Iterator[memoryview]:
        """The bytes from `begin` to before `end` of an object, in order. Raises MissingError when it is not there."""
        if end - begin <= PIECE:
            yield self._piece(name, end, begin)
            return
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="fetch") as threads:
            for first in range(begin, end, PIECE * AT_ONCE):
                starts = range(first, min(end, first + PIECE * AT_ONCE), PIECE)
                yield from threads.map(partial(self._piece, name, end), starts)

    def list(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Names and sizes of the objects whose names begin with the folder `prefix`."""
        with _telling():
            for page in obstore.list(self._store, prefix):
                for entry in page:
                    yield entry["path"], int(entry["size"])

    def delete(self, names: Iterable[str]) -> None:
        """Removes objects; one that is not there is no error."""
        wanted = list(names)
        if wanted:
            with suppress(MissingError), _telling():
                obstore.delete(self._store, wanted)

    def _piece(self, name: str, end: int, start: int) -> memoryview:
        if start == end:
            return memoryview(b"")
        with _telling():
            return memoryview(obstore.get_range(self._store, name, start=start, end=min(end, start + PIECE)))


@contextmanager
def _telling() -> Iterator[None]:
    """Turns what a store away or refusing raises into sentences, and what tells that an object is not there into MissingError."""
    try:
        yield
    except (NotFoundError, FileNotFoundError) as error:
        raise MissingError from error
    except (PermissionDeniedError, UnauthenticatedError, PermissionError) as error:
        log.warning("the store refuses: %s", _short(error))
        raise AwayError(REFUSED) from error
    except BaseError as error:
        log.warning("store: %s", _short(error))
        raise AwayError(AWAY) from error


def _short(error: Exception) -> str:
    """The first line; the others tell how the request was built."""
    return str(error).partition("\n")[0][:500]

"""An S3 bucket, or a part of one, as far as it is needed here: whole files in and out, lists, deletion.

Endpoint, keys and region are those of the standard AWS_* variables. Every request has a limit of time and is tried again a few
times; what then still fails is one sentence (`bucket_errors.py`), and whatever was under way can be done again.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from numalens.errors import FullError, RefusedError
from numalens.store.bucket_errors import meaning, status_and_code

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
QUICK: "Final[ClientConfig]" = {"connect_timeout": timedelta(seconds=2), "timeout": timedelta(seconds=4)}
ONCE: "Final[RetryConfig]" = {**RETRIES, "max_retries": 0}
PROBE: Final = ".probe"
PROBE_BYTES: Final = 1 << 20
WRITE_AGAIN_S: Final = 300.0
"""How long the last object that could be kept shows that another one can be."""
ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
# What obstore raises, also where it takes an exception of Python's own.
ERRORS: Final = (BaseError, FileNotFoundError, PermissionError)

log = logging.getLogger(__name__)


class MissingError(Exception):
    """There is no object with that name."""


class Objects:
    """The objects whose names begin with one prefix; names do not have it. Safe to use from several threads."""

    def __init__(self, url: str) -> None:
        """Takes `s3://bucket/prefix`; asks nobody yet. Raises ValueError for what is no such URL."""
        try:
            self._store, self._quick = _opened(url, CLIENT, RETRIES), _opened(url, QUICK, ONCE)
        except BaseError as error:
            raise ValueError(f"expected s3://bucket/prefix: {error}") from error
        self._bucket = urlsplit(url).netloc
        self._kept_at: float | None = None

    def put(self, name: str, path: Path) -> None:
        """Keeps the file at `path` as `name`: whole, or not at all. Raises FullError, too."""
        with self._keeping():
            obstore.put(self._store, name, path, chunk_size=PIECE, max_concurrency=AT_ONCE)

    def check(self) -> None:
        """Asks for something that is not there and, unless an object could be kept of late, keeps one.

        Raises as `put` does, and within seconds.
        """
        with suppress(MissingError), self._telling():
            obstore.get_range(self._quick, PROBE, start=0, end=1)
        if self._kept_at is None or time.monotonic() - self._kept_at >= WRITE_AGAIN_S:
            with self._keeping():
                obstore.put(self._quick, PROBE, bytes(PROBE_BYTES))
            with suppress(MissingError), self._telling():
                obstore.delete(self._quick, [PROBE])

    def size(self, name: str) -> int | None:
        """Bytes of an object; None when there is none."""
        try:
            with self._telling():
                return self._size(name)
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
        with self._telling():
            for page in obstore.list(self._store, prefix):
                for entry in page:
                    yield entry["path"], int(entry["size"])

    def delete(self, names: Iterable[str]) -> None:
        """Removes objects; one that is not there is no error."""
        wanted = list(names)
        if wanted:
            with suppress(MissingError), self._telling():
                obstore.delete(self._store, wanted)

    def _size(self, name: str) -> int:
        try:
            return int(obstore.head(self._store, name)["size"])
        except ERRORS as error:
            status, code = status_and_code(error)
            if status is None or code is not None:
                raise
        # The answer to HEAD has no body that could say what is not there, the object or its bucket, and why it is refused.
        return int(obstore.get(self._store, name, options={"range": (0, 1)}).meta["size"])

    def _piece(self, name: str, end: int, start: int) -> memoryview:
        if start == end:
            return memoryview(b"")
        with self._telling():
            return memoryview(obstore.get_range(self._store, name, start=start, end=min(end, start + PIECE)))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turns what obstore raises into sentences, and what tells that an object is not there into MissingError."""
        try:
            yield
        except ERRORS as error:
            if isinstance(error, OSError) and error.errno is not None:
                # A file of this machine.
                raise
            sentence = meaning(error, self._bucket)
            if sentence is None:
                raise MissingError from error
            log.warning("the store of recordings and bundles: %s", _short(error))
            raise sentence from error

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """The same around what keeps an object; notes whether that could be done."""
        try:
            with self._telling():
                yield
        except (FullError, RefusedError):
            self._kept_at = None
            raise
        self._kept_at = time.monotonic()


def _opened(url: str, client: "ClientConfig", retries: "RetryConfig") -> S3Store:
    endpoint = next((os.environ[name] for name in ENDPOINTS if os.environ.get(name)), None)
    client = {**client, "allow_http": endpoint is not None and endpoint.startswith("http://")}
    if endpoint is None:
        return S3Store.from_url(url, client_options=client, retry_config=retries)
    return S3Store.from_url(url, endpoint=endpoint, client_options=client, retry_config=retries)


def _short(error: Exception) -> str:
    """The request, and status and code of the answer: its body has the key's name, and what obstore adds is long."""
    request = str(error).partition(" - Server returned")[0].partition("\n")[0]
    answer = " ".join(str(part) for part in status_and_code(error) if part is not None)
    return f"{request[:500]}: {answer}" if answer else request[:500]

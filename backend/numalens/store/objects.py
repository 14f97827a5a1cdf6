"""An S3 bucket, or a part of one, as far as it is needed here: whole files in and out, lists, deletion.

Endpoint, keys and region are those of the standard AWS_* variables. Every request has a limit of time and is tried again a few
times; what then still fails is one sentence (`meaning`), and whatever was under way can be done again.
"""

from __future__ import annotations

import logging
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from numalens.errors import AwayError, FullError, RefusedError, SentenceError

with suppress(ModuleNotFoundError):  # the extra team
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import S3Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from obstore.store import ClientConfig, RetryConfig

PIECE: Final = 8 << 20
"""Bytes of one request, so that a slow connection meets no limit of time by the size of a file alone."""
AT_ONCE: Final = 4
CLIENT: Final[ClientConfig] = {"connect_timeout": timedelta(seconds=3), "timeout": timedelta(seconds=30)}
RETRIES: Final[RetryConfig] = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}
QUICK: Final[ClientConfig] = {"connect_timeout": timedelta(seconds=2), "timeout": timedelta(seconds=4)}
ONCE: Final[RetryConfig] = {**RETRIES, "max_retries": 0}
PROBE: Final = ".probe"
PROBE_BYTES: Final = 1 << 20
WRITE_AGAIN_S: Final = 300.0
"""Time for which the last stored object shows that another one can be stored."""
ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")

log = logging.getLogger(__name__)


class MissingError(Exception):
    """There is no object with that name."""


class Objects:
    """The objects whose names begin with one prefix; names do not have it. Safe to use from several threads."""

    def __init__(self, url: str) -> None:
        """Takes `s3://bucket/prefix`, without a request. Raises ValueError for an invalid URL."""
        try:
            self._store, self._quick = _opened(url, CLIENT, RETRIES), _opened(url, QUICK, ONCE)
        except BaseError as error:
            raise ValueError(f"expected s3://bucket/prefix: {error}") from error
        self._bucket = urlsplit(url).netloc
        self._kept_at: float | None = None

    def put(self, name: str, path: Path) -> None:
        """Stores the file at `path` as `name`: completely, or not at all. Also raises FullError."""
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
        except (BaseError, FileNotFoundError, PermissionError) as error:
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
        """Turns obstore's errors into messages, and those of a missing object into MissingError."""
        try:
            yield
        except (BaseError, FileNotFoundError, PermissionError) as error:
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


def _opened(url: str, client: ClientConfig, retries: RetryConfig) -> S3Store:
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


STORE: Final = "The store of recordings and bundles"
OPERATOR: Final = "an administrator must"

AWAY: Final = f"{STORE} does not answer; please try again in a moment."
SLOW: Final = f"{STORE} limits requests ({{what}}); please try again in a moment."
FAILING: Final = f"{STORE} had an internal error ({{what}}); please try again in a moment."
FULL: Final = f"{STORE} is full ({{what}}); try again when an administrator has freed space."
TOO_LARGE: Final = f"{STORE} rejects files of this size ({{what}}); {OPERATOR} raise its limit."
NO_BUCKET: Final = (
    f"The bucket {{bucket}} of recordings and bundles does not exist; {OPERATOR} make it, or correct NUMALENS_STORE."
)
REFUSED: Final = f"{STORE} refuses this server ({{what}}); {OPERATOR} {{act}}."
NO_KEYS: Final = (
    "This server has no keys for the store of recordings and bundles;"
    f" {OPERATOR} set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
)

RIGHTS: Final = "let its keys list, read, write and delete in the bucket {bucket}"
REGION: Final = "correct AWS_REGION or AWS_ENDPOINT_URL"
TOKEN: Final = "renew AWS_SESSION_TOKEN and the two keys that belong to it"  # noqa: S105  (a name)
LOOK: Final = "look at NUMALENS_STORE, the AWS_* settings and the log"

NO_OBJECT: Final = frozenset({"NoSuchKey", "NoSuchVersion"})
QUOTAS: Final = frozenset(
    {
        "InsufficientStorage",
        "QuotaExceeded",
        "XMinioStorageFull",
        "XMinioAdminBucketQuotaExceeded",
        "InsufficientCapacity",
    }
)
SLOWER: Final = frozenset(
    {
        "SlowDown",
        "SlowDownRead",
        "SlowDownWrite",
        "Throttling",
        "ThrottlingException",
        "TooManyRequests",
        "RequestLimitExceeded",
    }
)
PASSING: Final = frozenset({"RequestTimeout", "OperationAborted", "NoSuchUpload"})
ACTS: Final = {
    "InvalidAccessKeyId": "correct AWS_ACCESS_KEY_ID",
    # What versitygw says of an unknown key.
    "XAdminUserNotFound": "correct AWS_ACCESS_KEY_ID",
    "SignatureDoesNotMatch": "correct AWS_SECRET_ACCESS_KEY",
    "ExpiredToken": TOKEN,
    "InvalidToken": TOKEN,
    "TokenRefreshRequired": TOKEN,
    "AccessDenied": RIGHTS,
    "AllAccessDisabled": RIGHTS,
    "AuthorizationHeaderMalformed": REGION,
    "PermanentRedirect": REGION,
    "RequestTimeTooSkewed": "set its clock right",
    "RequestExpired": "set its clock right",
    "InvalidBucketName": "correct NUMALENS_STORE",
}
"""Fix for a refusal, by its code."""
STANDS_FOR: Final = {507: "InsufficientStorage", 413: "EntityTooLarge", 429: "SlowDown"}
"""Statuses that mean the same whatever the code, also when a proxy says them that has none."""

_STATUS: Final = re.compile(r"non-2xx status code: ([0-9]{3})")
_CODE: Final = re.compile(r"<Code>([A-Za-z0-9.]{1,64})</Code>|\(code: ([A-Za-z0-9.]{1,64})\)")
# Without keys, obstore asks the machines of a cloud for some.
_KEYS_OF_MACHINE: Final = re.compile(r"/latest/(api/token|meta-data/)|169\.254\.170\.2")


def status_and_code(error: Exception) -> tuple[int | None, str | None]:
    """The status of the answer and the code of the error that it names, as far as there are any.

    obstore gives as text alone what the server said: the answer's status, and its body with the error code of S3. Servers other
    than Amazon's have a few codes of their own.
    """
    text = str(error)
    status, code = _STATUS.search(text), _CODE.search(text)
    return int(status[1]) if status else None, (code[1] or code[2]) if code else None


def meaning(error: Exception, bucket: str) -> SentenceError | None:
    """Meaning of an obstore error in `bucket`, in a sentence without any key; None: missing object."""
    status, code = status_and_code(error)
    if code in NO_OBJECT:
        return None
    if _KEYS_OF_MACHINE.search(str(error)):
        return RefusedError(NO_KEYS)
    if status is None and code is None:
        return _unanswered(str(error))
    what = " ".join(str(part) for part in (status, code) if part is not None)
    known = STANDS_FOR.get(status or 0, code)
    return _by_code(known, what, bucket) or _by_status(status or 0, what, bucket)


def _by_code(code: str | None, what: str, bucket: str) -> SentenceError | None:
    if code in QUOTAS:
        return FullError(FULL.format(what=what))
    if code == "EntityTooLarge":
        return SentenceError(413, TOO_LARGE.format(what=what))
    if code in SLOWER:
        return AwayError(SLOW.format(what=what))
    if code in PASSING:
        return AwayError(FAILING.format(what=what))
    if code == "NoSuchBucket":
        return RefusedError(NO_BUCKET.format(bucket=bucket))
    act = ACTS.get(code or "")
    return None if act is None else RefusedError(REFUSED.format(what=what, act=act.format(bucket=bucket)))


def _by_status(status: int, what: str, bucket: str) -> SentenceError:
    """The rest: errors of the server's own, and refusals whose code says nothing to us."""
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in {408, 409, 412}:
        return AwayError(FAILING.format(what=what))
    act = RIGHTS if status in {401, 403} else LOOK
    return RefusedError(REFUSED.format(what=what, act=act.format(bucket=bucket)))


def _unanswered(text: str) -> SentenceError:
    if "redirect without LOCATION" in text:
        return RefusedError(REFUSED.format(what="a redirect", act=REGION))
    if "HTTP error" in text:
        return AwayError(AWAY)
    # Something else than an S3 server is at the address, or it was cut off in the middle of an answer.
    return AwayError(FAILING.format(what="no answer of S3"))

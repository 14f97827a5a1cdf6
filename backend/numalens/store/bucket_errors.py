"""What the answers of a bucket's server mean: one sentence each, and what whoever reads it can do.

obstore tells as text alone what the server said: the answer's status, and its body with the error code of S3. Servers other
than Amazon's have a few codes of their own. A sentence names status and code, and never a key.
"""

import re
from http import HTTPStatus
from typing import Final

from numalens.errors import AwayError, FullError, RefusedError, SentenceError

STORE: Final = "The store of recordings and bundles"
OPERATOR: Final = "whoever runs this server must"

AWAY: Final = f"{STORE} does not answer; please try again in a moment."
SLOW: Final = f"{STORE} asks for fewer requests ({{what}}); please try again in a moment."
FAILING: Final = f"{STORE} answers with an error of its own ({{what}}); please try again in a moment."
FULL: Final = f"{STORE} is full ({{what}}); try again when whoever runs it has made room."
TOO_LARGE: Final = f"{STORE} takes no file as large as this ({{what}}); {OPERATOR} raise its limit."
NO_BUCKET: Final = (
    f"The bucket {{bucket}} of recordings and bundles does not exist; {OPERATOR} make it, or correct NUMALENS_STORE."
)
REFUSED: Final = f"{STORE} refuses this server ({{what}}); {OPERATOR} {{act}}."
NO_KEYS: Final = (
    "This server has no keys for the store of recordings and bundles;"
    f" {OPERATOR} set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
)

RIGHTS: Final = "see to it that its keys may list, read, write and delete in the bucket {bucket}"
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
"""What to do about a refusal, by its code."""
STANDS_FOR: Final = {507: "InsufficientStorage", 413: "EntityTooLarge", 429: "SlowDown"}
"""Statuses that mean the same whatever the code, also when a proxy says them that has none."""

_STATUS: Final = re.compile(r"non-2xx status code: ([0-9]{3})")
_CODE: Final = re.compile(r"<Code>([A-Za-z0-9.]{1,64})</Code>|\(code: ([A-Za-z0-9.]{1,64})\)")
# Without keys, obstore asks the machines of a cloud for some.
_KEYS_OF_MACHINE: Final = re.compile(r"/latest/(api/token|meta-data/)|169\.254\.170\.2")


def status_and_code(error: Exception) -> tuple[int | None, str | None]:
    """The status of the answer and the code of the error that it names, as far as there are any."""
    text = str(error)
    status, code = _STATUS.search(text), _CODE.search(text)
    return int(status[1]) if status else None, (code[1] or code[2]) if code else None


def meaning(error: Exception, bucket: str) -> SentenceError | None:
    """What an error of obstore about something in `bucket` means; None: it is not there."""
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
    # Something else than an S3 server stands at the address, or it was cut off in the middle of an answer.
    return AwayError(FAILING.format(what="no answer of S3"))

"""File names as given by users: only for display, never part of a path on this machine."""

import hashlib
import re
import secrets
import time
from base64 import b32encode
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

MAX_LENGTH: Final = 200
FALLBACK: Final = "recording"
COMMAND_LENGTH: Final = 48
# What a title is made of rather than of a side file, the best first; only a guess, what a file is decides its content. An
# archive next to a recording mostly holds samples.
_RECORDINGS: Final = (
    (".dat", ".data", ".pftrace", ".perfetto-trace", ".dat.zst", ".dat.gz", ".data.zst", ".data.gz"),
    (".tgz", ".tar", ".zip", ".gz", ".zst"),
)
# Control characters, and the marks that reorder or hide text around them.
_UNSHOWABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
# Of a text of several lines: control characters, and the marks that reorder what is around them.
_UNSHOWABLE_IN_TEXT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def clean_line(text: str) -> str:
    """`text` without unshowable characters; line breaks and tabs become blanks."""
    return _UNSHOWABLE.sub("", re.sub(r"[\t\r\n]+", " ", text))


def clean_text(text: str) -> str:
    """`text` of several lines without unshowable characters."""
    return _UNSHOWABLE_IN_TEXT.sub("", text.replace("\r\n", "\n"))


def clean_file_name(name: str) -> str:
    """The last part of `name` without unshowable characters, at most 200 long; `recording` when nothing is left.

    A name that is too long keeps its end, since that has the extension.
    """
    base = re.split(r"[/\\]", name)[-1]
    base = _UNSHOWABLE.sub("", base).strip()
    if base in {"", ".", ".."}:
        return FALLBACK
    return base[-MAX_LENGTH:]


def title_of(names: list[str]) -> str:
    """A title for an analysis of files with these names: that of a recording, if there is one, and how many more there are."""
    if not names:
        return FALLBACK
    likely = (name for endings in _RECORDINGS for name in names if name.lower().endswith(endings))
    first, rest = next(likely, names[0]), len(names) - 1
    return first if rest == 0 else f"{first} and {rest} more"


def title_of_recording(summaries: list[dict[str, Any]], identity: Mapping[str, Any]) -> str | None:
    """A title from host, start, command and verdict, as far as the recording has them; None without any.

    `summaries` are the manifest's entries of the inputs, `identity` is that of the bundle.
    """
    recorded = next((entry for entry in summaries if entry.get("kernel")), None)
    if recorded is None:
        return None
    command = str((recorded.get("facts") or {}).get("command") or "").partition(" -- ")[2]
    shown = f"{command[:COMMAND_LENGTH]}…" if len(command) > COMMAND_LENGTH else command
    host, began = identity.get("host") or "", identity.get("began_ns")
    start = "" if began is None else f"{datetime.fromtimestamp(began // 1_000_000_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    # Findings alone would name many recordings.
    name = "" if host or shown else str(recorded.get("name") or "")
    parts = [name, host, start, shown, identity.get("verdict") or ""]
    return clean_line(", ".join(part for part in parts if part))[:MAX_LENGTH]


def distinct(names: list[str]) -> list[str]:
    """The names, repeated ones with a number appended: `trace.dat`, `trace.dat (2)`."""
    used: set[str] = set(names)
    seen: set[str] = set()
    found = []
    for name in names:
        chosen, number = name, 1
        while chosen in seen or (number > 1 and chosen in used):
            number += 1
            chosen = f"{name} ({number})"
        seen.add(chosen)
        found.append(chosen)
    return found


TOKEN_BYTES: Final = 24
_ID: Final = re.compile("[a-z2-7]{16}")


def new_id() -> str:
    """A random name of 16 lower-case letters and digits (80 bits): an address, not a secret."""
    return b32encode(secrets.token_bytes(10)).decode().lower()


def is_id(text: str) -> bool:
    """Returns whether a text has the form of `new_id`."""
    return _ID.fullmatch(text) is not None


def new_token() -> str:
    """The secret of a shared link: 192 random bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """Stored form of a secret. It has too many bits to be guessed, so no salt or slow hash is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def now() -> datetime:
    """Current time, in UTC."""
    return datetime.now(UTC)


_BEGAN: Final = (datetime.now(UTC), time.monotonic())


def deletion_time() -> datetime:
    """Returns the moment by which is decided what is old enough to be deleted.

    A clock that is set forward while this process runs makes nothing older, and neither does one that is set back. A wrong
    deletion cannot be undone, a late one can still be done.
    """
    wall, began = _BEGAN
    return min(now(), wall + timedelta(seconds=time.monotonic() - began))

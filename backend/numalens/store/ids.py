"""Names and secrets of new rows."""

import hashlib
import secrets
from base64 import b32encode
from datetime import UTC, datetime
from typing import Final

TOKEN_BYTES: Final = 24


def new_id() -> str:
    """A random name of 16 lower-case letters and digits (80 bits): an address, not a secret."""
    return b32encode(secrets.token_bytes(10)).decode().lower()


def new_token() -> str:
    """The secret of a shared link: 192 random bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What is stored of a secret. It has too many bits to be guessed, so no salt or slow hash is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)

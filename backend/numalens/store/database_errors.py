"""What the errors of a database mean: one sentence each, and what whoever reads it can do.

Of an established connection PostgreSQL's SQLSTATE and SQLite's own names tell; of a connection that did not come about the driver
has the server's words alone, which are distinguished as they are in English: a server that speaks otherwise "does not answer".
"""

import re
import shutil
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from numalens.errors import AwayError, FullError, RefusedError, SentenceError

OPERATOR: Final = "whoever runs this server must"
AWAY: Final = "The server's database does not answer; please try again in a moment."
BUSY: Final = (
    "The server's database has no connection left; please try again in a moment, or whoever runs it allows more"
    " (max_connections)."
)
POOL_BUSY: Final = "All connections of this server to its database are in use; please try again in a moment."
FULL: Final = "The disk of the server's database is full, so nothing more can be kept until whoever runs it makes room."
READ_ONLY: Final = (
    "The server's database can be read, but not be written to, as a standby or a disk that is mounted read-only;"
    f" {OPERATOR} make it writable, or correct NUMALENS_DATABASE."
)
BROKEN_DISK: Final = f"The disk of the server's database fails; {OPERATOR} look at the disk and the log."
NO_FILE: Final = (
    f"The file of the server's database cannot be opened; {OPERATOR} look at the data folder's owner and disk."
)
PASSWORD: Final = (
    f"The server's database refuses the user or the password of this server; {OPERATOR} correct NUMALENS_DATABASE."
)
RIGHTS: Final = (
    "The server's database does not let this server's user do what it must;"
    f" {OPERATOR} give the user of NUMALENS_DATABASE its tables."
)
NO_DATABASE: Final = f"The database of this server does not exist; {OPERATOR} make it, or correct NUMALENS_DATABASE."

LEAST_BYTES: Final = 64 << 10
"""A disk with less has no room for what SQLite writes at once, whatever SQLite calls the error that comes of it."""
STATES: Final[dict[str, tuple[type[FullError | AwayError], str]]] = {
    "53100": (FullError, FULL),
    "53300": (AwayError, BUSY),
    "25006": (RefusedError, READ_ONLY),
    "42501": (RefusedError, RIGHTS),
    "58030": (RefusedError, BROKEN_DISK),
}
"""https://www.postgresql.org/docs/current/errcodes-appendix.html"""
CONNECTING: Final[tuple[tuple[re.Pattern[str], type[AwayError], str], ...]] = (
    (re.compile("too many (clients|connections)|remaining connection slots"), AwayError, BUSY),
    (re.compile('password|pg_hba|role ".*" (does not exist|is not permitted)'), RefusedError, PASSWORD),
    (re.compile('database ".*" does not exist'), RefusedError, NO_DATABASE),
    (re.compile("permission denied for database"), RefusedError, RIGHTS),
)
SQLITE: Final[tuple[tuple[str, type[FullError | AwayError], str], ...]] = (
    ("SQLITE_FULL", FullError, FULL),
    ("SQLITE_READONLY", RefusedError, READ_ONLY),
    ("SQLITE_IOERR", RefusedError, BROKEN_DISK),
    ("SQLITE_CANTOPEN", RefusedError, NO_FILE),
    ("SQLITE_BUSY", AwayError, AWAY),
    ("SQLITE_LOCKED", AwayError, AWAY),
)
"""Anything else that SQLite calls an operational error, such as a missing column, is a defect of ours."""


def meaning(error: SQLAlchemyError, file: Path | None) -> SentenceError | None:
    """What an error of the database means, which is SQLite's `file` or a server; None: a defect of ours."""
    if isinstance(error, PoolTimeoutError):
        return AwayError(POOL_BUSY)
    if isinstance(error, DataError):
        return SentenceError(422, "The request has a character that cannot be kept, such as NUL.")
    if not isinstance(error, DBAPIError):
        return None
    if file is not None:
        return of_sqlite(getattr(error.orig, "sqlite_errorname", None) or "", file)
    away = isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated
    return of_postgresql(error.orig, away=away)


def of_sqlite(name: str, file: Path) -> FullError | AwayError | None:
    """What SQLite means by one of its errors."""
    for begin, kind, sentence in SQLITE:
        if name.startswith(begin):
            without_room = kind is RefusedError and shutil.disk_usage(file.parent).free < LEAST_BYTES
            return FullError(FULL) if without_room else kind(sentence)
    return None


def of_postgresql(cause: BaseException | None, *, away: bool = True) -> FullError | AwayError | None:
    """What psycopg means by an error; `away`: it tells of a server that cannot be used now, rather than of a query."""
    state = getattr(cause, "sqlstate", None)
    if state in STATES:
        kind, sentence = STATES[state]
        return kind(sentence)
    if state is None:
        for words, refused, sentence in CONNECTING:
            if words.search(str(cause)):
                return refused(sentence)
    return AwayError(AWAY) if away else None

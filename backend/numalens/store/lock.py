"""One server per database: a PostgreSQL advisory lock, held by a connection of its own as long as the server runs.

The lock is the connection's: when that breaks, another server may have it. A thread looks every few seconds; from the moment
it sees the loss until it has the lock again, `check` refuses, and with it every transaction of this server.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

import psycopg

from numalens.errors import AwayError, FolderInUseError, FullError
from numalens.store.database import AWAY, CONNECT_S, of_postgresql

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL

KEY: Final = 0x6E756D616C656E73
LOOK_S: Final = 2.0
PATIENCE_S: Final = 5.0
"""A server that was killed loses the lock when its machine says so to the database, which takes a moment."""
# A machine that is gone without a word must not keep the lock for the two hours that TCP usually waits.
OPTIONS: Final = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
TAKEN: Final = "Another NumaLens server is using this database; stop it first or choose another (NUMALENS_DATABASE)."

log = logging.getLogger(__name__)


class DatabaseLock:
    """The lock on a PostgreSQL database."""

    def __init__(self, url: URL, look_s: float = LOOK_S) -> None:
        """Takes the lock. Raises FolderInUseError when another server has it, AwayError when the database does not answer."""
        self._url = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._look_s = look_s
        self._connection: psycopg.Connection | None = None
        self._refusal: AwayError | FullError = AwayError(AWAY)
        self._ended = threading.Event()
        self.on_regained: Callable[[], None] = lambda: None
        """Called in the lock's thread when the lock was lost and regained: another server may have worked in between."""
        waited = 0.0
        while not self._take():
            if self._refusal.sentence != TAKEN:
                raise self._refused()
            if waited >= PATIENCE_S:
                raise FolderInUseError(TAKEN)
            waited += self._look_s
            self._ended.wait(self._look_s)
        self._thread = threading.Thread(target=self._watch, name="database lock", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raises AwayError, or the error for the database's answer, while this process does not hold the lock."""
        if self._connection is None:
            raise self._refused()

    def close(self) -> None:
        """Gives the lock back."""
        self._ended.set()
        self._thread.join()
        self._drop()

    def _watch(self) -> None:
        while not self._ended.wait(self._look_s):
            if self._is_held():
                continue
            if self._connection is not None:
                log.error("the lock on the database is lost")
                self._drop()
            if self._take():
                log.warning("the lock on the database is here again")
                self.on_regained()

    def _is_held(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def _take(self) -> bool:
        connection = None
        try:
            connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_S,
                keepalives_idle=10,
                keepalives_interval=5,
                keepalives_count=3,
                tcp_user_timeout=1000 * 2 * CONNECT_S,
                application_name="numalens lock",
                options=OPTIONS,
            )
            row = connection.execute("SELECT pg_try_advisory_lock(%s)", (KEY,)).fetchone()
        except psycopg.Error as error:
            log.warning("lock on the database: %s", error)
            self._refusal = of_postgresql(error) or AwayError(AWAY)
            if connection is not None:
                connection.close()
            return False
        if row is None or not row[0]:
            connection.close()
            self._refusal = AwayError(TAKEN)
            return False
        self._connection = connection
        return True

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self._refusal = AwayError(AWAY)
        if connection is not None:
            connection.close()

    def _refused(self) -> AwayError | FullError:
        """The refusal as an exception of its own: several threads may raise it at once."""
        return type(self._refusal)(self._refusal.sentence)

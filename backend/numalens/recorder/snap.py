"""How a running flight recorder is asked to write: a socket with a name, which no file is left of whatever ends it."""

import os
import re
import socket
import struct
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from numalens.recorder.files import read_text

NAME: Final = "numalens-flight-"
WAITING: Final = 16
# A peer's answer is written while others wait.
SEND_S: Final = 1.0
_CREDENTIALS: Final = "3i"


class Answer:
    """Somebody who waits for the path of what is written."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def give(self, text: str) -> None:
        """Tells it; somebody who has gone meanwhile needs no answer."""
        with suppress(OSError):
            self._connection.sendall(text.encode())
        self._connection.close()


class Door:
    """Takes wishes of root, and of the recorder's own user."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        # The abstract namespace (unix(7)).
        self._socket.bind(f"\0{NAME}{os.getpid()}")
        self._socket.listen(WAITING)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def fileno(self) -> int:
        """The file to poll."""
        return self._socket.fileno()

    def accept(self) -> list[Answer]:
        """Everybody who has come."""
        found: list[Answer] = []
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return found
            connection.settimeout(SEND_S)
            size = struct.calcsize(_CREDENTIALS)
            _, user, _ = struct.unpack(_CREDENTIALS, connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
            if user in {0, os.geteuid()}:
                found.append(Answer(connection))
            else:
                connection.close()


def running(unix: str | None = None) -> list[int]:
    """The process numbers of flight recorders, by the sockets that listen (proc_net_unix(5))."""
    text = read_text("/proc/net/unix") or "" if unix is None else unix
    return sorted({int(pid) for pid in re.findall(rf" @{NAME}(\d+)$", text, re.MULTILINE)})


def ask(pid: int, patience_s: float) -> str:
    """Has one write, and returns the path, or nothing when it could not. Raises OSError."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(patience_s)
        door.connect(f"\0{NAME}{pid}")
        parts: list[bytes] = []
        while part := door.recv(4096):
            parts.append(part)
    return b"".join(parts).decode()

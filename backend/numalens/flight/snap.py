"""Requests to a running flight recorder: a socket in a folder that only its user, or root, can write to."""

import errno
import os
import socket
import stat
import struct
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

NAME: Final = "flight-"
WAITING: Final = 16
# A peer's answer is written while others wait.
SEND_S: Final = 1.0
MOST_BYTES: Final = 64 << 10
"""Longest answer: a path, which Linux limits to 4,096 bytes."""
_CREDENTIALS: Final = "3i"


def folder_of(user: int) -> Path:
    """The folder of the sockets of a user's recorders."""
    base = "/run" if user == 0 else os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{user}"
    return Path(base) / "numalens"


def _is_safe(folder: Path, user: int) -> bool:
    """Returns whether only the user can create files in the folder."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022


def _user_of(connection: socket.socket) -> int:
    """The user of the process at the other end (SO_PEERCRED, unix(7))."""
    size = struct.calcsize(_CREDENTIALS)
    _, user, _ = struct.unpack(_CREDENTIALS, connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(user)


class Answer:
    """Client that waits for the path of the bundle."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def give(self, text: str) -> None:
        """Sends the text; a disconnected client needs no answer."""
        with suppress(OSError):
            self._connection.sendall(text.encode())
        self._connection.close()


class Door:
    """Takes requests of root, and of the recorder's own user."""

    def __init__(self, folder: Path | None = None) -> None:
        """Listens in `folder` (default: the user's folder). Raises OSError, also for a folder that others can write to."""
        user = os.geteuid()
        folder = folder_of(user) if folder is None else folder
        folder.mkdir(mode=0o700, exist_ok=True)
        if not _is_safe(folder, user):
            raise OSError(errno.EPERM, "others can write to it", str(folder))
        self._path = folder / f"{NAME}{os.getpid()}"
        # What a killed recorder of the same number left.
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            self._socket.bind(str(self._path))
            self._path.chmod(0o600)
            self._socket.listen(WAITING)
        except OSError:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        self._path.unlink(missing_ok=True)

    def fileno(self) -> int:
        """The file to poll."""
        return self._socket.fileno()

    def accept(self) -> list[Answer]:
        """All waiting clients."""
        found: list[Answer] = []
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return found
            connection.settimeout(SEND_S)
            if _user_of(connection) in {0, os.geteuid()}:
                found.append(Answer(connection))
            else:
                connection.close()


def running(folder: Path | None = None) -> list[int]:
    """The process numbers of the user's flight recorders, by the sockets in `folder`, else in that of the user."""
    user = os.geteuid()
    folder = folder_of(user) if folder is None else folder
    if not _is_safe(folder, user):
        return []
    numbers = [path.name.removeprefix(NAME) for path in folder.iterdir() if path.name.startswith(NAME)]
    return sorted(int(number) for number in numbers if number.isascii() and number.isdecimal() and _lives(int(number)))


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def ask(pid: int, patience_s: float, folder: Path | None = None) -> str:
    """Asks a recorder to write; returns the path, or an empty text when it could not.

    Raises OSError, also when another user's process listens, the answer is late, or it is not a path.
    """
    user = os.geteuid()
    end = time.monotonic() + patience_s
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.settimeout(patience_s)
        door.connect(str((folder_of(user) if folder is None else folder) / f"{NAME}{pid}"))
        if _user_of(door) not in {0, user}:
            raise PermissionError(errno.EPERM, f"another user's process listens instead of recorder {pid}")
        answer = b""
        while part := door.recv(4096):
            answer += part
            if len(answer) > MOST_BYTES or time.monotonic() > end:
                raise OSError(errno.EPROTO, f"process {pid} does not answer as a flight recorder does")
            door.settimeout(max(end - time.monotonic(), 0.001))
    try:
        path = answer.decode()
    except UnicodeDecodeError:
        path = "\0"
    if path and not (path.isprintable() and Path(path).is_absolute()):
        raise OSError(errno.EPROTO, f"process {pid} does not answer as a flight recorder does")
    return path

"""Real server processes on free loopback ports, for the tests that kill one."""

import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx2

from tests.service import API, TUS, creation_headers, patch_headers

HOOKS = Path(__file__).with_name("hooks")


@cache
def tls() -> ssl.SSLContext:
    """What each client would make for itself, which takes longer than its requests."""
    return ssl.create_default_context()


def hooked(*chosen: str) -> dict[str, str]:
    """The environment of a program whose processes do as chosen (`reading=wait`); see hooks/sitecustomize.py."""
    return {"PYTHONPATH": os.pathsep.join([str(HOOKS), *chosen])}


@dataclass
class LiveServer:
    process: subprocess.Popen[str]
    port: int
    output: list[str]

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.base, timeout=60, trust_env=False, verify=tls())

    def kill(self) -> None:
        """kill -9, and wait until the process is gone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def begin_patch(self, location: str, offset: int, announced: int, body: bytes) -> socket.socket:
        """Sends the head of a PATCH, and part of its body once the server asks for it; the request stays unfinished."""
        connection = socket.create_connection(("127.0.0.1", self.port))
        head = [f"PATCH {location} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Content-Length: {announced}"]
        head.append("Expect: 100-continue")
        head += [f"{name}: {value}" for name, value in patch_headers(offset).items()]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        assert connection.recv(1024).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        return connection


@contextmanager
def live_server(data: Path, *arguments: str, **environment: str) -> Iterator[LiveServer]:
    """A server on `data`, ready to be asked, with its log next to it; killed at the end of the block if it still runs."""
    command = [sys.executable, "-m", "numalens", "serve", "--port", "0", "--data", str(data), *arguments]
    with Path(f"{data}.log").open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **environment}
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("NumaLens is at http://127.0.0.1:"), line
        port = int(line.strip().rstrip("/").rsplit(":", 1)[1])
        server = LiveServer(process, port, [line])
        _until_answering(server)
        yield server
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _until_answering(server: LiveServer) -> None:
    # The port is bound before the address is printed, so the first request waits until it is answered.
    with server.client() as client:
        assert client.get(f"{API}/info").status_code == 200


def create_upload(client: httpx2.Client, length: int, name: str = "trace.dat") -> str:
    answer = client.post(f"{API}/uploads/", headers=creation_headers(name, length))
    assert answer.status_code == 201
    return str(answer.headers["location"])


def upload_offset(client: httpx2.Client, location: str) -> int:
    answer = client.head(location, headers=TUS)
    assert answer.status_code == 200, answer.headers
    return int(answer.headers["upload-offset"])


def upload_whole(client: httpx2.Client, content: bytes, name: str = "trace.dat") -> str:
    location = create_upload(client, len(content), name)
    assert client.patch(location, content=content, headers=patch_headers(0)).status_code == 204
    return location.rsplit("/", 1)[1]

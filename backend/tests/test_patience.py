"""Clients that take their time: a connection is not theirs for ever, and an upload keeps what came."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import LiveServer, create_upload, live_server, upload_offset, upload_whole
from tests.recordings import SMALL
from tests.service import API
from tests.test_live_server import WAITING

SPAN_S = 2.0
TOO_LONG_S = 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with live_server(tmp_path_factory.mktemp("slow"), NUMALENS_SLOW_SECONDS=str(SPAN_S)) as server:
        yield server


def drip(connection: socket.socket, stopped: threading.Event) -> None:
    """A byte every now and then, as somebody would who wants to stay."""
    while not stopped.wait(SPAN_S / 10):
        try:
            connection.sendall(b"x")
        except OSError:
            return


def until_closed(connection: socket.socket) -> None:
    while connection.recv(1 << 16):
        pass


def answer_to_drips(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection, while bytes drip in."""
    connection.settimeout(TOO_LONG_S)
    stopped = threading.Event()
    dripping = threading.Thread(target=drip, args=(connection, stopped))
    dripping.start()
    answer = b""
    try:
        while piece := connection.recv(1 << 16):
            answer += piece
    except ConnectionResetError:
        pass
    finally:
        stopped.set()
        dripping.join()
        connection.close()
    return answer


@pytest.mark.parametrize("head", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_a_head_that_never_ends_is_not_waited_for(server: LiveServer, head: bytes) -> None:
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(head)
    assert b"200 OK" not in answer_to_drips(connection)


def test_a_second_head_is_not_waited_for_either(server: LiveServer) -> None:
    connection = socket.create_connection(("127.0.0.1", server.port))
    whole = f"GET {API}/info HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    connection.sendall(whole + whole[:20])
    assert answer_to_drips(connection).count(b"HTTP/1.1 200") == 1


def test_a_body_that_drips_is_refused(server: LiveServer) -> None:
    connection = socket.create_connection(("127.0.0.1", server.port))
    head = [
        f"POST {API}/analyses HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        "Content-Type: application/json",
        "Content-Length: 1000",
    ]
    connection.sendall("\r\n".join([*head, "", ""]).encode())
    answer = answer_to_drips(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"is arriving too slowly" in answer


def test_an_upload_that_drips_is_ended_and_keeps_its_bytes(server: LiveServer) -> None:
    with server.client() as client:
        location = create_upload(client, 100_000)
        connection = server.begin_patch(location, 0, 100_000, bytes(20_000))
        assert answer_to_drips(connection).startswith(b"HTTP/1.1 408 ")
        assert upload_offset(client, location) >= 20_000


def test_an_upload_that_is_slow_and_steady_is_taken(server: LiveServer) -> None:
    """Longer than the span in all, and enough in every span."""
    with server.client() as client:
        location = create_upload(client, 60_000)
        with server.begin_patch(location, 0, 60_000, b"") as connection:
            for _ in range(12):
                time.sleep(SPAN_S / 8)
                connection.sendall(bytes(5_000))
            connection.settimeout(TOO_LONG_S)
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 204 ")


def test_listening_is_not_slow(tmp_path: Path) -> None:
    """Whoever waits for an answer sends nothing, and may."""
    with live_server(tmp_path, NUMALENS_SLOW_SECONDS=str(SPAN_S), **WAITING) as server, server.client() as client:
        upload = upload_whole(client, SMALL.read_bytes())
        analysis_id = client.post(f"{API}/analyses", json={"uploads": [upload]}).json()["id"]
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            head = f"GET {API}/analyses/{analysis_id}/progress HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
            connection.sendall(head.encode())
            connection.settimeout(2 * SPAN_S)
            with pytest.raises(TimeoutError):
                until_closed(connection)

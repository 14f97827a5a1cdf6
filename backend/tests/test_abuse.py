"""What one client can take away from the others: each thing that an adversary found, and the bound that closed it."""

import asyncio
import dataclasses
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from stat import S_IMODE
from typing import Any, cast

import httpx2
import pytest
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numalens.api.analyses import ready_bundle
from numalens.api.export import Export
from numalens.api.limits import MINUTE_S, Budget
from numalens.api.slow_client import slow_client_protocol
from numalens.errors import ClientGoneError, SentenceError
from numalens.perfetto.sql.pool import BusyError, EnginePool
from numalens.sandbox.child import ended
from numalens.sandbox.limits import ARENAS
from numalens.store.folder import DataFolder
from tests.conftest import MakeService
from tests.live import live_server, upload_whole
from tests.recordings import NUMA, NUMACTL, SMALL
from tests.servers import wait_until
from tests.service import API, Service, creation_headers, patch_headers, sentence
from tests.sql_helpers import ENDLESS, EVENTS, ROWS, ask, until, with_pool
from tests.test_live_server import WAITING
from tests.test_shares import share

MIB = 1 << 20


def endless(put: Callable[[bytes], None]) -> int:
    while True:
        put(b"x")


def test_a_client_that_takes_nothing_lets_its_thread_go() -> None:
    async def work() -> None:
        export = Export(endless, 0.2)
        free = asyncio.Event()
        export.when_ended(free.set)
        pieces = aiter(export)
        assert await anext(pieces) == b"x"
        async with asyncio.timeout(30):
            await free.wait()
        # Should it come back, its download is broken, not short.
        with pytest.raises(ClientGoneError):
            await anext(pieces)

    asyncio.run(work())


def test_clients_that_leave_early_leave_no_traceback(tmp_path: Path) -> None:
    with live_server(tmp_path / "data", NUMALENS_LOG_LEVEL="info") as server, server.client() as client:
        uploads = [upload_whole(client, NUMA.read_bytes())]
        analysis = client.post(f"{API}/analyses", json={"uploads": uploads}).json()["id"]
        url = f"{API}/analyses/{analysis}"
        wait_until("the analysis", lambda: bool(client.get(url).json()["status"] == "ready"))
        for path in ("event-rows/export?format=ndjson", "trace.pftrace") * 5:
            with socket.socket() as leaver:
                # So little is taken that the rest does not fit on the way.
                leaver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                leaver.connect(("127.0.0.1", server.port))
                leaver.sendall(f"GET {url}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                assert leaver.recv(12).endswith(b"200")
                leaver.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # What else there was to say is said at the end at the latest.
        server.process.send_signal(signal.SIGINT)
        server.process.wait()
    said = (tmp_path / "data.log").read_text()
    assert "GET /api/v1/analyses/{analysis_id}/trace.pftrace" in said
    assert "Traceback" not in said
    assert "exception" not in said.lower()


HEADERS = (
    *("Authorization", "Content-Length", "Content-Type", "Cookie", "Forwarded", "Host", "If-None-Match", "Origin"),
    *("Range", "Referer", "Sec-Fetch-Site", "Tus-Resumable", "Upload-Defer-Length", "Upload-Length", "Upload-Metadata"),
    *("Upload-Offset", "X-Forwarded-For", "X-NumaLens-Note", "X-NumaLens-Share"),
)
ODD = (
    *(
        "http://[",
        "http://[::1",
        "[",
        "]:1",
        "http://a:b",
        "http://a:99999999",
        "//",
        "\\",
        "a,b",
        "=;=",
        '"',
        "Bearer",
        "Bearer ",
    ),
    *(
        "-1",
        "1e9",
        "9" * 30,
        "0x10",
        "bytes=0-,",
        "filename ====",
        "filename /w==",
        "\x80\xff",
        "\xed\xa0\x80",
        "%ff",
        "a" * 5000,
    ),
)
ROUTES = (
    *(
        ("GET", "/api/v1/info"),
        ("GET", "/api/v1/analyses"),
        ("POST", "/api/v1/analyses"),
        ("GET", "/a/x"),
        ("GET", "/s"),
    ),
    *(("POST", "/api/v1/uploads/"), ("HEAD", "/api/v1/uploads/x"), ("PATCH", "/api/v1/uploads/x"), ("GET", "/metrics")),
    *(
        ("GET", "/api/v1/analyses/x/sections/psi"),
        ("POST", "/api/v1/shares/open"),
        ("GET", "/perfetto/ui/"),
        ("GET", "/readyz"),
    ),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    route=st.sampled_from(ROUTES),
    headers=st.dictionaries(
        st.sampled_from(HEADERS),
        st.sampled_from([text.encode("latin-1") for text in ODD])
        | st.binary(max_size=40).map(lambda text: text.translate(None, b"\0\r\n")),
        min_size=1,
        max_size=3,
    ),
)
def test_no_header_is_too_odd(service: Service, route: tuple[str, str], headers: dict[str, bytes]) -> None:
    method, path = route
    answer = service.client.request(
        method, path, headers={k.encode(): v for k, v in headers.items()}, follow_redirects=False
    )
    assert answer.status_code < 500, (route, headers, answer.text[:300])


def test_a_client_has_so_much_at_once_and_in_a_minute() -> None:
    now = 0.0
    budget = Budget("downloads", 2, 10.0, clock=lambda: now)
    with budget.hold("a") as spend, budget.hold("a"):
        with pytest.raises(SentenceError, match="At most 2 downloads") as refused, budget.hold("a"):
            pass
        assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "5")
        with budget.hold("b"):
            spend(4.0)
    now = 20.0
    with budget.hold("a") as spend:
        spend(7.0)
    now = 30.0
    with pytest.raises(SentenceError, match="used up") as refused, budget.hold("a"):
        pass
    # The first four are forgotten then.
    assert refused.value.headers["Retry-After"] == str(int(MINUTE_S - 30.0))
    now = MINUTE_S
    with budget.hold("a"):
        pass


@pytest.mark.parametrize(
    ("kind", "path"), [("exports", "/event-rows/export"), ("exports", "/trace.pftrace"), ("queries", "/sql")]
)
def test_a_link_that_asks_too_much_takes_nothing_from_its_owner(service: Service, kind: str, path: str) -> None:
    analysis = service.analyse(SMALL)
    token = share(service, analysis, may=["download"])["token"]
    link = {"X-NumaLens-Share": token}

    def get(headers: dict[str, str]) -> Any:
        url = f"{API}/analyses/{analysis}{path}"
        if kind == "queries":
            return service.client.post(url, json={"sql": "select 1"}, headers=headers)
        return service.client.get(url, headers=headers)

    assert get(link).status_code == 200
    with ExitStack() as running:
        for _ in range(2):
            running.enter_context(getattr(service.services.link_budgets, kind).hold(f"link {token}"))
        refused = get(link)
        assert "at the same time" in sentence(refused, 429)
        assert int(refused.headers["retry-after"]) > 0
        assert get({}).status_code == 200
    assert get(link).status_code == 200


def test_answers_of_a_link_wait_in_a_line_of_their_own(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more are computed at once than there are places, and the owner's are other ones."""
    analysis = service.analyse(SMALL)
    link = {"X-NumaLens-Share": share(service, analysis)["token"]}
    places = int(service.services.link_budgets.answers.total_tokens)
    lock, computing, most, held = threading.Lock(), 0, 0, threading.Event()
    bundle = ready_bundle(service.services, analysis)

    class Slow:
        def analysis(self, *_: object, **__: object) -> bytes:
            nonlocal computing, most
            with lock:
                computing += 1
                most = max(most, computing)
            held.wait(60)
            with lock:
                computing -= 1
            return b"{}"

    slow = dataclasses.replace(bundle, engine=cast("Any", Slow()))
    monkeypatch.setattr("numalens.api.sections.ready_bundle", lambda *_: slow)
    url = f"{API}/analyses/{analysis}/sections/latency"
    with ThreadPoolExecutor(places + 4) as pool:
        answers = [pool.submit(service.client.get, url, headers=link) for _ in range(places + 4)]
        line = service.services.link_budgets.answers
        try:
            wait_until("the line", lambda: line.statistics().tasks_waiting == 4, 30)
            monkeypatch.undo()
            assert service.client.get(url).status_code == 200
        finally:
            held.set()
        assert {answer.result().status_code for answer in answers} == {200}
    assert most == places


def test_endless_queries_of_a_link_leave_the_owner_an_engine(bundles: Path) -> None:
    async def work(pool: EnginePool) -> None:
        greedy = asyncio.create_task(ask(pool, "small", ENDLESS, linked=True))
        await until(lambda: bool(pool.traces))
        (seat,) = pool.traces
        assert seat.linked
        more = asyncio.create_task(ask(pool, "numa", EVENTS, linked=True))
        for name in ("small", "numa", "small"):
            assert (await ask(pool, name, EVENTS))[0] == ROWS[name]
        with pytest.raises(BusyError):
            await more
        greedy.cancel()
        with suppress(asyncio.CancelledError):
            await greedy

    with_pool(work, bundles, wait_seconds=15.0)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (f"select {', '.join(f'{at} as c{at}' for at in range(1900))}", "1 to 512 columns, found 1900"),
        (
            "create perfetto function f(x int) returns int as select f($x + 1); select f(1)",
            "endless recursion of views or functions",
        ),
    ],
)
def test_a_query_that_cannot_be_answered_is_the_querys_fault(service: Service, sql: str, words: str) -> None:
    analysis = service.analyse(SMALL)
    url = f"{API}/analyses/{analysis}/sql"
    assert words in sentence(service.client.post(url, json={"sql": sql}), 422)
    # The next one is not harmed.
    assert service.client.post(url, json={"sql": "select 1"}).status_code == 200


def test_processes_are_given_none_of_the_servers_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("AWS_SECRET_ACCESS_KEY", "NUMALENS_DATABASE", "NUMALENS_METRICS_TOKEN", "NUMALENS_OIDC_CLIENT_SECRET")
    for name in secrets:
        monkeypatch.setenv(name, "secret of the server")
    shown = asyncio.run(ended(["env"], 60)).output.decode()
    assert "PATH=" in shown
    assert "secret" not in shown.lower()


def test_uploads_leave_the_disk_what_must_be_free(make_service: MakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_service(min_free_bytes=10 * MIB)
    uploads = service.services.folder.uploads

    def free(_: DataFolder) -> int:
        return 30 * MIB - sum(path.stat().st_size for path in uploads.iterdir())

    monkeypatch.setattr(DataFolder, "free_bytes", free)
    content = os.urandom(15 * MIB)
    # Each of them fits.
    places = [
        service.client.post(f"{API}/uploads/", headers=creation_headers("x", len(content))).headers["location"]
        for _ in range(3)
    ]
    sent = [service.client.patch(place, content=content, headers=patch_headers(0)) for place in places]
    assert [answer.status_code for answer in sent] == [204, 507, 507]
    assert "the received part is kept" in sentence(sent[1], 507)
    assert free(service.services.folder) >= 10 * MIB
    # What came is kept, and continues when there is room again.
    assert service.client.delete(places[0], headers=patch_headers(0)).status_code in {204, 409}
    head = service.client.head(places[1], headers={"Tus-Resumable": "1.0.0"})
    at = int(head.headers["upload-offset"])
    rest = service.client.patch(places[1], content=content[at:], headers=patch_headers(at))
    assert rest.status_code == 204


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "http://]", "null", "//", "http://elsewhere"])
def test_no_origin_is_too_odd(service: Service, origin: str) -> None:
    answer = service.client.post(f"{API}/analyses", json={"uploads": []}, headers={"Origin": origin})
    assert "Pages of other sites" in sentence(answer, 403)


@pytest.mark.parametrize(
    "body",
    [
        r'{"uploads":["\ud800"]}',
        r'{"uploads":[],"title":"\udfff x"}',
        r'{"uploads":[],"\ud83d":1}',
        '{"uploads":["' + r"\ud83d\ude00" + '"]}',
        "[" * 100_000 + r"\u0000",
    ],
)
def test_no_text_is_too_odd(service: Service, body: str) -> None:
    answer = service.client.post(f"{API}/analyses", content=body.encode(), headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]["sentence"]


def test_names_cannot_reorder_what_stands_around_them(service: Service) -> None:
    analysis = service.analyse(SMALL)
    odd = "a\u202eb\u0000c\u200bd"
    changed = service.client.patch(f"{API}/analyses/{analysis}", json={"title": odd, "tags": [odd], "description": odd})
    assert changed.status_code == 200
    shown = service.get(f"/analyses/{analysis}").json()
    assert (shown["title"], shown["tags"]) == ("abcd", ["abcd"])
    note = service.client.post(f"{API}/analyses/{analysis}/notes", json={"author": odd, "text": f"{odd}\nmore"}).json()
    assert note["author"] == "abcd"
    assert note["text"] == "abc\u200bd\nmore"


def test_a_data_folder_of_before_is_taken_from_others(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "uploads").mkdir(parents=True)
    (folder / "uploads" / "x.part").write_text("recorded")
    (folder / "link").symlink_to("/etc/passwd")
    for path in (folder, folder / "uploads"):
        path.chmod(0o755)
    (folder / "uploads" / "x.part").chmod(0o644)
    of_others = S_IMODE(Path("/etc/passwd").stat().st_mode)
    with DataFolder(folder):
        assert S_IMODE(folder.stat().st_mode) == S_IMODE((folder / "uploads").stat().st_mode) == 0o700
        assert S_IMODE((folder / "uploads" / "x.part").stat().st_mode) == 0o600
    assert S_IMODE(Path("/etc/passwd").stat().st_mode) == of_others


@contextmanager
def small_server(most: int) -> Iterator[int]:
    """A server that takes so many connections; its port."""

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    config = uvicorn.Config(app, http=slow_client_protocol(600.0, most), lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def test_idle_connections_give_way_the_oldest_first() -> None:
    with small_server(8) as port, ExitStack() as open_ones:
        idle = [open_ones.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30)) for _ in range(50)]
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as client:
            assert [client.get("/").text for _ in range(3)] == ["ok"] * 3
        assert [connection.recv(1) for connection in idle[:40]] == [b""] * 40
        idle[-1].sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle[-1].recv(1 << 12).startswith(b"HTTP/1.1 200")


def test_connections_that_say_nothing_are_left_to_the_kernel(tmp_path: Path) -> None:
    with live_server(tmp_path) as server, server.client() as client, ExitStack() as open_ones:
        files = Path(f"/proc/{server.process.pid}/fd")
        assert client.get("/healthz").status_code == 200
        before = len(list(files.iterdir()))
        address = ("127.0.0.1", server.port)
        idle = [open_ones.enter_context(socket.create_connection(address, timeout=30)) for _ in range(200)]
        assert client.get("/healthz").status_code == 200
        assert len(list(files.iterdir())) < before + 20
        for connection in idle[:150]:
            connection.close()
        idle[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle[-1].recv(1 << 12).startswith(b"HTTP/1.1 200")
        assert len(list(files.iterdir())) < before + 20


STREAMS = 500


def test_event_streams_held_open_leave_the_server_to_others(tmp_path: Path) -> None:
    with live_server(tmp_path, **WAITING) as server, server.client() as client, ExitStack() as open_ones:
        upload = upload_whole(client, SMALL.read_bytes())
        analysis_id = client.post(f"{API}/analyses", json={"uploads": [upload]}).json()["id"]
        files = Path(f"/proc/{server.process.pid}/fd")
        before = len(list(files.iterdir()))
        head = f"GET {API}/analyses/{analysis_id}/progress HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        address = ("127.0.0.1", server.port)
        streams = [open_ones.enter_context(socket.create_connection(address, timeout=60)) for _ in range(STREAMS)]
        for stream in streams:
            stream.sendall(head)
        for stream in streams:
            assert stream.recv(1 << 12).startswith(b"HTTP/1.1 200")
        held = len(list(files.iterdir()))
        assert held >= before + STREAMS
        # A thread for each of them would leave none for these.
        assert client.get("/healthz").status_code == 200
        assert client.get(f"{API}/analyses").status_code == 200
        assert upload_whole(client, NUMACTL.read_bytes()) != upload
        threads = Path(f"/proc/{server.process.pid}/task")
        assert len(list(threads.iterdir())) < 200
        open_ones.pop_all().close()
        wait_until("the streams to close", lambda: len(list(files.iterdir())) < before + 20)


HEAPS = """
import ctypes, sys, threading
from numalens.sandbox.limits import keep_heap_small
if sys.argv[1] == "small":
    keep_heap_small()
met = threading.Barrier(8)
def take():
    met.wait()
    taken = [bytearray(100_000) for _ in range(10)]
    met.wait()
threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.parametrize(("heap", "few"), [("small", True), ("as it comes", False)])
def test_threads_of_a_server_share_their_heaps(heap: str, few: bool) -> None:
    command = [sys.executable, "-c", HEAPS, heap]
    heaps = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.count("<heap nr=")
    assert heaps > 0
    assert (heaps <= ARENAS) is few

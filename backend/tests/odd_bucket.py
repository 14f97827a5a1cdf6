"""An S3 server of which every answer is told: for what a real one seldom says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from typing_extensions import override

ERROR: Final = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{}</Code><Message>No.</Message></Error>'


@dataclass
class OddBucket:
    """What it answers: a status and a body to each method; every other method is as `other`."""

    port: int
    other: tuple[int, str] = (500, "")
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    etag: bool = False
    """Whether answers have the header that S3's have to what was kept."""

    @property
    def access(self) -> dict[str, str]:
        """The environment of whoever uses it."""
        keys = {"AWS_ACCESS_KEY_ID": "key-of-nobody", "AWS_SECRET_ACCESS_KEY": "secret-of-nobody"}
        return {**keys, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}

    def refuse(self, status: int, code: str | None) -> None:
        """Answers everything with an error from now on; without a code, as a proxy would that knows nothing of S3."""
        self.answers.clear()
        self.other = (status, ERROR.format(code) if code is not None else "<html>no</html>")


@contextmanager
def odd_bucket() -> Iterator[OddBucket]:
    """Such a server, on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            answer.requests.append(f"{self.command} {self.path}")
            status, body = answer.answers.get(self.command, answer.other)
            content = b"" if self.command == "HEAD" else body.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Content-Type", "application/xml")
            if answer.etag:
                self.send_header("ETag", '"1"')
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815  (the names that the library looks for)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answer = OddBucket(server.server_port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield answer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

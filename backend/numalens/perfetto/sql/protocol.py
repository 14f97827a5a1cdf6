"""Messages between the server and the process of an engine.

The process receives one JSON object per line: first an Order, then requests, one after the other. It sends frames: one byte for
the kind, the length (8 bytes, little endian), and that many bytes. `p` is a piece of a request's answer, `d` its end (a Done),
`f` the reason for its absence (a Failure); the order is also answered by a `d` or an `f`.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from numalens.sandbox.confine import Confine

PIECE, DONE, FAILURE = b"p", b"d", b"f"
HEAD_BYTES: Final = 9
MOST_FRAME: Final = 128 << 20
"""Longest frame, bytes. An answer's pieces are far shorter than that."""
CUT_BYTES: Final = 64 << 20
"""Rows that are shown are at most so many encoded bytes, however few they are."""
EXPORT_BYTES: Final = 256 << 20
"""The same for rows in a file; decoded, they take up to five times as much."""

MEMORY_CAP: Final = "sql_memory_bytes"

About = Literal["trace", "query"]
"""Activity of an engine when it failed: loading the trace, or answering."""
FileFormat = Literal["csv", "ndjson", "arrow"]
Trouble = Literal["refused", "time", "memory", "engine"]
"""The query is wrong; it took too long; too much memory; anything else that the engine died of."""


@dataclass(frozen=True)
class Limits:
    """Limits of an engine."""

    memory_bytes: int
    seconds: float
    """Time limit of a query."""
    load_seconds: float
    """Time limit of loading the trace."""


@dataclass(frozen=True)
class Order:
    """Trace of the process: the first line of its standard input."""

    bundle: str
    from_ns: int | None
    to_ns: int | None
    limits: Limits
    native: str | None
    """The operator's own trace processor; None: the one in WebAssembly."""
    confine: Confine = "auto"
    linked: bool = False
    """For holders of a link: all other requests have precedence."""

    def line(self) -> bytes:
        """The order as sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "Order":
        """The order as received."""
        fields: dict[str, Any] = json.loads(line)
        return cls(**{**fields, "limits": Limits(**fields["limits"])})


@dataclass(frozen=True)
class Query:
    """Rows to be shown: the answer is the JSON of `SqlAnswer`."""

    sql: str
    limit: int


@dataclass(frozen=True)
class Export:
    """Rows as a file."""

    sql: str
    format: FileFormat
    limit: int


@dataclass(frozen=True)
class Schema:
    """Catalogue for queries: the answer is the JSON of `SqlSchema`."""


Request = Query | Export | Schema
OnPiece = Callable[[bytes], Awaitable[None]]
"""Takes the pieces of an answer, in order."""
_REQUESTS: Final[dict[str, type[Request]]] = {"query": Query, "export": Export, "schema": Schema}


@dataclass(frozen=True)
class Done:
    """A request was answered."""

    truncated: bool = False
    alive: bool = True
    """True if the engine can answer another request."""


@dataclass(frozen=True)
class Failure:
    """A request was not answered, or the trace was not loaded."""

    trouble: Trouble
    sentence: str
    cap: str | None = None
    """The setting whose limit was met."""
    line: int | None = None
    """Position in the query, counted from 1."""
    column: int | None = None
    alive: bool = False


def time_cap(about: About) -> str:
    """The setting that limits its time."""
    return "sql_load_seconds" if about == "trace" else "sql_seconds"


def request_line(request: Request) -> bytes:
    """A request as sent."""
    return json.dumps({"is": type(request).__name__.lower(), **asdict(request)}).encode() + b"\n"


def parse_request(line: bytes) -> Request:
    """A request as received."""
    fields: dict[str, Any] = json.loads(line)
    return _REQUESTS[fields.pop("is")](**fields)


def frame(kind: bytes, content: bytes) -> bytes:
    """One frame as sent."""
    return kind + len(content).to_bytes(HEAD_BYTES - 1, "little") + content


def end_frame(end: Done | Failure) -> bytes:
    """The frame that ends an answer."""
    return frame(DONE if isinstance(end, Done) else FAILURE, json.dumps(asdict(end)).encode())


def parse_end(kind: bytes, content: bytes) -> Done | Failure:
    """The end of an answer as received. Raises ValueError for other frames."""
    try:
        fields = json.loads(content)
        return Done(**fields) if kind == DONE else Failure(**fields)
    except TypeError as error:
        msg = f"not the end of an answer: {content[:80]!r}"
        raise ValueError(msg) from error

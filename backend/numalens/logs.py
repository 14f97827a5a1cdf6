"""The server's log: lines for users, or JSON lines for programs. Callers decide which events are logged."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final, Literal

from typing_extensions import override

Form = Literal["text", "json"]
TEXT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
FIELDS: Final = ("method", "route", "status", "ms")
"""Fields of a line about a request besides its message."""

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""ID of the request that is being answered."""


class JsonLines(logging.Formatter):
    """One JSON object per line: `time`, `level`, `logger`, `message`, `request`, the fields of a request, and a `traceback`."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request": request_id.get(),
            **{name: getattr(record, name) for name in FIELDS if hasattr(record, name)},
            "traceback": self.formatException(record.exc_info) if record.exc_info else None,
        }
        return json.dumps({name: value for name, value in fields.items() if value is not None}, ensure_ascii=False)


def set_up(form: Form, level: str | None) -> None:
    """Has all of the process's logs go to standard error in this form.

    Default level: warnings for users, one line for each request for programs.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(TEXT))
    chosen = level or ("info" if form == "json" else "warning")
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    # Libraries stay at warnings: what they say below may have addresses and queries in it.
    logging.getLogger("numalens").setLevel(chosen.upper())

"""Messages between server and import process: one JSON object in, one JSON object per line out."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from numalens.sandbox.confine import Confine
from numalens.store.options import Cut


@dataclass(frozen=True)
class Order:
    """Inputs, destination and limits: the first line of the process's standard input."""

    inputs: list[tuple[str, str]]
    """(name, path) in order."""
    out: str
    scratch: str
    memory_bytes: int
    file_bytes: int
    max_events: int
    max_bytes: int
    tolerant: bool
    offsets: dict[str, int]
    """Shown name of an input to ns."""
    cut: Cut | None = None
    """Part of the inputs to keep; None is everything."""
    confine: Confine = "auto"

    def line(self) -> bytes:
        """The order as sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "Order":
        """The order as received."""
        fields: dict[str, Any] = json.loads(line)
        fields["inputs"] = [(name, path) for name, path in fields["inputs"]]
        fields["cut"] = None if fields["cut"] is None else Cut(**fields["cut"])
        return cls(**fields)


@dataclass(frozen=True)
class Step:
    """Progress of a stage; `total` is 0 while unknown. Bytes or events, depending on the stage."""

    stage: str
    done: int
    total: int
    sentence: str | None = None
    """Reason of a wait, if the stage alone does not show it."""


@dataclass(frozen=True)
class Failure:
    """Reason for which an input was not imported: one sentence, and the position in which input."""

    sentence: str
    file: str | None = None
    offset: int | None = None
    unit: Literal["byte", "line"] | None = None
    expected: str | None = None
    again: bool = False
    """The input is fine: it can be imported again when the problem in the message is fixed."""


@dataclass(frozen=True)
class Done:
    """The bundle is whole."""


Message = Step | Failure | Done
_KINDS: dict[str, type[Message]] = {"step": Step, "failure": Failure, "done": Done}


def encode(message: Message) -> str:
    """A message as one line of text."""
    return json.dumps({"is": type(message).__name__.lower(), **asdict(message)})


def decode(line: bytes) -> Message:
    """The message of one line. Raises ValueError for anything that `encode` did not write."""
    fields = json.loads(line)
    if not isinstance(fields, dict) or fields.get("is") not in _KINDS:
        msg = f"not a message of an import process: {line[:80]!r}"
        raise ValueError(msg)
    kind = _KINDS[fields.pop("is")]
    return kind(**fields)

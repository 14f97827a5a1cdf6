"""The trace processor's messages: protobuf by hand, since only a few fields of a few messages are needed.

Both directions are streams of `TraceProcessorRpc` messages, each preceded by the byte 0x0A and its length (Perfetto's
`trace_processor.proto`; fields measured with version 52). Protobuf's wire format: a varint `number << 3 | type`, then the
value.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
FIXED32: Final = 5
MAX_VARINT_BYTES: Final = 10
MAX_MESSAGE: Final = 64 << 20
"""Longest message that either side accepts, bytes."""

Buffer = bytes | bytearray | memoryview


class Method(IntEnum):
    """The request: field `request`."""

    APPEND = 1
    FINALIZE = 2
    QUERY = 3
    RESTORE = 7
    STATUS = 10
    RESET = 11
    REGISTER_PACKAGE = 13


class Field(IntEnum):
    """Field numbers of `TraceProcessorRpc`."""

    REQUEST = 2
    INVALID_REQUEST = 4
    FATAL_ERROR = 5
    APPEND_DATA = 101
    QUERY_ARGS = 103
    RESET_ARGS = 107
    PACKAGE_ARGS = 108
    APPEND_RESULT = 201
    QUERY_RESULT = 203
    STATUS = 210
    PACKAGE_RESULT = 211
    FINALIZE_RESULT = 212


class BrokenMessageError(ValueError):
    """Bytes other than a message."""


def varint(number: int) -> bytes:
    """A number of up to 64 bits; negative ones as their two's complement."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:  # noqa: PLR2004  (seven bits a byte)
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(field: int, value: int) -> bytes:
    """A field with a number."""
    return varint(field << 3 | VARINT) + varint(value)


def bytes_field(field: int, value: bytes) -> bytes:
    """A field with bytes, text or a message."""
    return varint(field << 3 | LENGTH) + varint(len(value)) + value


def request(method: Method, payload: bytes = b"") -> bytes:
    """One framed request; `payload` is the encoded argument field."""
    return bytes_field(1, number_field(Field.REQUEST, method) + payload)


def append_head(length: int) -> bytes:
    """Header for `length` bytes of trace in a request that appends them, so that they need not be copied."""
    body = number_field(Field.REQUEST, Method.APPEND) + varint(Field.APPEND_DATA << 3 | LENGTH) + varint(length)
    return varint(1 << 3 | LENGTH) + varint(len(body) + length) + body


def read_varint(data: Buffer, at: int) -> tuple[int, int]:
    """The number at `at` and the position after it."""
    value = shift = 0
    for index in range(at, min(at + MAX_VARINT_BYTES, len(data))):
        byte = data[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004  (the last byte has no high bit)
            return value, index + 1
        shift += 7
    msg = f"no number at byte {at}"
    raise BrokenMessageError(msg)


def fields(data: Buffer) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message in order: number, and its value or its bytes."""
    view, at = memoryview(data), 0
    while at < len(view):
        tag, at = read_varint(view, at)
        kind = tag & 7
        if kind == VARINT:
            number, at = read_varint(view, at)
            yield tag >> 3, number
            continue
        if kind == LENGTH:
            length, at = read_varint(view, at)
        elif kind in {FIXED64, FIXED32}:
            length = 8 if kind == FIXED64 else 4
        else:
            msg = f"a field of kind {kind} at byte {at}"
            raise BrokenMessageError(msg)
        if length > len(view) - at:
            msg = f"a field of {length} bytes at byte {at}, where {len(view) - at} are left"
            raise BrokenMessageError(msg)
        yield tag >> 3, view[at : at + length]
        at += length


def text_field(data: Buffer, number: int) -> str:
    """The last field `number` as text; empty when there is none."""
    found = ""
    for field, value in fields(data):
        if field == number and not isinstance(value, int):
            found = bytes(value).decode(errors="replace")
    return found


class Frames:
    """Cuts a stream of bytes that comes in pieces of any size into messages."""

    def __init__(self) -> None:
        """Starts between two messages."""
        self._bytes = bytearray()

    def take(self, piece: bytes) -> Iterator[bytes]:
        """The messages that are complete with `piece`."""
        self._bytes += piece
        at = 0
        try:
            while (message := self._message(at)) is not None:
                start, at = message
                yield bytes(self._bytes[start:at])
        finally:
            del self._bytes[:at]

    def _message(self, at: int) -> tuple[int, int] | None:
        """Begin and end of the message at `at`; None while it is not complete."""
        data = self._bytes
        if at >= len(data):
            return None
        if data[at] != 1 << 3 | LENGTH:
            msg = f"a message that begins with byte {data[at]:#04x}"
            raise BrokenMessageError(msg)
        try:
            length, start = read_varint(data, at + 1)
        except BrokenMessageError:
            if len(data) - at <= MAX_VARINT_BYTES:
                return None
            raise
        if length > MAX_MESSAGE:
            msg = f"a message of {length} bytes"
            raise BrokenMessageError(msg)
        return None if start + length > len(data) else (start, start + length)


CELL_NULL: Final = 1
CELL_NUMBER: Final = 2
CELL_REAL: Final = 3
CELL_TEXT: Final = 4
CELL_BYTES: Final = 5

Cell = None | int | float | str | bytes


def result_error(part: Buffer) -> str:
    """The error of a part of a query's result; empty when there is none."""
    return text_field(part, 2)


def result_rows(parts: list[bytes]) -> list[tuple[Cell, ...]]:
    """The rows of a small result, whose parts are `parts`."""
    width = 0
    cells: list[Cell] = []
    for part in parts:
        for field, value in fields(part):
            if isinstance(value, int):
                continue
            if field == 1:
                width += 1
            elif field == 3:  # noqa: PLR2004  (`batch`)
                cells.extend(_batch(value))
    if not width:
        return []
    return [tuple(cells[at : at + width]) for at in range(0, len(cells), width)]


def _batch(batch: memoryview) -> Iterator[Cell]:
    """The cells of one batch: their kinds are in one field, their values by kind in others."""
    kinds = b""
    values: dict[int, list[Cell]] = {CELL_NUMBER: [], CELL_REAL: [], CELL_TEXT: [], CELL_BYTES: []}
    for field, value in fields(batch):
        if isinstance(value, int):
            continue
        if field == 1:
            kinds += bytes(value)
        elif field in _VALUES:
            kind, read = _VALUES[field]
            values[kind].extend(read(value))
    left = {kind: iter(found) for kind, found in values.items()}
    for kind in kinds:
        cell = next(left.get(kind, iter(())), None)
        if cell is None and kind != CELL_NULL:
            msg = f"a cell of kind {kind} without a value"
            raise BrokenMessageError(msg)
        yield cell


def _numbers(packed: memoryview) -> Iterator[Cell]:
    at = 0
    while at < len(packed):
        number, at = read_varint(packed, at)
        yield number - (1 << 64) if number >> 63 else number


def _reals(packed: memoryview) -> Iterator[Cell]:
    return iter(memoryview(bytes(packed)).cast("d"))


def _texts(packed: memoryview) -> Iterator[Cell]:
    """Each text ends with a NUL."""
    return (text.decode(errors="replace") for text in bytes(packed).split(b"\0")[:-1])


def _blob(value: memoryview) -> Iterator[Cell]:
    return iter((bytes(value),))


_VALUES: Final[dict[int, tuple[int, Callable[[memoryview], Iterator[Cell]]]]] = {
    2: (CELL_NUMBER, _numbers),
    3: (CELL_REAL, _reals),
    4: (CELL_BYTES, _blob),
    5: (CELL_TEXT, _texts),
}
"""Fields of a batch that hold values: the kind of their cells, and how they are read."""

"""Generates a large version 6 trace.dat by repeating the pages of a small one with shifted times.

The layout is trace-cmd.dat.v6(5): header, formats, symbol and name lists, options, then for every CPU the offset and
size of its ring-buffer pages. A page begins with the 64-bit time of its first event and a commit word; the entries in
it count from there (Documentation/trace/ring-buffer-design), so moving a page in time means changing one word.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pyarrow as pa

FIXTURE = Path(__file__).resolve().parents[2] / "samples" / "fixtures" / "tc-small.v6.dat.zst"
AT_LEAST_EVENTS = 10_500_000
PAGE = 4096
GAP_NS = 1_000_000

PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
"""Entry types (lower five bits of an entry's first word) that are not events of up to 28 words."""
COMMIT_SIZE = 0xFFFFF
"""The bits of the commit word that hold the size; the others are flags."""


class Reader:
    """A cursor over the header of a little-endian version 6 file."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size: int) -> int:
        """The next unsigned number of `size` bytes."""
        return int.from_bytes(self.take(size), "little")

    def text(self) -> bytes:
        """The next bytes up to a NUL, which is skipped."""
        end = self.data.index(0, self.at)
        return self.take(end + 1 - self.at)[:-1]


def fixture() -> bytes:
    """The small recording whose formats and names the large ones have."""
    with pa.input_stream(str(FIXTURE), compression="zstd") as source:
        data: bytes = source.read()
    return data


def header(data: bytes) -> Reader:
    """Stands before the number of CPUs. Raises ValueError when the fixture is of another kind."""
    r = Reader(data)
    if r.take(10) != b"\x17\x08\x44tracing" or r.text() != b"6" or r.number(1) != 0:
        raise ValueError("the fixture is not a little-endian version 6 trace.dat")
    r.number(1)  # size of a long
    if r.number(4) != PAGE:
        raise ValueError("the fixture has another page size")
    for _ in range(2):  # header_page, header_event
        r.text()
        r.take(r.number(8))
    for _ in range(r.number(4)):  # ftrace's own events
        r.take(r.number(8))
    for _ in range(r.number(4)):
        r.text()
        for _ in range(r.number(4)):
            r.take(r.number(8))
    r.take(r.number(4))  # kallsyms
    r.take(r.number(4))  # printk formats
    r.take(r.number(8))  # command names
    return r


def table_offset(data: bytes) -> tuple[int, int]:
    """Where the table of (offset, size) per CPU begins, and the number of CPUs."""
    r = header(data)
    cpus = r.number(4)
    if r.text() != b"options  ":
        raise ValueError("the fixture has no options")
    while r.number(2):
        r.take(r.number(4))
    if r.text() != b"flyrecord":
        raise ValueError("the fixture is not a flyrecord")
    return r.at, cpus


def scan_page(page: bytes) -> tuple[int, int]:
    """Number of events of a page, and ns from its time to its last event."""
    commit, *_ = struct.unpack_from("<Q", page, 8)
    at, end = 16, 16 + (commit & COMMIT_SIZE)
    events = length = 0
    while at < end:
        word, following = struct.unpack_from("<II", page.ljust(PAGE + 4, b"\0"), at)
        kind, delta = word & 31, word >> 5
        if kind == TIME_STAMP:
            raise ValueError("the fixture has absolute time stamps, which a repeated page would keep")
        if kind == PADDING and delta == 0:  # nothing else on this page
            break
        length += delta
        if kind == TIME_EXTEND:
            length += following << 27
            at += 8
        elif kind in (0, PADDING):  # the second word holds the size in bytes
            at += 4 + following
            events += kind == 0
        else:
            at += 4 + 4 * kind
            events += 1
    return events, length


def generate(target: Path, at_least: int = AT_LEAST_EVENTS) -> int:
    """Writes the file (atomically) and returns its number of events."""
    data = fixture()
    table, cpus = table_offset(data)
    pages_of: list[list[tuple[int, bytes]]] = []
    events, first, last = 0, 1 << 63, 0
    for cpu in range(cpus):
        offset, size = struct.unpack_from("<QQ", data, table + 16 * cpu)
        pages = []
        for start in range(offset, offset + size, PAGE):
            page = data[start : start + PAGE]
            (stamp,) = struct.unpack_from("<Q", page)
            count, length = scan_page(page)
            events, first, last = events + count, min(first, stamp), max(last, stamp + length)
            pages.append((stamp, page))
        pages_of.append(pages)
    step = last - first + GAP_NS
    rounds = -(-at_least // events)
    print(f"Generating {rounds * events / 1e6:.1f} M events in {target.name} ...", file=sys.stderr)
    part = target.with_suffix(".part")
    head = bytearray(data[: table + 16 * cpus])
    at = -(-len(head) // PAGE) * PAGE
    for cpu, pages in enumerate(pages_of):
        size = len(pages) * PAGE * rounds
        struct.pack_into("<QQ", head, table + 16 * cpu, at, size)
        at += size
    with part.open("wb") as out:
        out.write(head.ljust(-(-len(head) // PAGE) * PAGE, b"\0"))
        for pages in pages_of:
            for turn in range(rounds):
                for stamp, page in pages:
                    out.write(struct.pack("<Q", stamp + turn * step))
                    out.write(page[8:])
    part.rename(target)
    return events * rounds


if __name__ == "__main__":
    print(generate(Path(sys.argv[1])))

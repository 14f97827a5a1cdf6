"""Writes trace.dat version 6: what trace-cmd(1) calls `trace.dat.v6`, raw pages after a description of them.

Version 6, because every trace-cmd since 2010 and every tool built on its library reads it. The layout is described in
trace-cmd.dat.v6(5). Only the description is made here; the pages stay in their spool files until they are packed.
"""

import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MAGIC: Final = b"\x17\x08\x44tracing"
OPTION_CPUSTAT: Final = 2
OPTION_TRACECLOCK: Final = 4
OPTION_UNAME: Final = 5
OPTION_CPUCOUNT: Final = 8
OPTION_VERSION: Final = 9
_ORDER: Final = "<" if sys.byteorder == "little" else ">"


@dataclass(frozen=True)
class PageLayout:
    """A sub-buffer as `events/header_page` describes it: its whole size and the kernel's size of a long."""

    page_size: int
    long_size: int


@dataclass(frozen=True)
class Description:
    """Information for a reader besides the pages. Texts are the kernel's own files."""

    header_page: bytes
    header_event: bytes
    ftrace_formats: Sequence[bytes]
    event_formats: Mapping[str, Sequence[bytes]]
    kallsyms: bytes = b""
    printk_formats: bytes = b""
    saved_cmdlines: bytes = b""
    trace_clock: bytes = b"[local]"
    uname: str = ""
    recorder: str = ""
    cpu_stats: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Part:
    """A part of a file that is assembled when it is packed: bytes, or `size` bytes of a file from `offset` on."""

    size: int
    data: bytes = b""
    path: Path | None = None
    offset: int = 0


def page_layout(header_page: bytes) -> PageLayout:
    """Reads the sizes out of `events/header_page`. Raises ValueError when they are not there."""
    fields: dict[str, tuple[int, int]] = {}
    for line in header_page.decode("ascii", "replace").splitlines():
        values: dict[str, str] = {}
        for part in line.split(";"):
            name, _, value = part.strip().partition(":")
            values[name] = value.strip()
        if "field" in values:
            fields[values["field"].split()[-1]] = (int(values["offset"]), int(values["size"]))
    try:
        (start, size), (_, long_size) = fields["data"], fields["commit"]
    except KeyError:
        msg = f"events/header_page has no fields commit and data: {header_page!r}"
        raise ValueError(msg) from None
    return PageLayout(start + size, long_size)


def trace_dat(description: Description, pages: Mapping[int, Part]) -> list[Part]:
    """A whole file. `pages` has the spooled pages by CPU; CPUs that are not there get none."""
    layout = page_layout(description.header_page)
    cpus = max(pages, default=-1) + 1
    head = _description(description, layout) + _options(description, cpus)
    clock = _sized(description.trace_clock)
    # Behind the description are the mark, a table of 16 bytes a CPU, and the clock; then pages, at multiples of theirs.
    at = _aligned(len(head) + 10 + 16 * cpus + len(clock), layout.page_size)
    table = b"flyrecord\0"
    behind: list[Part] = []
    offset = at
    for cpu in range(cpus):
        part = pages.get(cpu, Part(0))
        table += _number("QQ", offset, part.size)
        behind.append(part)
        offset += part.size
    head += table + clock
    return [Part(at, data=head.ljust(at, b"\0")), *(part for part in behind if part.size)]


def _description(description: Description, layout: PageLayout) -> bytes:
    out = [
        MAGIC,
        b"6\0",
        bytes((sys.byteorder == "big", layout.long_size)),
        _number("I", layout.page_size),
        b"header_page\0",
        _sized(description.header_page),
        b"header_event\0",
        _sized(description.header_event),
        _number("I", len(description.ftrace_formats)),
        *map(_sized, description.ftrace_formats),
        _number("I", len(description.event_formats)),
    ]
    for system, formats in description.event_formats.items():
        out += [system.encode() + b"\0", _number("I", len(formats)), *map(_sized, formats)]
    for text in (description.kallsyms, description.printk_formats):
        out += [_number("I", len(text)), text]
    out.append(_sized(description.saved_cmdlines))
    return b"".join(out)


def _options(description: Description, cpus: int) -> bytes:
    options: list[tuple[int, bytes]] = [
        *((OPTION_CPUSTAT, _text(text)) for text in description.cpu_stats),
        # Empty: in version 6 it says that the clock is behind the table of CPUs.
        (OPTION_TRACECLOCK, b""),
        (OPTION_UNAME, _text(description.uname)),
        (OPTION_VERSION, _text(description.recorder)),
        (OPTION_CPUCOUNT, _number("I", cpus)),
    ]
    out = [_number("I", cpus), b"options  \0"]
    for number, data in options:
        out += [_number("HI", number, len(data)), data]
    out.append(_number("H", 0))
    return b"".join(out)


def _number(form: str, *values: int) -> bytes:
    return struct.pack(_ORDER + form, *values)


def _sized(data: bytes) -> bytes:
    return _number("Q", len(data)) + data


def _text(text: str) -> bytes:
    return text.encode() + b"\0"


def _aligned(size: int, unit: int) -> int:
    return -(-size // unit) * unit

"""Offsets of members in the running kernel's structures, from its own type information (Documentation/bpf/btf.rst).

Probes fetch memory by offsets, which differ from kernel to kernel; those that take members by name came with 6.6, and no
kernel names the members of a variable whose type has no name.
"""

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

VMLINUX: Final = Path("/sys/kernel/btf/vmlinux")
Layout = dict[str, dict[str, int]]
"""By structure and member, offsets in bytes."""
_MAGIC: Final = 0xEB9F
_STRUCT: Final = 4
# Bytes behind a type's 12 by its kind, of each and of each of its parts.
_FIXED: Final = {1: 4, 3: 12, 14: 4, 17: 4}
_PARTS: Final = {_STRUCT: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
_KINDS: Final = 19
_MEMBER: Final = 12


def layout(data: bytes, named: Iterable[str], first_members: dict[str, str]) -> Layout:
    """The members of structures: of those with a name, and of those without one by the names of their first members.

    `first_members` gives first members by what their structures are to be called here. Missing members and bit fields
    are left out; reading stops at a kind of type that this code does not know.
    """
    found: Layout = {}
    try:
        magic, _, _, head, types, types_size, names, names_size = struct.unpack_from("=HBBIIIII", data)
    except struct.error:
        return found
    if magic != _MAGIC:
        return found
    text = data[head + names : head + names + names_size]
    wanted = {_offset(text, name): name for name in named}
    firsts = {_offset(text, member): name for name, member in first_members.items()}
    at, end = head + types, min(head + types + types_size, len(data))
    while at + 12 <= end:
        name, info, _ = struct.unpack_from("=III", data, at)
        kind, parts = info >> 24 & 0x1F, info & 0xFFFF
        at += 12
        size = _FIXED.get(kind, 0) + parts * _PARTS.get(kind, 0)
        if kind > _KINDS or at + size > end:
            break
        if kind == _STRUCT and parts:
            called = wanted.get(name) if name else firsts.get(struct.unpack_from("=I", data, at)[0])
            if called is not None:
                found[called] = _members(data[at : at + size], text, bit_fields=bool(info >> 31))
        at += size
    return found


def _offset(text: bytes, name: str) -> int:
    """Offset of a name among the names; -1 when it does not exist, which no type has."""
    at = text.find(b"\0" + name.encode() + b"\0")
    return at + 1 if at >= 0 else -1


def _members(data: bytes, text: bytes, *, bit_fields: bool) -> dict[str, int]:
    members: dict[str, int] = {}
    for at in range(0, len(data), _MEMBER):
        name, _, bits = struct.unpack_from("=III", data, at)
        if bit_fields and bits >> 24:
            continue
        bits &= 0xFFFFFF if bit_fields else 0xFFFFFFFF
        members[text[name : text.find(b"\0", name)].decode(errors="replace")] = bits // 8
    return members

"""Name of a recording: its machine, its wall-clock start, and its first finding."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final, TypedDict

from numalens_native import Bundle

from numalens.report.catalogue import CATALOGUE

UNKNOWN_HOSTS: Final = frozenset({"", "(none)", "localhost"})
"""Names of machines that were given none."""
SECOND: Final = 1_000_000_000
EARLIEST: Final = 631_152_000 * SECOND
"""1990: a machine without a battery says 1970, which means nothing."""
LATEST: Final = 7_258_118_400 * SECOND
_RELEASE: Final = re.compile(r"\d+\.\d+")
_BUNDLE: Final = re.compile(r"(?:^|/)numalens-(.+?)-\d{8}-\d{6}(?!\d)")
_TITLES: Final = {row["id"]: row["title"] for row in CATALOGUE["findings"]}


class Identity(TypedDict):
    """Known facts; None is not recorded."""

    host: str | None
    began_ns: int | None
    """Start of the window, ns since 1970."""
    verdict: str | None


def uname_parts(kernel: str) -> tuple[str | None, str | None]:
    """Host and release in a recording's text for its kernel; None for one that it lacks.

    `uname` prints `Linux HOST RELEASE ...`, `uname -srvm` leaves the host out, and perf has the release alone. A host may be
    named like a release, or by its address.
    """
    words = kernel.split()
    if words[:1] == ["Linux"]:
        words = words[1:]
        if len(words) > 1 and _RELEASE.match(words[1]):
            return words[0], words[1]
    return None, next((word for word in words if _RELEASE.match(word)), None)


def host_of(inputs: Iterable[Mapping[str, Any]]) -> str | None:
    """The machine's name: in perf's header, the `uname` of a recording, or the name that `numalens record` gave its bundle."""
    entries = list(inputs)
    said = [(entry.get("facts") or {}).get("host") for entry in entries]
    said += [uname_parts(entry.get("kernel") or "")[0] for entry in entries]
    said += [found[1] for entry in entries if (found := _BUNDLE.search(str(entry.get("name") or "")))]
    return next((name.strip() for name in said if name is not None and name.strip() not in UNKNOWN_HOSTS), None)


def wall_offset(engine: Bundle, manifest: Mapping[str, Any]) -> int | None:
    """Ns from a time of the analysis to the machine's wall clock: by a recording's pairs of clocks, or samples with both stamps."""
    begin = manifest["window_ns"][0]
    for offset in _offsets(engine, manifest):
        if EARLIEST <= begin + offset < LATEST:
            return offset
    return None


def _offsets(engine: Bundle, manifest: Mapping[str, Any]) -> Iterable[int]:
    for entry in manifest["inputs"]:
        shift = (entry.get("alignment") or {}).get("offset_ns")
        for pair in entry.get("clock_pairs") or []:
            if shift is not None:
                yield pair["real_ns"] - pair["trace_ns"] - int(shift)
    for table in manifest["samples"]:
        stamped = _first_stamped(engine, table) if table["placed"] else None
        if stamped is not None:
            yield stamped["real_ns"] - stamped["ts_ns"]


class _EnoughError(Exception):
    """The first rows are here; the export may stop."""


def _first_stamped(engine: Bundle, table: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first row of a table of samples, when it has both its place on the trace's clock and the wall clock's time."""
    piece = bytearray()

    def take(more: bytes) -> None:
        piece.extend(more)
        if b"\n" in piece:
            raise _EnoughError

    with suppress(_EnoughError):
        engine.export_samples(table["table"], "ndjson", take, None, None)
    first = bytes(piece).partition(b"\n")[0]
    row: dict[str, Any] = json.loads(first) if first else {}
    return row if row.get("ts_ns") is not None and row.get("real_ns") is not None else None


def identity_of(engine: Bundle, manifest: Mapping[str, Any], report: Mapping[str, Any]) -> Identity:
    """The identity of a recording, out of its report."""
    offset = wall_offset(engine, manifest)
    return {
        "host": host_of(manifest["inputs"]),
        "began_ns": None if offset is None else manifest["window_ns"][0] + offset,
        "verdict": verdict_of(report),
    }


def verdict_of(report: Mapping[str, Any]) -> str | None:
    """The first finding with its first task and its cgroup: `postgres: Throttled (/inc_pg)`; None without findings."""
    found = report["findings"]
    # Instead of a list there may be what was missing for one.
    first = found[0] if isinstance(found, list) and found else None
    if first is None:
        return None
    # Another of its tasks would be no better known for it.
    pid = next(iter(first.get("pids") or []), None)
    task = _names(report.get("latency") or {}).get(pid)
    title = _TITLES[first["id"]]
    cgroup = first.get("cgroup")
    return f"{'' if task is None else f'{task}: '}{title}{'' if cgroup is None else f' ({cgroup})'}"


def _names(latency: Mapping[str, Any]) -> dict[int | None, str]:
    """Names of the tasks whose waits a report lists."""
    lists = [latency, *(part for part in latency.values() if isinstance(part, dict))]
    waits = [wait for part in lists for wait in part.get("worst") or []]
    return {wait["pid"]: wait["comm"] for wait in waits if "pid" in wait and "comm" in wait}

"""What a recording says about itself: machine, kernel, size, and when it was on the wall clock."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from numalens_native import Bundle

from numalens.fleet.rows import Row

UNKNOWN_HOSTS: Final = frozenset({"", "(none)", "localhost"})
"""What machines without a name of their own are called."""
RELEASE: Final = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
UNAME_WORDS: Final = 4
LONGEST: Final = 200
SECOND: Final = 1_000_000_000
EARLIEST: Final = 631_152_000 * SECOND
"""1990: a machine without a battery says 1970, which means nothing."""
LATEST: Final = 7_258_118_400 * SECOND


def recording_rows(engine: Bundle, manifest: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of the recording itself and of the distances between its nodes."""
    traces = [entry for entry in manifest["inputs"] if entry.get("events") is not None]
    topology, window = manifest["topology"], manifest["window_ns"]
    if (host := host_of(manifest)) is not None:
        yield Row("recording", "host", "observed", text=host)
    if (release := kernel_of(manifest)) is not None:
        yield Row("recording", "kernel", "observed", text=release)
        for name, number in zip(("major", "minor", "patch"), version_of(release), strict=True):
            yield Row("recording", f"kernel_{name}", "observed", value=number)
    if (begin := wall_clock(engine, manifest)) is not None:
        yield Row("recording", "recorded_at", "observed", moment=begin)
    source = topology["source"]
    topology_row = Row(
        "recording", "topology", "inferred" if source in {"events", "assumed"} else "observed", text=source
    )
    yield topology_row
    known = topology_row.label
    yield Row("recording", "nodes", known, value=len(topology["nodes"]))
    yield Row("recording", "cpus", known, value=sum(len(node["cpus"]) for node in topology["nodes"]))
    yield Row("recording", "length", "observed", value=(window[1] - window[0]) / SECOND, unit="s")
    yield Row("recording", "events", "observed", value=sum(entry["events"] for entry in traces))
    yield Row("recording", "lost_events", "observed", value=sum(entry.get("lost_events") or 0 for entry in traces))
    yield Row("recording", "made_by", "observed", text=manifest["created_by"])
    for node in topology["nodes"]:
        yield Row("node", "cpus", known, node=node["nid"], value=len(node["cpus"]))
    nids = [node["nid"] for node in topology["nodes"]]
    for nid, distances in zip(nids, topology.get("distances") or [], strict=False):
        for other, distance in zip(nids, distances, strict=False):
            yield Row("distance", "distance", known, node=nid, other=other, value=distance)


def host_of(manifest: Mapping[str, Any]) -> str | None:
    """The machine's name, where an input has it: perf's header, or the `uname` of a recording."""
    for entry in manifest["inputs"]:
        words = (entry.get("kernel") or "").split()
        uname = words[1] if len(words) >= UNAME_WORDS else ""
        for name in ((entry.get("facts") or {}).get("host"), uname):
            if name is not None and name.strip() not in UNKNOWN_HOSTS:
                return str(name).strip()[:LONGEST]
    return None


def kernel_of(manifest: Mapping[str, Any]) -> str | None:
    """The traced kernel's release, without the rest of the `uname`."""
    kernel = (manifest["ilb"] or {}).get("kernel")
    if kernel is not None:
        return str(kernel)[:LONGEST]
    for entry in manifest["inputs"]:
        for word in (entry.get("kernel") or "").split():
            if RELEASE.match(word):
                return str(word)[:LONGEST]
    return None


def version_of(release: str) -> tuple[int, int, int]:
    """`6.1.192-cling` as (6, 1, 192), so that releases have an order; zeros where there is no number."""
    found = RELEASE.match(release)
    return (0, 0, 0) if found is None else (int(found[1]), int(found[2]), int(found[3] or 0))


def wall_clock(engine: Bundle, manifest: Mapping[str, Any]) -> datetime | None:
    """When the window begins by the machine's own clock: from a recording's pairs of clocks, or from samples with both stamps."""
    begin = manifest["window_ns"][0]
    for entry in manifest["inputs"]:
        offset = (entry.get("alignment") or {}).get("offset_ns")
        for pair in entry.get("clock_pairs") or []:
            if offset is not None and (moment := _moment(begin - offset - pair["trace_ns"] + pair["real_ns"])):
                return moment
    for table in manifest["samples"]:
        stamped = _first_stamped(engine, table) if table["placed"] else None
        if stamped is not None and (moment := _moment(begin - stamped["ts_ns"] + stamped["real_ns"])):
            return moment
    return None


def _moment(ns: int) -> datetime | None:
    return (
        datetime.fromtimestamp(ns // SECOND, UTC).replace(microsecond=ns % SECOND // 1000)
        if EARLIEST <= ns < LATEST
        else None
    )


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

"""Metadata of a recording: machine, kernel, size, and wall-clock time."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from numalens_native import Bundle

from numalens.fleet.rows import Row
from numalens.report.identity import host_of, uname_parts, wall_offset

RELEASE: Final = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
LONGEST: Final = 200
SECOND: Final = 1_000_000_000


def recording_rows(engine: Bundle, manifest: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of the recording itself and of the distances between its nodes."""
    traces = [entry for entry in manifest["inputs"] if entry.get("events") is not None]
    topology, window = manifest["topology"], manifest["window_ns"]
    if (host := host_of(manifest["inputs"])) is not None:
        yield Row("recording", "host", "observed", text=host[:LONGEST])
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


def kernel_of(manifest: Mapping[str, Any]) -> str | None:
    """The traced kernel's release, without the rest of the `uname`."""
    kernel = (manifest["ilb"] or {}).get("kernel")
    said = [kernel, *(uname_parts(entry.get("kernel") or "")[1] for entry in manifest["inputs"])]
    return next((str(release)[:LONGEST] for release in said if release is not None), None)


def version_of(release: str) -> tuple[int, int, int]:
    """`6.1.192-cling` as (6, 1, 192), so that releases have an order; zeros where there is no number."""
    found = RELEASE.match(release)
    return (0, 0, 0) if found is None else (int(found[1]), int(found[2]), int(found[3] or 0))


def wall_clock(engine: Bundle, manifest: Mapping[str, Any]) -> datetime | None:
    """Start of the window by the machine's own clock."""
    offset = wall_offset(engine, manifest)
    if offset is None:
        return None
    ns = manifest["window_ns"][0] + offset
    return datetime.fromtimestamp(ns // SECOND, UTC).replace(microsecond=ns % SECOND // 1000)

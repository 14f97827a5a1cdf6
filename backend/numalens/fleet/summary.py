"""From a bundle to the rows of its summary. Every number is one of the engine; here they only get their places."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from numalens_native import Bundle

from numalens.fleet.questions import weakest_of
from numalens.fleet.recording import recording_rows
from numalens.fleet.rows import Row, write_rows
from numalens.report import ask, window_of
from numalens.report.build import is_missing
from numalens.report.compare.gather import Gathered, Recording, gather, shared_steps
from numalens.store.summary_file import FILE

WINDOWED: Final = frozenset({"statistics", "findings"})
"""Tables that are about windows, and about findings, which have rows of their own here."""
MOST_FINDING_NAME: Final = 64
SECTIONS: Final = {"wasted": "waste"}
"""Sections whose rows have another name."""


def summary_rows(bundle: str) -> list[Row]:
    """The summary of the bundle in this folder. Raises ValueError when it is not one, OSError when it cannot be read."""
    engine = Bundle(bundle)
    manifest = json.loads(engine.manifest())
    recording = Recording(engine, manifest, window_of(manifest, None, None), "")
    run = gather([[recording]], shared_steps([recording], None))[0]
    return [
        *recording_rows(engine, manifest),
        *_facts(run),
        *_buckets(run),
        *_nodes(run),
        *_findings(run),
    ]


def keep_summary(bundle: Path) -> None:
    """Writes the summary of the bundle in this folder into it, instead of earlier ones.

    Raises ValueError when there is no bundle, OSError or RuntimeError when it cannot be written.
    """
    new = bundle / f".{FILE}"
    write_rows(summary_rows(str(bundle)), new)
    new.replace(bundle / FILE)
    for other in bundle.glob("summary-*.parquet"):
        if other.name != FILE:
            other.unlink(missing_ok=True)


def _facts(run: Gathered) -> Iterator[Row]:
    figures = [
        (f"{part['table']}_" if part["table"] == "ops_mmtests" else "", figure)
        for part in run.metrics
        if part["table"] not in WINDOWED
        for figure in part["rows"].get("Ok", [])
    ]
    for prefix, figure in figures:
        reading = figure["value"].get("Ok")
        if reading is None or not (reading["run"]["values"] or reading["run"]["add"]):
            continue
        values = reading["run"]["values"]
        yield Row(
            "fact",
            prefix + figure["name"],
            reading["label"],
            title=figure["title"],
            value=sum(values) if reading["run"]["add"] else values[0],
            seconds=reading["run"]["seconds"],
            unit=figure["unit"],
            better=figure["better"],
            missing=reading["missing"],
        )


def _buckets(run: Gathered) -> Iterator[Row]:
    """Wakeup waits by length, in the bins that all recordings share, so that those of many can be added up."""
    if not run.has("waits"):
        return
    section = run.section("waits")
    edges: list[float] = section["histogram"]["edges_ns"]
    for bucket, waits in enumerate(section["histogram"]["counts"]):
        if waits:
            least = edges[bucket - 1] if bucket else 0
            below = edges[bucket] if bucket < len(edges) else None
            yield Row(
                "bucket", "wakeup", section["label"], bucket=bucket, least=least, below=below, count=waits, unit="ns"
            )


def _nodes(run: Gathered) -> Iterator[Row]:
    for source, name, fields in (
        ("utilisation", "nodes", ("busy_ns", "idle_ns", "unknown_ns")),
        ("latency", "by_node", ("count", "wait_ns", "p50_ns", "p99_ns", "max_ns")),
        ("psi", "nodes", ("cpu_some_ns", "cpu_full_ns", "nonidle_ns")),
        ("wasted", "per_node", ("cpu_ns",)),
    ):
        section = ask(run.recording.engine, SECTIONS.get(source, source), run.recording.window, {})
        if is_missing(section):
            continue
        # Pressure has a label for each resource; a node's clocks are the processor's.
        quality: Mapping[str, Any] = section["system"]["cpu"] if source == "psi" else section
        label, missing = quality.get("label", "replayed"), quality.get("missing", [])
        for node in section[name] or []:
            for field in fields:
                if node[field] is not None:
                    unit = "ns" if field.endswith("_ns") else ""
                    yield Row(
                        "node",
                        f"{source}_{field}",
                        label,
                        node=node["nid"],
                        value=node[field],
                        unit=unit,
                        missing=missing,
                    )


def _findings(run: Gathered) -> Iterator[Row]:
    if not run.has("findings"):
        return
    groups: defaultdict[tuple[str, str, int | None], list[Mapping[str, Any]]] = defaultdict(list)
    for found in run.section("findings")["findings"]:
        nodes = found["nodes"]
        groups[found["id"], found["severity"], nodes[0] if len(nodes) == 1 else None].append(found)
    for (kind, severity, node), found_here in groups.items():
        costs = [each["impact_ms"] for each in found_here]
        yield Row(
            "finding",
            kind[:MOST_FINDING_NAME],
            weakest_of([each["label"] for each in found_here]) or "replayed",
            node=node,
            value=sum(costs),
            most=max(costs),
            count=len(found_here),
            unit="ms",
            text=severity,
            missing=list(dict.fromkeys(name for each in found_here for name in each["missing"])),
        )

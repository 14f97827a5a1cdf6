"""Puts the report together.

Every section is present; one that has no input says so and why.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from numalens_native import Bundle
from typing_extensions import TypedDict

from numalens.report.ilb import ilb_section
from numalens.report.latency import ReportLatency, ReportWaitHeat
from numalens.report.numa import MissingCling, Numa, Sectioned, cling_section, migration_section, numa_sections
from numalens.report.options import DEFAULTS, ReportOptions, window_of
from numalens.report.placement import GROUPS_LISTED, ReportPlacement
from numalens.report.pressure import Pressure, pressure_section
from numalens.report.shapes import MissingSection, ReportFinding
from numalens.report.usage import ReportResidency, ReportUtilisation, ReportWaste

SCHEMA: Final = "numalens.report/1"
INPUT_FIELDS: Final = (
    "name",
    "kind",
    "bytes",
    "events",
    "lost_events",
    "clock",
    "kernel",
    "cpus",
    "lost_marks",
    "lost_unknown_marks",
    "resolution_ns",
    "samples",
    "rows",
    "tables",
    "stamp_resolution_ns",
    "alignment",
    "skipped",
    "skipped_more",
    "facts",
)
LISTED: Final = 50
"""Entries of each list of tasks or waits."""
HEAT_COLUMNS: Final = 60
"""Columns of the map of waits, at most."""


class ReportNode(TypedDict):
    """A NUMA node and its CPUs."""

    nid: int
    cpus: list[int]


class ReportTopology(TypedDict):
    """Nodes and CPUs, and how they are known."""

    source: Literal["sidecar", "perf", "events", "assumed"]
    nodes: list[ReportNode]


class Report(TypedDict):
    """The whole report. Times are ns of the trace's own clock."""

    schema: Literal["numalens.report/1"]
    inputs: list[dict[str, Any]]
    window_ns: list[int]
    topology: ReportTopology
    event_counts: dict[str, int]
    notes: list[str]
    psi: Pressure
    utilisation: ReportUtilisation | MissingSection
    residency: ReportResidency | MissingSection
    placement: ReportPlacement | MissingSection
    numa: Numa
    cling: dict[str, Any] | MissingCling
    ilb: Sectioned
    migrate_on_fault: Sectioned
    latency: ReportLatency | MissingSection
    wait_heat: ReportWaitHeat | MissingSection
    waste: ReportWaste | MissingSection
    findings: list[ReportFinding] | MissingSection


def build_report(
    manifest: Mapping[str, Any],
    engine: Bundle,
    from_ns: int | None = None,
    to_ns: int | None = None,
    options: ReportOptions = DEFAULTS,
) -> Report:
    """The report of a bundle; `from_ns` and `to_ns` replace the edges of the common window."""
    topology = manifest["topology"]
    window = window_of(manifest, from_ns, to_ns)

    def told(section: str, **given: str | int | None) -> dict[str, Any]:
        return ask(engine, section, window, given)

    kernel = {"rules": options.rules, "hz": options.hz}
    found = told("findings", **kernel)
    return {
        "schema": SCHEMA,
        "inputs": [{name: entry.get(name) for name in INPUT_FIELDS} for entry in manifest["inputs"]],
        "window_ns": list(window),
        "topology": {
            "source": topology["source"],
            "nodes": [{"nid": node["nid"], "cpus": node["cpus"]} for node in topology["nodes"]],
        },
        "event_counts": manifest["event_counts"],
        "notes": manifest["notes"],
        "psi": pressure_section(manifest, engine, window, told("psi", **kernel)),
        "utilisation": cast("ReportUtilisation | MissingSection", told("utilisation", step_ns=options.step_ns)),
        "residency": cast("ReportResidency | MissingSection", told("residency", limit=LISTED)),
        "placement": cast("ReportPlacement | MissingSection", told("placement", limit=GROUPS_LISTED)),
        "numa": numa_sections(told, LISTED),
        "cling": cling_section(told, options.degree, LISTED),
        "ilb": ilb_section(told, LISTED),
        "migrate_on_fault": migration_section(told),
        "latency": cast("ReportLatency | MissingSection", told("latency", limit=LISTED)),
        "wait_heat": cast("ReportWaitHeat | MissingSection", told("wait_heat", columns=HEAT_COLUMNS)),
        "waste": cast("ReportWaste | MissingSection", told("waste")),
        "findings": cast("list[ReportFinding] | MissingSection", found.get("findings", found)),
    }


def ask(
    engine: Bundle, section: str, window: tuple[int, int], options: Mapping[str, str | int | None]
) -> dict[str, Any]:
    """What the engine tells of a section, with the window that it is about; a list comes below the section's name.

    Options that are None are left to the engine.
    """
    given = {name: value for name, value in options.items() if value is not None}
    told = json.loads(engine.analysis(section, *window, json.dumps(given)))
    if isinstance(told, list):
        told = {section: told}
    if told.get("available") is False:
        return {"available": False, "reason": told["reason"]}
    return {"from_ns": window[0], "to_ns": window[1], **told}

"""The report `numalens.report/1`: what a bundle's manifest tells, for programs.

Every section of the contract is present; one that this version does not compute says so and why.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from typing_extensions import TypedDict

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
)
NOT_COMPUTED: Final = "not computed by this version of NumaLens"


class MissingSection(TypedDict):
    """A section without content."""

    available: Literal[False]
    reason: str


class MissingCling(MissingSection):
    """The cling section without content, but with the degree that was asked for."""

    degree: int


class MissingPsi(TypedDict):
    """The pressure sections, none of which has content."""

    system: MissingSection
    cgroups: MissingSection
    sampled: MissingSection
    series: MissingSection


class MissingNuma(TypedDict):
    """The NUMA balancing sections, none of which has content."""

    ops: MissingSection
    ops_mmtests: MissingSection
    vmstat: MissingSection


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
    psi: MissingPsi
    utilisation: MissingSection
    numa: MissingNuma
    cling: MissingCling
    ilb: MissingSection
    migrate_on_fault: MissingSection
    latency: MissingSection
    waste: MissingSection
    findings: MissingSection


def build_report(
    manifest: Mapping[str, Any], from_ns: int | None = None, to_ns: int | None = None, *, degree: int = 20
) -> Report:
    """The report of a bundle; `from_ns` and `to_ns` replace the edges of the common window, `degree` is cling's, in percent."""
    topology = manifest["topology"]
    first, last = manifest["window_ns"]
    return {
        "schema": SCHEMA,
        "inputs": [{name: entry.get(name) for name in INPUT_FIELDS} for entry in manifest["inputs"]],
        "window_ns": [first if from_ns is None else from_ns, last if to_ns is None else to_ns],
        "topology": {
            "source": topology["source"],
            "nodes": [{"nid": node["nid"], "cpus": node["cpus"]} for node in topology["nodes"]],
        },
        "event_counts": manifest["event_counts"],
        "notes": [*manifest["notes"], *topology.get("notes", [])],
        "psi": {"system": _missing(), "cgroups": _missing(), "sampled": _missing(), "series": _missing()},
        "utilisation": _missing(),
        "numa": {"ops": _missing(), "ops_mmtests": _missing(), "vmstat": _missing()},
        "cling": {**_missing(), "degree": degree},
        "ilb": _missing(),
        "migrate_on_fault": _missing(),
        "latency": _missing(),
        "waste": _missing(),
        "findings": _missing(),
    }


def _missing() -> MissingSection:
    return {"available": False, "reason": NOT_COMPUTED}

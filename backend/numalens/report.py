"""The report `numalens.report/1`: what a bundle tells, for programs.

Every section of the contract is present; one that this version does not compute says so and why.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from numalens_native import Bundle
from typing_extensions import TypedDict

from numalens.sampled import SampledPressure, sampled_pressure

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
NOT_COMPUTED: Final = "not computed by this version of NumaLens"


class MissingSection(TypedDict):
    """A section without content."""

    available: Literal[False]
    reason: str


class MissingCling(MissingSection):
    """The cling section without content, but with the degree that was asked for."""

    degree: int


class Pressure(TypedDict):
    """The pressure sections."""

    system: MissingSection
    cgroups: MissingSection
    sampled: MissingSection | SampledPressure
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
    psi: Pressure
    utilisation: MissingSection
    numa: MissingNuma
    cling: MissingCling
    ilb: MissingSection
    migrate_on_fault: MissingSection
    latency: MissingSection
    waste: MissingSection
    findings: MissingSection


def build_report(
    manifest: Mapping[str, Any],
    engine: Bundle,
    from_ns: int | None = None,
    to_ns: int | None = None,
    *,
    degree: int = 20,
) -> Report:
    """The report of a bundle; `from_ns` and `to_ns` replace the edges of the common window, `degree` is cling's, in percent."""
    topology = manifest["topology"]
    first, last = manifest["window_ns"]
    window = (first if from_ns is None else from_ns, last if to_ns is None else to_ns)
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
        "psi": {
            "system": _missing(),
            "cgroups": _missing(),
            "sampled": _sampled(manifest, engine, window),
            "series": _missing(),
        },
        "utilisation": _missing(),
        "numa": {"ops": _missing(), "ops_mmtests": _missing(), "vmstat": _missing()},
        "cling": {**_missing(), "degree": degree},
        "ilb": _missing(),
        "migrate_on_fault": _missing(),
        "latency": _missing(),
        "waste": _missing(),
        "findings": _missing(),
    }


def _sampled(manifest: Mapping[str, Any], engine: Bundle, window: tuple[int, int]) -> MissingSection | SampledPressure:
    table = next((told for told in manifest.get("samples", []) if told["table"] == "psi"), None)
    if table is None:
        return _missing("no input has pressure samples")
    if not table["placed"]:
        return _missing("the times of the pressure samples could not be placed on the trace's clock")
    return sampled_pressure(engine, window) or _missing("there are not two pressure samples with totals in the window")


def _missing(reason: str = NOT_COMPUTED) -> MissingSection:
    return {"available": False, "reason": reason}

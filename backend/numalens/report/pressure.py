"""Pressure: the shapes of its replay, and the section that has the samples beside it."""

from collections.abc import Mapping
from typing import Any, Final, cast

from numalens_native import Bundle
from typing_extensions import TypedDict

from numalens.report.sampled import SampledPressure, sampled_pressure
from numalens.report.shapes import Label, MissingSection, ReportSource, missing


class ReportTotal(TypedDict):
    """Replayed microseconds of pressure; null where the kernel has no such counter."""

    some_us: int | None
    full_us: int | None
    label: Label
    missing: list[str]


class ReportTotals(TypedDict):
    """Replayed pressure by resource."""

    cpu: ReportTotal | MissingSection
    memory: ReportTotal | MissingSection
    io: ReportTotal | MissingSection
    irq: ReportTotal | MissingSection


class ReportPressurePoint(TypedDict):
    """What the pressure file would have shown; totals count from the window's begin."""

    t_ns: int
    some_avg10: float
    some_avg60: float
    some_avg300: float
    full_avg10: float | None
    full_avg60: float | None
    full_avg300: float | None
    some_total_us: int
    full_total_us: int | None


class ReportPressureSeries(TypedDict):
    """Replayed pressure over time; averages lean on what was before the window."""

    cpu: list[ReportPressurePoint]
    memory: list[ReportPressurePoint]
    io: list[ReportPressurePoint]
    label: Label | None
    missing: list[str]


class ReportPressureNode(TypedDict):
    """The clocks of a node's CPUs, added up; `nid` -1 are the CPUs whose node is not known."""

    nid: int
    cpu_some_ns: int
    cpu_full_ns: int
    nonidle_ns: int
    unknown_ns: int


class ReportResidual(TypedDict):
    """The kernel's counter from the first to the last sample, against the replay of the same time."""

    from_ns: int
    to_ns: int
    samples: int
    sampled_some_us: int
    replayed_some_us: int
    error_percent: float
    tolerance_percent: float
    within: bool
    pressure_percent: float
    sampled_full_us: int | None
    replayed_full_us: int | None
    check_tolerance_us: int
    check_within: bool


class ReportResiduals(TypedDict):
    """Residuals by resource; null where one of the sides is missing."""

    cpu: ReportResidual | None
    memory: ReportResidual | None
    io: ReportResidual | None


class ReportLostStall(TypedDict):
    """Stall that aggregations threw away because no CPU had been busy for a jiffy."""

    cpu: int
    memory: int
    io: int


class ReportAverages(TypedDict):
    """Averages predicted from the sampled totals, against those that the kernel printed."""

    updates: int
    worst: float
    skipped: int
    exact: int
    label: Label
    missing: list[str]


class Pressure(TypedDict):
    """The pressure sections. What the replay alone tells is null without one."""

    system: ReportTotals | MissingSection
    cgroups: dict[str, ReportTotals] | MissingSection
    sampled: SampledPressure | MissingSection
    series: ReportPressureSeries | MissingSection
    rules: str | None
    rules_source: ReportSource | None
    hz: int | None
    hz_source: ReportSource | None
    worker_source: ReportSource | None
    nodes: list[ReportPressureNode] | None
    residual: ReportResiduals | None
    cgroup_residual: dict[str, ReportResiduals] | None
    averages: ReportAverages | None
    lost_us: ReportLostStall | None


REPLAYED: Final = (
    "rules",
    "rules_source",
    "hz",
    "hz_source",
    "worker_source",
    "nodes",
    "residual",
    "cgroup_residual",
    "averages",
    "lost_us",
)


def pressure_section(
    manifest: Mapping[str, Any], engine: Bundle, window: tuple[int, int], told: Mapping[str, Any]
) -> Pressure:
    """The section; `told` is what the engine says about the replay."""
    parts: dict[str, Any] = dict.fromkeys(("system", "cgroups", "series"), told)
    if told.get("available") is not False:
        parts = {name: told[name] for name in parts}
    extra = {name: told.get(name) for name in REPLAYED}
    return cast("Pressure", {**parts, "sampled": _sampled(manifest, engine, window), **extra})


def _sampled(manifest: Mapping[str, Any], engine: Bundle, window: tuple[int, int]) -> SampledPressure | MissingSection:
    table = next((told for told in manifest.get("samples", []) if told["table"] == "psi"), None)
    if table is None:
        return missing("no input has pressure samples")
    if not table["placed"]:
        return missing("the times of the pressure samples could not be placed on the trace's clock")
    return sampled_pressure(engine, window) or missing("there are not two pressure samples with totals in the window")

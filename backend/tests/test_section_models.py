"""The API tells of a section just what the engine did, with moments that a browser can keep."""

import json
import types
from typing import Any, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import get_type_hints

from numalens.api import section_models as models
from numalens.api.section_models_cling import ClingSection
from numalens.api.section_models_ilb import IlbSection
from numalens.api.section_models_migration import MigrationSection
from numalens.api.section_models_numa import BalancingSection, VmstatSection
from numalens.api.section_models_placement import PlacementSection
from numalens.api.section_models_waits import WaitHeatSection, WaitSection, WaitsSection
from numalens.api.sections import thinned, thinned_steps
from numalens.report.latency import ReportLatency, ReportWaitHeat
from numalens.report.placement import ReportPlacement
from numalens.report.pressure import Pressure
from numalens.report.shapes import ReportFinding
from numalens.report.usage import ReportResidency, ReportUtilisation, ReportWaste
from tests.told import MISSING, SECTIONS, any_of

MOMENTS = {
    *("t_ns", "from_ns", "to_ns", "waking_ns", "switch_in_ns", "start_ns", "end_ns", "t0_ns", "first_ns"),
    *("disabled_ns", "parts_ns", "first_reset_ns", "sampled_from_ns", "sampled_to_ns", "arrived_ns", "handled_ns"),
    *("slept_ns", "woken_ns", "ran_ns"),
}
WINDOW = {"from_ns": 5, "to_ns": 1 << 60}
MODELS: dict[str, type[models.Section]] = {
    "psi": models.PressureSection,
    "utilisation": models.UtilisationSection,
    "residency": models.ResidencySection,
    "latency": models.LatencySection,
    "waste": models.WasteSection,
    "findings": models.FindingsSection,
    "balancing": BalancingSection,
    "cling": ClingSection,
    "migration": MigrationSection,
    "vmstat": VmstatSection,
    "ilb": IlbSection,
    "wait_heat": WaitHeatSection,
    "waits": WaitsSection,
    "wait": WaitSection,
    "placement": PlacementSection,
}


def told(model: type[models.Section], section: dict[str, Any]) -> Any:
    """A section as a page reads it."""
    return json.loads(model.model_validate(section).model_dump_json())


def present(hint: Any) -> Any:
    """A part as it is when there is a replay."""
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    return kinds[0] if kinds and get_origin(hint) in {Union, types.UnionType} else hint


def as_strings(part: Any) -> Any:
    """What an engine told, with moments as the API has them."""
    if isinstance(part, list):
        return [as_strings(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {name: as_told(name, value) for name, value in part.items()}


def as_told(name: str, value: Any) -> Any:
    if name == "degrees":
        return [[str(t_ns), degree] for t_ns, degree in value]
    if name == "spans":
        return [[str(t_ns) for t_ns in span] for span in value]
    if name == "samples_ns":
        return value and [str(t_ns) for t_ns in value]
    return str(value) if name in MOMENTS and value is not None else as_strings(value)


def without_extras(part: Any) -> Any:
    """What the API told, without the marks of the parts that are there."""
    if isinstance(part, list):
        return [without_extras(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {name: without_extras(value) for name, value in part.items() if (name, value) != ("available", True)}


@pytest.mark.parametrize("name", MODELS)
def test_an_example_of_each_section_is_told_whole(name: str) -> None:
    section = SECTIONS[name] if isinstance(SECTIONS[name], dict) else {name: SECTIONS[name]}
    found = told(MODELS[name], {**WINDOW, **section})
    assert found["available"] is True
    assert without_extras(found) == as_strings({**WINDOW, **section})


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("utilisation", ReportUtilisation),
        ("residency", ReportResidency),
        ("placement", ReportPlacement),
        ("latency", ReportLatency),
        ("wait_heat", ReportWaitHeat),
        ("waste", ReportWaste),
    ],
)
@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_report_and_api_have_the_same_shapes(name: str, shape: Any, data: st.DataObject) -> None:
    section = data.draw(any_of(shape))
    assert without_extras(told(MODELS[name], section)) == as_strings(section)


@given(findings=st.lists(any_of(ReportFinding), max_size=3))
def test_findings_have_the_same_shape(findings: list[ReportFinding]) -> None:
    section = {**WINDOW, "findings": findings}
    assert without_extras(told(models.FindingsSection, section)) == as_strings(section)


@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_pressure_has_the_same_shape(data: st.DataObject) -> None:
    """In the report it has the samples beside it, and each of its parts may be missing."""
    hints = get_type_hints(Pressure)
    assert hints.pop("sampled")
    section = {name: data.draw(any_of(present(hint))) for name, hint in hints.items()} | WINDOW
    assert without_extras(told(models.PressureSection, section)) == as_strings(section)


def test_a_part_without_evidence_is_told_as_missing() -> None:
    section = {**WINDOW, **SECTIONS["psi"], "cgroups": MISSING}
    found = models.PressureSection.model_validate(section)
    assert isinstance(found.system.memory, models.MissingPart)
    assert isinstance(found.system.cpu, models.PressureTotal)
    assert isinstance(found.cgroups, models.MissingPart)


@given(items=st.lists(st.integers(), max_size=300), most=st.integers(1, 50))
def test_a_thinned_series_keeps_its_ends_and_its_order(items: list[int], most: int) -> None:
    pairs = list(enumerate(items))
    kept = thinned(pairs, most)
    assert len(kept) <= most + 1
    assert kept == sorted(kept)
    assert set(kept) <= set(pairs)
    assert (kept[:1], kept[-1:]) == (pairs[:1], pairs[-1:])
    if len(pairs) <= most:
        assert kept == pairs


def step(number: int, ratio: int) -> dict[str, Any]:
    return {"t_ns": number, "nid": number % 3, "ratio_percent": ratio}


@given(ratios=st.lists(st.integers(0, 99), max_size=400), most=st.integers(20, 100))
def test_thinned_steps_keep_each_nodes_ends_and_extremes(ratios: list[int], most: int) -> None:
    steps = [step(number, ratio) for number, ratio in enumerate(ratios)]
    kept = thinned_steps(steps, most)
    assert kept == sorted((each for each in steps if each in kept), key=lambda each: int(each["t_ns"]))
    assert len(kept) <= most + 4 * 3
    for nid in range(3):
        whole, left = ([each for each in some if each["nid"] == nid] for some in (steps, kept))
        assert (whole[:1], whole[-1:]) == (left[:1], left[-1:])
        for extreme in (min, max):
            assert extreme((each["ratio_percent"] for each in whole), default=0) == extreme(
                (each["ratio_percent"] for each in left), default=0
            )

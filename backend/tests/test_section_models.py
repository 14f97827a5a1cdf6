"""The API tells of a section just what the engine did, with moments that a browser can keep."""

import json
import types
from typing import Any, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import get_type_hints

from numalens.api import section_models as models
from numalens.api.sections import thinned
from numalens.report.latency import ReportLatency
from numalens.report.pressure import Pressure
from numalens.report.shapes import ReportFinding
from numalens.report.usage import ReportResidency, ReportUtilisation, ReportWaste
from tests.told import MISSING, SECTIONS, any_of

MOMENTS = {"t_ns", "from_ns", "to_ns", "waking_ns", "switch_in_ns"}
WINDOW = {"from_ns": 5, "to_ns": 1 << 60}
MODELS: dict[str, type[models.Section]] = {
    "psi": models.PressureSection,
    "utilisation": models.UtilisationSection,
    "residency": models.ResidencySection,
    "latency": models.LatencySection,
    "waste": models.WasteSection,
    "findings": models.FindingsSection,
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
    return {name: str(value) if name in MOMENTS else as_strings(value) for name, value in part.items()}


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
        ("latency", ReportLatency),
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

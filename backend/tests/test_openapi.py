"""The description that the page's types are generated from is whole, and the answers keep to it."""

import json
import re
from typing import Any

import pytest

from numalens.api.openapi import document
from tests.recordings import SMALL
from tests.service import Service

METHODS = {"get", "post", "patch", "delete", "head", "options"}
OPERATIONS = [
    (path, method, operation)
    for path, methods in document()["paths"].items()
    for method, operation in methods.items()
    if method in METHODS
]


def test_every_reference_leads_somewhere() -> None:
    text = json.dumps(document())
    schemas = document()["components"]["schemas"]
    for name in re.findall(r'"#/components/schemas/([^"]+)"', text):
        assert name in schemas


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_every_operation_is_named_described_and_has_an_error_shape(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    assert re.fullmatch(r"[a-z][A-Za-z]+", operation["operationId"]), (path, method)
    assert operation["description"]
    error = operation["responses"]["default"]["content"]["application/json"]["schema"]
    assert error == {"$ref": "#/components/schemas/ErrorBody"}


def test_operation_names_are_unique() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(names) == len(set(names))


def test_every_shape_is_described() -> None:
    for name, schema in document()["components"]["schemas"].items():
        assert schema.get("description"), name


def test_answers_keep_to_their_shapes(service: Service) -> None:
    analysis_id = service.analyse(SMALL)
    schemas = document()["components"]["schemas"]
    answers = {
        "Info": service.get("/info").json(),
        "AnalysisDetail": service.get(f"/analyses/{analysis_id}").json(),
        "Analysis": service.get("/analyses").json()["analyses"][0],
        "Report": service.get(f"/analyses/{analysis_id}/report").json(),
        "ErrorBody": service.get("/nothing").json(),
        **{
            f"{name.title()}Section": service.get(f"/analyses/{analysis_id}/sections/{name}").json()
            for name in ("utilisation", "residency", "placement", "latency", "waste", "findings")
        },
        "PressureSection": service.get(f"/analyses/{analysis_id}/sections/psi").json(),
    }
    for name, answer in answers.items():
        known = set(schemas[name]["properties"])
        assert set(answer) <= known, name
        assert set(schemas[name].get("required", [])) <= set(answer), name

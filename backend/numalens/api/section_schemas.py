"""The engine's own JSON schemas of sections and of the report, for the OpenAPI document."""

import json
import re
from typing import Any, Final

import numalens_native

from numalens.report.compare.shapes import ENGINES

_SCHEMAS: Final[dict[str, Any]] = json.loads(numalens_native.schemas())
REFERENCE: Final = re.compile(r'(?<="#/components/schemas/)\w+')
STANDS_FOR: Final = re.compile(rf'{{"{ENGINES}": "(\w+)"')
SECTIONS: Final[dict[str, Any]] = _SCHEMAS["sections"]
"""Sections by name: `about` (description), `options` (a schema without references) and `answer`."""


def answered(description: str, schema: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    """OpenAPI description of an answer whose bytes are the engine's."""
    return {200: {"description": description, "content": {"application/json": {"schema": schema}}}}


def with_engines(document: dict[str, Any]) -> dict[str, Any]:
    """A document with the engine's shapes, and references to those that it names (`ENGINES`)."""
    document["components"]["schemas"].update(components())
    refer = STANDS_FOR.sub(r'{"$ref": "#/components/schemas/\1"', json.dumps(document))
    found: dict[str, Any] = json.loads(refer)
    return found


def components() -> dict[str, Any]:
    """The shapes that the answers of sections and the report refer to, as components of the OpenAPI document."""
    ours = {_named(name): _of_report(schema) for name, schema in _SCHEMAS["report_components"].items()}
    return {**_SCHEMAS["components"], **ours}


def report_schema() -> dict[str, Any]:
    """The shape of the report."""
    return _of_report(_SCHEMAS["report"])


def _of_report(schema: dict[str, Any]) -> dict[str, Any]:
    """A shape of the report, whose moments are numbers, with references to shapes of the report."""
    renamed: dict[str, Any] = json.loads(REFERENCE.sub(lambda name: _named(name[0]), json.dumps(schema)))
    return renamed


def _named(name: str) -> str:
    return name if name.startswith("Report") else f"Report{name}"

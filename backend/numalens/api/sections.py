"""Sections of a window. The engine says which there are, with which options and what they answer; its JSON is handed on."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

import numalens_native
from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from numalens.api.access import ReaderOf, budgets_of
from numalens.api.analyses import ready_bundle
from numalens.api.bundles import OpenBundle
from numalens.api.models import NS_LIMIT
from numalens.api.section_schemas import SECTIONS, answered
from numalens.api.services import services_of
from numalens.api.timeline import OptionalNs
from numalens.errors import SentenceError
from numalens.report import MAX_STEPS, fits, window_of

MAX_POINTS: Final = 2000
WHOLE_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")
NUMBER: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")
SET_HERE: Final = frozenset({"points", "decisions"})
"""Options that say how much of a series goes over the wire: they are the service's to set."""

StepOption = Annotated[
    int | None,
    Query(ge=1, lt=NS_LIMIT, description=f"Length of a step in ns; a window may have {MAX_STEPS:,} of them."),
]

router = APIRouter(prefix="/analyses/{analysis_id}", tags=["replay"])


@dataclass(frozen=True)
class SectionQuery:
    """A ready analysis and the window of the query."""

    bundle: OpenBundle
    window: tuple[int, int]

    @property
    def is_whole(self) -> bool:
        """Returns whether the window is the default one."""
        return self.window == window_of(self.bundle.manifest, None, None)


def section_query(
    request: Request, who: ReaderOf, from_ns: OptionalNs = None, to_ns: OptionalNs = None
) -> SectionQuery:
    """The window of a query (default: the common window). Raises 422 when it is empty."""
    bundle = ready_bundle(services_of(request), who.analysis_id)
    window = window_of(bundle.manifest, from_ns, to_ns)
    if (from_ns is not None or to_ns is not None) and window[0] >= window[1]:
        raise SentenceError(422, f"The window is empty: from_ns {window[0]} is not before to_ns {window[1]}.")
    return SectionQuery(bundle, window)


SectionQueryOf = Annotated[SectionQuery, Depends(section_query)]


def _options(properties: Mapping[str, Any], query: Mapping[str, str]) -> dict[str, Any]:
    """The options of a query as the engine takes them, with those that are set here."""
    options: dict[str, Any] = {}
    for name in properties.keys() - SET_HERE:
        text = query.get(name)
        if text is not None:
            options[name] = _value(properties[name], text)
    if "points" in properties:
        options["points"] = MAX_POINTS
    if "decisions" in properties:
        limit = options.get("limit", properties["limit"]["default"])
        # What is no limit is refused by its own name.
        if isinstance(limit, int) and 0 < limit <= properties["limit"]["maximum"]:
            options["decisions"] = limit
    return options


def _value(schema: Mapping[str, Any], text: str) -> int | float | str:
    """The value of an option; what is not of its type is left for the engine to refuse."""
    kinds = schema.get("type", ())
    if "integer" in kinds and WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if "number" in kinds and NUMBER.fullmatch(text):
        return float(text)
    return text


def _parameters(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": schema["description"],
            "schema": _parameter({key: part for key, part in schema.items() if key != "description"}),
        }
        for name, schema in properties.items()
        if name not in SET_HERE
    ]


def _parameter(schema: dict[str, Any]) -> dict[str, Any]:
    """Schema of a query parameter: it has no null, because a missing value is left out of the query."""
    if isinstance(schema.get("type"), list):
        (kind,) = (kind for kind in schema["type"] if kind != "null")
        schema["type"] = kind
    if "enum" in schema:
        schema["enum"] = [name for name in schema["enum"] if name is not None]
    if schema.get("default", "") is None:
        del schema["default"]
    return schema


def _answer(section: str, properties: Mapping[str, Any]) -> Callable[..., Awaitable[Response]]:
    async def get_section(request: Request, about: SectionQueryOf) -> Response:
        options = _options(properties, request.query_params)
        kept = about.bundle.findings
        if section == "findings" and kept is not None and not options and about.is_whole:
            return Response(kept, media_type="application/json")
        step_ns = options.get("step_ns")
        if isinstance(step_ns, int) and step_ns > 0 and not fits(about.window, step_ns):
            raise SentenceError(
                422,
                f"The query parameter step_ns is too small: the window has more than {MAX_STEPS} steps of that length.",
            )
        try:
            compute = partial(about.bundle.engine.analysis, section, *about.window, json.dumps(options), browser=True)
            answer = await to_thread.run_sync(compute, limiter=budgets_of(request).answers)
        except numalens_native.OptionError as error:
            raise SentenceError(422, f"The query parameter {error}.") from error
        return Response(answer, media_type="application/json")

    return get_section


for _section, _described in SECTIONS.items():
    _properties = _described["options"].get("properties", {})
    router.add_api_route(
        f"/sections/{_section}",
        _answer(_section, _properties),
        name=f"get_{_section}",
        description=_described["about"],
        response_class=Response,
        responses=answered("The section, or the reason for its absence.", _described["answer"]),
        openapi_extra={"parameters": _parameters(_properties)},
    )

"""Comparisons of analyses. All work is the engine's and the report's; here are only checks and shapes."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

from anyio import to_thread
from fastapi import APIRouter, Query, Request

from numalens.api.access import MemberOf, budgets_of, reader
from numalens.api.analyses import ready_bundle
from numalens.api.sections import StepOption
from numalens.api.services import Services, services_of
from numalens.api.timeline import MAX_NS
from numalens.errors import SentenceError
from numalens.report import MAX_STEPS, fits, window_of
from numalens.report.compare import MAX_ANALYSES, Recording, build_comparison
from numalens.report.compare.shapes import ComparisonAnswer

LEAST_SIDES: Final = 2
ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
WINDOW: Final = re.compile(r"([0-9]{1,2}):([0-9]{1,19})-([0-9]{1,19})")

router = APIRouter(tags=["compare"])


@router.get("/compare")
async def get_comparison(
    request: Request,
    _who: MemberOf,
    ids: Annotated[
        str,
        Query(
            max_length=2048,
            examples=["k1,k2", "k1a:k1b,k2a:k2b"],
            description="Ids of analyses: `,` between sides, `:` between the runs of one side.",
        ),
    ],
    base: Annotated[int, Query(ge=0, lt=MAX_ANALYSES, description="Side that the others are compared with.")] = 0,
    step_ns: StepOption = None,
    decisions: Annotated[bool, Query(description="Also compares the decisions of the kernel.")] = False,
    window: Annotated[
        list[str] | None,
        Query(
            max_length=MAX_ANALYSES,
            examples=[["0:1000-2000"]],
            description="Window of one analysis, `<position>:<from_ns>-<to_ns>`, instead of the common one.",
        ),
    ] = None,
) -> ComparisonAnswer:
    """Two or more analyses side by side, with statistics by both rules of significance, and the differences between the recordings.

    Share links do not allow it. 404: no such analysis, or one that the user may not read. 409: one is not ready.
    """
    compute = partial(comparison_of, request, ids, base, step_ns, window or [], decisions=decisions)
    return await to_thread.run_sync(compute, limiter=budgets_of(request).answers)


def comparison_of(
    request: Request, ids: str, base: int, step_ns: int | None, window: Sequence[str], *, decisions: bool = False
) -> ComparisonAnswer:
    """The comparison of a query. Raises the errors of `getComparison`."""
    sides = sides_of(ids)
    for analysis_id in dict.fromkeys(one for side in sides for one in side):
        reader(request, analysis_id)
    if base >= len(sides):
        raise SentenceError(422, f"The query parameter base is {base}, but there are only {len(sides)} sides.")
    windows = windows_of(window, sum(len(side) for side in sides))
    services = services_of(request)
    opened: list[tuple[str, list[Recording]]] = []
    at = 0
    for side in sides:
        runs = []
        for analysis_id in side:
            runs.append(_recording(services, analysis_id, windows.get(at), step_ns))
            at += 1
        opened.append((runs[0].title, runs))
    return build_comparison(opened, base, step_ns, decisions=decisions, browser=True)


def sides_of(ids: str) -> list[list[str]]:
    """The sides of a query, `a,b:c`. Raises 422 for other text, fewer than two sides or too many analyses."""
    sides = [side.split(":") for side in ids.split(",")]
    wrong = next((one for side in sides for one in side if not ID.fullmatch(one)), None)
    if wrong is not None:
        raise SentenceError(422, f"The query parameter ids expects ids of analyses; {wrong[:40]!r} is not one.")
    if len(sides) < LEAST_SIDES:
        raise SentenceError(422, "The query parameter ids has one side; at least two are needed to compare.")
    if sum(len(side) for side in sides) > MAX_ANALYSES:
        raise SentenceError(422, f"At most {MAX_ANALYSES} analyses can be compared at once.")
    return sides


def windows_of(texts: Sequence[str], count: int) -> dict[int, tuple[int, int]]:
    """The windows of a query by position. Raises 422 for anything but `0:1000-2000` and for an empty one."""
    windows: dict[int, tuple[int, int]] = {}
    for text in texts:
        found = WINDOW.fullmatch(text)
        if found is None or int(found[1]) >= count:
            raise SentenceError(
                422, f"The query parameter window is {text[:60]!r} where <position>:<from_ns>-<to_ns> is expected."
            )
        first, last = min(int(found[2]), MAX_NS), min(int(found[3]), MAX_NS)
        if first >= last:
            raise SentenceError(422, f"The window is empty: from_ns {first} is not before to_ns {last}.")
        windows[int(found[1])] = (first, last)
    return windows


def _recording(services: Services, analysis_id: str, window: tuple[int, int] | None, step_ns: int | None) -> Recording:
    title = services.analyses.get(analysis_id).title
    try:
        bundle = ready_bundle(services, analysis_id)
    except SentenceError as error:
        # Of several it must be said which.
        raise SentenceError(error.status, f"{title}: {error.sentence}", analysis=analysis_id) from error
    edges = window or window_of(bundle.manifest, None, None)
    if not fits(edges, step_ns):
        raise SentenceError(
            422,
            f"The query parameter step_ns is too small: a window has more than {MAX_STEPS} steps of that length.",
        )
    return Recording(bundle.engine, bundle.manifest, edges, title, analysis_id)

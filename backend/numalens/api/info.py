"""Information about this server."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from numalens import __version__
from numalens.api import models
from numalens.api.access import asker, is_owner
from numalens.api.section_schemas import answered
from numalens.api.services import services_of
from numalens.api.timeline import MAX_LANES, MAX_PX
from numalens.report.catalogue import CATALOGUE

router = APIRouter(tags=["info"])
ROWS: Final = answered("The catalogue.", {"$ref": "#/components/schemas/Catalogue"})
# The page and its reference are made of the example.
ROWS[200]["content"]["application/json"]["example"] = CATALOGUE


@router.get("/catalogue", response_class=Response, responses=ROWS)
def get_catalogue() -> Response:
    """Names and meanings of findings, causes and rows of figures; the same for every analysis of this version."""
    return JSONResponse(CATALOGUE)


@router.get("/info")
def get_info(request: Request) -> models.Info:
    """Version, limits, sign-in mode, and the client's rights."""
    settings = services_of(request).settings
    limits = models.Limits(
        max_upload_bytes=settings.max_upload_bytes,
        max_files=settings.max_files,
        max_px=MAX_PX,
        max_lanes=MAX_LANES,
        upload_days=settings.upload_days,
        keep_days=settings.keep_days,
    )
    owner = is_owner(request)
    found = asker(request) if owner else None
    person = None if found is None or found.person is None else found
    return models.Info(
        version=__version__,
        limits=limits,
        owner=owner,
        sign_in=settings.sign_in,
        look_only=settings.look_only,
        person=None
        if person is None or person.person is None
        else models.SignedInPerson(name=person.person.name, admin=person.admin),
    )

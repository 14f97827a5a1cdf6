"""Shared links: made and revoked by owners, opened by anyone who has one."""

from fastapi import APIRouter, Request, status

from numalens.api import models, present
from numalens.api.access import AnalysisId, OwnerOnly
from numalens.api.services import services_of

router = APIRouter(tags=["shares"])


@router.post("/analyses/{analysis_id}/shares", status_code=status.HTTP_201_CREATED, dependencies=[OwnerOnly])
def create_share(request: Request, analysis_id: AnalysisId, wanted: models.CreateShare) -> models.CreatedShare:
    """Makes a link that opens this analysis read-only at a view. Its secret is told here and never again."""
    share, token = services_of(request).shares.create(analysis_id, wanted.view, wanted.expires_in_s)
    # Behind '#', the secret is never sent in an address, so it reaches no log and no Referer.
    return models.CreatedShare(
        id=share.id, token=token, url=f"/s#{token}", created_at=share.created_at, expires_at=share.expires_at
    )


@router.get("/analyses/{analysis_id}/shares", dependencies=[OwnerOnly])
def list_shares(request: Request, analysis_id: AnalysisId) -> models.ShareList:
    """The links of an analysis, without their secrets."""
    rows = services_of(request).shares.of(analysis_id)
    return models.ShareList(shares=[present.share(row) for row in rows])


@router.delete(
    "/analyses/{analysis_id}/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOnly]
)
def revoke_share(request: Request, analysis_id: AnalysisId, share_id: str) -> None:
    """Makes a link useless from this moment on."""
    services_of(request).shares.revoke(analysis_id, share_id)


@router.post("/shares/open")
def open_share(request: Request, secret: models.OpenShare) -> models.OpenedShare:
    """What a link opens. 404: unknown. 410: revoked or expired.

    After that, GET requests for the analysis carry the secret in the header `X-NumaLens-Share`.
    """
    share = services_of(request).shares.open(secret.token)
    return models.OpenedShare(analysis_id=share.analysis_id, view=share.view, expires_at=share.expires_at)

"""Shared links: made, changed and revoked by owners, opened by anyone who has one."""

from datetime import timedelta

from fastapi import APIRouter, Request, status

from numalens.api import present, share_models
from numalens.api.access import AnalysisId, MemberOf, OwnerOf, SharerOnly, peer
from numalens.api.services import services_of
from numalens.store.ids import now

router = APIRouter(tags=["shares"])


@router.post("/analyses/{analysis_id}/shares", status_code=status.HTTP_201_CREATED, dependencies=[SharerOnly])
def create_share(
    request: Request, analysis_id: AnalysisId, wanted: share_models.CreateShare
) -> share_models.CreatedShare:
    """Makes a link that opens this analysis at a view. Its secret is shown here and never again."""
    share, token = services_of(request).shares.create(
        analysis_id,
        wanted.view,
        wanted.expires_in_s,
        name=wanted.name,
        comment="comment" in wanted.may,
        download="download" in wanted.may,
    )
    # Behind '#', the secret is never sent in an address, so it reaches no log and no Referer.
    return share_models.CreatedShare(
        id=share.id, token=token, url=f"/s#{token}", created_at=share.created_at, expires_at=share.expires_at
    )


@router.get("/shares")
def list_all_shares(request: Request, who: MemberOf) -> share_models.SharedList:
    """The links of all analyses that the asker owns, without their secrets."""
    rows = services_of(request).shares.all(who.sees_only)
    return share_models.SharedList(shares=[present.shared(row) for row in rows])


@router.get("/analyses/{analysis_id}/shares", dependencies=[OwnerOf])
def list_shares(request: Request, analysis_id: AnalysisId) -> share_models.ShareList:
    """The links of an analysis, without their secrets."""
    rows = services_of(request).shares.of(analysis_id)
    return share_models.ShareList(shares=[present.share(row) for row in rows])


@router.patch("/analyses/{analysis_id}/shares/{share_id}", dependencies=[OwnerOf])
def change_share(
    request: Request, analysis_id: AnalysisId, share_id: str, change: share_models.ChangeShare
) -> share_models.Share:
    """Gives a link another name or another end. 409 when it was revoked: that is for good."""
    ends = change.expires_in_s
    changes: dict[str, object] = {}
    if "expires_in_s" in change.model_fields_set:
        changes["expires_at"] = None if ends is None else now() + timedelta(seconds=ends)
    if change.name is not None:
        changes["name"] = change.name
    return present.share(services_of(request).shares.change(analysis_id, share_id, changes))


@router.delete(
    "/analyses/{analysis_id}/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOf]
)
def revoke_share(request: Request, analysis_id: AnalysisId, share_id: str) -> None:
    """Makes a link useless from this moment on."""
    services_of(request).shares.revoke(analysis_id, share_id)


@router.post("/shares/open")
def open_share(request: Request, secret: share_models.OpenShare) -> share_models.OpenedShare:
    """What a link opens. 404: unknown. 410: revoked or expired. 429: too many unknown ones were tried.

    After that, requests for the analysis carry the secret in the header `X-NumaLens-Share`.
    """
    services = services_of(request)
    with services.rate_limit.counted(peer(request)):
        share = services.shares.open(secret.token)
    return share_models.OpenedShare(
        analysis_id=share.analysis_id, view=share.view, may=present.allowed(share), expires_at=share.expires_at
    )

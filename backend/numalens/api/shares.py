"""Shared links: made, changed and revoked by owners, opened by anyone who has one."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Request, status
from pydantic import Field, StringConstraints

from numalens.api.access import AnalysisId, MemberOf, OwnerOf, SharerOnly, peer
from numalens.api.models import Answer, OneLine, Wish
from numalens.api.services import services_of
from numalens.store.names import now
from numalens.store.schema import May

DAY_S: Final = 86_400
USUAL_EXPIRY_S: Final = 30 * DAY_S
LONGEST_EXPIRY_S: Final = 10 * 366 * DAY_S

ExpiryS = Annotated[int, Field(ge=1, le=LONGEST_EXPIRY_S, description="Seconds from now; null is never.")]
ShareName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120), OneLine]
View = Annotated[str, StringConstraints(max_length=8192)]


class CreateShare(Wish):
    """A link to be made."""

    view: View = Field(description="Query string of the page; empty: the whole analysis in its default view.")
    name: ShareName = Field("", description="Purpose or recipient; only owners see it.")
    may: frozenset[May] = Field(frozenset(), description="Rights besides viewing.")
    expires_in_s: ExpiryS | None = USUAL_EXPIRY_S


class ChangeShare(Wish):
    """Changes of a link; missing fields keep their values."""

    name: ShareName | None = None
    expires_in_s: ExpiryS | None = None


class Share(Answer):
    """A shared link, as its owner sees it in the list. The token is shown once, at creation."""

    id: str
    name: str
    view: str
    may: list[May]
    created_at: datetime
    expires_at: datetime | None
    revoked: bool
    opened: int = Field(description="Number of times the link was opened.")
    last_opened_at: datetime | None


class ShareList(Answer):
    """The links of an analysis, newest first."""

    shares: list[Share]


class SharedAnalysis(Share):
    """A link with the analysis that it opens."""

    analysis_id: str
    analysis_title: str


class SharedList(Answer):
    """The links of all analyses, newest first."""

    shares: list[SharedAnalysis]


class CreatedShare(Answer):
    """A new shared link with its secret."""

    id: str
    token: str
    url: str = Field(description="Path of the link, relative to the page's origin.")
    created_at: datetime
    expires_at: datetime | None


class OpenShare(Wish):
    """The secret of a shared link."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class OpenedShare(Answer):
    """Target of a shared link."""

    analysis_id: str
    view: str
    may: list[May]
    expires_at: datetime | None


router = APIRouter(tags=["shares"])


@router.post("/analyses/{analysis_id}/shares", status_code=status.HTTP_201_CREATED, dependencies=[SharerOnly])
def create_share(request: Request, analysis_id: AnalysisId, wanted: CreateShare) -> CreatedShare:
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
    return CreatedShare(
        id=share.id, token=token, url=f"/s#{token}", created_at=share.created_at, expires_at=share.expires_at
    )


@router.get("/shares")
def list_all_shares(request: Request, who: MemberOf) -> SharedList:
    """The links of all analyses that the user owns, without their secrets."""
    rows = services_of(request).shares.all(who.sees_only)
    return SharedList.model_validate({"shares": rows})


@router.get("/analyses/{analysis_id}/shares", dependencies=[OwnerOf])
def list_shares(request: Request, analysis_id: AnalysisId) -> ShareList:
    """The links of an analysis, without their secrets."""
    rows = services_of(request).shares.of(analysis_id)
    return ShareList.model_validate({"shares": rows})


@router.patch("/analyses/{analysis_id}/shares/{share_id}", dependencies=[OwnerOf])
def change_share(request: Request, analysis_id: AnalysisId, share_id: str, change: ChangeShare) -> Share:
    """Changes the name or expiry of a link. 409 when it was revoked, which is permanent."""
    ends = change.expires_in_s
    changes: dict[str, object] = {}
    if "expires_in_s" in change.model_fields_set:
        changes["expires_at"] = None if ends is None else now() + timedelta(seconds=ends)
    if change.name is not None:
        changes["name"] = change.name
    return Share.model_validate(services_of(request).shares.change(analysis_id, share_id, changes))


@router.delete(
    "/analyses/{analysis_id}/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[OwnerOf]
)
def revoke_share(request: Request, analysis_id: AnalysisId, share_id: str) -> None:
    """Revokes a link immediately."""
    services_of(request).shares.revoke(analysis_id, share_id)


@router.post("/shares/open")
def open_share(request: Request, secret: OpenShare) -> OpenedShare:
    """Target of a link. 404: unknown. 410: revoked or expired. 429: too many unknown links were tried.

    After that, requests for the analysis carry the secret in the header `X-NumaLens-Share`.
    """
    services = services_of(request)
    with services.rate_limit.counted(peer(request)):
        share = services.shares.open(secret.token)
    return OpenedShare(analysis_id=share.analysis_id, view=share.view, may=share.may, expires_at=share.expires_at)

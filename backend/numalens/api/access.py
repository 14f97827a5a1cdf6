"""Who may do what.

An owner may do everything: by default that is whoever sits at the machine itself. Everybody else needs the secret of a
shared link, and may only look at the one analysis that it opens, and do what else the link allows: write notes, download.
A request that carries such a secret acts as its holder even when it comes from an owner, so that a shared page behaves the
same for everyone.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Final

from fastapi import Depends, Path, Request

from numalens.api.hosts import host_name, is_local_host
from numalens.api.models import Access, May
from numalens.api.present import EVERYTHING, allowed
from numalens.api.services import services_of
from numalens.errors import SentenceError, not_found

SHARE_HEADER: Final = "X-NumaLens-Share"
FORWARDING_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")

AnalysisId = Annotated[str, Path(description="Id of an analysis.", max_length=64)]


@dataclass(frozen=True)
class Reader:
    """Somebody who may look at one analysis."""

    analysis_id: str
    access: Access
    may: frozenset[May]


def is_owner(request: Request) -> bool:
    """Tells whether the request comes from an owner (see the module's text and the setting NUMALENS_OWNER)."""
    if SHARE_HEADER in request.headers:
        return False
    settings = services_of(request).settings
    name = host_name(request.headers.get("host", ""))
    # A page of another site can make a browser send requests here under a name of that site's own choice (DNS rebinding):
    # an owner's request must use a name that only this machine or its operator gives.
    known = name is not None and (is_local_host(name) or name in settings.owner_hosts or "*" in settings.owner_hosts)
    if not known or settings.owner == "any":
        return known
    return _is_loopback(request) and not any(header in request.headers for header in FORWARDING_HEADERS)


def owner(request: Request) -> None:
    """Lets owners pass. Raises 403 for everybody else."""
    if not is_owner(request):
        raise SentenceError(
            403, "Only the owner of this server may do that; a shared link allows reading one analysis."
        )


def reader(request: Request, analysis_id: AnalysisId) -> Reader:
    """Lets owners and holders of a link to this very analysis pass. Raises 403, or what the link's check says."""
    token = request.headers.get(SHARE_HEADER)
    if token is not None:
        services = services_of(request)
        with services.guesses.counted(peer(request)):
            share = services.shares.check(token)
        if share.analysis_id != analysis_id:
            raise not_found("analysis")
        return Reader(analysis_id, "view", frozenset(allowed(share)))
    owner(request)
    return Reader(analysis_id, "owner", frozenset(EVERYTHING))


ReaderOf = Annotated[Reader, Depends(reader)]


def downloader(who: ReaderOf) -> Reader:
    """Lets those pass who may take an analysis' events along. Raises 403 for others."""
    if "download" not in who.may:
        raise SentenceError(
            403, "This link is for looking, not for downloading; ask whoever shared it for one that is."
        )
    return who


def commenter(who: ReaderOf) -> Reader:
    """Lets those pass who may write notes. Raises 403 for others."""
    if "comment" not in who.may:
        raise SentenceError(403, "This link is for looking, not for notes; ask whoever shared it for one that is.")
    return who


def peer(request: Request) -> str:
    """Where a request comes from, for counting."""
    return request.client.host if request.client is not None else ""


def _is_loopback(request: Request) -> bool:
    if request.client is None:
        return False
    try:
        address = ip_address(request.client.host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


OwnerOnly = Depends(owner)
CommenterOf = Annotated[Reader, Depends(commenter)]
DownloaderOf = Annotated[Reader, Depends(downloader)]

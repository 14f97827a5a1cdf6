"""Who may do what.

An owner may do everything: by default that is whoever sits at the machine itself. Everybody else needs the secret of a
shared link, and may only look at the one analysis that it opens, and do what else the link allows: write notes, download.
A request that carries such a secret acts as its holder even when it comes from an owner, so that a shared page behaves the
same for everyone.

A program has an API token, wherever it runs: one of scope `owner` may do everything, one of scope `upload` may make analyses and
look at, share and download what it made itself.
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
from numalens.store.schema import ApiToken

SHARE_HEADER: Final = "X-NumaLens-Share"
FORWARDING_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}

AnalysisId = Annotated[str, Path(description="Id of an analysis.", max_length=64)]


@dataclass(frozen=True)
class Reader:
    """Somebody who may look at one analysis."""

    analysis_id: str
    access: Access
    may: frozenset[May]


def token_of(request: Request) -> ApiToken | None:
    """The API token that a request carries; None without one. Raises 401 for one that is no good."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    kind, _, secret = header.partition(" ")
    if kind.lower() != "bearer":
        raise SentenceError(
            401, "The Authorization header has no API token: write Bearer and the token.", headers=CHALLENGE
        )
    services = services_of(request)
    with services.guesses.counted(peer(request)):
        return services.tokens.check(secret.strip())


def is_owner(request: Request) -> bool:
    """Tells whether the request comes from an owner (see the module's text and the setting NUMALENS_OWNER)."""
    if SHARE_HEADER in request.headers:
        return False
    token = token_of(request)
    if token is not None:
        return token.scope == "owner"
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
        raise _forbidden()


def uploader(request: Request) -> str | None:
    """Lets those pass who may make analyses: owners, and programs with a token for it, whose id this is. Raises 403."""
    token = None if SHARE_HEADER in request.headers else token_of(request)
    if token is not None and token.scope == "upload":
        return token.id
    owner(request)
    return None


def reader(request: Request, analysis_id: AnalysisId) -> Reader:
    """Lets owners, makers and holders of a link to this very analysis pass. Raises 403, or what the link's check says."""
    link = request.headers.get(SHARE_HEADER)
    services = services_of(request)
    if link is not None:
        with services.guesses.counted(peer(request)):
            share = services.shares.check(link)
        if share.analysis_id != analysis_id:
            raise not_found("analysis")
        return Reader(analysis_id, "view", frozenset(allowed(share)))
    if (maker := uploader(request)) is not None:
        if services.analyses.get(analysis_id).made_by != maker:
            raise not_found("analysis")
        return Reader(analysis_id, "view", frozenset({"download"}))
    return Reader(analysis_id, "owner", frozenset(EVERYTHING))


def sharer(request: Request, analysis_id: AnalysisId) -> None:
    """Lets those pass who may make links to an analysis: owners, and the program that made it. Raises 403 and 404."""
    if SHARE_HEADER in request.headers:
        raise _forbidden()
    reader(request, analysis_id)


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


def _forbidden() -> SentenceError:
    return SentenceError(403, "Only the owner of this server may do that; a shared link allows reading one analysis.")


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
SharerOnly = Depends(sharer)
UploaderOf = Annotated[str | None, Depends(uploader)]
UploaderOnly = Depends(uploader)
CommenterOf = Annotated[Reader, Depends(commenter)]
DownloaderOf = Annotated[Reader, Depends(downloader)]

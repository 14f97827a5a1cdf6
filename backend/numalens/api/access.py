"""Permissions of requests.

On a server without sign-in an owner may do everything: by default that is the user of the machine itself. With sign-in
(`NUMALENS_SIGN_IN`), a user owns uploads, may read analyses shared with them, and sees no others; administrators may do
everything.

All others need the secret of a shared link. They may only view the one analysis that it opens, and use the other rights of the
link: write notes, download. A request with such a secret acts as its holder even when it comes from an owner, so that a shared
page behaves the same for all.

A program has an API token, wherever it runs, and acts for the token's user (an administrator, if it has none). A token of scope
`owner` may do all that the user may. One of scope `upload` may create analyses, and view, share and download its own.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Final

from fastapi import Depends, Path, Request, Response

from numalens.api.guards import SAFE_METHODS
from numalens.api.limits import Budgets
from numalens.api.models import Access
from numalens.api.services import Services, services_of
from numalens.errors import SentenceError, not_found
from numalens.hosts import host_name, is_local_host
from numalens.store.schema import EVERYTHING, ApiToken, May, User
from numalens.store.users import TOKEN_PREFIX

SHARE_HEADER: Final = "X-NumaLens-Share"
FORWARDING_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}
FOUND: Final = "numalens.asker"

AnalysisId = Annotated[str, Path(description="Id of an analysis.", max_length=64)]


@dataclass(frozen=True)
class Asker:
    """Client that needs no link."""

    person: User | None
    """None for the owner of a server without sign-in, and for a token of the command line."""
    admin: bool
    """May do everything."""
    only_made_by: str | None = None
    """ID of the API token of scope `upload` that makes the request."""

    @property
    def person_id(self) -> str | None:
        """ID of the user who makes the request."""
        return None if self.person is None else self.person.id

    @property
    def sees_only(self) -> str | None:
        """ID of the user to whose analyses, links and tokens the answer is limited; None for no limit."""
        return None if self.admin else self.person_id or "nobody"


@dataclass(frozen=True)
class Reader:
    """Client that may view one analysis."""

    analysis_id: str
    access: Access
    may: frozenset[May]
    person: User | None = None
    linked: bool = False
    """By a link alone: such a reader does not see other users."""

    @property
    def person_id(self) -> str | None:
        """ID of the user who views it."""
        return None if self.person is None else self.person.id


def asker(request: Request) -> Asker | None:
    """Returns the client, found once per request; None for a stranger.

    Raises 401 for a bad token, 400 and 403 for a foreign header.
    """
    if FOUND not in request.scope:
        request.scope[FOUND] = _find(request)
    found: Asker | None = request.scope[FOUND]
    return found


def is_owner(request: Request) -> bool:
    """Returns whether the client may upload and own analyses, and needs no link."""
    if SHARE_HEADER in request.headers:
        return False
    found = asker(request)
    return found is not None and found.only_made_by is None


def member(request: Request) -> Asker:
    """Admits owners and signed-in users. Raises 403 for a link or a token of scope `upload`, 401 for strangers."""
    found = uploader(request)
    if found.only_made_by is not None:
        raise _forbidden()
    return found


def owner(request: Request) -> Asker:
    """Admits clients that may do everything: the owner of a server without sign-in, and administrators. Raises 403 and 401."""
    found = member(request)
    if not found.admin:
        raise SentenceError(403, "Only an administrator of this server may do that.")
    return found


def uploader(request: Request) -> Asker:
    """Admits clients that may create analyses: `member`s, and programs with a token for it. Raises 403, and 401 to sign in."""
    if SHARE_HEADER in request.headers:
        raise _forbidden()
    found = asker(request)
    if found is None and services_of(request).settings.sign_in != "none":
        raise SentenceError(401, "Sign in to do that; shared links work without signing in.", headers=CHALLENGE)
    if found is None:
        raise _forbidden()
    return found


def reader(request: Request, analysis_id: AnalysisId) -> Reader:
    """Admits owners, readers, the program that created the analysis, and holders of a link to it.

    Raises 404 for an analysis that must stay hidden from the client, 401, 403, or the error of the link's check.
    """
    link = request.headers.get(SHARE_HEADER)
    services = services_of(request)
    if link is not None:
        with services.rate_limit.counted(peer(request)):
            share = services.shares.check(link)
        if share.analysis_id != analysis_id:
            raise not_found("analysis")
        return Reader(analysis_id, "view", frozenset(share.may), linked=True)
    return _reader_of(services, uploader(request), analysis_id)


ReaderOf = Annotated[Reader, Depends(reader)]


def owner_of(request: Request, analysis_id: AnalysisId) -> Reader:
    """Admits the owners of an analysis. Raises 403 for clients that may only view it, and the errors of `reader`."""
    if SHARE_HEADER in request.headers:
        raise _forbidden()
    found = reader(request, analysis_id)
    if found.access != "owner":
        raise SentenceError(403, "Only an owner of this analysis may do that.")
    return found


def sharer(request: Request, analysis_id: AnalysisId) -> None:
    """Admits clients that may create links to an analysis: its owners, and the program that created it. Raises 403 and 404."""
    if SHARE_HEADER in request.headers:
        raise _forbidden()
    found = asker(request)
    if found is None or found.only_made_by is None:
        owner_of(request, analysis_id)
        return
    reader(request, analysis_id)
    if found.person is not None and not _owns(services_of(request), analysis_id, found.person):
        raise SentenceError(403, "Only an owner of this analysis may do that.")


def downloader(who: ReaderOf) -> Reader:
    """Admits clients that may download an analysis' events. Raises 403 for others."""
    if "download" not in who.may:
        what = "link is" if who.linked else "analysis is, for you,"
        raise SentenceError(403, f"This {what} allows viewing, not downloading; ask its owner for more.")
    return who


def commenter(who: ReaderOf) -> Reader:
    """Admits clients that may write notes. Raises 403 for others."""
    if "comment" not in who.may:
        raise SentenceError(403, "This link does not allow notes; ask its owner for one that does.")
    return who


def own_upload(services: Services, who: Asker, upload_id: str) -> None:
    """Admits the client that began an upload. Raises 404 for another client's upload as for a missing one."""
    person_id, made_by = services.uploads.begun_by(upload_id)
    if who.admin:
        return
    by_person = who.person is not None and person_id == who.person.id
    by_program = who.only_made_by is not None and made_by == who.only_made_by
    if not (by_person if who.only_made_by is None else by_program):
        raise not_found("upload")


def peer(request: Request) -> str:
    """Origin of a request, for counting."""
    return request.client.host if request.client is not None else ""


def client_of(request: Request) -> str:
    """Client to which a request counts: the holders of a link together, a user, or an address."""
    link = request.headers.get(SHARE_HEADER)
    if link is not None:
        return f"link {link}"
    found = asker(request)
    person = None if found is None else found.person_id
    return f"address {peer(request)}" if person is None else f"person {person}"


def budgets_of(request: Request) -> Budgets:
    """Budgets of the client: holders of a link take nothing from the owner's share."""
    services = services_of(request)
    return services.link_budgets if SHARE_HEADER in request.headers else services.budgets


def is_known_host(request: Request) -> bool:
    """Returns whether a request uses a host name that only this machine or its administrator gives to this server.

    A page of another site can make a browser send requests here under a name of that site's own choice (DNS rebinding).
    """
    hosts = services_of(request).settings.owner_hosts
    name = host_name(request.headers.get("host", ""))
    return name is not None and (is_local_host(name) or name in hosts or "*" in hosts)


def _find(request: Request) -> Asker | None:
    services = services_of(request)
    settings = services.settings
    user = None if services.proxy is None else services.proxy.user(request.headers, peer(request))
    by_token = _token_of(request, services, proxied=user is not None)
    if by_token is not None:
        return by_token
    if settings.sign_in == "none":
        return Asker(None, admin=True) if _is_local_owner(request) else None
    if not is_known_host(request):
        return None
    if user is not None:
        if not services.rules.admits(user, ()):
            raise SentenceError(403, f"{user} may not use this server; an administrator can allow it.")
        person = services.users.named(user)
    else:
        found = _in_session(request, services)
        if found is None:
            return None
        person = found
    return Asker(person, services.rules.is_admin(person.name))


def _in_session(request: Request, services: Services) -> User | None:
    """Returns the user of the browser. A browser names the origin of a change; one without that is not from this server's page."""
    secret = session_of(request) if services.settings.sign_in == "oidc" else None
    if secret is None:
        return None
    tells = "origin" in request.headers or "sec-fetch-site" in request.headers
    if request.method not in SAFE_METHODS and not tells:
        raise SentenceError(
            403, "A request with a cookie needs an Origin or Sec-Fetch-Site header; programs use API tokens."
        )
    person = services.sessions.person(secret)
    return person if person is not None and services.rules.admits(person.name, person.groups) else None


def _token_of(request: Request, services: Services, *, proxied: bool) -> Asker | None:
    """The user of a request's API token; None without one. Raises 401 for an invalid one."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    kind, _, secret = header.partition(" ")
    if proxied and not secret.strip().startswith(TOKEN_PREFIX):
        # What the proxy itself signs people in by is passed on, too.
        return None
    if kind.lower() != "bearer":
        raise SentenceError(
            401, "The Authorization header has no API token: write Bearer and the token.", headers=CHALLENGE
        )
    with services.rate_limit.counted(peer(request)):
        token, person = services.tokens.check(secret.strip())
    if person is not None and not services.rules.admits(person.name, person.groups):
        raise SentenceError(401, "The user of this API token may no longer use this server.", headers=CHALLENGE)
    return _by_token(services, token, person)


def _by_token(services: Services, token: ApiToken, person: User | None) -> Asker:
    if token.scope != "owner":
        return Asker(person, admin=False, only_made_by=token.id)
    return Asker(person, admin=person is None or services.rules.is_admin(person.name))


def _reader_of(services: Services, who: Asker, analysis_id: str) -> Reader:
    if who.admin:
        return Reader(analysis_id, "owner", frozenset(EVERYTHING), who.person)
    found = None if who.person is None else services.members.get(analysis_id, who.person.id)
    if who.only_made_by is not None:
        made = services.analyses.get(analysis_id).made_by == who.only_made_by
        # What its person gave away is not the program's to look at any more.
        if not made or (who.person is not None and found is None):
            raise not_found("analysis")
        return Reader(analysis_id, "view", frozenset({"download"}), who.person)
    if found is None:
        raise not_found("analysis")
    if found.role == "owner":
        return Reader(analysis_id, "owner", frozenset(EVERYTHING), who.person)
    return Reader(analysis_id, "view", frozenset(found.may), who.person)


def _owns(services: Services, analysis_id: str, person: User) -> bool:
    found = services.members.get(analysis_id, person.id)
    return found is not None and found.role == "owner"


def _is_local_owner(request: Request) -> bool:
    """Returns whether the request comes from the owner of a server without sign-in (see the setting NUMALENS_OWNER)."""
    known = is_known_host(request)
    if not known or services_of(request).settings.owner == "any":
        return known
    return _is_loopback(request) and not any(header in request.headers for header in FORWARDING_HEADERS)


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
OwnerOf = Depends(owner_of)
SharerOnly = Depends(sharer)
MemberOf = Annotated[Asker, Depends(member)]
UploaderOf = Annotated[Asker, Depends(uploader)]
UploaderOnly = Depends(uploader)
CommenterOf = Annotated[Reader, Depends(commenter)]
DownloaderOf = Annotated[Reader, Depends(downloader)]


SESSION: Final = "numalens_session"
FLOW: Final = "numalens_sign_in"
HOST_ONLY: Final = "__Host-"
"""Browsers take a cookie of this prefix only over https, for this very host, and for all of its paths."""


def session_of(request: Request) -> str | None:
    """The session's secret that a request carries."""
    return request.cookies.get(cookie_name(request, SESSION))


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: float) -> None:
    """Gives the browser a cookie that no script sees and no request of another site but a click carries."""
    response.set_cookie(
        cookie_name(request, name),
        value,
        max_age=int(seconds),
        path="/",
        secure=_is_https(request),
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Takes a cookie back."""
    response.delete_cookie(
        cookie_name(request, name), path="/", secure=_is_https(request), httponly=True, samesite="lax"
    )


def cookie_name(request: Request, name: str) -> str:
    """Name of a cookie in the browser."""
    return f"{HOST_ONLY}{name}" if _is_https(request) else name


def _is_https(request: Request) -> bool:
    return request.url.scheme == "https" or services_of(request).settings.address.lower().startswith("https:")

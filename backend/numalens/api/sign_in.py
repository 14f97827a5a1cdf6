"""Sign-in and sign-out with an OpenID Connect provider.

The page asks where to go, and comes back with what the issuer gave the browser: both are requests of our own page, so that no
other site can begin or finish a sign-in.
"""

import asyncio
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from pydantic import Field, StringConstraints

from numalens.api.access import FLOW, SESSION, asker, cookie_name, drop_cookie, is_known_host, session_of, set_cookie
from numalens.api.models import Answer, Wish
from numalens.api.services import FLOW_S, services_of
from numalens.auth.checks import origin_of
from numalens.errors import SentenceError
from numalens.store.names import new_token

if TYPE_CHECKING:
    from numalens.auth.issuer import Issuer


class BeginSignIn(Wish):
    """Page to open after the sign-in."""

    return_to: Annotated[str, StringConstraints(max_length=2048)] = Field(
        "/", description="A path of this server's own page, with its query."
    )


class BegunSignIn(Answer):
    """Address to which the browser must go now."""

    url: str = Field(description="The identity provider's page; it returns the browser to `/signed-in`.")


class FinishSignIn(Wish):
    """Response with which the provider sent the browser back."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=8192)]
    state: Annotated[str, StringConstraints(min_length=1, max_length=512)]


class FinishedSignIn(Answer):
    """Signed-in user, and the page to open."""

    name: str
    return_to: str


class SignOut(Wish):
    """Sessions to end."""

    everywhere: bool = Field(False, description="In all browsers of this user, not only in this one.")


class SignedOut(Answer):
    """The sessions have ended here; what is left to do at the issuer."""

    url: str | None = Field(description="The identity provider's sign-out page, which returns the browser; null: none.")


router = APIRouter(tags=["sign-in"])

CALLBACK: Final = "/signed-in"
ELSEWHERE: Final = "This sign-in was started in another browser, or too long ago; start again."


@router.post("/sign-in/begin")
async def begin_sign_in(request: Request, response: Response, wanted: BeginSignIn) -> BegunSignIn:
    """Starts a sign-in. 409: no sign-in here. 422: `return_to` is not a path of this page. 502, 503: the provider fails."""
    issuer = _issuer(request)
    if not is_own_path(wanted.return_to):
        raise SentenceError(422, "return_to must be a path of this server's own page.")
    secret = new_token()
    url = await issuer.address(issuer.flow(secret), _callback(request))
    # Without its padding, which would have to be quoted in a cookie.
    kept = urlsafe_b64encode(wanted.return_to.encode()).decode().rstrip("=")
    set_cookie(request, response, FLOW, f"{secret}.{kept}", FLOW_S)
    return BegunSignIn(url=url)


@router.post("/sign-in/finish")
async def finish_sign_in(request: Request, response: Response, answer: FinishSignIn) -> FinishedSignIn:
    """Signs a user in: their session is in a cookie. Any session that this browser had ends.

    400: the sign-in was begun elsewhere. 403: the issuer does not vouch for it, or this person may not sign in.
    """
    issuer = _issuer(request)
    services = services_of(request)
    secret, _, kept = request.cookies.get(cookie_name(request, FLOW), "").partition(".")
    flow = issuer.flow(secret)
    if not secret or not hmac.compare_digest(flow.state.encode(), answer.state.encode()):
        raise SentenceError(400, ELSEWHERE)
    # Once only, however it ends: the same answer of the issuer is good for nothing any more.
    if not services.flows.use(flow.state):
        raise SentenceError(400, ELSEWHERE)
    vouched = await issuer.vouched(flow, answer.code, _callback(request))
    if not services.rules.admits(vouched.name, vouched.groups):
        raise SentenceError(403, f"{vouched.name} may not use this server; an administrator can allow it.")
    person = await asyncio.to_thread(services.users.signed_in, vouched.name, vouched.subject, vouched.groups)
    if (before := session_of(request)) is not None:
        await asyncio.to_thread(services.sessions.end, before)
    hours = services.settings.session_hours
    session = await asyncio.to_thread(services.sessions.begin, person.id, hours)
    set_cookie(request, response, SESSION, session, hours * 3600)
    drop_cookie(request, response, FLOW)
    return FinishedSignIn(name=person.name, return_to=_returned(kept))


@router.post("/sign-out")
async def sign_out(request: Request, response: Response, wanted: SignOut) -> SignedOut:
    """Ends this browser's session, or all sessions of its user, and returns the provider's sign-out address.

    The sessions here have ended then, whatever the issuer does or the browser.
    """
    services = services_of(request)
    await asyncio.to_thread(_end_sessions, request, everywhere=wanted.everywhere)
    drop_cookie(request, response, SESSION)
    url = None if services.issuer is None else await services.issuer.way_out(_home(request))
    return SignedOut(url=url)


def _end_sessions(request: Request, *, everywhere: bool) -> None:
    services = services_of(request)
    secret = session_of(request)
    if secret is None:
        return
    found = asker(request) if everywhere else None
    if found is not None and found.person is not None:
        services.sessions.end_all(found.person.id)
    services.sessions.end(secret)


def is_own_path(text: str) -> bool:
    """Returns whether a text is a path of this server, however a browser treats slashes, backslashes and line ends."""
    if not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable():
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc


def _returned(kept: str) -> str:
    try:
        path = urlsafe_b64decode(f"{kept}==".encode()).decode()
    except ValueError:
        return "/"
    return path if is_own_path(path) else "/"


def _issuer(request: Request) -> "Issuer":
    issuer = services_of(request).issuer
    if issuer is None:
        raise SentenceError(409, "This server has no sign-in of its own; see NUMALENS_SIGN_IN.")
    return issuer


def _callback(request: Request) -> str:
    """Address to which the provider sends the browser after sign-in. Raises 403 for a foreign host name."""
    origin = _origin(request)
    if origin is None:
        raise SentenceError(403, "This server is not configured for this host name; set NUMALENS_ADDRESS.")
    return f"{origin}{CALLBACK}"


def _home(request: Request) -> str | None:
    """Address to which the provider sends the browser after sign-out; None for a foreign host name."""
    origin = _origin(request)
    return None if origin is None else f"{origin}/"


def _origin(request: Request) -> str | None:
    address = services_of(request).settings.address
    if address:
        return origin_of(address)
    return f"{request.url.scheme}://{request.headers['host']}" if is_known_host(request) else None

"""Cookies of sign-in: the session's, and the one that ties a sign-in under way to the browser that began it."""

from typing import Final

from fastapi import Request, Response

from numalens.api.services import services_of

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
    """What a cookie is called in the browser."""
    return f"{HOST_ONLY}{name}" if _is_https(request) else name


def _is_https(request: Request) -> bool:
    return request.url.scheme == "https" or services_of(request).settings.address.lower().startswith("https:")

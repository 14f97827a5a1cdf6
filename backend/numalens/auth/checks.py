"""Settings that would serve more users than the operator means to: refused before anything is served."""

import re
import socket
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from itertools import chain
from typing import Final
from urllib.parse import urlsplit

from numalens.hosts import host_name, is_local_host
from numalens.settings import Settings

HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,100}")
OF_OTHERS: Final = frozenset({"host", "cookie", "authorization", "origin", "x-numalens-share", "x-numalens-note"})

Network = IPv4Network | IPv6Network


def problem_of(settings: Settings) -> str | None:
    """Contradictions and gaps in the sign-in settings, and the fix; None when all is well."""
    checks = {"none": _none, "oidc": _oidc, "header": _header}
    return next(chain(_address(settings), checks[settings.sign_in](settings)), None)


def exposure_of(settings: Settings, host: str) -> str | None:
    """Reason for which this server must not listen on `host`, and the fix; None when it may."""
    if _is_loopback(host):
        return None
    if settings.sign_in == "none" and settings.owner != "any":
        return (
            f"listening on {host} would expose the server without authentication: set NUMALENS_SIGN_IN (oidc or "
            f"header), or NUMALENS_OWNER=any to give all rights to everyone who reaches the port"
        )
    if settings.sign_in == "oidc" and not settings.address:
        return f"listening on {host} with NUMALENS_SIGN_IN=oidc needs NUMALENS_ADDRESS, the address that users open, such as https://numalens.example"
    return None


def networks_of(text: str) -> tuple[Network, ...]:
    """Addresses and networks of a comma-separated setting. Raises ValueError for other text."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def origin_of(address: str) -> str | None:
    """Scheme, name and port of an address without other parts; None for other text."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  (reading it raises for a port that is no number)
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or host_name(parts.netloc) is None:
        return None
    return None if parts.path.strip("/") or parts.query or parts.fragment else f"{parts.scheme}://{parts.netloc}"


def _address(settings: Settings) -> Iterator[str]:
    if settings.address and origin_of(settings.address) is None:
        yield "NUMALENS_ADDRESS must be an address without a path, such as https://numalens.example"


def _none(settings: Settings) -> Iterator[str]:
    asking: dict[str, dict[str, object]] = {
        "oidc": {
            "NUMALENS_OIDC_ISSUER": settings.oidc_issuer,
            "NUMALENS_OIDC_CLIENT_ID": settings.oidc_client_id,
            "NUMALENS_OIDC_CLIENT_SECRET": settings.oidc_client_secret,
            "NUMALENS_OIDC_CLIENT_SECRET_FILE": settings.oidc_client_secret_file,
        },
        "header": {"NUMALENS_USER_HEADER": settings.user_header, "NUMALENS_PROXIES": settings.proxies},
        "oidc or header": {
            "NUMALENS_ALLOWED": settings.allowed,
            "NUMALENS_ALLOWED_GROUPS": settings.allowed_groups,
            "NUMALENS_ADMINS": settings.admins,
        },
    }
    for mode, values in asking.items():
        for name, value in values.items():
            if value:
                yield f"{name} is set, but sign-in is off: also set NUMALENS_SIGN_IN to {mode}"


def _oidc(settings: Settings) -> Iterator[str]:
    if settings.user_header or settings.proxies:
        yield "NUMALENS_SIGN_IN is oidc, so NUMALENS_USER_HEADER and NUMALENS_PROXIES must not be set"
    if not settings.oidc_issuer:
        yield "NUMALENS_SIGN_IN=oidc needs NUMALENS_OIDC_ISSUER, the address of the issuer"
    if not is_safe_address(settings.oidc_issuer):
        yield "NUMALENS_OIDC_ISSUER must be an https address"
    if not settings.oidc_client_id:
        yield "NUMALENS_SIGN_IN=oidc needs NUMALENS_OIDC_CLIENT_ID, this server's client ID at the identity provider"
    if (settings.oidc_client_secret is None) == (settings.oidc_client_secret_file is None):
        yield "NUMALENS_SIGN_IN=oidc needs one of NUMALENS_OIDC_CLIENT_SECRET and NUMALENS_OIDC_CLIENT_SECRET_FILE"
    try:
        if not settings.issuer_secret():
            yield "the client secret for the issuer is empty"
    except (OSError, UnicodeDecodeError):
        yield "the file of NUMALENS_OIDC_CLIENT_SECRET_FILE cannot be read"
    yield from _for_all(settings)


def _header(settings: Settings) -> Iterator[str]:
    if settings.oidc_issuer or settings.oidc_client_id:
        yield "NUMALENS_SIGN_IN is header, so no NUMALENS_OIDC_ setting must be set"
    if not HEADER.fullmatch(settings.user_header) or settings.user_header.lower() in OF_OTHERS:
        yield "NUMALENS_SIGN_IN=header needs NUMALENS_USER_HEADER, such as Remote-User"
    if settings.allowed_groups:
        yield "NUMALENS_ALLOWED_GROUPS needs NUMALENS_SIGN_IN=oidc: a header contains no groups"
    try:
        proxies = networks_of(settings.proxies)
    except ValueError:
        proxies = ()
        yield "NUMALENS_PROXIES must be addresses and networks, such as 127.0.0.1, 10.1.0.0/16"
    if not proxies:
        yield f"NUMALENS_SIGN_IN=header needs NUMALENS_PROXIES: the addresses whose {settings.user_header} is trusted"
    if any(network.prefixlen == 0 for network in proxies):
        yield "NUMALENS_PROXIES trusts every address; list only the proxy's own"
    yield from _for_all(settings)


def _for_all(settings: Settings) -> Iterator[str]:
    if settings.owner == "any":
        yield "NUMALENS_OWNER=any gives everything to everyone, so it cannot be combined with NUMALENS_SIGN_IN"


def is_safe_address(address: str) -> bool:
    """Returns whether data sent there cannot be intercepted: https, or this very machine."""
    try:
        parts = urlsplit(address)
        name = parts.hostname
    except ValueError:
        return False
    return bool(name) and (parts.scheme == "https" or (parts.scheme == "http" and is_local_host(name or "")))


def _is_loopback(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)  # noqa: S104  (compared, not bound)
        return all(ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)
    except (OSError, ValueError):
        # Whatever it is, it is not surely this machine alone.
        return False

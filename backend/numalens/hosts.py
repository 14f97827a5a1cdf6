"""Host names of requests."""

import re
from ipaddress import ip_address
from typing import Final

_HOST: Final = re.compile(r"^(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]{1,253}))(?::[0-9]{1,5})?$")


def host_name(header: str) -> str | None:
    """The name or address of a Host header, lower case, without port and brackets; None when it is malformed."""
    match = _HOST.match(header.lower())
    if match is None:
        return None
    return match["v6"] or match["name"].rstrip(".") or None


def is_local_host(name: str) -> bool:
    """Returns whether the name refers to the machine that the browser runs on."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False

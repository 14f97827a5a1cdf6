"""People as a proxy vouches for them: in a header, believed only from the proxy's own addresses."""

from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers

from numalens.auth.checks import networks_of
from numalens.auth.rules import MOST_LETTERS, known_name
from numalens.errors import SentenceError

FIRST_SEEN: Final = 0x21
LAST_SEEN: Final = 0x7E


class ProxyHeader:
    """The header that names the user, and where it is believed from."""

    def __init__(self, header: str, proxies: str) -> None:
        """Takes the name of the header and comma separated addresses or networks. Raises ValueError for other texts."""
        self.header = header
        self._proxies = networks_of(proxies)

    def user(self, headers: Headers, peer: str) -> str | None:
        """The user of a request; None when the header is missing.

        Raises 403 when it comes from elsewhere than the proxy, 400 when it is there twice or is no name.
        """
        values = headers.getlist(self.header)
        if not values:
            return None
        if not self._believes(peer):
            raise SentenceError(403, f"The header {self.header} is believed from this server's proxy only.")
        if len(values) > 1:
            raise SentenceError(400, f"The request has the header {self.header} {len(values)} times; one was expected.")
        name = values[0]
        if not 0 < len(name) <= MOST_LETTERS or "," in name or not all(FIRST_SEEN <= ord(c) <= LAST_SEEN for c in name):
            raise SentenceError(
                400, f"The header {self.header} is no user name: 1 to {MOST_LETTERS} ASCII letters without spaces."
            )
        return known_name(name)

    def _believes(self, peer: str) -> bool:
        try:
            address = ip_address(peer.partition("%")[0])
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._proxies)

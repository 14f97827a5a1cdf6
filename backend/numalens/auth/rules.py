"""Names of users, and which of them may sign in."""

import string
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, Self

from starlette.datastructures import Headers

from numalens.auth.checks import networks_of
from numalens.errors import SentenceError
from numalens.settings import Settings

MOST_LETTERS: Final = 200
# Only what is surely the same letter: some letters of other scripts become ASCII ones when they are lower-cased.
_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def known_name(name: str) -> str:
    """The form in which a name (an e-mail address or a user name) is kept and compared.

    Raises 422 for one that is empty, longer than `MOST_LETTERS`, or contains invisible characters, spaces inside or a comma.
    """
    found = name.strip().translate(_LOWER)
    if not found or len(found) > MOST_LETTERS:
        raise SentenceError(422, f"A user name has 1 to {MOST_LETTERS} letters.")
    if not found.isprintable() or any(letter.isspace() or letter == "," for letter in found):
        raise SentenceError(422, "Expected an e-mail address or a user name, without spaces and commas.")
    return found


def listed(text: str) -> frozenset[str]:
    """The entries of a comma separated setting, as names are compared."""
    return frozenset(entry.strip().translate(_LOWER) for entry in text.split(",") if entry.strip())


@dataclass(frozen=True)
class Rules:
    """Users who may sign in, and administrators, by the settings."""

    allowed: frozenset[str]
    """Names and `@domain`s."""
    groups: frozenset[str]
    admins: frozenset[str]

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The rules that an operator set."""
        groups = frozenset(group.strip() for group in settings.allowed_groups.split(",") if group.strip())
        return cls(listed(settings.allowed), groups, listed(settings.admins))

    def is_admin(self, name: str) -> bool:
        """Returns whether this is an administrator."""
        return name in self.admins

    def admits(self, name: str, groups: Iterable[str]) -> bool:
        """Returns whether a user may sign in: everyone without rules, otherwise listed users and members of listed groups."""
        if not self.allowed and not self.groups:
            return True
        _, at, domain = name.rpartition("@")
        return (
            name in self.admins
            or name in self.allowed
            or (at != "" and f"@{domain}" in self.allowed)
            or not self.groups.isdisjoint(groups)
        )


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

        Raises 403 for a header from elsewhere than the proxy, 400 for a repeated header or an invalid name.
        """
        values = headers.getlist(self.header)
        if not values:
            return None
        if not self._believes(peer):
            raise SentenceError(403, f"The header {self.header} is accepted only from this server's proxy.")
        if len(values) > 1:
            raise SentenceError(400, f"The request has the header {self.header} {len(values)} times; one was expected.")
        name = values[0]
        if not 0 < len(name) <= MOST_LETTERS or "," in name or not all(FIRST_SEEN <= ord(c) <= LAST_SEEN for c in name):
            raise SentenceError(
                400,
                f"The header {self.header} is not a user name: expected 1 to {MOST_LETTERS} ASCII letters without spaces.",
            )
        return known_name(name)

    def _believes(self, peer: str) -> bool:
        try:
            address = ip_address(peer.partition("%")[0])
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._proxies)

"""Text for users: names from recordings without invisible characters, and lengths of time."""

import re
from typing import Final

UNITS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))
PICTURES: Final = 0x2400
"""First of Unicode's pictures of the controls, in their order."""
# Controls but for the line end and the tab, what reorders or hides text, halves of surrogate pairs, what is no character.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffc\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def plain(text: str) -> str:
    """`text` with a visible sign instead of invisible characters: an escape as `␛`, an override of direction as `⟨U+202E⟩`."""
    return _UNSEEN.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found.group())
    return chr(PICTURES + code) if code < ord(" ") else f"⟨U+{code:04X}⟩"


def length(ns: float) -> str:
    """A length of time in the largest unit that makes it at least 1: `1.5 ms`."""
    factor, unit = next(((factor, unit) for factor, unit in UNITS if abs(ns) >= factor), UNITS[-1])
    return f"{ns / factor:,.3g} {unit}" if ns < 100 * factor else f"{ns / factor:,.0f} {unit}"

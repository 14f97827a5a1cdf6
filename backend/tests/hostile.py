"""Names that somebody may give a task, a cgroup or a file to hurt whoever looks at them."""

from typing import Final

HOSTILE: Final = {
    "a script": "<script>alert(1)</script>",
    "the end of a CDATA section": "]]><x>",
    "a link to a script": "[x](javascript:alert(1))",
    "code": "`id`",
    "fields of a table": "a | b",
    "a formula": '=HYPERLINK("https://example.org";"x")',
    "a formula behind a tab": "\t=1+1",
    "quotes": 'a","b""',
    "line ends": "a\r\nb\nc",
    "other line ends": "a\u2028b\u2029c\x85d",
    "colours of a terminal": "\x1b[31mred\x1b[0m",
    "a title of a terminal": "\x1b]0;owned\x07",
    "a control of eight bits": "\x9b31mred",
    "an overwritten line": "good\rbad",
    "an erased letter": "good\b\b\b\bbad",
    "an override of direction": "a\u202egnp.exe",
    "isolates": "\u2066a\u2069\u2067b",
    "what has no width": "a\u200bb\ufeffc\xadd",
    "a NUL": "a\x00b",
    "half a pair": "a\ud800b\udcffc",
    "what is no character": "a\ufffe\uffffb",
    "tags that nobody sees": "a\U000e0041\U000e007fb",
    "a header": 'a"\r\nSet-Cookie: x=1',
    "letters of another alphabet": "трасса中é",
    "a path": "../../etc/passwd",
    "ten thousand characters": 'a<`|*"' * 1667,
}

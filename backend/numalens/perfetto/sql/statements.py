"""Effects of a query besides its answer, by its words: inclusions, possible changes, and forbidden actions.

The words are SQLite's: comments, texts and quoted names are distinguished from them as its tokenizer does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from numalens.perfetto.errors import SqlError

_TOKEN: Final = re.compile(
    r"""(?P<blank>[ \t\n\f\r]+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>'(?:[^']|'')*(?:'|\Z))
    |(?P<quoted>"(?:[^"]|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)|\[[^\]]*(?:\]|\Z))
    |(?P<word>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_$\x80-\U0010ffff]*)
    |(?P<other>[0-9][0-9A-Za-z_.]*|.)""",
    re.DOTALL | re.VERBOSE,
)

ASKING: Final = frozenset({"select", "with", "values", "explain", "include"})
"""First words of statements that change nothing, or only what is undone by including nothing the next time."""
CHANGING: Final = frozenset({"insert", "update", "delete", "create", "drop", "alter"})
MAKING: Final = frozenset({"create_function", "create_view_function", "import", "run_metric", "experimental_memoize"})
"""Functions that change something; some of them are given SQL as a text."""
REFUSED_STATEMENTS: Final = {
    "attach": "opens another database",
    "detach": "closes a database",
    "vacuum": "writes a database",
}
REFUSED_NAMES: Final = {
    "load_extension": "loads a program",
    "export_json": "writes a file",
    "readfile": "reads a file",
    "writefile": "writes a file",
    "edit": "starts a program",
    "fts3_tokenizer": "runs code at an address",
    "temp_store_directory": "chooses a folder to write to",
    "data_store_directory": "chooses a folder to write to",
}
"""Statements with effects outside of the engine. In WebAssembly there are none; a native trace processor is a program."""


@dataclass(frozen=True)
class Token:
    """A piece of a query that means something."""

    kind: str
    """`word`, `quoted` (a name), `text` or `other`."""
    text: str
    """A word or name in small letters without quotes; a text without quotes."""
    at: int


def tokens(sql: str) -> Iterator[Token]:
    """The pieces of a query without blanks and comments."""
    for match in _TOKEN.finditer(sql):
        kind, text = match.lastgroup or "other", match[0]
        if kind == "quoted":
            text = text[1:-1].replace(text[0] * 2, text[0]).lower()
        elif kind == "text":
            text = text[1:-1].replace("''", "'")
        elif kind == "word":
            text = text.lower()
        if kind != "blank":
            yield Token(kind, text, match.start())


def statements(sql: str) -> list[list[Token]]:
    """The statements of a query that are not empty."""
    found: list[list[Token]] = [[]]
    for token in tokens(sql):
        if token.kind == "other" and token.text == ";":
            found.append([])
        else:
            found[-1].append(token)
    return [statement for statement in found if statement]


def check(sql: str) -> None:
    """Raises SqlError for what no query may do."""
    for statement in statements(sql):
        first = statement[0]
        if first.kind == "word" and first.text in REFUSED_STATEMENTS:
            raise _refused(sql, first, first.text.upper(), REFUSED_STATEMENTS[first.text])
        for token, after in pairwise([*statement, Token("other", "", len(sql))]):
            if token.kind in {"word", "quoted"} and token.text in REFUSED_NAMES and after.text in {"(", "="}:
                raise _refused(sql, token, token.text, REFUSED_NAMES[token.text])
        if any(token.text in MAKING for token in statement if token.kind != "text"):
            for token in statement:
                if token.kind == "text":
                    _check_within(sql, token)


def included(sql: str) -> frozenset[str] | None:
    """The modules that a query includes; None when it may also change other objects."""
    modules = set()
    for statement in statements(sql):
        words = [token.text for token in statement if token.kind in {"word", "quoted"}]
        if statement[0].kind != "word" or words[0] not in ASKING:
            return None
        if not (CHANGING | MAKING).isdisjoint(words) or _replaces(statement):
            return None
        if words[0] == "include":
            modules.add("".join(token.text for token in statement[3:]))
    return frozenset(modules)


def _replaces(statement: list[Token]) -> bool:
    """Returns whether REPLACE is a statement's word and not the function."""
    after = [*statement[1:], Token("other", "", 0)]
    return any(
        token.kind == "word" and token.text == "replace" and following.text != "("
        for token, following in zip(statement, after, strict=True)
    )


def _check_within(sql: str, token: Token) -> None:
    """Checks a text that will be run as SQL; the place is that of the text."""
    try:
        check(token.text)
    except SqlError as error:
        error.line, error.column = _place(sql, token.at)
        raise


def _refused(sql: str, token: Token, name: str, does: str) -> SqlError:
    error = SqlError(f"{name} {does}, which no query may do here.")
    error.line, error.column = _place(sql, token.at)
    return error


def _place(sql: str, at: int) -> tuple[int, int]:
    return sql.count("\n", 0, at) + 1, at - sql.rfind("\n", 0, at)

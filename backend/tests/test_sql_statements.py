"""What the words of a query tell about it."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from numalens.perfetto.errors import SqlError
from numalens.perfetto.sql.statements import check, included, statements, tokens

NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("sql", "modules"),
    [
        ("select 1", NONE),
        ("SELECT 'drop table x; create'", NONE),
        ("-- create\nselect /* insert; */ 1", NONE),
        ("with a as (select 1) select * from a;", NONE),
        ("values (1), (2)", NONE),
        ("select replace('a', 'b', 'c')", NONE),
        ('select "drop" from x', None),
        ("include perfetto module numalens.cling; select 1", {"numalens.cling"}),
        ("INCLUDE PERFETTO MODULE sched.runnable;\nInclude perfetto -- x\n module a.b;", {"sched.runnable", "a.b"}),
        ("create perfetto table x as select 1 as y", None),
        ("select 1; drop table x", None),
        ("with a as (select 1) insert into b select * from a", None),
        ("with a as (select 1) delete from b", None),
        ("replace into a values (1)", None),
        ("with a as (select 1) replace into b select 1", None),
        ("pragma case_sensitive_like = 1", None),
        ("begin", None),
        ("select create_function('f()', 'INT', 'select 1')", None),
        ("select \"Create_View_Function\"('f()', 'x INT', 'select 1')", None),
        ("select run_metric('x')", None),
        ("'select'", None),
        ("", NONE),
    ],
)
def test_what_a_query_includes_and_whether_it_does_more(sql: str, modules: set[str] | None) -> None:
    assert included(sql) == modules


@pytest.mark.parametrize(
    ("sql", "place", "says"),
    [
        ("attach ':memory:' as x", (1, 1), "ATTACH opens another database"),
        ("select 1;\n  -- here\n  DeTach x", (3, 3), "DETACH closes a database"),
        ("/* a */ vacuum into '/tmp/x'", (1, 9), "VACUUM writes a database"),
        ("select load_extension('x')", (1, 8), "load_extension loads a program"),
        ("select\n\"LOAD_extension\" ('x')", (2, 1), "load_extension loads a program"),
        ("select [export_json]('/tmp/x')", (1, 8), "export_json writes a file"),
        ("select `readfile`/* x */('/etc/passwd')", (1, 8), "readfile reads a file"),
        ("pragma temp_store_directory = '/tmp'", (1, 8), "temp_store_directory chooses a folder"),
        (
            "select create_function('f()', 'INT', 'select export_json(''/tmp/x'')')",
            (1, 38),
            "export_json writes a file",
        ),
        ("create perfetto macro m(x Expr) returns Expr as load_extension($x)", (1, 49), "load_extension"),
    ],
)
def test_what_no_query_may_do(sql: str, place: tuple[int, int], says: str) -> None:
    with pytest.raises(SqlError, match=says) as caught:
        check(sql)
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).endswith("which no query may do here.")


@pytest.mark.parametrize(
    "sql",
    [
        "select 'vacuum', 'load_extension(1)', \"a;b\", [x;y], `attach`",
        "select vacuum from attach_table",
        "select load_extension from t where name = 'export_json(x)'",
        "-- attach 'x' as y",
        "select 1 /* vacuum; */",
        "select x'00ff', 1e5, .5, $a, name!(1)",
    ],
)
def test_words_in_texts_comments_and_names_are_no_orders(sql: str) -> None:
    check(sql)


PIECES = st.sampled_from(
    [
        "select",
        " ",
        ";",
        "'",
        "''",
        '"',
        "`",
        "[",
        "]",
        "--",
        "\n",
        "/*",
        "*/",
        "create",
        "load_extension",
        "(",
        "ü",
        "1e5",
        "x",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=30).map("".join)))
@example("'")
@example("/*")
@example('"a""')
def test_any_text_is_cut_into_tokens(sql: str) -> None:
    found = list(tokens(sql))
    assert [token.at for token in found] == sorted(token.at for token in found)
    assert all(0 <= token.at < len(sql) for token in found)
    assert sum(map(len, statements(sql))) <= len(found)
    included(sql)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_text_is_one_token_whatever_is_in_it(text: str, comment: str) -> None:
    comment = comment.replace("*", "")
    found = list(tokens(f"select {quoted(text)} /*{comment}*/ as x"))
    assert [(token.kind, token.text) for token in found] == [
        ("word", "select"),
        ("text", text),
        ("word", "as"),
        ("word", "x"),
    ]


@given(st.lists(st.text(max_size=10), max_size=5))
def test_orders_are_found_whatever_stands_before(texts: list[str]) -> None:
    before = "".join(f"select {quoted(text)};" for text in texts)
    for order in ("vacuum", "attach 'x' as y"):
        with pytest.raises(SqlError):
            check(before + order)


def test_the_same_texts_are_texts_for_sqlite() -> None:
    """SQLite, whose tokenizer the trace processor uses, agrees about what is a text and what is a comment."""
    import sqlite3  # noqa: PLC0415

    database = sqlite3.connect(":memory:")

    @given(st.lists(PIECES, max_size=12).map("".join))
    def agrees(text: str) -> None:
        row: tuple[Any, ...] = database.execute(f"select {quoted(text)} /*{text.replace('*', '')}*/").fetchone()
        (only,) = [token for token in tokens(f"select {quoted(text)}") if token.kind == "text"]
        assert row == (only.text,)

    agrees()
    database.close()

from __future__ import annotations

import pytest

from proxy.statements import scan, string_value


def test_places_are_those_in_the_text() -> None:
    sql = "SHOW -- a\n /* b /* c */ */ `x y` . 'it''s' ;"
    tokens = list(scan(sql))
    assert [token.text for token in tokens] == ["SHOW", "`x y`", ".", "'it''s'", ";"]
    assert all(sql[token.start : token.end] == token.text for token in tokens)


@pytest.mark.parametrize("sql", ["", "  ", "-- only", "/* open", "/* a */"])
def test_nothing_but_comments(sql: str) -> None:
    assert list(scan(sql)) == []


def test_a_comment_ends_where_a_line_does_for_spark() -> None:
    sql = "SELECT g FROM a -- x\rWHERE g -- y\r\nGROUP -- z \\\n BY\n g"
    assert [token.text for token in scan(sql)] == ["SELECT", "g", "FROM", "a", "WHERE", "g", "GROUP", "g"]


def test_a_raw_string_ends_at_its_first_quote() -> None:
    sql = r"""SELECT r'\', R"\" FROM t"""
    assert [token.text for token in scan(sql)] == ["SELECT", r"r'\'", ",", r"""R"\"""", "FROM", "t"]


def test_an_open_quote_is_a_symbol_like_any_other() -> None:
    assert [token.kind for token in scan("a 'b")] == ["word", "symbol", "word"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'a'", "a"),
        ("'a''b'", "a'b"),
        ('"a""b\'\'"', "a\"b''"),
        (r"'\u0024{x}\n\\'", "${x}\n\\"),
        (r"'\ud83d\ude00\u0041'", "\U0001f600A"),
        (r"'\ud800a\udc00\ud800'", "?a??"),
        (r"r'\n'", r"\n"),
        (r"'50\%'", r"50\%"),
    ],
)
def test_string_values(text: str, value: str) -> None:
    if text == '"a""b\'\'"':
        value = "a\"b'"  # a doubled quote of either kind stands for one
    assert string_value(text) == value

"""Error messages for texts that cannot be parsed."""

from __future__ import annotations

import pytest

from rewriter.sql import ParseError, parse_select


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT a FROM t WHERE a NOT", "line 1, column 25: `NOT` is not expected here"),
        ("SELECT a\nFROM t\n  WHERE", "line 3, column 3: the SQL text ends after `WHERE`, where more is expected"),
        ("SELECT (a FROM t", "line 1, column 11: `FROM` was found where `)` is expected"),
        ("SELECT CASE WHEN a FROM t", "line 1, column 20: `FROM` is not expected here"),
        ("SELECT substring(a FROM 1) FROM t", "line 1, column 20: `FROM` was found where `)` is expected"),
        ("SELECT a FROM t JOIN", "line 1, column 17: the SQL text ends after `JOIN`, where more is expected"),
        ("SELECT a,\n 'b FROM t", "line 2, column 2: ' is not closed"),
        ("SELECT a - 1 / 2 /* c", "line 1, column 18: /* is not closed"),
        ("SELECT '\\'', \"it's\", 'a''b', `x``'`, \"c -- it's", 'line 1, column 38: " is not closed'),
    ],
)
def test_a_mistake_is_told_with_its_place(sql: str, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_select(sql)
    assert str(caught.value) == said

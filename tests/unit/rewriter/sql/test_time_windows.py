"""Where `window(` is a call, a name, or a clause."""

from __future__ import annotations

import pytest

from rewriter.sql import tokenize
from rewriter.sql.blocks import kinds_of, select_spans
from rewriter.sql.dialect import calls_window
from rewriter.sql.time_windows import seconds_of


@pytest.mark.parametrize(
    ("sql", "blocks"),
    [
        ("SELECT 1 UNION ALL SELECT window(ts, '1 day').start, window.end FROM t GROUP BY window(ts, '1 day')", 2),
        ("SELECT 1 UNION ALL SELECT sum(n) OVER w FROM t WINDOW w AS (ORDER BY n), x AS (ORDER BY m)", 2),
        ("SELECT window, n FROM t UNION ALL SELECT window.start, n FROM u", 2),
    ],
)
def test_a_clause_ends_a_select_and_a_call_does_not(sql: str, blocks: int) -> None:
    tokens = tokenize(sql)
    found = [sql[start:end] for start, end in select_spans(tokens, kinds_of(tokens))]
    assert len(found) == blocks
    assert found[-1].endswith(("(ts, '1 day')", "OVER w FROM t", "FROM u"))


@pytest.mark.parametrize(
    ("sql", "called"),
    [
        ("SELECT window (ts, '1 day') FROM t", True),
        ("SELECT window.start, 'window(', sum(n) OVER w FROM t WINDOW w AS (ORDER BY n)", False),
    ],
)
def test_only_a_call_is_one(sql: str, called: bool) -> None:
    assert calls_window(sql, tokenize(sql)) is called


@pytest.mark.parametrize("text", ["", "1", "day", "1.5 hours", "1 day -", "2 months", "1 fortnight", "1 day 1 year"])
def test_other_lengths_are_not_read(text: str) -> None:
    assert seconds_of(text) is None


def test_pieces_add_up() -> None:
    assert seconds_of(" interval 1 week 1 day -1 hours 30 minutes ") == 8 * 86_400 - 3600 + 1800

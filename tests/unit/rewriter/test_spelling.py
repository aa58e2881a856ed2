"""timeseries() in a client's text."""

from __future__ import annotations

import pytest

from rewriter import Unsupported, parse
from rewriter.model import Column, Session, TableName
from rewriter.spelling import blanked, spell_out, spelled_text
from rewriter.sql import splice

COLUMNS = (Column("ts", "timestamp"), Column("d", "date"), Column("local", "timestamp_ntz"), Column("n", "int"))
SESSION = Session("lake", ("demo",))


def spelled(sql: str) -> str:
    statement = parse(sql, SESSION)
    return splice(sql, spell_out(statement, lambda table: (TableName(("lake", "demo", table.name)), COLUMNS)))


def test_an_output_keeps_what_was_typed_as_its_name() -> None:
    assert spelled("SELECT timeseries(ts,'hour') FROM t") == (
        "SELECT date_trunc('HOUR', ts) AS `timeseries(ts,'hour')` FROM t"
    )


def test_an_alias_stays() -> None:
    assert spelled("SELECT n, timeseries(t.ts, 'day') AS d2 FROM t -- x") == (
        "SELECT n, date_trunc('DAY', t.ts) AS d2 FROM t -- x"
    )


def test_an_alias_without_as_stays() -> None:
    assert spelled("SELECT timeseries(ts, 'day') d2 FROM t") == "SELECT date_trunc('DAY', ts) d2 FROM t"


def test_everywhere_in_a_statement() -> None:
    sql = "INSERT INTO x SELECT timeseries(d, 'week') w FROM t WHERE timeseries(ts, 'year') > '2020' GROUP BY 1"
    assert spelled(sql) == (
        "INSERT INTO x SELECT trunc(d, 'WEEK') w FROM t WHERE date_trunc('YEAR', ts) > '2020' GROUP BY 1"
    )


def test_what_filters_a_derived_table_changes_no_type() -> None:
    within = "(SELECT d FROM t WHERE n > (SELECT n FROM t UNION SELECT 1)) AS q"
    assert spelled(f"SELECT timeseries(d, 'week') w FROM {within}") == f"SELECT trunc(d, 'WEEK') w FROM {within}"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("current_timestamp(), 'day'", "date_trunc('DAY', current_timestamp())"),
        ("CURRENT_DATE, 'month'", "trunc(CURRENT_DATE, 'MONTH')"),
        ("now(), 'hour'", "date_trunc('HOUR', now())"),
        ("ts + INTERVAL 1 DAY, 'day'", "date_trunc('DAY', ts + INTERVAL 1 DAY)"),
        ("INTERVAL '1' MONTH + d, 'week'", "trunc(INTERVAL '1' MONTH + d, 'WEEK')"),
        ("coalesce(ts, now()), 'year'", "date_trunc('YEAR', coalesce(ts, now()))"),
        ("max(ts), 'day'", "date_trunc('DAY', max(ts))"),
    ],
)
def test_the_type_of_an_expression_is_known(call: str, text: str) -> None:
    assert spelled(f"SELECT timeseries({call}) AS b FROM t") == f"SELECT {text} AS b FROM t"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT timeseries(m, 'day') AS b FROM (SELECT n, max(ts) AS m FROM t GROUP BY n) AS q",
        "WITH q AS (SELECT n, min(ts) AS m FROM t GROUP BY n) SELECT timeseries(q.m, 'day') AS b FROM q",
    ],
)
def test_over_the_outputs_of_groups(sql: str) -> None:
    assert "date_trunc('DAY', " in spelled(sql)


def test_a_cast_tells_the_type_where_no_table_does() -> None:
    sql = "SELECT timeseries(CAST(x AS TIMESTAMP), 'hour') h FROM (SELECT n AS x FROM t) AS q"
    assert "date_trunc('HOUR', CAST(x AS TIMESTAMP)) h" in spelled(sql)


def test_not_in_a_string_nor_a_comment() -> None:
    sql = "SELECT 'timeseries(ts, ''hour'')' FROM t -- timeseries(ts, 'x')"
    assert spelled(sql) == sql


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT timeseries(ts, 'fortnight') FROM t", "takes a column and one of second, minute"),
        ("SELECT timeseries(n, 'hour') FROM t", "takes a TIMESTAMP, TIMESTAMP_NTZ or DATE"),
        ("SELECT timeseries(d, 'hour') FROM t", "of a DATE takes day, week"),
        ("SELECT timeseries(ts) FROM t", "takes a column and a granularity"),
        ("SELECT timeseries(nothing, 'hour') FROM t", "the type of nothing is not certain: CAST it to one"),
        ("SELECT timeseries(ts, 'day', 'timestamp') FROM t", "takes a column and a granularity"),
        ("SELECT timeseries(d, 'hour', 'x') FROM t", "takes a column and a granularity"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(sql: str, problem: str) -> None:
    with pytest.raises(Unsupported, match=problem.replace("(", r"\(").replace(")", r"\)")):
        spelled(sql)


def test_what_else_is_wrong_stands_where_it_stood_without_the_call() -> None:
    sql = "SELECT timeseries ( f(a, ')'), 'day' ), timeseries(b,'day') FROM nowhere"
    plain = blanked(sql)
    assert plain.split() == ["SELECT", "(", "f(a,", "')')", "),", "(b", ")", "FROM", "nowhere"]
    assert (len(plain), plain.index("nowhere")) == (len(sql), sql.index("nowhere"))


def test_calls_of_our_own_tell_their_type() -> None:
    assert spelled_text("timeseries(timeseries(a, 'hour', 'timestamp'), 'day', 'timestamp')") == (
        "date_trunc('DAY', date_trunc('HOUR', a))"
    )

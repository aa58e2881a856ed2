"""`timeseries()` calls in a client's text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rewriter import Unsupported, parse
from rewriter.block.resolve import find_among
from rewriter.model import Column, Session, TableName
from rewriter.spelling import blanked, spell_out, spelled_text
from rewriter.sql import splice
from rewriter.timeseries import translate_bucket

COLUMNS = (
    Column("ts", "timestamp"),
    Column("d", "date"),
    Column("local", "timestamp_ntz"),
    Column("n", "int"),
    Column("name", "string"),
)
SESSION = Session("lake", ("demo",))


def spelled(sql: str, session: Session = SESSION) -> str:
    statement = parse(sql, session)
    tables = {TableName(("lake", "demo", name)): COLUMNS for name in ("t", "u", "x")}
    return splice(sql, spell_out(statement, find_among(statement, tables)))


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


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT n FROM t WHERE timeseries(ts, 'day') = '2024-01-01'",
        "SELECT sum(n) OVER (PARTITION BY timeseries(ts, 'day') ORDER BY ts) AS s FROM t",
        "SELECT sum(n) OVER w AS s FROM t WINDOW w AS (PARTITION BY timeseries(ts, 'day'))",
        "SELECT u.n FROM t JOIN u ON timeseries(t.ts, 'day') = timeseries(u.ts, 'day')",
        "SELECT u.n FROM t LEFT JOIN u ON timeseries(t.ts, 'day') = u.d",
        "SELECT n FROM t WHERE d IN (SELECT timeseries(ts, 'day') AS day FROM u)",
        "SELECT n FROM t WHERE EXISTS (SELECT 1 FROM u WHERE timeseries(t.ts, 'day') = u.ts)",
        "SELECT t.n FROM t LEFT SEMI JOIN u ON t.n = u.n WHERE timeseries(ts, 'day') > '2024-01-01'",
        "SELECT timeseries(ts, 'day') AS a FROM t UNION ALL SELECT timeseries(ts, 'day') AS a FROM u",
        "SELECT timeseries(q.a, 'day') AS a FROM (SELECT ts AS a FROM t UNION ALL SELECT max(ts) FROM u) AS q",
        "WITH q AS (SELECT ts AS a FROM t UNION SELECT ts FROM u) SELECT timeseries(a, 'day') AS a FROM q",
        "SELECT timeseries(q.b, 'day') AS a FROM (SELECT * FROM (SELECT max(ts) FROM t) LIMIT 3) AS q (b)",
        "SELECT ts AS h, count(*) FROM t GROUP BY ts HAVING timeseries(h, 'day') > '2024-01-01' ORDER BY 1",
        "SELECT x.a, sum(n) FROM t, LATERAL (SELECT timeseries(ts, 'day') AS a) AS x GROUP BY 1",
        "SELECT x.a FROM t AS e LEFT JOIN LATERAL (SELECT timeseries(e.ts, 'day') AS a) AS x ON TRUE",
        "CREATE TABLE x AS SELECT timeseries(ts, 'day') AS a FROM t",
        "CREATE OR REPLACE TABLE x USING iceberg PARTITIONED BY (days(a)) AS SELECT timeseries(ts, 'day') AS a FROM t",
        "INSERT INTO x SELECT timeseries(ts, 'day') AS a FROM t",
        "INSERT OVERWRITE x SELECT timeseries(ts, 'day') AS a FROM t",
        "INSERT INTO x FROM t SELECT timeseries(ts, 'day') AS a",
        "CREATE OR REPLACE VIEW v AS SELECT timeseries(ts, 'day') AS a FROM t",
        "CREATE TEMPORARY VIEW v (a) AS SELECT timeseries(ts, 'day') AS a FROM t",
        "ALTER VIEW v AS SELECT timeseries(ts, 'day') AS a FROM t",
        "CACHE TABLE c AS SELECT timeseries(ts, 'day') AS a FROM t",
        "MERGE INTO x USING (SELECT timeseries(ts, 'day') AS a FROM t) AS s ON x.ts = s.a WHEN MATCHED THEN DELETE",
        "MERGE INTO x USING t AS s ON timeseries(x.ts, 'day') = s.ts WHEN MATCHED AND timeseries(s.ts, 'day') > s.d "
        "THEN UPDATE SET ts = timeseries(s.ts, 'day') WHEN NOT MATCHED THEN INSERT (ts) VALUES (s.ts)",
        "UPDATE t SET ts = timeseries(ts, 'day') WHERE timeseries(ts, 'day') = '2024-01-01'",
        "UPDATE lake.demo.t AS a SET a.ts = timeseries(a.ts, 'day')",
        "DELETE FROM t WHERE timeseries(ts, 'day') < '2024-01-01'",
        "WITH q AS (SELECT 1 AS n) DELETE FROM t AS y WHERE timeseries(y.ts, 'day') < '2024-01-01'",
        "FROM t JOIN u USING (n) SELECT timeseries(u.ts, 'day') AS a",
        "DESCRIBE QUERY SELECT timeseries(ts, 'day') AS a FROM t",
    ],
)
def test_in_every_statement(sql: str) -> None:
    assert spelled(sql) == re.sub(r"timeseries\(([\w.]+), 'day'\)", r"date_trunc('DAY', \1)", sql)


@pytest.mark.parametrize(
    "sql",
    [
        "FROM t |> SELECT CAST(ts AS DATE) AS ts |> WHERE timeseries(ts, 'day') > '2024'",
        "SELECT transform(array(1), ts -> timeseries(ts, 'day')) FROM t",
        "SELECT n FROM t WHERE EXISTS (SELECT 1 FROM (VALUES (1)) AS v (ts) WHERE timeseries(ts, 'day') > '2024')",
        "SELECT ts, n FROM (SELECT ts AS a FROM t UNION ALL SELECT d FROM u) AS q WHERE timeseries(a, 'day') > '2024'",
        "FROM t, (FROM v SELECT timeseries(ts, 'day') AS a) AS q SELECT n",
        "FROM t SELECT ts UNION ALL FROM v SELECT timeseries(ts, 'day')",
        "SELECT CAST(ts AS DATE) AS ts FROM t ORDER BY timeseries(ts, 'day')",
    ],
)
def test_a_name_that_may_mean_something_else_has_no_certain_type(sql: str) -> None:
    with pytest.raises(Unsupported, match="is not known for certain, and timeseries"):
        spelled(sql)


def test_a_call_within_a_call() -> None:
    assert spelled("SELECT timeseries(timeseries(ts, 'hour'), '1 day') AS d FROM t") == (
        "SELECT date_trunc('DAY', date_trunc('HOUR', ts)) AS d FROM t"
    )


@pytest.mark.parametrize(
    ("text", "grain"),
    [
        ("15 minutes", "fifteen_minute"), ("15min", "fifteen_minute"), ("5 MIN", "five_minute"), ("10m", "ten_minute"),
        ("30 minutes", "thirty_minute"), ("900 seconds", "fifteen_minute"), ("60 minutes", "hour"), ("1 hour", "hour"),
        ("1 h", "hour"), ("hours", "hour"), ("1 day", "day"), ("1w", "week"), ("1 month", "month"), ("1 mon", "month"),
        ("3 months", "quarter"), ("1q", "quarter"), ("4q", "year"), ("1y", "year"), ("1m", "minute"),
        ("12 months", "year"), ("4 quarters", "year"), ("1 year", "year"), (" 1 s ", "second"),
    ],
)  # fmt: skip
def test_multiples_name_a_grain(text: str, grain: str) -> None:
    plain = spelled(f"SELECT timeseries(ts, '{grain}') AS b FROM t")
    assert spelled(f"SELECT timeseries(ts, '{text}') AS b FROM t") == plain


@pytest.mark.parametrize(
    "text", ["7 minutes", "24 hours", "7 days", "30 days", "2 weeks", "0 hours", "1", "1 fortnight", ""]
)
def test_other_multiples_are_refused(text: str) -> None:
    with pytest.raises(Unsupported, match=f"one of second, minute, .*, year, not '{text}'; "):
        spelled(f"SELECT timeseries(ts, '{text}') AS b FROM t")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("M", "M may be minutes or months: write '1 minute' or '1 month'"),
        ("1M", "write '1 minute' or '1 month'"),
        ("3 M", "write '3 minutes' or '3 months'"),
        ("15M", "write '15 minutes' or '15 months'"),
        ("24 hours", "a day may have 23 or 25 hours: write 'day'"),
        ("1440 minutes", "write 'day'"),
        ("7 days", "weeks start on Monday: write 'week'"),
        ("7 minutes", "as 5, 10, 15, 30 and 60 minutes, 3 and 12 months and 4 quarters do"),
    ],
)
def test_a_refused_length_says_what_to_write(text: str, remedy: str) -> None:
    with pytest.raises(Unsupported, match=remedy):
        spelled(f"SELECT timeseries(ts, '{text}') AS b FROM t")


def test_a_cast_tells_the_type_where_no_table_does() -> None:
    sql = "SELECT timeseries(CAST(x AS TIMESTAMP), 'hour') h FROM (SELECT n AS x FROM t) AS q"
    assert "date_trunc('HOUR', CAST(x AS TIMESTAMP)) h" in spelled(sql)


def test_not_in_a_string_nor_a_comment() -> None:
    sql = "SELECT 'timeseries(ts, ''hour'')' FROM t -- timeseries(ts, 'x')"
    assert spelled(sql) == sql


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        (
            "SELECT timeseries(ts, 'fortnight') FROM t",
            "takes a column and a granularity, which is one of second, minute",
        ),
        ("SELECT timeseries(n, 'hour') FROM t", "takes a TIMESTAMP, TIMESTAMP_NTZ or DATE"),
        ("SELECT timeseries(d, 'hour') FROM t", "of a DATE takes the granularity day, week"),
        ("SELECT timeseries(ts) FROM t", "takes a column and a granularity"),
        (
            "SELECT timeseries(nothing, 'hour') FROM t",
            "the type of nothing is not known for certain, and timeseries",
        ),
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


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE IF NOT EXISTS timeseries (id INT)",
        "INSERT INTO demo.timeseries (a) SELECT n FROM t",
        "INSERT OVERWRITE `timeseries` (a) SELECT n FROM t",
        "CREATE VIEW timeseries (x) AS SELECT n FROM t",
        "WITH q AS (SELECT 1), timeseries (x) AS (SELECT 1) SELECT x FROM timeseries",
        "SELECT ts FROM t AS timeseries (ts, d, local, n)",
        "SELECT demo.timeseries(ts, 'hour') FROM t",
        "CREATE FUNCTION timeseries(x INT) RETURNS INT RETURN x",
    ],
)
def test_what_is_named_like_the_call_is_none(sql: str) -> None:
    assert spelled(sql) == sql


def test_a_call_of_nothing_says_what_it_takes() -> None:
    with pytest.raises(Unsupported, match="takes a column and a granularity"):
        spelled("SELECT timeseries(, 'day') FROM t")


NTZ = replace(SESSION, settings={"spark.sql.timestampType": "TIMESTAMP_NTZ"})


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("TIMESTAMP '2024-03-10 02:30:00'", "timestamp_ntz"),
        ("TIMESTAMP '2024-03-10 02:30:00Z'", "timestamp"),
        ("TIMESTAMP_LTZ '2024-03-10 02:30:00'", "timestamp"),
        ("CAST(name AS TIMESTAMP)", "timestamp_ntz"),
        ("name::timestamp", "timestamp_ntz"),
        ("CAST(name AS TIMESTAMP_LTZ)", "timestamp"),
        ("to_timestamp(name)", "timestamp_ntz"),
        ("make_timestamp(2024, 1, 1, 0, 0, 0)", "timestamp_ntz"),
        ("ts", "timestamp"),
        ("local", "timestamp_ntz"),
        ("d", "date"),
        ("now()", "timestamp"),
        ("coalesce(local, TIMESTAMP '2024-01-01')", "timestamp_ntz"),
        ("CAST(name AS TIMESTAMP) + INTERVAL 1 HOUR", "timestamp_ntz"),
        ("d + INTERVAL 1 HOUR", "timestamp"),
        ("date_trunc('day', TIMESTAMP '2024-01-01')", "timestamp"),
    ],
)
def test_timestamp_means_what_the_session_sets(call: str, kind: str) -> None:
    expected = translate_bucket(call, "day", kind)
    assert spelled(f"SELECT timeseries({call}, 'day') AS b FROM t", NTZ) == f"SELECT {expected} AS b FROM t"


@pytest.mark.parametrize(
    "relation",
    [
        "(SELECT CAST(name AS TIMESTAMP) AS a FROM t) AS q",
        "(SELECT CAST(name AS TIMESTAMP) AS a FROM t UNION ALL SELECT local FROM t) AS q",
        "(SELECT TIMESTAMP '2024-01-01' AS a FROM t LIMIT 1) AS q",
    ],
)
def test_timestamp_within_a_derived_table_means_what_the_session_sets(relation: str) -> None:
    expected = translate_bucket("a", "hour", "timestamp_ntz")
    assert (
        spelled(f"SELECT timeseries(a, 'hour') AS b FROM {relation}", NTZ) == f"SELECT {expected} AS b FROM {relation}"
    )
    common = f"WITH c AS {relation.removesuffix(' AS q')} SELECT timeseries(a, 'hour') AS b FROM c"
    assert spelled(common, NTZ) == common.replace("timeseries(a, 'hour')", expected)


def test_a_timestamp_literal_of_unknown_form_has_no_certain_type_under_the_setting() -> None:
    with pytest.raises(Unsupported, match="is not known for certain, and timeseries"):
        spelled("SELECT timeseries(TIMESTAMP 'today', 'day') AS b FROM t", NTZ)


def test_a_cast_to_timestamp_ltz_is_a_timestamp() -> None:
    sql = "SELECT timeseries(CAST(name AS TIMESTAMP_LTZ), 'hour') AS h FROM t"
    assert spelled(sql) == "SELECT date_trunc('HOUR', CAST(name AS TIMESTAMP_LTZ)) AS h FROM t"


@pytest.mark.parametrize(
    "branch", ["SELECT TRANSFORM(ts) USING 'cat' AS (x) FROM t", "TABLE u", "VALUES (TIMESTAMP'2024-01-01 05:00:00')"]
)
def test_a_branch_whose_columns_are_not_known_makes_the_type_of_a_cte_unknown(branch: str) -> None:
    with pytest.raises(Unsupported, match="the type of x is not known"):
        spelled(f"WITH c AS (SELECT d AS x FROM t UNION ALL {branch}) SELECT timeseries(x, 'day') AS b FROM c")
    known = "WITH c AS (SELECT d AS x FROM t UNION ALL (SELECT d FROM u)) SELECT {} AS b FROM c"
    assert spelled(known.format("timeseries(x, 'day')")) == known.format("CAST(x AS DATE)")

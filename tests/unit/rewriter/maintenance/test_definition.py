"""What a view's storage holds."""

from __future__ import annotations

import pytest

from rewriter import Unsupported, define, pin
from rewriter.model import Column, Relation, Session, Snapshot, Table, TableName, ViewState

SESSION = Session("lake", ("demo",), temporary_views=frozenset({"tmp"}))
SALES, PLAIN = (TableName(("lake", "demo", name)) for name in ("sales", "plain"))
COLUMNS = (
    Column("region", "string"), Column("n", "int"), Column("big", "bigint"), Column("ts", "timestamp"),
    Column("sales", "int"), Column("price", "double"), Column("sure", "int", nullable=False),
)  # fmt: skip
TABLES: dict[TableName, Relation | None] = {
    SALES: Table(SALES, "u", COLUMNS, (Snapshot(1, 0, "append", 0),)),
    PLAIN: ViewState(PLAIN, "v", 1),
}


def test_hidden_columns_make_it_roll_up() -> None:
    definition = define("SELECT region AS r, avg(big) AS a FROM sales GROUP BY region", SESSION, TABLES)
    assert definition.storage_query == (
        "SELECT sales_0.region AS r, avg(sales_0.big) AS a, count(*) AS viewgate_rows_0, "
        "sum(CAST(sales_0.big AS DECIMAL(38, 0))) AS viewgate_sum_1, count(sales_0.big) AS viewgate_count_2 "
        "FROM lake.demo.sales AS sales_0 GROUP BY sales_0.region"
    )
    assert definition.hidden == ("viewgate_rows_0", "viewgate_sum_1", "viewgate_count_2")


def test_what_is_there_already_is_not_stored_twice() -> None:
    definition = define("SELECT avg(n) a, sum(n) s, count(n) c, count(*) r FROM sales", SESSION, TABLES)
    assert definition.hidden == ()


@pytest.mark.parametrize(
    ("outputs", "hidden"),
    [
        ("sum(n) AS s", ("viewgate_rows_0", "viewgate_count_1")),
        ("sum(n) AS s, count(n) AS c", ("viewgate_rows_0",)),
        ("sum(price) AS s", ("viewgate_rows_0",)),  # a deleted value cannot be subtracted exactly
        ("sum(n) AS s, max(n) AS m", ("viewgate_rows_0",)),  # and a maximum takes no row
        ("sum(DISTINCT n) AS s", ("viewgate_rows_0",)),
        ("sum(sure) AS s", ("viewgate_rows_0",)),
        ("sum(CAST(big AS DECIMAL(38,0))) AS s, count(big) AS c", ("viewgate_rows_0",)),
        ("sum(CAST(big AS DECIMAL(19,0))) AS s, count(big) AS c", ("viewgate_rows_0", "viewgate_count_1")),
    ],
)
def test_a_sum_that_can_take_values_back_is_kept_with_their_number(outputs: str, hidden: tuple[str, ...]) -> None:
    assert define(f"SELECT region, {outputs} FROM sales GROUP BY region", SESSION, TABLES).hidden == hidden


def test_a_sum_over_a_join_is_kept_with_the_number_of_its_values() -> None:
    query = "SELECT a.region, sum(b.n) AS s FROM sales AS a JOIN sales AS b ON a.big = b.big GROUP BY a.region"
    assert define(query, SESSION, TABLES).hidden == ("viewgate_rows_0", "viewgate_count_1")


def test_keys_that_are_no_outputs_and_parts_of_expressions() -> None:
    definition = define("SELECT sum(n) / count(*) AS x FROM sales GROUP BY region", SESSION, TABLES)
    assert "sales_0.region AS viewgate_key_0" in definition.storage_query
    assert "sum(sales_0.n) AS viewgate_sum_" in definition.storage_query


def test_which_of_several_sets_a_row_is_of_is_stored() -> None:
    definition = define("SELECT region, n, sum(big) AS s FROM sales GROUP BY ROLLUP (region, n)", SESSION, TABLES)
    assert definition.storage_query == (
        "SELECT sales_0.region AS region, sales_0.n AS n, sum(sales_0.big) AS s, count(*) AS viewgate_rows_0, "
        "(CAST(grouping(sales_0.region) AS BIGINT) * 2) + CAST(grouping(sales_0.n) AS BIGINT) AS viewgate_set_1 "
        "FROM lake.demo.sales AS sales_0 GROUP BY GROUPING SETS ((sales_0.region, sales_0.n), (sales_0.region), ())"
    )
    limited = define("SELECT region, n FROM sales GROUP BY ROLLUP (region, n) LIMIT 5", SESSION, TABLES)
    assert limited.hidden == ()


def test_a_view_of_rows_needs_none() -> None:
    assert define("SELECT n FROM sales WHERE n > 1", SESSION, TABLES).hidden == ()


def test_columns_that_are_named_from_outside() -> None:
    definition = define("SELECT region, sum(n) FROM sales GROUP BY 1", SESSION, TABLES, ("a", "total amount"))
    assert "sum(sales_0.n) AS `total amount`" in definition.storage_query


def test_timeseries_is_sparks_own_in_the_view_and_keeps_its_form_in_storage() -> None:
    definition = define("SELECT timeseries(ts, 'hour') h, sum(n) s FROM sales GROUP BY 1", SESSION, TABLES)
    assert definition.query == "SELECT date_trunc('HOUR', ts) h, sum(n) s FROM sales GROUP BY 1"
    assert "timeseries(sales_0.ts, 'hour', 'timestamp') AS h" in definition.storage_query
    assert "date_trunc('HOUR', sales_0.ts) AS h" in pin(definition.storage_query, {}, SESSION)


def test_a_shape_without_block_is_stored_as_it_is() -> None:
    query = "SELECT region FROM sales UNION ALL SELECT region FROM sales LIMIT 3"
    definition = define(query, SESSION, TABLES)
    assert (definition.storage_query, definition.hidden, definition.sources) == (query, (), (SALES,))


def test_groups_of_groups_have_hidden_columns_behind_the_text_of_those() -> None:
    groups = "WITH x AS (SELECT region, n, sum(big) AS p FROM sales GROUP BY region, n) "
    query = f"{groups}SELECT n, avg(p) AS mean FROM x GROUP BY n"
    definition = define(query, SESSION, TABLES)
    assert definition.query == query
    assert definition.storage_query == (
        f"{groups}SELECT x_0.n AS n, avg(x_0.p) AS mean, count(*) AS viewgate_rows_0, "
        "sum(CAST(x_0.p AS DECIMAL(38, 0))) AS viewgate_sum_1, count(x_0.p) AS viewgate_count_2 "
        "FROM x AS x_0 GROUP BY x_0.n"
    )


def test_a_table_is_a_source_also_where_a_cte_has_its_name() -> None:
    query = "WITH sales AS (SELECT * FROM sales WHERE n > 1) SELECT region AS r, n AS n FROM sales LIMIT 3"
    assert define(query, SESSION, TABLES).sources == (SALES,)
    assert pin(query, {SALES: 7}, SESSION) == query.replace("FROM sales W", "FROM lake.demo.sales VERSION AS OF 7 W")


def test_pinning_puts_the_version_behind_each_name() -> None:
    query = "SELECT sales.sales FROM sales, demo.sales s WHERE s.n IN (SELECT n FROM sales)"
    assert pin(query, {SALES: 7}, SESSION) == (
        "SELECT sales.sales FROM lake.demo.sales VERSION AS OF 7, lake.demo.sales VERSION AS OF 7 s "
        "WHERE s.n IN (SELECT n FROM lake.demo.sales VERSION AS OF 7)"
    )


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("SELECT unix_timestamp() AS u FROM sales", r"unix_timestamp\(\) depends on the current time"),
        (
            "SELECT id FROM sales WHERE CAST(substring_index('x today', ' ', -1) AS DATE) > DATE '2024-01-01'",
            "another day at each refresh",
        ),
        (
            "SELECT transform(array(region), x -> DATE 'today') AS d FROM sales",
            "'today' can mean another day at each refresh",
        ),
        ("SELECT rand() FROM sales", r"rand\(\) is not known to return the same value at each call"),
        (
            "SELECT hll_sketch_agg(n) FROM sales",
            r"hll_sketch_agg\(\) depends on how .*theta_sketch_agg\(\) does not",
        ),
        ("SELECT first(n) FROM sales", r"first\(\) may return the value of any of several rows; remove first\(\)"),
        ("SELECT current_date FROM sales", "depends on the time"),
        ("SELECT current_timestamp() AS c FROM sales", "current_timestamp"),
        ("SELECT current_user AS u FROM sales", "depends on the user"),
        ("SELECT n FROM tmp", "is a temporary view"),
        ("SELECT id FROM range(5)", "is a function"),
        ("SELECT n FROM plain", "plain is a view whose query is not supported"),
        ("SELECT n FROM elsewhere", "not an Iceberg table"),
        ("SELECT n FROM sales VERSION AS OF 7", "time travel"),
        ("SELECT n FROM sales TABLESAMPLE (5 PERCENT)", "TABLESAMPLE"),
        ("SELECT 1", "reads no table"),
        ("DELETE FROM sales", "defined by a query"),
        ("SELECT n FROM sales WHERE region = '${x}'", "contains a variable"),
        ("SELECT trim(BOTH 'x' FROM region) FROM sales", "is not supported"),
        ("SELECT n FROM sales WHERE EXISTS (SELECT 1 FROM plain)", "plain is a view"),
    ],
)
def test_what_cannot_be_kept_fresh_is_refused_with_the_reason(query: str, problem: str) -> None:
    with pytest.raises(Unsupported, match=problem):
        define(query, SESSION, TABLES)


@pytest.mark.parametrize(
    "text",
    [
        "TIMESTAMP 'now'", "DATE ' Today UTC'", "CAST('now' AS TIMESTAMP)", "CAST('now' AS STRING)", "ts < 'tomorrow'",
        "'yesterday' <= ts", "ts BETWEEN '2024-01-01' AND ('today')", "ts IN ('2024-01-01', 'today')",
        "date_trunc('day', 'now')", "coalesce(ts, 'today')", "CASE WHEN n > 1 THEN ts ELSE 'today' END",
        "CASE WHEN true THEN 'today' END", "ts < concat('to', 'day')", "CAST('to' || ('day') AS DATE)",
        "CAST(lower('TODAY') AS DATE)", "ts < 'to' 'day'",
    ],
)  # fmt: skip
def test_texts_that_mean_another_day_each_time_are_refused(text: str) -> None:
    for query in (
        f"SELECT {text} AS x, n FROM sales",
        f"SELECT n FROM sales WHERE n IN (SELECT n FROM sales WHERE {text})",
    ):
        with pytest.raises(Unsupported, match="another day at each refresh"):
            define(query, SESSION, TABLES)


@pytest.mark.parametrize(
    "text",
    [
        "'today'", "region = 'today'", "'now' = region", "region IN ('today', 'tomorrow')", "region <> upper('now')",
        "CASE WHEN n > 1 THEN 'today' ELSE 'later' END", "CASE region WHEN 'today' THEN 1 ELSE 2 END",
        "coalesce(region, 'now')", "concat(region, 'today')", "ts < TIMESTAMP 'epoch'", "region = 'nowhere'",
        "ts < DATE '2024-01-01'", "region || 'today'",
    ],
)  # fmt: skip
def test_the_same_words_as_texts_are_not(text: str) -> None:
    assert text.split("'")[1] in define(f"SELECT {text} AS x, n FROM sales", SESSION, TABLES).storage_query


def test_settings_under_which_a_text_means_something_else() -> None:
    session = Session("lake", ("demo",), {"spark.sql.caseSensitive": "true"})
    with pytest.raises(Unsupported, match="RESET this setting"):
        define("SELECT n FROM sales", session, TABLES)


@pytest.mark.parametrize(
    ("query", "hidden"),
    [
        ("SELECT n FROM sales ORDER BY region, n", ("viewgate_order_0",)),
        ("SELECT n FROM sales ORDER BY big + 1", ("viewgate_order_0",)),
        ("SELECT region, count(*) AS c FROM sales GROUP BY region ORDER BY max(n)", ("viewgate_order_0",)),
        ("SELECT n FROM sales ORDER BY region LIMIT 3", ()),  # its rows are what the order makes of them
        ("SELECT n FROM sales ORDER BY 1", ()),
    ],
)
def test_what_it_orders_by_is_stored_too(query: str, hidden: tuple[str, ...]) -> None:
    assert define(query, SESSION, TABLES).hidden == hidden

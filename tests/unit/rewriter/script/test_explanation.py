"""Explanations of queries without a server."""

from __future__ import annotations

import pytest

from rewriter.script import ScriptError, Workspace, read_script

SCRIPT = """
CREATE TABLE sales (id INT NOT NULL, country STRING, n INT, price DECIMAL(10,2), at TIMESTAMP, note BINARY);
CREATE TABLE lands (name STRING, area BIGINT);
CREATE MATERIALIZED VIEW by_country AS SELECT country, sum(price) AS total, count(*) AS cnt FROM sales GROUP BY country;
CREATE MATERIALIZED VIEW by_minute AS
  SELECT timeseries(at, 'five_minute') AS m, country, sum(n) AS n FROM sales GROUP BY 1, 2;
CREATE MATERIALIZED VIEW rows AS SELECT country, n, note FROM sales WHERE n > 5
"""


def workspace() -> Workspace:
    return read_script(SCRIPT)


def test_a_hit_with_all_that_is_needed_to_run_it() -> None:
    said = workspace().explain("SELECT country, sum(price), count(*) FROM sales GROUP BY country").as_json()
    assert said == {
        "rewritten": True,
        "sql": "SELECT v.`country` AS country, v.`total` AS `sum(price)`, v.`cnt` AS `count(1)` "
        "FROM by_country__storage AS v",
        "views": ["by_country"],
        "storage": {
            "by_country__storage": "SELECT sales_0.country AS country, sum(sales_0.price) AS total, count(*) AS cnt, "
            "count(sales_0.price) AS viewgate_count_0 FROM sales AS sales_0 GROUP BY sales_0.country"
        },
        "problem": "",
        "tried": said["tried"],
        "suggestion": None,
    }
    assert {attempt["view"]: attempt["verdict"] for attempt in said["tried"]} == {
        "by_country": "chosen", "by_minute": "missed", "rows": "missed",
    }  # fmt: skip
    assert set(said["tried"][0]) == {"view", "rule", "verdict", "reason", "detail", "block"}


SHARES = [
    "SELECT country, count(*) / (SELECT count(*) FROM sales) AS share FROM sales GROUP BY country",
    "SELECT country, sum(price) AS s, (SELECT max(area) FROM lands) AS area FROM sales GROUP BY country",
    "WITH t AS (SELECT country, price FROM sales) "
    "SELECT country, sum(price) AS s, (SELECT sum(price) FROM t) AS whole FROM t GROUP BY country",
]


@pytest.mark.parametrize("query", SHARES)
def test_a_subquery_among_the_outputs_has_a_known_type(query: str) -> None:
    assert workspace().explain(query).views == ("by_country",)


def test_a_subquery_of_a_type_that_is_not_known_is_named() -> None:
    query = "SELECT country, count(*) AS n, (SELECT max(INTERVAL 1 DAY) FROM lands) AS d FROM sales GROUP BY country"
    assert "the type of (SELECT max(INTERVAL 1 DAY) FROM lands) is not known for certain" in str(
        workspace().explain(query)
    )


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("use = 'by_minute'", "by_minute missed, GROUPING_TOO_COARSE: the view's groups are too coarse: price"),
        ("use = 'by_contry'", "by_contry missed, NO_SUCH_VIEW: no materialized view is named by_contry: did you mean "
         "by_country?"),
        ("off", "each of 3 views missed, REWRITE_OFF: the statement has the hint VIEWGATE(off)"),
    ],
)  # fmt: skip
def test_a_hint_is_followed_without_a_server(hint: str, said: str) -> None:
    query = f"SELECT /*+ VIEWGATE({hint}) */ price, count(*) FROM sales GROUP BY price"
    explained = str(workspace().explain(query))
    assert said in explained
    assert "\nfor \n" not in explained
    assert explained.count("the statement's hint names another view") <= 1


def test_an_invalid_hint_is_refused() -> None:
    with pytest.raises(ScriptError, match="the query has an invalid hint: the hint VIEWGATE has no option view"):
        workspace().explain("SELECT /*+ VIEWGATE(view = 'rows') */ n FROM sales")


@pytest.mark.parametrize("pattern", ["u", "YYYY-ww", "e", "MMMMM"])
def test_no_view_is_suggested_with_a_pattern_that_spark_refuses(pattern: str) -> None:
    said = workspace().explain(f"SELECT date_format(at, '{pattern}'), sum(n) FROM sales GROUP BY 1")
    assert said.suggestion is None
    assert "in the pattern of date_format(): write another function, such as weekday() or weekofyear()" in str(said)
    assert workspace().explain("SELECT date_format(at, 'EEEE'), sum(n) FROM sales GROUP BY 1").rewritten


def test_a_miss_is_the_query_with_reasons() -> None:
    said = workspace().explain("SELECT country, max(price) FROM sales GROUP BY country")
    assert (said.rewritten, said.views, said.storage) == (False, (), {})
    assert said.sql == "SELECT country, max(price) FROM sales GROUP BY country"
    assert "by_country missed, AGGREGATE_NOT_IN_VIEW: the view does not store max(price)" in str(said)


def test_nothing_is_pinned_for_a_script_has_one_moment() -> None:
    said = workspace().explain("SELECT country, area, count(*) FROM sales JOIN lands ON country = name GROUP BY 1, 2")
    assert said.rewritten
    assert "VERSION" not in said.sql


def test_buckets_are_in_sparks_own_functions_and_named_as_typed() -> None:
    said = workspace().explain("SELECT timeseries(at, 'hour'), sum(n) FROM sales GROUP BY 1")
    assert said.views == ("by_minute",)
    assert said.sql.startswith("SELECT CAST(date_trunc('HOUR', v.`m`) AS timestamp) AS `timeseries(at, 'hour')`, ")
    assert "timeseries" not in said.storage["by_minute__storage"]


def test_where_the_oracle_is_not_certain_the_query_stays() -> None:
    for query in ("SELECT concat(note, note) FROM sales WHERE n > 5", "SELECT +n FROM sales WHERE n > 5"):
        said = workspace().explain(query)
        assert (said.rewritten, said.sql) == (False, query)
        assert "known for certain" in str(said)


def test_two_blocks_of_one_statement() -> None:
    query = "SELECT country, count(*) FROM sales GROUP BY country UNION ALL SELECT 'all', count(*) FROM sales"
    said = workspace().explain(query)
    assert said.sql.count("by_country__storage") == 2
    assert list(said.storage) == ["by_country__storage"]


def test_columns_of_one_name_are_told_apart() -> None:
    tables = "CREATE TABLE orders (id INT, customer_id INT); CREATE TABLE customers (customer_id INT, country STRING);"
    view = """CREATE MATERIALIZED VIEW both AS
        SELECT id, country FROM orders o JOIN customers c ON o.customer_id = c.customer_id"""
    semi = "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE o.customer_id = c.customer_id)"
    said = str(read_script(tables + view).explain(semi))
    assert "the view holds only the rows with orders.customer_id = customers.customer_id" in said


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("SELECT country FROM sales; SELECT 1", "the text contains more than one statement"),
        ("SELECT 1", "the query reads no table"),
        (
            "FROM lands SELECT area",
            "a query that starts with FROM or TABLE is not supported: write SELECT … FROM table",
        ),
        ("SELECT area FROM lands", "no view reads any of the query's tables"),
        (
            "SELECT substring(country FROM 1 FOR 2) FROM sales",
            "'SELECT substring(country FROM 1 FOR 2) FROM sales' is not supported: ",
        ),
    ],
)
def test_why_no_view_was_tried(query: str, problem: str) -> None:
    said = workspace().explain(query)
    assert (said.rewritten, said.tried) == (False, ())
    assert said.problem.startswith(problem)
    assert str(said).startswith(f"not rewritten: {said.problem}\n\n{query}")


def test_each_select_has_its_own_reasons() -> None:
    inner = "SELECT country, max(n) AS m FROM sales GROUP BY country"
    query = f"SELECT max(m) FROM ({inner}) t"
    said = workspace().explain(query)
    assert [attempt["block"] for attempt in said.as_json()["tried"]] == [query] * 3 + [inner] * 3
    text = str(said)
    assert (
        f"for line 1, column 1: {query}\n  each of 3 views missed, UNSUPPORTED: the SELECT reads only derived tables"
        in text
    )
    assert (
        f"for line 1, column 21: {inner}\n  by_country missed, AGGREGATE_NOT_IN_VIEW: the view does not store max(n)"
        in text
    )


DEEP = {
    "parentheses": "SELECT " + "(" * 800 + "a" + ")" * 800 + " FROM t",
    "NOT": "SELECT a FROM t WHERE " + "NOT " * 800 + "a = 1",
    "CASE": "SELECT " + "CASE WHEN a = 1 THEN 2 ELSE " * 800 + "a" + " END" * 800 + " FROM t",
    "EXISTS": "SELECT a FROM t" + " WHERE EXISTS (SELECT 1 FROM t" * 800 + ")" * 800,
    "calls": "SELECT " + "abs(" * 1500 + "a" + ")" * 1500 + " FROM t",
}


@pytest.mark.parametrize("name", DEEP)
def test_a_query_too_deep_for_the_parser_is_not_rewritten(name: str) -> None:
    workspace = read_script("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT a FROM t;")
    explanation = workspace.explain(DEEP[name])
    assert not explanation.rewritten
    assert "nested too deeply" in str(explanation) or "more than 300 SELECTs" in str(explanation)


@pytest.mark.parametrize("kind", ["VIEW", "MATERIALIZED VIEW"])
@pytest.mark.parametrize("terms", [500, 1500])
def test_a_view_that_is_nested_too_deeply_is_refused_in_words(kind: str, terms: int) -> None:
    with pytest.raises(ScriptError, match=r"line 2: the .*view w cannot be created: the query is nested too deeply"):
        read_script(f"CREATE TABLE t (a INT);\nCREATE {kind} w AS SELECT a{'+1' * terms} AS b FROM t;")


@pytest.mark.parametrize("terms", [420, 800])
def test_what_is_nested_too_deeply_stays(terms: int) -> None:
    deep = " OR ".join(f"country = '{i}'" for i in range(terms))
    said = workspace().explain(f"SELECT sum(price) AS s FROM sales WHERE {deep}")
    assert not said.rewritten
    details = {attempt.detail for attempt in said.tried if attempt.view.table == "by_country"}
    assert details == {"the query is nested too deeply: simplify the query"}
    sums = " + ".join(["sum(price)"] * terms)
    assert not workspace().explain(f"SELECT {sums} AS s FROM sales").rewritten


TEXTS = """
CREATE MATERIALIZED VIEW top AS SELECT country, n FROM sales ORDER BY n LIMIT 3;
CREATE MATERIALIZED VIEW subtotals AS SELECT country, sum(price) FROM sales GROUP BY GROUPING SETS ((country), ());
CREATE MATERIALIZED VIEW named (land, total) AS
  SELECT country, sum(n) FROM sales GROUP BY GROUPING SETS ((country), ());
CREATE MATERIALIZED VIEW few (place) AS SELECT name FROM lands ORDER BY name LIMIT 3;
CREATE MATERIALIZED VIEW both AS SELECT country FROM sales UNION ALL SELECT name FROM lands
"""


@pytest.mark.parametrize(
    ("query", "sql"),
    [
        (
            "SELECT Country, n FROM sales ORDER BY n LIMIT 3",
            "SELECT v.`country` AS Country, v.`n` AS n FROM top__storage AS v ORDER BY 2 ASC NULLS FIRST",
        ),
        (
            "SELECT country, sum(price) FROM sales GROUP BY GROUPING SETS ((country), ())",
            "SELECT v.`country` AS country, v.`sum(price)` AS `sum(price)` FROM subtotals__storage AS v",
        ),
        (
            "SELECT country, sum(n) FROM sales GROUP BY GROUPING SETS ((country), ())",
            "SELECT v.`land` AS country, v.`total` AS `sum(n)` FROM named__storage AS v",
        ),
        (
            "SELECT name FROM lands ORDER BY name LIMIT 3",
            "SELECT v.`place` AS name FROM few__storage AS v ORDER BY 1 ASC NULLS FIRST",
        ),
    ],
)
def test_a_text_match_has_the_names_that_the_query_gives(query: str, sql: str) -> None:
    said = read_script(f"{SCRIPT};{TEXTS}").explain(query)
    assert (said.rewritten, said.sql) == (True, sql)


def test_a_text_match_of_several_selects_has_the_columns_of_its_branches() -> None:
    said = read_script(f"{SCRIPT};{TEXTS}").explain("SELECT country FROM sales UNION ALL SELECT name FROM lands")
    assert said.rewritten
    assert list(said.storage) == ["both__storage"]


def test_a_text_match_of_several_selects_without_a_name_has_no_known_columns() -> None:
    query = "SELECT try_cast(country AS STRING) FROM sales UNION ALL SELECT name FROM lands"
    said = read_script(f"{SCRIPT}; CREATE MATERIALIZED VIEW v (c) AS {query};").explain(query)
    assert (said.rewritten, said.sql) == (False, query)
    assert "v missed, UNSUPPORTED: the names of the query's outputs are not known for certain" in str(said)


@pytest.mark.parametrize("items", ["*", "*, n * 2", "n * 2, t.*"])
def test_a_star_over_an_output_without_a_known_name_has_none_either(items: str) -> None:
    query = f"SELECT {items} FROM (SELECT n, n + 1L FROM sales WHERE n > 5) AS t"
    said = workspace().explain(query)
    assert (said.rewritten, said.sql) == (False, query)
    assert "UNSUPPORTED: * stands for a column whose name is not known for certain" in str(said)


def test_a_star_over_outputs_without_alias_has_the_names_of_spark() -> None:
    said = workspace().explain("SELECT * FROM (SELECT n, n + 1 FROM sales WHERE n > 5) AS t")
    assert said.rewritten
    assert "AS `(n + 1)`" in said.sql


def test_an_output_that_uses_an_alias_before_it_has_no_known_name() -> None:
    said = workspace().explain("SELECT n + 1 AS m, m * 2 FROM sales WHERE n > 5")
    assert "the output name of m * 2 is not known for certain" in str(said)


@pytest.mark.parametrize("items", ["*", "s.*", "s.n, l.area", "n + 1", "1"])
def test_the_outputs_of_exists_need_no_names(items: str) -> None:
    view = "CREATE MATERIALIZED VIEW by_n AS SELECT country, n, count(*) AS c FROM sales GROUP BY country, n"
    query = (
        f"SELECT name FROM lands WHERE EXISTS (SELECT {items} FROM sales s, lands l WHERE s.n = l.area AND l.area > 1)"
    )
    made = read_script(f"{SCRIPT}; {view}")
    said = made.explain(query)
    assert said.rewritten, said
    assert "EXISTS (SELECT CAST(1 AS int) AS `1` FROM by_n__storage AS v, lands AS lands_0 WHERE" in said.sql


def test_branches_keep_the_names_of_their_outputs() -> None:
    view = "CREATE MATERIALIZED VIEW by_n AS SELECT country, n, count(*) AS c FROM sales GROUP BY country, n"
    query = "SELECT country, n + 1 FROM sales WHERE n > 1 INTERSECT SELECT name, n FROM sales JOIN lands ON n = area"
    said = read_script(f"{SCRIPT}; {view}").explain(query)
    first, _, second = said.sql.partition(" INTERSECT ")
    assert first.startswith(
        "SELECT v.`country` AS country, CAST(v.`n` + 1 AS int) AS `(n + 1)` FROM by_n__storage AS v"
    )
    assert second.startswith("SELECT CAST(lands_0.name AS string) AS name, v.`n` AS n FROM by_n__storage AS v, lands")


def test_a_view_over_derived_tables_answers_without_a_server() -> None:
    made = read_script(
        SCRIPT + "; CREATE MATERIALIZED VIEW sizes AS SELECT lots, count(*) AS lands, max(total) AS most FROM (SELECT "
        "country, count(*) AS lots, sum(n) AS total FROM sales GROUP BY country) AS x GROUP BY lots"
    )
    said = made.explain(
        "SELECT max(t), count(*) FROM (SELECT country, count(*) AS k, sum(n) AS t FROM sales GROUP BY country)"
    )
    assert said.sql == (
        "SELECT CAST(max(v.`most`) AS bigint) AS `max(t)`, CAST(coalesce(sum(v.`lands`), 0) AS bigint) AS `count(1)` "
        "FROM sizes__storage AS v"
    )

"""Each reason for a miss names the object in the user's own statement."""

from __future__ import annotations

import pytest

from rewriter.script import read_script

SCRIPT = """
CREATE TABLE sales (id INT PRIMARY KEY, country STRING, customer INT, price DECIMAL(10,2));
CREATE TABLE customers (cid INT PRIMARY KEY, region STRING);
CREATE MATERIALIZED VIEW by_country AS SELECT country, sum(price) AS total FROM sales GROUP BY country;
CREATE MATERIALIZED VIEW by_region AS
    SELECT region, sum(price) AS total FROM sales LEFT JOIN customers ON customer = cid GROUP BY region;
CREATE MATERIALIZED VIEW inner AS
    SELECT region, sum(price) AS total FROM sales JOIN customers ON customer = cid GROUP BY region;
"""

JOINED = """
CREATE TABLE sales (id INT NOT NULL PRIMARY KEY, country STRING NOT NULL, customer INT NOT NULL, price DECIMAL(10,2));
CREATE TABLE customers (cid INT NOT NULL PRIMARY KEY, region STRING);
CREATE TABLE names (code STRING);
CREATE MATERIALIZED VIEW eu AS SELECT country, price FROM sales WHERE country = 'eu';
CREATE MATERIALIZED VIEW ids AS
    SELECT id, cid, count(*) AS n FROM sales JOIN customers ON customer = cid GROUP BY id, cid;
"""


def reasons(query: str, script: str = SCRIPT) -> dict[str, str]:
    """Return the last reason of each view."""
    return {attempt.view.table: attempt.detail for attempt in read_script(script).explain(query).tried}


def test_a_correlated_subquery_without_an_alias_is_named() -> None:
    said = reasons("SELECT id, (SELECT max(region) FROM customers WHERE cid = customer) FROM sales")
    assert said["by_country"] == (
        "the subquery on customers refers to customer, a column of the outer query, which is supported only with "
        "EXISTS or IN in WHERE: write the subquery as a join"
    )
    assert said["by_region"].startswith("customer is not a column of the subquery's FROM, and a correlated")


@pytest.mark.parametrize(
    ("tables", "view", "reason"),
    [
        ("sales RIGHT JOIN customers", "by_country", "customer"),
        (
            "sales RIGHT JOIN customers",
            "by_region",
            "the view has a LEFT join of customers ON customer = cid, which the query lacks: create a view "
            "without the join",
        ),
        (
            "sales RIGHT JOIN customers",
            "inner",
            "the query has a RIGHT join of customers ON customer = cid, where the view has an inner join: create a "
            "view with the join of the query",
        ),
        (
            "customers LEFT JOIN sales",
            "inner",
            "the query has a LEFT join of sales ON customer = cid, where the view has an inner join: create a "
            "view with the join of the query",
        ),
        (
            "sales s FULL JOIN customers c",
            "by_country",
            "the query has a FULL join of s and c ON customer = cid, which the view lacks: add the join to the view",
        ),
        (
            "sales ANTI JOIN customers",
            "by_region",
            "cid, which distinguishes the rows that the view's outer join has matched from the rows without a match: "
            "add cid to the view",
        ),
    ],
)
def test_a_join_is_told_with_its_tables(tables: str, view: str, reason: str) -> None:
    assert reasons(f"SELECT count(*) FROM {tables} ON customer = cid")[view] == reason


@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ("ORDER BY 3", "3 in GROUP BY or ORDER BY is not a position in the SELECT list: give a number from 1 to 2"),
        ("ORDER BY ALL", "ORDER BY ALL is not supported: name the outputs by which to sort"),
        ("SORT BY country", "the clause SORT BY is not supported: remove the clause, or write ORDER BY"),
        ("LIMIT 1 + 1", "LIMIT 1 + 1 is not supported: LIMIT and OFFSET take a whole number"),
    ],
)
def test_a_clause_is_told_as_it_is_written(clause: str, reason: str) -> None:
    assert reasons(f"SELECT country, sum(price) FROM sales GROUP BY country {clause}")["by_country"] == reason


def test_two_tables_of_one_name_are_told_by_it() -> None:
    query = "SELECT count(*) FROM sales, customers sales"
    assert reasons(query)["by_country"] == "two tables in FROM are named sales: give one of them an alias"


@pytest.mark.parametrize(
    ("query", "view", "reason"),
    [
        (
            "SELECT code, sum(price) FROM names LEFT JOIN sales ON country = 'eu' GROUP BY code",
            "eu",
            "the ON condition country = 'eu' of the query's outer join only repeats the view's filter: add an equality "
            "with a column of the view to ON",
        ),
        (
            "SELECT region, country, count(*) FROM sales JOIN customers ON customer = cid GROUP BY region, country",
            "ids",
            "the view lacks country, region, and joining all tables of the view again to read country, region would "
            "cost as much as the query itself: add country, region to the view",
        ),
    ],
)
def test_the_condition_and_the_columns_of_a_join_are_named(query: str, view: str, reason: str) -> None:
    assert reasons(query, JOINED)[view] == reason


@pytest.mark.parametrize(
    ("branches", "reason"),
    [
        (
            "SELECT country AS x FROM sales UNION ALL SELECT id FROM sales",
            "the column x of a set operation has the types",
        ),
        ("SELECT id, country FROM sales UNION ALL SELECT id FROM sales", "have 2 and 1 columns"),
        ("SELECT id + 1L FROM sales UNION ALL SELECT id FROM sales", "the name of the column"),
    ],
)
def test_the_branch_that_does_not_fit_is_told(branches: str, reason: str) -> None:
    tried = read_script(SCRIPT).explain(f"SELECT count(*) FROM ({branches}) AS d").tried
    assert any(reason in attempt.detail for attempt in tried)

from __future__ import annotations

import pytest

from proxy.commands import find
from proxy.commands.alter import SetProperties, UnsetProperties, Widen
from proxy.commands.check import CheckConstraints
from proxy.commands.create import Create
from proxy.commands.describe import Describe, ShowCreate
from proxy.commands.drop import Drop
from proxy.commands.refresh import Refresh
from proxy.commands.settings import Reset, Set
from proxy.commands.show import Show
from proxy.hs2 import SqlError
from proxy.pipeline import Asked

FULL = """-- a dashboard
create Materialized /* really */ VIEW IF NOT EXISTS lake.`my ns`.agg
  (country COMMENT 'it''s a land', `sum(quantity)`)
  COMMENT "by \\"country\\"" WITH DEFERRED REFRESH PARTITIONED BY (bucket(4, country), days(ts))
  PROPERTIES ('a.b' = '1', c = true) TBLPROPERTIES (d '2')
AS SELECT country, sum(quantity) -- kept
FROM sales WHERE x = ';' ; """


@pytest.mark.parametrize(
    ("sql", "command"),
    [
        (
            FULL,
            Create(
                name=("lake", "my ns", "agg"),
                query="SELECT country, sum(quantity) -- kept\nFROM sales WHERE x = ';'",
                if_not_exists=True,
                columns=(("country", "it's a land"), ("sum(quantity)", None)),
                comment='by "country"',
                deferred=True,
                partitioned_by="bucket(4, country), days(ts)",
                properties={"a.b": "1", "c": "true", "d": "2"},
            ),
        ),
        (
            "CREATE OR REPLACE MATERIALIZED VIEW a WITHOUT DEFERRED REFRESH AS WITH x AS (SELECT 1) SELECT * FROM x",
            Create(name=("a",), query="WITH x AS (SELECT 1) SELECT * FROM x", or_replace=True),
        ),
        (
            "CREATE MATERIALIZED VIEW a PROPERTIES ('viewgate.refresh'='deferred') AS SELECT 1",
            Create(name=("a",), query="SELECT 1", deferred=True),
        ),
        ("REFRESH MATERIALIZED VIEW a.b", Refresh(("a", "b"))),
        ("REFRESH MATERIALIZED VIEW a.b FULL;;", Refresh(("a", "b"), Asked(full=True))),
        ("REFRESH MATERIALIZED VIEW a WHERE d > ';' OR x;", Refresh(("a",), Asked(where="d > ';' OR x"))),
        ("ALTER MATERIALIZED VIEW a ENABLE REWRITE", SetProperties(("a",), {"viewgate.rewrite": "on"})),
        ("ALTER MATERIALIZED VIEW a DISABLE REWRITE", SetProperties(("a",), {"viewgate.rewrite": "off"})),
        ("ALTER MATERIALIZED VIEW a SET PROPERTIES ('x'='y')", SetProperties(("a",), {"x": "y"})),
        ("ALTER MATERIALIZED VIEW a UNSET PROPERTIES ('x', y.z)", UnsetProperties(("a",), ("x", "y.z"))),
        ("ALTER MATERIALIZED VIEW a ADD COLUMNS (max(x) AS top, y);", Widen(("a",), outputs="max(x) AS top, y")),
        ("ALTER MATERIALIZED VIEW a AS SELECT 1", Widen(("a",), query="SELECT 1")),
        ("DROP MATERIALIZED VIEW IF EXISTS `a``b`", Drop(("a`b",), if_exists=True)),
        ("SHOW MATERIALIZED VIEWS", Show()),
        ("SHOW MATERIALIZED VIEWS IN lake.demo LIKE 'agg*'", Show(("lake", "demo"), None, "agg*")),
        ("SHOW MATERIALIZED VIEWS ON TABLE demo.sales", Show(None, ("demo", "sales"))),
        ("SHOW CREATE MATERIALIZED VIEW a", ShowCreate(("a",))),
        ("DESC MATERIALIZED VIEW EXTENDED a", Describe(("a",))),
        ("CHECK CONSTRAINTS ON TABLE demo.sales;", CheckConstraints(("demo", "sales"))),
        ("SET viewgate.trust-constraints = true", Set("viewgate.trust-constraints", "true")),
        ("SET `viewgate.trust-constraints` = `true`;", Set("viewgate.trust-constraints", "true")),
        ("SET `Viewgate.rewrite`", Set("viewgate.rewrite")),
        ("RESET `viewgate.rewrite`", Reset("viewgate.rewrite")),
    ],
)
def test_statements_of_ours(sql: str, command: object) -> None:
    assert find(sql) == command


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "SELECT 'CREATE MATERIALIZED VIEW'",
        "CREATE VIEW materialized AS SELECT 1",
        "SHOW TABLES",
        "DROP VIEW a",
        "-- CREATE MATERIALIZED VIEW\nSELECT 1",
        "'DROP' MATERIALIZED VIEW a",
        "DESCRIBE materialized",
    ],
)
def test_statements_of_others(sql: str) -> None:
    assert find(sql) is None


@pytest.mark.parametrize(
    ("sql", "place", "expected"),
    [
        ("CREATE MATERIALIZED VIEW", "the end of the statement (line 1, pos 24)", "a view's name"),
        ("CREATE MATERIALIZED VIEW a SELECT 1", "`SELECT` (line 1, pos 27)", "AS and a query"),
        ("CREATE MATERIALIZED VIEW a\nAS ;", "the end of the statement", "a query"),
        ("CREATE MATERIALIZED VIEW a\n COMMENT x AS SELECT 1", "`x` (line 2, pos 9)", "a comment in quotes"),
        ("CREATE MATERIALIZED VIEW a (b c) AS SELECT 1", "`c` (line 1, pos 30)", "`,` or `)`"),
        ("CREATE MATERIALIZED VIEW a PARTITIONED BY (b AS SELECT 1", "the end of the statement", "`)`"),
        ("REFRESH MATERIALIZED VIEW a b", "`b` (line 1, pos 28)", "the end of the statement"),
        ("ALTER MATERIALIZED VIEW a RENAME TO b", "`RENAME`", "ENABLE REWRITE, DISABLE REWRITE, SET PROPERTIES"),
        ("DROP MATERIALIZED VIEW 'a'", "`'a'`", "a view's name"),
        ("REFRESH MATERIALIZED VIEWS a", "`VIEWS` (line 1, pos 21)", "REFRESH MATERIALIZED VIEW."),
        ("REFRESH MATERIALISED VIEW a", "`MATERIALISED` (line 1, pos 8)", "REFRESH MATERIALIZED VIEW."),
        ("CREATE MATERIALIZED VEIW a AS SELECT 1", "`VEIW`", "CREATE MATERIALIZED VIEW."),
        ("SHOW MATERIALIZED VIEW", "`VIEW`", "SHOW MATERIALIZED VIEWS."),
        ("EXPLAIN REFRESH MATERIALIZED VIEWS a", "`VIEWS`", "EXPLAIN REFRESH MATERIALIZED VIEW."),
    ],
)
def test_a_wrong_statement_of_ours_says_where_and_what_was_expected(sql: str, place: str, expected: str) -> None:
    with pytest.raises(SqlError) as wrong:
        find(sql)
    assert wrong.value.sql_state == "42601"
    assert place in wrong.value.message
    assert f"expected {expected}" in wrong.value.message
    assert "Example: " in wrong.value.message


@pytest.mark.parametrize(
    "sql", ["KILL VIEWGATE nope", "RELOAD VIEWGATE", "PAUSE VIEWGATE;", "RESTART VIEWGATE WORKER 1"]
)
def test_an_incomplete_statement_for_operators_shows_an_example(sql: str) -> None:
    with pytest.raises(SqlError, match=f"Example: {sql.split()[0]} VIEWGATE ") as wrong:
        find(sql)
    assert wrong.value.sql_state == "42601"


@pytest.mark.parametrize(
    ("properties", "state"),
    [
        ("'viewgate.settings'='{}'", "0A000"),
        ("'iceberg.materialized.view'='false'", "0A000"),
        ("'viewgate.rewrite'='maybe'", "22023"),
        ("'viewgate.adopt'='demo.t'", "0A000"),
        ("'write.format.default'='csv'", "22023"),
    ],
)
def test_properties_that_a_user_may_not_set(properties: str, state: str) -> None:
    with pytest.raises(SqlError) as refused:
        find(f"ALTER MATERIALIZED VIEW a SET PROPERTIES ({properties})")
    assert refused.value.sql_state == state

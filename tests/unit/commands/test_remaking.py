"""The columns of tables that statements replace."""

from __future__ import annotations

import pytest

from proxy.commands.guard import columns_query


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("CREATE OR REPLACE TABLE d.t USING iceberg TBLPROPERTIES ('as' = 'x') AS TABLE s", "TABLE s"),
        ("REPLACE TABLE IDENTIFIER('t') PARTITIONED BY (a) AS WITH s AS (SELECT 1) SELECT * FROM s", None),
        ("CREATE OR REPLACE TABLE t (a INT) USING iceberg COMMENT 'AS'", "SELECT CAST(NULL AS INT) AS a"),
        (
            "REPLACE TABLE t (`a b` DECIMAL(9, 2) DEFAULT 1 + 1, s STRUCT<a: INT, b: MAP<INT, INT>> NOT NULL)",
            "SELECT CAST(NULL AS DECIMAL(9, 2)) AS `a b`, CAST(NULL AS STRUCT<a: INT, b: MAP<INT, INT>>) AS s",
        ),
        ("REPLACE TABLE t (a DATE COMMENT 'x') PARTITIONED BY (a)", "SELECT CAST(NULL AS DATE) AS a"),
        ("CREATE OR REPLACE TABLE t USING iceberg", ""),
        ("CREATE OR REPLACE TABLE t (", ""),
    ],
)
def test_the_query_that_has_them(sql: str, query: str | None) -> None:
    assert columns_query(sql) == ("WITH s AS (SELECT 1) SELECT * FROM s" if query is None else query)

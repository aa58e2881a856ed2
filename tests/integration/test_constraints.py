"""CHECK CONSTRAINTS counts the rows that violate a key."""

from __future__ import annotations

from typing import Any

from tests.integration import clients


def test_rows_that_break_the_keys_are_counted(pyhive: Any) -> None:
    for sql in (
        "CREATE NAMESPACE lake.keys",
        "USE lake.keys",
        "CREATE TABLE days (d INT, name STRING) TBLPROPERTIES ('viewgate.primary-key' = 'd')",
        "CREATE TABLE facts (id INT, day INT) TBLPROPERTIES ('viewgate.primary-key' = 'id', "
        "'viewgate.foreign-keys' = '(day) REFERENCES days (d)')",
        "INSERT INTO days VALUES (1, 'a'), (2, 'b'), (2, 'c'), (NULL, 'd')",
        "INSERT INTO facts VALUES (1, 1), (1, 2), (1, NULL), (2, 3), (NULL, 4), (NULL, NULL)",
    ):
        clients.rows(pyhive, sql)
    assert [row[1] for row in clients.rows(pyhive, "CHECK CONSTRAINTS ON TABLE facts")] == [2, 2, 2, 1]
    assert [row[1] for row in clients.rows(pyhive, "CHECK CONSTRAINTS lake.keys.days")] == [1, 1]

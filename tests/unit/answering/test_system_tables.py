"""The names of system tables in statements, and the SQL that replaces them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from proxy.answering.system_tables import MOST, SYSTEM, TABLES
from proxy.answering.virtual_tables import LONGEST, Row
from proxy.hs2 import SqlError
from proxy.journal import Cause, Record, Refresh
from rewriter import splice
from rewriter.model import TableName


def expanded(sql: str, rows: Sequence[Row] = ()) -> str | None:
    async def given(_: str) -> Sequence[Row]:
        return rows

    edits = asyncio.run(SYSTEM.expand(sql, given))
    return splice(sql, edits) if edits else None


def shown(sql: str) -> str:
    """Return the statement with `…` in place of the rows."""
    text = expanded(sql)
    assert text is not None
    return re.sub(r"\(SELECT `.*?>>'\)\)\)\)", "…", text)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT * FROM viewgate.system.statements", "SELECT * FROM … AS statements"),
        ("select id from ViewGate.`system`.STATEMENTS where id = ''", "select id from … AS statements where id = ''"),
        ("SELECT s.id FROM viewgate.system.statements s LIMIT 1", "SELECT s.id FROM … s LIMIT 1"),
        ("SELECT s.id FROM viewgate.system.statements AS s", "SELECT s.id FROM … AS s"),
        ("SELECT `s`.id FROM viewgate.system.statements `s`", "SELECT `s`.id FROM … `s`"),
        (
            "SELECT viewgate.system.views.view, t.a FROM t JOIN viewgate.system.views ON true",
            "SELECT views.view, t.a FROM t JOIN … AS views ON true",
        ),
        (
            "SELECT 1 FROM viewgate.system.views, viewgate.system.refreshes r WHERE r.view = views.view",
            "SELECT 1 FROM … AS views, … r WHERE r.view = views.view",
        ),
        (
            "WITH s AS (SELECT * FROM viewgate.system.sessions) SELECT count(*) FROM s",
            "WITH s AS (SELECT * FROM … AS sessions) SELECT count(*) FROM s",
        ),
        ("INSERT INTO t SELECT * FROM viewgate.system.digests", "INSERT INTO t SELECT * FROM … AS digests"),
        ("CREATE TABLE t AS SELECT * FROM viewgate.system.digests", "CREATE TABLE t AS SELECT * FROM … AS digests"),
        ("FROM viewgate.system.views SELECT view", "FROM … AS views SELECT view"),
        ("EXPLAIN SELECT 1 FROM viewgate.system.views -- x", "EXPLAIN SELECT 1 FROM … AS views -- x"),
        ("SELECT 1 FROM viewgate.system.views TABLESAMPLE (5 ROWS)", "SELECT 1 FROM … TABLESAMPLE (5 ROWS) AS views"),
        (
            "SELECT 1 FROM viewgate.system.views TABLESAMPLE (50 PERCENT) REPEATABLE (7) AS v, viewgate.system.views",
            "SELECT 1 FROM … TABLESAMPLE (50 PERCENT) REPEATABLE (7) AS v, … AS views",
        ),
        (
            "SELECT 1 FROM viewgate.system.views TABLESAMPLE (BUCKET 1 OUT OF 2 ON rand()) WHERE true",
            "SELECT 1 FROM … TABLESAMPLE (BUCKET 1 OUT OF 2 ON rand()) AS views WHERE true",
        ),
        ("SET VAR x = (SELECT 1 FROM viewgate.system.views)", "SET VAR x = (SELECT 1 FROM … AS views)"),
    ],
)  # fmt: skip
def test_a_name_becomes_its_rows(sql: str, text: str) -> None:
    assert shown(sql) == text


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'viewgate.system.statements'",
        "SELECT * FROM system.statements -- viewgate",
        "SELECT * FROM x.viewgate.system.statements",
        "SELECT viewgate.system FROM t",
        "SHOW VIEWGATE STATEMENTS",
        "EXECUTE IMMEDIATE 'SELECT ?' USING 'viewgate.system.views'",
        "BEGIN SELECT 'FROM viewgate.system.views'; END",
    ],
)
def test_what_is_no_system_table_stays(sql: str) -> None:
    assert expanded(sql) is None


@pytest.mark.parametrize(
    ("sql", "state", "said"),
    [
        ("SELECT * FROM viewgate.system.nonsense", "42P01", ("the table viewgate.system.nonsense does not exist; "
"the tables are ")),
        ("INSERT INTO viewgate.system.statements VALUES (1)", "0A000", "viewgate.system.statements is read-only"),
        ("DROP TABLE viewgate.system.views", "0A000", "viewgate.system.views is read-only"),
        ("DELETE FROM viewgate.system.views WHERE a = 1", "0A000", "viewgate.system.views is read-only"),
        ("CREATE VIEW v AS SELECT * FROM viewgate.system.views", "0A000", "cannot be read in the query of a view"),
        ("CREATE OR REPLACE GLOBAL TEMP VIEW v AS SELECT * FROM viewgate.system.views", "0A000", "the query of a view"),
        ("CACHE LAZY TABLE v AS SELECT * FROM viewgate.system.views", "0A000", "cannot be read in a cached table"),
        ("CREATE FUNCTION f() RETURNS TABLE RETURN SELECT * FROM viewgate.system.views", "0A000", "body of a function"),
        ("CREATE TEMPORARY FUNCTION f() RETURN (SELECT 1 FROM viewgate.system.views)", "0A000", "body of a function"),
        ("BEGIN SELECT * FROM viewgate.system.views; END", "0A000", "viewgate.system.views cannot be read in a script"),
        ("BEGIN EXECUTE IMMEDIATE 'SELECT 1 FROM viewgate.system.views'; END", "0A000", "cannot be read in a script"),
        ("EXECUTE IMMEDIATE 'SELECT 1 FROM viewgate.system.views'", "0A000", "by EXECUTE IMMEDIATE: send the query"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_with_one(sql: str, state: str, said: str) -> None:
    with pytest.raises(SqlError, match=re.escape(said)) as refused:
        expanded(sql)
    assert refused.value.sql_state == state


def rows_in(text: str) -> list[dict[str, Any]]:
    found = re.search(r"from_json\(replace\('([^'\\]*)', '¬', chr\(92\)\), 'ARRAY", text)
    names = re.findall(r" AS `(\w+)`", text)
    assert found is not None
    rows: list[dict[str, Any]] = json.loads(found[1].replace("¬", "\\"))
    return [{names[int(key)]: value for key, value in row.items()} for row in rows]


def test_values_of_every_kind() -> None:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    row = {
        "id": "it's ${x}\\",
        "user": "¬\n",
        "started": at,
        "rows": 2,
        "chosen": ("a", "b"),
        "planned_ms": 0.5,
        "error": None,
        "x": 1,
    }
    assert rows_in(SYSTEM.text("statements", [row])) == [
        {
            "id": "it's ${x}\\",
            "user": "¬\n",
            "started": 1_704_067_200_000,
            "rows": 2,
            "chosen": "a, b",
            "planned_ms": 0.5,
        }
    ]


def test_a_value_that_is_absent_is_null_in_every_column() -> None:
    statement, refresh = Record("s", "ann", "SELECT 1"), Refresh(TableName(("lake", "demo", "agg")), Cause.COMMIT)
    for table, record in (("statements", statement), ("refreshes", refresh)):
        (row,) = rows_in(SYSTEM.text(table, [record.values()]))
        assert "" not in row.values(), table
        assert not {"error", "reason", "way", "chosen", "answer", "client", "upstream"} & row.keys()
        assert row["rows"] == 0


def test_long_texts_are_cut_and_more_than_fits_is_left_out() -> None:
    text = SYSTEM.text("statements", [{"id": str(number), "statement": "x" * 15_000} for number in range(1000)])
    rows = rows_in(text)
    assert len(text) < MOST + 10_000
    assert 100 < len(rows) < 1000
    assert rows[0]["id"] == "0"
    assert {len(row["statement"]) for row in rows} == {LONGEST}


def test_a_table_that_is_named_too_often_for_one_statement() -> None:
    tables = ", ".join(f"viewgate.system.statements s{number}" for number in range(100))
    rows = [{"statement": "x" * 10_000} for _ in range(100)]
    with pytest.raises(
        SqlError,
        match=r"^the rows of system tables, .* would make the statement 100\.\d million",
    ) as told:
        expanded(f"SELECT 1 FROM {tables}", rows)
    assert told.value.sql_state == "54000"


def test_the_tables_have_all_that_the_journal_knows() -> None:
    statement, refresh = Record("s", "ann", "SELECT 1"), Refresh(TableName(("lake", "demo", "agg")), Cause.COMMIT)
    assert set(TABLES["statements"]) == {"worker", *statement.values()}
    assert set(TABLES["refreshes"]) == {"worker", *refresh.values()}


def test_references_are_found_where_they_stand() -> None:
    sql = "SELECT 1 FROM viewgate . system . views"
    (one,) = SYSTEM.references(sql)
    assert (sql[one.start : one.end], one.name) == ("viewgate . system . views", "viewgate.system.views")

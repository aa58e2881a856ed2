"""Real clients through the proxy to real Spark."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from proxy.answering.system_tables import TABLES
from tests.integration import clients
from tests.integration.gate import DEMO_ROWS, Gate
from tests.unit.console.http import figure, get

TYPES = """
SELECT 1 AS i, CAST(2 AS BIGINT) AS l, 'x' AS s, CAST(NULL AS STRING) AS n, 1.50 AS d, true AS b,
  DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 12:30:00' AS t, array(1, 2) AS a, map('k', 1) AS m
"""


def test_beeline_gets_what_spark_gives(gate: Gate, beeline: Any) -> None:
    through = beeline(TYPES, "SELECT count(*) FROM demo.sales")
    past = clients.beeline(gate.spark_port, TYPES, "SELECT count(*) FROM demo.sales")
    assert (through.code, past.code) == (0, 0)
    assert through.rows == past.rows
    assert through.rows[-1] == (str(DEMO_ROWS),)


def test_jdbc_gets_what_spark_gives(gate: Gate, java: Any, jdbc: Any) -> None:
    past = java.connect(f"jdbc:hive2://127.0.0.1:{gate.spark_port}/")
    assert jdbc.rows(TYPES) == past.rows(TYPES)
    assert jdbc.columns(TYPES) == past.columns(TYPES)
    past.close()


def test_pyhive_gets_what_spark_gives(pyhive: Any, direct: Any) -> None:
    assert clients.rows(pyhive, TYPES) == clients.rows(direct, TYPES)


def test_many_rows_come_whole_and_in_order(pyhive: Any) -> None:
    found = clients.rows(pyhive, "SELECT id, CAST(id AS STRING) FROM range(30000) ORDER BY id")
    assert found == [(number, str(number)) for number in range(30000)]


def test_what_runs_is_shown_and_can_be_ended(gate: Gate, pyhive: Any) -> None:
    clients.rows(pyhive, "SELECT country, sum(quantity) FROM demo.sales GROUP BY country")
    (last,) = clients.rows(pyhive, "SHOW VIEWGATE LAST")
    assert (last[1], last[2]) == ("ann", "FINISHED")
    assert last[5].startswith("answered from lake.demo.agg_sales")
    used = {row[0]: row[1:4] for row in clients.rows(pyhive, "SHOW VIEWGATE VIEWS")}
    considered, matched, chosen = used["lake.demo.agg_sales"]
    assert considered >= matched >= chosen >= 1
    digests = {row[-1]: row[:2] for row in clients.rows(pyhive, "SHOW VIEWGATE DIGESTS")}
    statements, from_views = digests["SELECT country, sum(quantity) FROM demo.sales GROUP BY country"]
    assert statements >= from_views >= 1
    with clients.pyhive(gate.port, user="bob") as other, other.cursor() as cursor:
        long = "SELECT count(*) AS never FROM range(0, 100000000000, 1, 1) WHERE rand() < 2"  # on one core
        cursor.execute(long, async_=True)
        shown = clients.rows(pyhive, "SHOW VIEWGATE STATEMENTS")
        (running,) = (row[0] for row in shown if row[-1] == long)
        assert ("bob", 1) in {(row[1], row[4]) for row in clients.rows(pyhive, "SHOW VIEWGATE SESSIONS")}
        ((upstream, state, *_),) = clients.rows(pyhive, "SHOW VIEWGATE UPSTREAMS")
        assert (upstream, state) == (f"127.0.0.1:{gate.spark_port}", "up")
        system = "SELECT s.user, state, started <= now(), milliseconds FROM viewgate.system.statements AS s"
        ((*told, since),) = clients.rows(pyhive, f"{system} WHERE id = '{running}' LIMIT 1")
        assert (told, since >= 0) == (["bob", "RUNNING", True], True)
        clients.rows(pyhive, f"KILL VIEWGATE STATEMENT '{running}'")
        state = cursor.poll()
        assert (state.sqlState, "ended by ann" in state.errorMessage) == ("57014", True)


@pytest.mark.parametrize("table", TABLES)
def test_a_system_table_has_its_columns_and_types(pyhive: Any, table: str) -> None:
    with pyhive.cursor() as cursor:
        cursor.execute(f"SELECT * FROM viewgate.system.{table}")
        rows = cursor.fetchall()
        described = [(name.split(".")[-1], kind.removesuffix("_TYPE")) for name, kind, *_ in cursor.description]
    assert described == list(TABLES[table].items())
    assert rows or table == "refreshes"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT 1 FROM viewgate.system.views v WHERE nope = 1", r"^Error .*; line 1 pos 44$"),
        ("SELECT 1 FROM viewgate.system.views v WHERE 1 1", r"\(line 1, pos 46\)"),
        (
            "SELECT upstream\nFROM viewgate.system.upstreams WHERE CAST(upstream AS INT) = 1",
            r"== SQL \(line 2, position 38\) ==\nFROM viewgate.system.upstreams WHERE CAST.* = 1\n {37}\^{21}\s*$",
        ),
        ("EXPLAIN REWRITE SELECT nope FROM information_schema.tables", r"; line 1 pos 7$"),
    ],
)
def test_an_error_over_a_system_table_shows_the_users_text(jdbc: Any, sql: str, said: str) -> None:
    with pytest.raises(clients.SqlException) as told:
        jdbc.rows(sql)
    assert re.search(said, told.value.message, re.DOTALL), told.value.message
    assert not re.search("from_json|Project|inline", told.value.message)


def test_the_information_schema_is_read_by_any_client(pyhive: Any) -> None:
    listed = (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'demo' AND table_type = 'BASE TABLE'"
    )
    tables = {name for (name,) in clients.rows(pyhive, listed)}
    shown = {name for _, name, _ in clients.rows(pyhive, "SHOW TABLES IN lake.demo")}
    assert tables
    assert tables <= shown
    named = (
        "SELECT c.data_type FROM lake.information_schema.columns c JOIN information_schema.tables t USING (table_name)"
    )
    assert clients.rows(pyhive, f"{named} WHERE c.table_name = 'sales' AND ordinal_position = 1")


def test_metrics_and_what_is_shown_and_system_tables_agree(gate: Gate, pyhive: Any) -> None:
    clients.rows(pyhive, "SELECT country, sum(quantity) FROM demo.sales GROUP BY country")
    events = ("considered", "matched", "chosen", "executed", "failed")
    shown = {row[0]: row[1:6] for row in clients.rows(pyhive, "SHOW VIEWGATE VIEWS")}
    table = {
        row[0]: row[1:] for row in clients.rows(pyhive, f"SELECT view, {', '.join(events)} FROM viewgate.system.views")
    }
    (port,) = re.findall(r"console listening url=http://127\.0\.0\.1:(\d+)/", gate.output)
    _, metrics = asyncio.run(get(int(port), "/metrics"))
    told = {
        view: tuple(figure(metrics, "viewgate_view_statements_total", view=view, event=event) for event in events)
        for view in shown
    }
    assert shown == table == told
    assert shown["lake.demo.agg_sales"][3] >= 1
    assert figure(metrics, "viewgate_statements_total", outcome="view") >= 1
    assert figure(metrics, "viewgate_view_lag_seconds", view="lake.demo.agg_sales") == 0


def test_a_connection_keeps_what_it_has_set(jdbc: Any) -> None:
    jdbc.rows("USE demo")
    jdbc.rows("SET spark.sql.session.timeZone=Asia/Tokyo")
    assert jdbc.rows("SELECT current_schema(), current_timezone()") == [("demo", "Asia/Tokyo")]


@pytest.mark.parametrize(
    ("sql", "state", "said"),
    [
        ("SELEKT 1", "42601", "PARSE_SYNTAX_ERROR"),
        ("SELECT nope FROM demo.sales", "42703", "UNRESOLVED_COLUMN"),
        ("SELECT 1 FROM demo.nope", "42P01", "TABLE_OR_VIEW_NOT_FOUND"),
        ("SELECT 1 / 0", "22012", "DIVIDE_BY_ZERO"),
    ],
)
def test_an_error_is_sparks_own(gate: Gate, java: Any, jdbc: Any, sql: str, state: str, said: str) -> None:
    past = java.connect(f"jdbc:hive2://127.0.0.1:{gate.spark_port}/")
    with pytest.raises(clients.SqlException) as through:
        jdbc.rows(sql)
    with pytest.raises(clients.SqlException) as direct:
        past.rows(sql)
    past.close()
    assert (through.value.state, through.value.code) == (direct.value.state, direct.value.code)
    assert through.value.state == state
    assert said in through.value.message
    assert through.value.message.split("\n")[0] == direct.value.message.split("\n")[0]


def test_beeline_shows_an_error_with_its_state(beeline: Any) -> None:
    spoken = beeline("SELECT 1 FROM demo.nope")
    assert spoken.code != 0
    assert "TABLE_OR_VIEW_NOT_FOUND" in spoken.errors
    assert "state=42P01" in spoken.errors

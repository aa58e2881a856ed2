"""Which statements are followed by refreshes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.answering import SessionFacts, information_schema, system_tables
from proxy.commands import Planner, find
from proxy.hs2 import SqlError
from proxy.session import Forward, Local
from tests.unit.catalog.lake import ROWS, Lake
from tests.unit.commands.house import House

CREATE = (
    "CREATE MATERIALIZED VIEW agg PROPERTIES ('viewgate.refresh.wait' = 'always') "
    "AS SELECT region, sum(amount) FROM sales GROUP BY region"
)


def plan(house: House, sql: str, listings: str = "spark") -> Any:
    facts = SessionFacts({"viewgate.listings": listings})
    session: Any = SimpleNamespace(upstream=house.upstream, facts=facts, for_operators=False)
    return asyncio.run(Planner(house.context, find).plan(session, sql))


def test_a_command_is_run_here(house: House) -> None:
    assert isinstance(plan(house, "SHOW MATERIALIZED VIEWS"), Local)


@pytest.mark.parametrize("listings", ["spark", "hive"])
@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("DESCRIBE viewgate.system.sessions", system_tables.TABLES["sessions"]),
        ("desc table extended ViewGate.`system`.views;", system_tables.TABLES["views"]),
        ("DESC information_schema.tables", information_schema.TABLES["tables"]),
        ("DESCRIBE TABLE lake.information_schema.columns", information_schema.TABLES["columns"]),
    ],
)
def test_a_virtual_table_is_described_without_spark(
    house: House, sql: str, columns: Mapping[str, str], listings: str
) -> None:
    local = plan(house, sql, listings)
    assert isinstance(local, Local)
    described: Any = local.run(house.log.append)
    result = asyncio.run(described)
    assert [column.name for column in result.columns] == ["col_name", "data_type", "comment"]
    assert result.rows == tuple((name, kind.lower(), None) for name, kind in columns.items())
    assert house.upstream.statements == []


@pytest.mark.parametrize(
    ("sql", "name", "kind"),
    [
        ("DESCRIBE viewgate.system.statements Started", "started", "timestamp"),
        ("DESC TABLE EXTENDED lake.information_schema.columns `ordinal_position`;", "ordinal_position", "int"),
    ],
)
@pytest.mark.parametrize("listings", ["spark", "hive"])
def test_one_column_of_a_virtual_table_is_described_as_spark_does(
    house: House, sql: str, name: str, kind: str, listings: str
) -> None:
    described: Any = plan(house, sql, listings).run(house.log.append)
    result = asyncio.run(described)
    assert [column.name for column in result.columns] == ["info_name", "info_value"]
    assert result.rows == (("col_name", name), ("data_type", kind), ("comment", "NULL"))


@pytest.mark.parametrize(
    ("sql", "state", "said"),
    [
        (
            "DESCRIBE viewgate.system.sessions sql",
            "42703",
            "viewgate.system.sessions has no column sql: its columns are",
        ),
        ("DESC EXTENDED viewgate.system.views AS JSON", "0A000", "takes at most the name of one column after"),
    ],
)
def test_a_wrong_description_of_a_system_table_is_refused(house: House, sql: str, state: str, said: str) -> None:
    with pytest.raises(SqlError, match=said) as refused:
        asyncio.run(plan(house, sql).run(house.log.append))
    assert refused.value.sql_state == state


@pytest.mark.parametrize("sql", ["DESCRIBE demo.sales", "DESCRIBE QUERY SELECT 'viewgate.system.views'"])
def test_spark_describes_all_else(house: House, sql: str) -> None:
    assert isinstance(plan(house, sql), Forward)


def test_spark_describes_tables_of_its_own_catalog_viewgate(house: House) -> None:
    house.session = replace(house.session, catalogs=frozenset({"lake", "viewgate"}))
    assert isinstance(plan(house, "DESCRIBE viewgate.system.sessions"), Forward)


def test_a_command_that_is_nested_too_deeply_is_refused(house: House) -> None:
    local = plan(house, f"CREATE MATERIALIZED VIEW deep AS SELECT amount{'+1' * 800} AS a FROM sales")
    with pytest.raises(SqlError, match="the statement is nested too deeply: reduce the nesting") as refused:
        asyncio.run(local.run(house.log.append))
    assert refused.value.sql_state == "54001"


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO sales VALUES ('x', 1)",
        "DELETE FROM demo.sales.branch_main",
        "TRUNCATE TABLE lake.demo.sales",
        "CALL lake.system.rollback_to_snapshot('demo.sales', 1)",
        "CALL system.rollback_to_snapshot(table => 'sales', snapshot_id => 1)",
        "EXECUTE IMMEDIATE 'INSERT INTO sales VALUES (1, 2)'",
        "CREATE OR REPLACE TABLE sales AS SELECT 1 AS region, 2 AS amount",
    ],
)
def test_a_write_to_a_views_table_is_followed_by_its_refresh(house: House, sql: str) -> None:
    asyncio.run(house.run(CREATE))
    house.lake.iceberg.load_table("demo.sales").append(ROWS)
    house.upstream.described = [("region", "string"), ("amount", "bigint")]
    forward = plan(house, sql)
    assert isinstance(forward, Forward)
    assert forward.after is not None

    async def refreshed() -> None:
        assert forward.after is not None
        await forward.after(house.log.append)

    house.log.clear()
    asyncio.run(refreshed())
    assert any("lake.demo.agg refreshed" in line for line in house.log)


@pytest.mark.parametrize(
    "sql", ["INSERT INTO Sales VALUES ('x', 1)", "DELETE FROM lake.DEMO.sales", "CALL lake.system.x(table => 'Sales')"]
)
def test_the_case_of_a_written_table_matters_as_in_its_catalog(house: House, sql: str) -> None:
    asyncio.run(house.run(CREATE))
    assert plan(house, sql).after is None
    house.session = replace(house.session, lower_names=frozenset({"lake"}))
    assert plan(house, sql).after is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sales",
        "INSERT INTO other SELECT * FROM sales",
        "INSERT INTO other.sales VALUES ('x', 1)",
        "INSERT INTO sales.branch_x VALUES ('x', 1)",
        "CALL lake.system.rollback_to_snapshot('demo.others', 1)",
        "CALL lake.system.rollback_to_snapshot('other.sales', 1)",
    ],
)
def test_other_statements_are_not(house: House, sql: str) -> None:
    asyncio.run(house.run(CREATE))
    assert plan(house, sql).after is None


@pytest.mark.parametrize(
    ("sql", "defines"),
    [
        ("CREATE VIEW v AS SELECT region FROM sales", True),
        ("create or replace view v AS SELECT region FROM sales", True),
        ("CREATE VIEW IF NOT EXISTS v AS SELECT region FROM sales", True),
        ("ALTER VIEW v AS SELECT region FROM sales", True),
        ("DROP VIEW demo.v", True),
        ("EXECUTE IMMEDIATE 'CREATE VIEW v AS SELECT region FROM sales'", True),
        ("BEGIN CREATE VIEW v AS SELECT region FROM sales; END", True),
        ("DROP DATABASE demo CASCADE", True),
        ("INSERT INTO other VALUES (1)", False),
        ("CREATE TABLE other AS SELECT 1 AS view", False),
    ],
)
def test_the_statement_after_a_definition_of_a_view_knows_the_view(
    house: House, sql: str, defines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = plan(house, sql)
    asked: list[str] = []
    monkeypatch.setattr(house.catalogs, "invalidate", lambda: asked.append(sql))
    if forward.ended is not None:
        assert asked == []
        forward.ended(True)
    assert bool(asked) is defines


def test_after_a_change_in_one_catalog_no_statement_waits_for_one_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, shop = Lake(tmp_path / "lake"), Lake(tmp_path / "shop", "shop")
    house = House(lake, shop)
    monkeypatch.setattr(house.catalogs["shop"], "invalidate", lambda: pytest.fail("the next statement waits for shop"))

    async def story() -> None:
        await house.run(CREATE)
        session: Any = SimpleNamespace(upstream=house.upstream, facts=SessionFacts({}), for_operators=False)
        forward: Any = await Planner(house.context, find).plan(session, "INSERT INTO sales VALUES ('x', 1)")
        await forward.after(house.log.append)
        await house.run("ALTER MATERIALIZED VIEW agg SET PROPERTIES ('a' = 'b')")
        await house.run("DROP MATERIALIZED VIEW agg")

    asyncio.run(story())
    house.catalogs.close()
    lake.close()
    shop.close()


def test_a_short_name_means_a_table_of_the_sessions_namespace(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.session = replace(house.session, namespace=("other",))
    for sql in ("INSERT INTO sales VALUES ('x', 1)", "BEGIN INSERT INTO sales VALUES ('x', 1); END"):
        assert plan(house, sql).after is None
    assert plan(house, "BEGIN INSERT INTO demo.sales VALUES ('x', 1); END").after is not None


def test_maintenance_that_fails_on_storage_is_said_and_stops_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise OSError("the catalog is away")

    asyncio.run(house.run(CREATE))
    monkeypatch.setattr(house.pipeline, "maintain", away)
    asyncio.run(plan(house, "CALL lake.system.rewrite_data_files('demo.sales')").after(house.log.append))
    assert house.log[-1] == (
        "Viewgate: rewrite_data_files failed on the storage table of lake.demo.agg: the catalog is away"
    )


@pytest.mark.parametrize(
    ("call", "followed"),
    [
        ("CALL lake.system.expire_snapshots('demo.sales')", True),
        ("CALL system.expire_snapshots('demo.sales')", True),
        ("CALL shop.system.expire_snapshots('demo.sales')", False),
    ],
)
def test_maintenance_of_a_table_of_the_same_name_in_another_catalog_concerns_no_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, followed: bool
) -> None:
    lake, shop = Lake(tmp_path / "lake"), Lake(tmp_path / "shop", "shop")
    house = House(lake, shop)
    maintained: list[str] = []

    async def maintain(view: Any, statement: str, _log: object) -> None:
        maintained.append(f"{view.name}: {statement}")

    asyncio.run(house.run(CREATE))
    lake.iceberg.load_table("demo.sales").append(ROWS)
    monkeypatch.setattr(house.pipeline, "maintain", maintain)
    forward = plan(house, call)
    assert bool(forward.log) is followed
    if forward.after is not None:
        asyncio.run(forward.after(house.log.append))
    assert bool(maintained) is followed
    house.catalogs.close()
    lake.close()
    shop.close()

"""SHOW TABLES is Spark's answer without the storage tables of materialized views."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.answering import SessionFacts
from proxy.answering.system_tables import TABLES
from proxy.commands import Planner, find
from proxy.hs2 import ResultSet, SqlError
from proxy.session import Forward, Local
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"
HEADER = ("namespace", "tableName", "isTemporary boolean")


class Spark:
    """Lists the tables that a test gives."""

    def __init__(self, *rows: tuple[str, str, bool]) -> None:
        self.rows = rows
        self.asked: list[str] = []

    async def query(self, sql: str) -> ResultSet:
        self.asked.append(sql)
        if "refused" in sql:
            raise SqlError("[SCHEMA_NOT_FOUND] no", "42704")
        return ResultSet.of(*HEADER, rows=self.rows)


def plan(house: House, sql: str, spark: Spark | None = None, one: Any = None) -> Any:
    return asyncio.run(Planner(house.context, find).plan(one or session(spark), sql))


def session(spark: Spark | None = None, *, for_operators: bool = False) -> Any:
    return SimpleNamespace(upstream=spark, facts=SessionFacts(), for_operators=for_operators)


def shown(house: House, sql: str, *rows: tuple[str, str, bool]) -> list[str]:
    spark = Spark(*rows)
    planned = plan(house, sql, spark)
    assert isinstance(planned, Local)
    run: Any = planned.run(print)
    result: ResultSet = asyncio.run(run)
    assert result.columns == ResultSet.of(*HEADER).columns
    assert spark.asked == [sql]
    return [row[1] for row in result.rows]


@pytest.mark.parametrize(
    "sql", ["SHOW TABLES", "SHOW TABLES IN demo", "show tables from lake.`demo` like '*'", "SHOW TABLES IN demo '*'"]
)
def test_storage_is_left_out(house: House, sql: str) -> None:
    asyncio.run(house.run(CREATE))
    rows = [("demo", name, False) for name in ("agg__storage", "other__storage", "sales")]
    assert shown(house, sql, *rows) == ["other__storage", "sales"]


@pytest.mark.parametrize("sql", ["SHOW TABLES", "SHOW TABLES IN Demo", "SHOW TABLES FROM lake.DEMO"])
def test_the_case_of_a_namespace_matters_as_in_its_catalog(house: House, sql: str) -> None:
    asyncio.run(house.run(CREATE))
    house.session = replace(house.session, namespace=("Demo",))
    assert isinstance(plan(house, sql), Forward)
    house.session = replace(house.session, lower_names=frozenset({"lake"}))
    assert shown(house, sql, ("demo", "agg__storage", False), ("demo", "sales", False)) == ["sales"]


def test_a_temporary_view_of_that_name_is_listed(house: House) -> None:
    asyncio.run(house.run(CREATE))
    assert shown(house, "SHOW TABLES", ("", "agg__storage", True)) == ["agg__storage"]


@pytest.mark.parametrize(
    "sql",
    [
        "SHOW TABLES IN other",
        "SHOW TABLES IN spark_catalog.demo",
        "SHOW TABLES IN lake",
        "SHOW TABLES IN demo WHERE x",
        "SHOW TABLE EXTENDED IN demo LIKE '*'",
        "SHOW VIEWS IN demo",
    ],
)
def test_all_else_is_sparks(house: House, sql: str) -> None:
    house.session = replace(house.session, catalogs=frozenset({"lake", "spark_catalog"}))
    asyncio.run(house.run(CREATE))
    assert isinstance(plan(house, sql), Forward)


def test_without_views_all_is_sparks(house: House) -> None:
    assert isinstance(plan(house, "SHOW TABLES"), Forward)


def test_the_current_namespace_is_the_sessions(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.session = replace(house.session, namespace=("other",))
    assert isinstance(plan(house, "SHOW TABLES"), Forward)


def test_an_error_is_sparks(house: House) -> None:
    asyncio.run(house.run(CREATE))
    planned = plan(house, "SHOW TABLES IN demo LIKE 'refused'", Spark())
    with pytest.raises(SqlError, match="SCHEMA_NOT_FOUND"):
        asyncio.run(planned.run(print))


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SHOW TABLES IN viewgate.system", sorted(TABLES)),
        ("show tables from ViewGate.`system` like 'VIEWS|s*';", ["sessions", "statements", "views"]),
        ("SHOW TABLES IN viewgate.system 'x*'", []),
    ],
)
def test_the_system_tables_are_listed(house: House, sql: str, names: list[str]) -> None:
    planned = plan(house, sql)
    assert isinstance(planned, Local)
    run: Any = planned.run(print)
    result: ResultSet = asyncio.run(run)
    assert result == ResultSet.of(*HEADER, rows=[("viewgate.system", name, False) for name in names])


@pytest.mark.parametrize("schema", ["information_schema", "lake.Information_Schema"])
def test_the_information_schema_is_listed(house: House, schema: str) -> None:
    planned: Any = plan(house, f"SHOW TABLES IN {schema} LIKE '*ews'")
    result: ResultSet = asyncio.run(planned.run(print))
    names = ("materialized_views", "views")
    assert result == ResultSet.of(*HEADER, rows=[("information_schema", name, False) for name in names])


def test_where_spark_has_a_catalog_named_viewgate_the_listing_is_its_own(house: House) -> None:
    house.session = replace(house.session, catalogs=frozenset({"lake", "viewgate"}))
    assert isinstance(plan(house, "SHOW TABLES IN viewgate.system"), Forward)


USES = [
    "USE viewgate.system",
    "use `viewgate.system`;",
    "USE DATABASE `ViewGate`.`System`",
    "USE NAMESPACE viewgate.system",
]


@pytest.mark.parametrize("sql", USES)
def test_use_of_the_operators_database_needs_no_spark(house: House, sql: str) -> None:
    one = session()
    planned = plan(house, sql, one=one)
    assert isinstance(planned, Local)
    run: Any = planned.run(print)
    assert len(asyncio.run(run).rows) == 1
    assert one.for_operators

    async def unreachable(_: object) -> Any:
        raise SqlError("no upstream", "08S01")

    for again in (*USES, "SHOW TABLES IN viewgate.system"):
        house.context.answers.facts = unreachable  # type: ignore[method-assign, assignment]
        assert isinstance(plan(house, again, one=one), Local), again


@pytest.mark.parametrize(
    "sql", ["USE viewgate", "USE system", "USE `viewgate.system`.x", "USE demo", "USE x.viewgate.system"]
)
def test_use_of_another_namespace_is_sparks(house: House, sql: str) -> None:
    one = session(for_operators=True)
    forward = plan(house, sql, one=one)
    assert isinstance(forward, Forward)
    assert forward.ended is not None
    forward.ended(False)
    assert one.for_operators
    forward.ended(True)
    assert not one.for_operators


@pytest.mark.parametrize(
    ("sql", "refused"),
    [
        ("SELECT * FROM views", True),
        ("SELECT 1 FROM demo.sales s JOIN `Statements` t ON true", True),
        ("SELECT * FROM demo.views", False),
        ("WITH views AS (SELECT 1) SELECT * FROM views", False),
    ],
)
def test_a_name_alone_is_not_left_to_sparks_namespace(house: House, sql: str, refused: bool) -> None:
    if refused:
        with pytest.raises(SqlError, match="has no namespace: write viewgate") as error:
            plan(house, sql, one=session(for_operators=True))
        assert error.value.sql_state == "42P01"
    else:
        assert isinstance(plan(house, sql, one=session(for_operators=True)), Forward)
    assert isinstance(plan(house, sql), Forward)

"""Checks Hive's answers to SHOW TABLES, VIEWS and PARTITIONS and DESCRIBE, in sessions that ask for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.transforms import BucketTransform, IdentityTransform

from proxy.answering import SessionFacts
from proxy.commands import Planner, find
from proxy.hs2 import ResultSet, SqlError
from proxy.session import Forward, Local
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"
LISTED = ("namespace", "tableName", "isTemporary boolean")
DESCRIBED = ("col_name", "data_type", "comment")


class Spark:
    """A Spark that answers every statement with the same result, or with an error."""

    def __init__(self, columns: Sequence[str], *rows: tuple[Any, ...], error: SqlError | None = None) -> None:
        self.result, self.error = ResultSet.of(*columns, rows=rows), error
        self.asked: list[str] = []

    async def query(self, sql: str) -> ResultSet:
        self.asked.append(sql)
        if self.error is not None:
            raise self.error
        return self.result


def plan(house: House, sql: str, spark: Spark | None = None, listings: str = "hive") -> Any:
    facts = SessionFacts({"viewgate.listings": listings})
    session: Any = SimpleNamespace(upstream=spark, facts=facts, for_operators=False)
    return asyncio.run(Planner(house.context, find).plan(session, sql))


def answer(house: House, sql: str, spark: Spark) -> ResultSet:
    planned = plan(house, sql, spark)
    assert isinstance(planned, Local)
    run: Any = planned.run(print)
    result: ResultSet = asyncio.run(run)
    return result


def test_the_system_tables_are_listed_without_spark(house: House) -> None:
    spark = Spark(LISTED)
    result = answer(house, "SHOW TABLES IN viewgate.system LIKE 's*'", spark)
    assert result == ResultSet.of("tab_name", rows=[("sessions",), ("statements",)])
    assert not spark.asked


@pytest.mark.parametrize("sql", ["SHOW TABLES IN `demo`", "show views from demo like '*'", "SHOW TABLES"])
def test_names_stand_in_the_first_column(house: House, sql: str) -> None:
    asyncio.run(house.run(CREATE))
    spark = Spark(LISTED, ("demo", "sales", False), ("demo", "agg", False))
    result = answer(house, sql, spark)
    assert [column.name for column in result.columns] == ["tab_name"]
    assert result.rows == (("sales",), ("agg",))
    assert spark.asked == [sql]


def test_storage_is_left_out_here_too(house: House) -> None:
    asyncio.run(house.run(CREATE))
    assert answer(house, "SHOW TABLES", Spark(LISTED, ("demo", "agg__storage", False))).rows == ()


@pytest.mark.parametrize("sql", ["DESCRIBE demo.sales", "desc table `demo`.`sales`;"])
def test_transforms_are_no_columns(house: House, sql: str) -> None:
    columns = (("region", "string", None), ("at", "timestamp", None))
    found = answer(house, sql, Spark(DESCRIBED, *columns, ("", "", ""), ("# Partitioning", "", ""),
                                     ("Part 0", "days(at)", ""), ("Part 1", "region", "")))  # fmt: skip
    assert found.rows[2:] == (
        ("# Partition Information", "", ""), ("# col_name", "data_type", "comment"), ("region", "string", None)
    )  # fmt: skip


def test_a_missing_table_is_told_in_the_words_of_hive(house: House) -> None:
    missing = SqlError("[TABLE_OR_VIEW_NOT_FOUND] The table or view `demo`.`x` cannot be found", "42P01")
    with pytest.raises(SqlError, match=r"SemanticException \[Error 10001\]: Table not found demo\.x$") as told:
        answer(house, "DESCRIBE demo.x", Spark(DESCRIBED, error=missing))
    assert (told.value.sql_state, told.value.error_code) == ("42S02", 10001)
    with pytest.raises(SqlError, match="no access"):
        answer(house, "DESCRIBE demo.x", Spark(DESCRIBED, error=SqlError("no access", "42501")))


def test_a_query_is_no_table(house: House) -> None:
    with pytest.raises(SqlError, match="ParseException: DESCRIBE takes a table; use DESCRIBE QUERY"):
        answer(house, "DESCRIBE SELECT 1", Spark(DESCRIBED))


def test_the_partitions_of_an_iceberg_table(house: House) -> None:
    table = house.lake.iceberg.create_table("demo.parts", pa.schema([("at day", pa.string()), ("n", pa.int32())]))
    with table.update_spec() as update:
        update.add_field("n", BucketTransform(4))
        update.add_field("at day", IdentityTransform(), "the day")
    spark = Spark(["the day"], ("x/y",), ("1",), ("",), (None,), ("a b",))
    found = answer(house, "SHOW PARTITIONS demo.parts", spark)
    assert [column.name for column in found.columns] == ["partition"]
    values = ("1", "__HIVE_DEFAULT_PARTITION__", "a b", "x%2Fy")
    assert found.rows == tuple((f"at day={value}",) for value in values)
    assert spark.asked == ["SELECT DISTINCT CAST(partition.`the day` AS STRING) FROM lake.demo.parts.partitions"]
    with pytest.raises(SqlError, match="Table sales is not a partitioned table"):
        answer(house, "SHOW PARTITIONS sales", spark)
    with pytest.raises(SqlError, match=r"Table not found demo\.nope"):
        answer(house, "SHOW PARTITIONS demo.nope", spark)
    house.session = replace(house.session, catalogs=frozenset({"lake", "spark_catalog"}))
    elsewhere = Spark(["partition"], ("a=1",))
    assert answer(house, "SHOW PARTITIONS spark_catalog.demo.t", elsewhere).rows == (("a=1",),)
    assert elsewhere.asked == ["SHOW PARTITIONS spark_catalog.demo.t"]


@pytest.mark.parametrize(
    "sql",
    [
        "SHOW PARTITIONS t PARTITION (a = 1)",
        "SHOW SCHEMAS",
        "DESCRIBE EXTENDED demo.sales",
        "DESCRIBE FUNCTION abs",
        "DESCRIBE QUERY SELECT 1",
        "DESC demo.sales region",
        "SELECT 1 FROM demo.sales",
    ],
)
def test_all_else_is_sparks(house: House, sql: str) -> None:
    assert isinstance(plan(house, sql), Forward)


@pytest.mark.parametrize("sql", ["SHOW TABLES", "DESCRIBE demo.sales", "SHOW PARTITIONS demo.sales"])
def test_other_sessions_get_sparks_answers(house: House, sql: str) -> None:
    assert isinstance(plan(house, sql, listings="spark"), Forward)

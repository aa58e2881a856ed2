"""Storage that a killed CREATE left is dropped, and no other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

import pytest

from proxy.hs2 import SqlError
from proxy.pipeline import Orphans
from rewriter.model import TableName
from tests.unit.catalog.lake import ROWS, SALES, Lake
from tests.unit.pipeline.test_on_commit import FIRST, SECOND, House

LEFT = TableName(("lake", "demo", "first__storage_0a1b2c3d"))


@pytest.fixture
def house(lake: Lake) -> House:
    made = House(lake)
    lake.iceberg.create_table(
        "demo.first__storage_0a1b2c3d", ROWS.schema, properties={"viewgate.storage-of": "demo.first"}
    )
    lake.iceberg.create_table("demo.mine__storage", ROWS.schema)
    return made


def drop(house: House, view: TableName | None = None, *, alone: Collection[str] = ("lake",)) -> list[TableName]:
    return asyncio.run(Orphans(house.catalogs, house.spark, alone=alone).drop(view))


def test_what_no_view_points_to_is_dropped(house: House, lake: Lake) -> None:
    assert drop(house) == [LEFT]
    left = {name for _, name in lake.iceberg.list_tables("demo")}
    assert left == {SALES.table, "first__storage", "second__storage", "mine__storage"}
    assert drop(house) == []


def test_of_one_view_only(house: House) -> None:
    assert drop(house, SECOND) == []
    assert drop(house, FIRST) == [LEFT]


def test_of_a_view_with_a_dot_in_its_name(house: House, lake: Lake) -> None:
    lake.iceberg.create_table("demo.x__storage", ROWS.schema, properties={"viewgate.storage-of": "demo.`a.b`"})
    assert drop(house, TableName(("lake", "demo", "a.b"))) == [TableName(("lake", "demo", "x__storage"))]


def test_where_other_proxies_may_be_making_views_nothing_is_dropped(house: House) -> None:
    assert drop(house, alone=()) == []


def test_what_is_being_made_is_spared(house: House) -> None:
    async def story() -> tuple[list[TableName], list[TableName]]:
        orphans = Orphans(house.catalogs, house.spark, alone=("lake",))
        with orphans.spared(LEFT):
            during = await orphans.drop()
        return during, await orphans.drop()

    assert asyncio.run(story()) == ([], [LEFT])


def test_while_a_view_cannot_be_read_nothing_is_dropped(house: House, lake: Lake) -> None:
    lake.put_view(FIRST, b"no json")
    assert drop(house) == []


@pytest.mark.parametrize("failure", [OSError("no room"), SqlError("no room", "53100")], ids=["ours", "Spark's"])
def test_one_that_cannot_be_dropped_is_named_and_hides_no_other(
    house: House, lake: Lake, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    lake.iceberg.create_table("demo.a__storage", ROWS.schema, properties={"viewgate.storage-of": "demo.a"})
    run = house.spark.run

    async def fail(sql: str) -> None:
        if "a__storage" in sql:
            raise failure
        await run(sql)

    house.spark.run = fail  # type: ignore[method-assign]
    with caplog.at_level(logging.WARNING, "proxy"):
        assert drop(house) == [LEFT]
    assert "orphan not dropped storage=lake.demo.a__storage" in caplog.text


def test_where_none_can_be_looked_for_nothing_is_dropped(
    house: House, lake: Lake, caplog: pytest.LogCaptureFixture
) -> None:
    lake.close()
    (lake.directory / "catalog.db").unlink()
    with caplog.at_level(logging.WARNING, "proxy"):
        assert drop(house) == []
    assert "orphaned storage tables not searched" in caplog.text

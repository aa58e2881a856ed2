from __future__ import annotations

import asyncio

import pytest
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from tests.unit.catalog.lake import ROWS
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg {} AS SELECT region, sum(amount) FROM {} GROUP BY region"


def ordered(house: House) -> list[str]:
    return [sql for sql in house.upstream.statements if sql.startswith("ALTER TABLE")]


def test_the_order_of_the_one_table_is_inherited_with_the_way_of_spreading_rows(house: House) -> None:
    by_region = SortField(1, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_LAST)
    schema = Schema(NestedField(1, "region", StringType()), NestedField(2, "amount", LongType()))
    properties = {"write.distribution-mode": "hash"}
    made = house.lake.iceberg.create_table("demo.other", schema, sort_order=SortOrder(by_region), properties=properties)
    made.append(ROWS)
    asyncio.run(house.run(CREATE.format("", "other")))
    assert ordered(house) == [
        "ALTER TABLE lake.demo.agg__storage WRITE LOCALLY ORDERED BY region DESC NULLS LAST",
        "ALTER TABLE lake.demo.agg__storage SET TBLPROPERTIES ('write.distribution-mode' = 'hash')",
    ]


def test_an_order_that_is_given_is_the_storages(house: House) -> None:
    asyncio.run(house.run(CREATE.format("PARTITIONED BY (region) ORDERED BY (`sum(amount)` DESC)", "sales")))
    assert ordered(house) == [
        "ALTER TABLE lake.demo.agg__storage WRITE LOCALLY ORDERED BY `sum(amount)` DESC",
        "ALTER TABLE lake.demo.agg__storage SET TBLPROPERTIES ('write.distribution-mode' = 'hash')",
    ]


def test_without_any_order_nothing_is_altered(house: House) -> None:
    asyncio.run(house.run(CREATE.format("", "sales")))
    assert ordered(house) == []


@pytest.mark.parametrize(
    ("clauses", "fanout"),
    [
        ("PARTITIONED BY (region)", "'write.spark.fanout.enabled' = 'false'"),
        ("PARTITIONED BY (region) PROPERTIES ('write.spark.fanout.enabled' = 'true')", "enabled' = 'true'"),
        ("", ""),
    ],
)
def test_rows_come_to_partitioned_storage_one_partition_after_the_other(
    house: House, clauses: str, fanout: str
) -> None:
    asyncio.run(house.run(CREATE.format(clauses, "sales")))
    (created,) = (sql for sql in house.upstream.statements if sql.startswith("CREATE TABLE"))
    assert ("fanout" in created, fanout in created) == (bool(fanout), True)

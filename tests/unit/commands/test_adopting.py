from __future__ import annotations

import asyncio

import pytest

from proxy.hs2 import SqlError
from tests.unit.catalog.lake import ROWS
from tests.unit.commands.house import House

QUERY = "SELECT region, sum(amount) FROM sales GROUP BY region"
RETAINED = "'viewgate.retention' = '9 days'"
ADOPTING = "CREATE MATERIALIZED VIEW agg {} PROPERTIES ('viewgate.adopt' = '{}') AS " + QUERY


@pytest.mark.parametrize(
    ("clause", "table", "state", "message"),
    [
        ("", "nowhere", "42P01", "is not an Iceberg table of the catalog"),
        ("", "sales", "55000", "the view's query reads lake.demo.sales"),
        ("", "empty", "55000", "is empty, so there are no rows"),
        ("", "other", "55000", "the table has the columns \\(region string, amount"),
        ("PARTITIONED BY (region)", "other", "0A000", "cannot be combined with PARTITIONED BY, because"),
    ],
)
def test_what_cannot_be_adopted_is_refused_before_anything_is_made(
    house: House, clause: str, table: str, state: str, message: str
) -> None:
    house.lake.iceberg.create_table("demo.empty", ROWS.schema)
    house.lake.iceberg.create_table("demo.other", ROWS.schema).append(ROWS)
    tables = house.tables()
    with pytest.raises(SqlError, match=message) as refusal:
        asyncio.run(house.run(ADOPTING.format(clause, table)))
    assert refusal.value.sql_state == state
    assert house.tables() == tables
    assert asyncio.run(house.catalogs.definitions()) == ()


def test_a_retention_that_no_refresh_could_keep_is_refused_before_the_rows_are_compared(house: House) -> None:
    summary = ROWS.rename_columns(["region", "sum(amount)"])
    house.lake.iceberg.create_table("demo.summary", summary.schema).append(summary)
    retained = f"CREATE MATERIALIZED VIEW agg PROPERTIES ('viewgate.adopt' = 'summary', {RETAINED}) AS {QUERY}"
    with pytest.raises(SqlError, match="is not partitioned by a time column"):
        asyncio.run(house.run(retained))
    assert "EXCEPT ALL" not in " ".join(house.upstream.statements)
    assert asyncio.run(house.catalogs.definitions()) == ()


def test_columns_that_were_changed_since_the_last_write_are_not_those_that_would_be_compared(house: House) -> None:
    other = house.lake.iceberg.create_table("demo.other", ROWS.schema)
    other.append(ROWS)
    with other.update_schema() as changed:
        changed.rename_column("amount", "sum")
    with pytest.raises(
        SqlError, match=r"the columns of lake\.demo\.other were changed after its last write"
    ) as refusal:
        asyncio.run(house.run(ADOPTING.format("", "other")))
    assert refusal.value.sql_state == "55000"


def test_the_property_is_set_by_create_alone(house: House) -> None:
    with pytest.raises(SqlError, match="can be set only in CREATE MATERIALIZED VIEW"):
        asyncio.run(house.run("ALTER MATERIALIZED VIEW agg SET PROPERTIES ('viewgate.adopt' = 'sales')"))

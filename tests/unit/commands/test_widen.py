"""ALTER MATERIALIZED VIEW … ADD COLUMNS and AS: the old storage answers until the new storage is filled."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from proxy.hs2 import SqlError
from tests.unit.catalog.lake import AGG
from tests.unit.commands.house import House

POINTER = "iceberg.materialized.view.storage.table"
CREATE = "CREATE MATERIALIZED VIEW agg {}AS SELECT region, sum(amount) FROM sales GROUP BY region"
ADD = "ALTER MATERIALIZED VIEW agg ADD COLUMNS (max(amount) AS top)"
WIDER = [("region", "string"), ("sum(amount)", "bigint"), ("top", "bigint")]


@pytest.fixture
def made(house: House) -> House:
    asyncio.run(house.run(CREATE.format("PROPERTIES ('viewgate.refresh.every' = '1 hour') ")))
    return house


def widened(house: House, sql: str = ADD) -> dict[str, str]:
    house.upstream.described = WIDER
    asyncio.run(house.run(sql))
    return house.lake.view_properties(AGG)


def test_the_old_storage_answers_until_the_new_one_is_filled(made: House) -> None:
    old, pointed_to = made.lake.view_properties(AGG)[POINTER], list[str]()

    async def note() -> None:
        pointed_to.append(made.lake.view_properties(AGG)[POINTER])

    made.spark.before_insert = note
    properties = widened(made)
    assert pointed_to == [old]
    assert properties[POINTER] != old
    assert properties["viewgate.query"].startswith("SELECT region, sum(amount), max(amount) AS top FROM")
    (view,) = asyncio.run(made.catalogs.definitions())
    assert [column.name for column in view.columns][:2] == ["region", "sum(amount)"]


def test_everything_else_stays(made: House) -> None:
    properties = widened(made)
    assert properties["viewgate.refresh.every"] == "1 hour"
    assert properties["viewgate.refresh"] == "on-commit"
    assert "count(*) AS viewgate_rows_0" in properties["viewgate.storage-query"]


def test_a_deferred_view_is_filled_at_once_and_stays_deferred(house: House) -> None:
    asyncio.run(house.run(CREATE.format("WITH DEFERRED REFRESH ")))
    house.spark.statements.clear()
    properties = widened(house)
    assert properties["viewgate.refresh"] == "deferred"
    assert any(sql.startswith("INSERT") for sql in house.spark.statements)


def test_a_query_that_begins_with_the_columns_of_the_view(made: House) -> None:
    query = "SELECT region, sum(amount), max(amount) AS top FROM sales GROUP BY region"
    assert widened(made, f"ALTER MATERIALIZED VIEW agg AS {query}")["viewgate.query"] == query


def test_a_query_with_other_columns_is_refused(made: House) -> None:
    made.upstream.described = [("top", "bigint")]
    with pytest.raises(SqlError, match=r"does not begin with the columns of lake\.demo\.agg"):
        asyncio.run(made.run("ALTER MATERIALIZED VIEW agg AS SELECT max(amount) AS top FROM sales"))


def test_a_view_that_names_its_columns_names_the_new_ones(house: House) -> None:
    asyncio.run(house.run(CREATE.format("").replace("agg AS", "agg (land, total) AS")))
    house.upstream.described = [("land", "string"), ("total", "bigint"), ("top", "bigint")]
    with pytest.raises(SqlError, match="give each added column a name with AS"):
        asyncio.run(house.run("ALTER MATERIALIZED VIEW agg ADD COLUMNS (max(amount))"))
    asyncio.run(house.run(ADD))
    assert house.lake.view_properties(AGG)["viewgate.columns"] == "`land`, `total`, `top`".replace("`", "")


def test_under_other_settings_nothing_is_made(made: House) -> None:
    made.session = replace(made.session, time_zone="UTC")
    before = made.tables()
    with pytest.raises(SqlError, match=r"was created with the session settings .*Asia/Tokyo"):
        asyncio.run(made.run(ADD))
    assert made.tables() == before


def test_an_expression_that_is_none(made: House) -> None:
    with pytest.raises(SqlError, match="ADD COLUMNS"):
        asyncio.run(made.run("ALTER MATERIALIZED VIEW agg ADD COLUMNS (max(amount) AS)"))

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.hs2 import SqlError
from proxy.pipeline import Orphans
from tests.unit.catalog.lake import AGG
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"


def test_the_view_goes_before_its_storage(house: House) -> None:
    asyncio.run(house.run(CREATE))
    asyncio.run(house.run("DROP MATERIALIZED VIEW demo.agg"))
    assert house.upstream.statements[-2:] == [
        "DROP VIEW lake.demo.agg",
        "DROP TABLE IF EXISTS lake.demo.agg__storage PURGE",
    ]
    assert house.tables() == {"sales"}


@pytest.mark.parametrize("gone_by", ["DROP MATERIALIZED VIEW agg", CREATE.replace("CREATE", "CREATE OR REPLACE")])
def test_a_refresh_of_a_view_that_goes_ends_before_its_storage_goes(house: House, gone_by: str) -> None:
    async def story() -> None:
        begun = asyncio.Event()

        async def wait_for_ever() -> None:
            house.spark.before_insert = None
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                house.upstream.statements.append("ended")

        await house.run(CREATE)
        house.spark.before_insert = wait_for_ever
        refresh = asyncio.create_task(house.run("REFRESH MATERIALIZED VIEW agg FULL"))
        await begun.wait()
        async with asyncio.timeout(60):
            await house.run(gone_by)
            with pytest.raises(SqlError, match=r"lake\.demo\.agg has just been replaced or dropped") as refused:
                await refresh
        assert refused.value.sql_state == "40001"

    asyncio.run(story())
    assert house.upstream.statements[-2:] == ["ended", "DROP TABLE IF EXISTS lake.demo.agg__storage PURGE"]


def test_what_is_not_there(house: House) -> None:
    assert "does not exist" in asyncio.run(house.run("DROP MATERIALIZED VIEW IF EXISTS nope")).rows[0][0]
    for name, reason, state in (
        ("nope", "materialized view lake.demo.nope does not exist", "42P01"),
        ("sales", "^lake.demo.sales is a table, not a materialized view", "42809"),
    ):
        with pytest.raises(SqlError, match=reason) as refused:
            asyncio.run(house.run(f"DROP MATERIALIZED VIEW {name}"))
        assert refused.value.sql_state == state


def test_without_the_permission_nothing_is_dropped(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.upstream.broken = {"^DROP VIEW": SqlError("[FORBIDDEN] no", "42501")}
    with pytest.raises(SqlError, match="FORBIDDEN"):
        asyncio.run(house.run("DROP MATERIALIZED VIEW agg"))
    assert house.tables() == {"sales", "agg__storage"}


def test_storage_that_could_not_be_dropped_is_named(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.upstream.broken = {"^DROP TABLE": SqlError("[DISK] no", "58030")}
    with pytest.raises(
        SqlError, match=r"was dropped, but its storage table was not.*DROP TABLE lake\.demo\.agg__storage PURGE"
    ):
        asyncio.run(house.run("DROP MATERIALIZED VIEW agg"))


def test_of_a_view_that_cannot_be_read_the_storage_goes_too_or_is_described(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.lake.put_view(AGG, b"no json")
    said = asyncio.run(house.run("DROP MATERIALIZED VIEW agg")).rows[0][0]
    assert said == "materialized view lake.demo.agg dropped; its storage table lake.demo.agg__storage too"
    assert house.tables() == {"sales"}

    asyncio.run(house.run(CREATE))
    house.lake.put_view(AGG, b"no json")
    house.context = replace(house.context, orphans=Orphans(house.catalogs, house.spark, alone=()))
    said = asyncio.run(house.run("DROP MATERIALIZED VIEW agg")).rows[0][0]
    assert "has the property viewgate.storage-of = 'demo.agg' (agg__storage, perhaps with a suffix)" in said
    assert house.tables() == {"sales", "agg__storage"}


def test_a_view_whose_storage_is_gone_can_be_dropped(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.lake.iceberg.drop_table("demo.agg__storage")
    told = asyncio.run(house.run("DROP MATERIALIZED VIEW agg")).rows[0][0]
    assert told == "materialized view lake.demo.agg dropped"
    assert AGG not in [view.name for view in asyncio.run(house.catalogs.definitions())]


def test_storage_whose_files_are_gone_is_taken_out_of_the_catalog(house: House) -> None:
    asyncio.run(house.run(CREATE))
    metadata = house.lake.iceberg.load_table("demo.agg__storage").metadata_location
    Path(metadata.removeprefix("file://")).unlink()
    house.upstream.broken["DROP TABLE"] = SqlError("NotFoundException: File does not exist", None)
    told = asyncio.run(house.run("DROP MATERIALIZED VIEW agg")).rows[0][0]
    assert told == (
        "materialized view lake.demo.agg dropped; the metadata of its storage table lake.demo.agg__storage "
        "cannot be read: "
        "the table was removed from the catalog, and its remaining files must be deleted by hand"
    )
    assert house.tables() == {"sales"}


def test_storage_that_can_be_read_stays_where_spark_refuses_to_drop_it(house: House) -> None:
    asyncio.run(house.run(CREATE))
    house.upstream.broken["DROP TABLE"] = SqlError("permission denied", "42501")
    with pytest.raises(SqlError, match="was dropped, but its storage table was not"):
        asyncio.run(house.run("DROP MATERIALIZED VIEW agg"))
    assert house.tables() == {"sales", "agg__storage"}

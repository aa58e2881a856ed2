"""What the recorded state of the sources says about the rows that a refresh may build on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.pipeline import Pipeline, status
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, Lake, view_document
from tests.unit.pipeline.house import House
from tests.unit.pipeline.spark import FakeSpark


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A view over two tables with the same columns."""
    lake = Lake(tmp_path / "lake")
    made = House(lake)
    lake.iceberg.create_table("demo.returns", ROWS.schema).append(ROWS)
    made.sales.append(ROWS)
    document = view_document(**MATERIALIZED, **{"viewgate.settings": "{}"})
    (representation,) = document["versions"][0]["representations"]
    representation["sql"] = (
        "SELECT s.region, sum(s.amount) FROM sales AS s JOIN returns AS r "
        "ON s.region = r.region AND s.amount > r.amount GROUP BY s.region"
    )
    lake.put_view(AGG, document)
    made.spark = FakeSpark(lake)
    made.catalogs = lake.catalogs()
    made.pipeline = Pipeline(made.catalogs, made.spark)
    yield made
    lake.close()


@pytest.mark.parametrize("written", [False, True])
def test_after_two_sources_have_exchanged_their_names_all_rows_are_computed_again(house: House, written: bool) -> None:
    """Both UUIDs and snapshots are the recorded ones, but each name now means the other table."""

    async def story() -> None:
        await house.refresh()
        assert (await status(house.catalogs, await house.view())).word == "fresh"
        iceberg = house.lake.iceberg
        for old, new in (("sales", "other"), ("returns", "sales"), ("other", "returns")):
            iceberg.rename_table(f"demo.{old}", f"demo.{new}")
        if written:
            iceberg.load_table("demo.sales").append(ROWS)
        assert (await status(house.catalogs, await house.view())).word == "stale"
        await house.refresh()
        assert (
            "lake.demo.agg: refresh (full): the stored rows were computed from other tables than the query reads now"
            in house.log
        )
        assert (await status(house.catalogs, await house.view())).word == "fresh"

    asyncio.run(story())

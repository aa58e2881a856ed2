"""What a full refresh reads: another view's storage, if the rows can be computed from it."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest

from proxy.hs2 import SqlError
from proxy.pipeline import Asked, Pipeline
from proxy.pipeline.dependencies import over
from proxy.pipeline.pipeline import Refreshed
from rewriter import Definitions
from rewriter.model import MaterializedView, TableName
from tests.unit.catalog.lake import MATERIALIZED, SALES, Lake, view_document
from tests.unit.pipeline.spark import FakeSpark

ROWS = pa.table({"region": ["eu", "us"], "shop": [1, 2], "amount": [10, 20]})
FINE, COARSE = (TableName(("lake", "demo", name)) for name in ("fine", "coarse"))
SETTINGS = {"viewgate.settings": '{"spark.sql.session.timeZone":"UTC"}'}


class House:
    """Two views over sales, of which one can be computed from the other."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
        self.put(COARSE, ["region"])
        self.put(FINE, ["region", "shop"])
        self.spark = FakeSpark(lake)
        self.catalogs = lake.catalogs()
        self.pipeline = Pipeline(self.catalogs, self.spark)
        self.log: list[str] = []

    def put(self, name: TableName, keys: list[str]) -> None:
        storage = f"demo.{name.table}__storage"
        self.lake.iceberg.create_table(storage, self.stored(keys).schema, properties={"viewgate.storage-of": "x"})
        pointer = {"iceberg.materialized.view.storage.table": storage}
        names = {"spark.query-column-names": ",".join([*keys, "most"])}
        document = view_document(**{**MATERIALIZED, **pointer, **names, **SETTINGS})
        listed = ", ".join(keys)
        (representation,) = document["versions"][0]["representations"]
        representation["sql"] = f"SELECT {listed}, max(amount) AS most FROM sales GROUP BY {listed}"
        types = {"region": "string", "shop": "long", "most": "long"}
        document["schemas"][0]["fields"] = [
            {"id": i, "name": each, "required": False, "type": types[each]} for i, each in enumerate([*keys, "most"])
        ]
        document["view-uuid"] = f"uuid of {name}"
        self.lake.put_view(name, document)

    def stored(self, keys: list[str]) -> pa.Table:
        return ROWS.select([*keys, "amount"]).rename_columns([*keys, "most"])

    def fill(self, name: TableName, keys: list[str]) -> None:
        """Write rows to storage without a refresh."""
        self.lake.iceberg.load_table(f"demo.{name.table}__storage").append(self.stored(keys))
        self.catalogs.invalidate()

    async def view(self, name: TableName) -> MaterializedView:
        return next(view for view in await self.catalogs.definitions() if view.name == name)

    async def refresh(self, name: TableName, *, full: bool = False) -> Refreshed:
        return await self.pipeline.refresh(await self.view(name), self.log.append, Asked(full=full))


@pytest.fixture
def house(lake: Lake) -> House:
    return House(lake)


def test_the_second_of_two_views_reads_what_the_first_holds(house: House) -> None:
    async def story() -> None:
        fine = await house.refresh(FINE)
        await house.refresh(COARSE)
        assert f"FROM lake.demo.fine__storage VERSION AS OF {fine.snapshot_id} AS v" in house.spark.statements[-1]
        assert f"{COARSE}: reading {FINE} from its storage table, at snapshot {fine.snapshot_id}" in house.log
        assert not any(line.startswith(f"{COARSE}: reading {SALES}") for line in house.log)
        assert (
            f"{COARSE}: refresh (full): the storage table records no refresh; computed from the stored rows of {FINE}"
            in house.log
        )

    asyncio.run(story())


def test_what_is_asked_for_anew_comes_from_the_tables(house: House) -> None:
    async def story() -> None:
        await house.refresh(FINE)
        await house.refresh(COARSE, full=True)
        assert "FROM lake.demo.sales VERSION AS OF" in house.spark.statements[-1]

    asyncio.run(story())


def test_stale_storage_is_not_read(house: House) -> None:
    async def story() -> None:
        await house.refresh(FINE)
        house.lake.iceberg.load_table("demo.sales").append(ROWS)
        await house.refresh(COARSE)
        assert "FROM lake.demo.sales VERSION AS OF" in house.spark.statements[-1]

    asyncio.run(story())


def test_storage_that_cannot_be_read_gives_way_to_the_tables(house: House) -> None:
    async def fails_once() -> None:
        house.spark.before_insert = None
        raise SqlError("the file does not exist", "58030")

    async def story() -> None:
        await house.refresh(FINE)
        house.fill(COARSE, ["region"])
        house.spark.before_insert = fails_once
        assert (await house.refresh(COARSE)).changed
        assert "FROM lake.demo.sales VERSION AS OF" in house.spark.statements[-1]
        assert f"{COARSE}: the refresh (full) failed, starting a full refresh: the file does not exist" in house.log

    asyncio.run(story())


def test_the_view_that_holds_most_comes_first(house: House) -> None:
    async def story() -> None:
        definitions = Definitions(await house.catalogs.definitions())
        assert [view.name for view in await over(house.catalogs, definitions, [SALES])] == [COARSE, FINE]
        house.fill(FINE, ["region", "shop"])
        assert [view.name for view in await over(house.catalogs, definitions, [SALES])] == [FINE, COARSE]

    asyncio.run(story())

"""A materialized view over one table, and the pipeline that refreshes it on a fake Spark."""

from __future__ import annotations

import asyncio
from typing import Any

from proxy.catalog import Catalogs
from proxy.pipeline import Asked, Pipeline
from rewriter.model import MaterializedView, Table
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, STORAGE, Lake, view_document
from tests.unit.pipeline.spark import FakeSpark


class House:
    """A view over sales, its storage, and a pipeline over both."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.sales = lake.iceberg.create_table("demo.sales", ROWS.schema)
        lake.iceberg.create_table("demo.agg__storage", ROWS.schema, properties={"viewgate.storage-of": "x"}).append(
            ROWS
        )
        self.head = self.storage().snapshot_id
        settings = {"viewgate.settings": '{"spark.sql.ansi.enabled":"false"}'}
        lake.put_view(AGG, view_document(**MATERIALIZED, **settings))
        self.spark = FakeSpark(lake)
        self.catalogs: Catalogs = lake.catalogs()
        self.pipeline = Pipeline(self.catalogs, self.spark)
        self.log: list[str] = []

    def storage(self) -> Table:
        table = asyncio.run(self.lake.catalogs().current([STORAGE]))[STORAGE]
        assert isinstance(table, Table)
        return table

    def refs(self) -> set[str]:
        return set(self.lake.iceberg.load_table("demo.agg__storage").metadata.refs)

    async def view(self) -> MaterializedView:
        (view,) = await self.catalogs.definitions()
        return view

    async def last_error(self) -> str | None:
        return (await self.catalogs["lake"].properties(STORAGE)).get("viewgate.refresh-error")

    async def refresh(self, **how: Any) -> Any:
        return await self.pipeline.refresh(await self.view(), self.log.append, Asked(**how))

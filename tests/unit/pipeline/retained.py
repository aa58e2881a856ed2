"""A view by day whose storage is fresh, and holds a day that its retention policy no longer keeps."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pyarrow as pa
from pyiceberg.transforms import IdentityTransform

from proxy.catalog import Catalogs
from proxy.catalog.views import fingerprint
from proxy.pipeline import UP_TO_DATE, Pipeline
from rewriter.model import Table
from tests.unit.catalog.lake import AGG, MATERIALIZED, STORAGE, Lake, view_document
from tests.unit.pipeline.spark import FakeSpark

_QUERY = "SELECT day, sum(amount) FROM sales GROUP BY day"
_MADE = {
    **MATERIALIZED,
    "viewgate.definition": fingerprint(_QUERY),
    "viewgate.storage-query": "SELECT day AS day, sum(amount) AS amount FROM sales GROUP BY day",
    "viewgate.settings": '{"spark.sql.session.timeZone":"UTC","spark.sql.ansi.enabled":"true"}',
}
_OLD = pa.table({"day": [date(2020, 1, 1)], "amount": pa.array([10], pa.int64())})


class Retained:
    """A view that was refreshed once, and got its retention policy, or also its partitions, after that."""

    def __init__(self, lake: Lake, *, partitioned_later: bool = False) -> None:
        self._lake = lake
        lake.iceberg.create_table("demo.sales", _OLD.schema).append(_OLD)
        lake.iceberg.create_table("demo.agg__storage", _OLD.schema, properties={"viewgate.storage-of": "x"})
        if not partitioned_later:
            self._partition()
        lake.iceberg.load_table("demo.agg__storage").append(_OLD)
        self.spark = FakeSpark(lake)
        self.catalogs: Catalogs = lake.catalogs()
        self.pipeline = Pipeline(self.catalogs, self.spark)
        self._put_view()
        asyncio.run(self._fill())
        if partitioned_later:
            self._partition()
        self._put_view(**{"viewgate.retention": "30 days", "viewgate.refresh.every": "1 minute"})
        self.catalogs.invalidate()

    def part(self) -> str:
        """Return the condition that the storage records for its rows."""
        return self.storage().only

    def storage(self) -> Table:
        """Return the storage in its current state."""
        table = asyncio.run(self._lake.catalogs().current([STORAGE]))[STORAGE]
        assert isinstance(table, Table)
        return table

    def planned(self) -> tuple[str, str]:
        """Return the way of the next refresh, and its reason."""

        async def story() -> tuple[str, str]:
            (view,) = await self.catalogs.definitions()
            way, reason, _ = await self.pipeline.planned(view, UP_TO_DATE)
            return way, reason

        return asyncio.run(story())

    def _partition(self) -> None:
        with self._lake.iceberg.load_table("demo.agg__storage").update_spec() as update:
            update.add_field("day", IdentityTransform())

    def _put_view(self, **properties: str) -> None:
        document: dict[str, Any] = view_document(**_MADE, **properties)
        document["versions"][0]["representations"][0]["sql"] = _QUERY
        document["schemas"][0]["fields"][0] |= {"name": "day", "type": "date"}
        self._lake.put_view(AGG, document)

    async def _fill(self) -> None:
        (view,) = await self.catalogs.definitions()
        await self.pipeline.refresh(view, lambda _: None)

from __future__ import annotations

import asyncio
from typing import Any

from proxy.pipeline import Pipeline, status
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, SALES, Lake, view_document
from tests.unit.pipeline.spark import FakeSpark


def made_in_another_catalog() -> dict[str, Any]:
    """Return a view as CREATE stores it in a session whose current catalog is Spark's own."""
    document = view_document(**MATERIALIZED, **{"viewgate.settings": "{}"})
    version = document["versions"][0]
    version["default-catalog"], version["default-namespace"] = "spark_catalog", ["default"]
    version["representations"][0]["sql"] = "SELECT region, sum(amount) FROM lake.demo.sales GROUP BY region"
    return document


def test_a_view_made_from_another_catalog_knows_its_tables(lake: Lake) -> None:
    lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
    lake.iceberg.create_table("demo.agg__storage", ROWS.schema, properties={"viewgate.storage-of": "demo.agg"})
    lake.put_view(AGG, made_in_another_catalog())

    async def refreshed() -> None:
        catalog = lake.catalogs()
        (view,) = await catalog.definitions()
        await Pipeline(catalog, FakeSpark(lake)).refresh(view, lambda line: None)
        now = await status(catalog, view)
        assert (now.word, now.sources) == ("fresh", (SALES,))

    asyncio.run(refreshed())

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from proxy.catalog import Catalogs
from proxy.hs2 import SqlError
from proxy.pipeline import Pipeline
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, STORAGE, Lake, view_document
from tests.unit.pipeline.spark import FakeSpark

DAY_NS = 86_400 * 10**9


class House:
    """A view whose storage keeps its snapshots for a day, and a Spark that may refuse procedures."""

    def __init__(self, lake: Lake) -> None:
        self.sales = lake.iceberg.create_table("demo.sales", ROWS.schema)
        lake.iceberg.create_table("demo.agg__storage", ROWS.schema, properties={"viewgate.storage-of": "x"})
        settings = {"viewgate.settings": "{}", "viewgate.snapshots.keep": "1 day"}
        lake.put_view(AGG, view_document(**MATERIALIZED, **settings))
        self.spark = FakeSpark(lake)
        self.catalogs: Catalogs = lake.catalogs()
        self.log: list[str] = []

    def refresh(self) -> list[str]:
        """Append and refresh, and return the procedures that were called."""

        async def story() -> Any:
            (view,) = await self.catalogs.definitions()
            return await Pipeline(self.catalogs, self.spark).refresh(view, self.log.append)

        self.sales.append(ROWS)
        self.spark.statements.clear()
        assert asyncio.run(story()).changed
        return [sql for sql in self.spark.statements if sql.startswith("CALL")]


@pytest.fixture
def house(lake: Lake) -> House:
    return House(lake)


def later(monkeypatch: pytest.MonkeyPatch, days: float) -> None:
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + int(days * DAY_NS))


def test_snapshots_expire_when_the_oldest_has_twice_the_age_that_is_kept(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert house.refresh() == []
    later(monkeypatch, 1.5)
    assert house.refresh() == []
    later(monkeypatch, 1)
    (call,) = house.refresh()
    assert call.startswith(
        "CALL lake.system.expire_snapshots(table => 'demo.agg__storage', older_than => TIMESTAMP_LTZ '"
    )
    assert call.endswith("', retain_last => 1)")
    assert house.spark.settings == {"spark.sql.defaultCatalog": "lake"}
    assert "older than 1 day expired" in house.log[-1]


def test_an_expiry_that_fails_is_a_line_in_the_log(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.refresh()
    run = house.spark.run

    async def refusing(sql: str) -> None:
        if sql.startswith("CALL"):
            raise SqlError("[PROCEDURE_NOT_FOUND] no", "42883")
        await run(sql)

    monkeypatch.setattr(house.spark, "run", refusing)
    later(monkeypatch, 3)
    house.refresh()
    assert house.log[-1].endswith("old snapshots of its storage table could not expire: [PROCEDURE_NOT_FOUND] no")


def test_a_refresh_that_is_cancelled_while_snapshots_expire_has_succeeded(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.refresh()
    run = house.spark.run

    async def cancelling(sql: str) -> None:
        if sql.startswith("CALL"):
            raise asyncio.CancelledError
        await run(sql)

    monkeypatch.setattr(house.spark, "run", cancelling)
    later(monkeypatch, 3)
    with pytest.raises(asyncio.CancelledError):
        house.refresh()
    assert " refreshed: " in house.log[-1]
    assert "viewgate.refresh-error" not in asyncio.run(house.catalogs["lake"].properties(STORAGE))

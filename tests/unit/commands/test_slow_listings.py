"""Listings of views whose catalog is slow: each view's status is requested once, and four at a time."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from proxy.catalog import Catalogs
from proxy.console.metrics import exposition, view_families
from proxy.pipeline import status
from rewriter.model import MaterializedView, TableName
from tests.unit.catalog.lake import MATERIALIZED, ROWS, view_document
from tests.unit.commands.house import House

NAMES = [f"v{at}" for at in range(10)]


class Slow:
    """A slow status, which counts the calls for each view, and the most calls at once."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.now = self.most = 0

    async def status(self, catalogs: Catalogs, view: MaterializedView) -> Any:
        self.calls[view.name.table] += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return await status(catalogs, view)


async def metrics(house: House) -> list[str]:
    lines = exposition(await view_families(house.catalogs)).decode().splitlines()
    return [line.split("lake.demo.")[1][:2] for line in lines if line.startswith("viewgate_view_lag_seconds{")]


async def shown(house: House) -> list[str]:
    return [str(row[1]) for row in (await house.run("SHOW MATERIALIZED VIEWS")).rows]


async def used(house: House) -> list[str]:
    return [row["view"][-2:] for row in await house.context.system.rows("views", None)]


@pytest.mark.parametrize("listing", [metrics, shown, used])
def test_a_listing_requests_the_status_of_each_view_once_and_of_four_at_a_time(
    house: House, monkeypatch: pytest.MonkeyPatch, listing: Callable[[House], Coroutine[Any, Any, list[str]]]
) -> None:
    house.lake.iceberg.create_table("demo.agg__storage", ROWS.schema).append(ROWS)
    for name in NAMES:
        house.lake.put_view(TableName(("lake", "demo", name)), view_document(**MATERIALIZED))
    slow = Slow()
    monkeypatch.setattr(sys.modules[status.__module__], "status", slow.status)

    assert asyncio.run(listing(house)) == ([] if listing is metrics else NAMES)
    assert (slow.calls, slow.most) == (dict.fromkeys(NAMES, 1), 4)

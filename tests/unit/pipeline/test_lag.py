from __future__ import annotations

import asyncio

from proxy.pipeline.status import status
from rewriter.model import Table
from tests.unit.catalog.lake import ROWS, SALES
from tests.unit.pipeline.house import House


def lag(house: House, now_ms: int) -> float | None:
    async def look() -> float | None:
        return (await status(house.catalogs, await house.view())).lag_s(now_ms)

    return asyncio.run(look())


def commits(house: House) -> list[int]:
    """Return the times of the table's commits, the latest first."""
    table = asyncio.run(house.catalogs.current([SALES]))[SALES]
    assert isinstance(table, Table)
    return [snapshot.timestamp_ms for snapshot in table.snapshots]


def test_a_view_that_was_never_refreshed_has_no_lag(house: House) -> None:
    assert lag(house, 0) is None


def test_a_fresh_view_is_not_behind_however_old_it_is(house: House) -> None:
    house.sales.append(ROWS)
    asyncio.run(house.refresh())
    assert lag(house, commits(house)[0] + 1_000_000) == 0.0


def test_a_stale_view_is_behind_since_the_first_commit_that_it_lacks(house: House) -> None:
    house.sales.append(ROWS)
    asyncio.run(house.refresh())
    house.sales.append(ROWS)
    house.sales.append(ROWS)
    _, first_missed, _ = commits(house)
    assert lag(house, first_missed + 90_000) == 90.0

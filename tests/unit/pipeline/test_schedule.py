"""Views with a refresh period are refreshed when it is over and somebody has written to a table since."""

from __future__ import annotations

import asyncio
import time

import pytest

from proxy.hs2 import SqlError
from proxy.journal import Cause
from proxy.pipeline import Pipeline, Schedule
from rewriter.model import TableName
from tests.unit.catalog.lake import ROWS, SALES, Lake
from tests.unit.pipeline.retained import Retained
from tests.unit.pipeline.test_on_commit import (
    FIRST,
    LEFT_ALONE,
    SECOND,
    House,
    put_over_another_catalog,
    put_over_first,
)

MINUTELY = {"viewgate.refresh.every": "1 minute", "viewgate.refresh": "deferred"}


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_view_is_looked_at_when_its_period_is_over(lake: Lake) -> None:
    async def story() -> None:
        house, clock = House(lake, **MINUTELY), Clock()
        schedule = Schedule(house.catalogs, house.pipeline, clock)
        assert await schedule.look() == 10
        now = time.time() * 1000
        assert all(abs(due - now - 60_000) < 5000 for due in schedule.due_ms().values())
        assert len(schedule.due_ms()) == 2
        await schedule.rest()
        assert await house.standing() == ["fresh", "fresh"]
        assert house.causes() == [Cause.SCHEDULE, Cause.SCHEDULE]
        house.sales.append(ROWS)
        clock.now += 55
        assert await schedule.look() == 5
        await schedule.rest()
        assert await house.standing() == ["stale", "stale"]
        clock.now += 5
        await schedule.look()
        await schedule.rest()
        assert await house.standing() == ["fresh", "fresh"]
        inserts = len([sql for sql in house.spark.statements if "INSERT" in sql])
        clock.now += 60
        await schedule.look()
        await schedule.rest()
        assert len([sql for sql in house.spark.statements if "INSERT" in sql]) == inserts

    asyncio.run(story())


def test_a_view_over_a_catalog_that_is_not_in_the_settings_is_left_alone(
    lake: Lake, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        house, clock = House(lake, **MINUTELY), Clock()
        put_over_another_catalog(house, SECOND, **MINUTELY)
        schedule = Schedule(house.catalogs, house.pipeline, clock)
        for _ in range(2):
            await schedule.look()
            await schedule.rest()
            clock.now += 60
        assert {refresh.view for refresh in house.journal.refreshes} == {FIRST}

    asyncio.run(story())
    assert caplog.text.count(LEFT_ALONE) == 1


def test_views_without_a_period_are_left_alone(lake: Lake) -> None:
    async def story() -> None:
        house = House(lake)
        schedule = Schedule(house.catalogs, house.pipeline)
        await schedule.look()
        await schedule.rest()
        assert schedule.due_ms() == {}
        assert house.spark.statements == []

    asyncio.run(story())


def test_a_failure_is_noted_and_tried_again_when_the_period_is_over(lake: Lake) -> None:
    async def story() -> None:
        house, clock = House(lake, **MINUTELY), Clock()
        schedule = Schedule(house.catalogs, house.pipeline, clock)

        async def fail_once() -> None:
            house.spark.before_insert = None
            raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

        house.spark.before_insert = fail_once
        await schedule.look()
        await schedule.rest()
        assert sorted(await house.standing()) == ["fresh", "stale"]
        clock.now += 60
        await schedule.look()
        await schedule.rest()
        assert await house.standing() == ["fresh", "fresh"]

    asyncio.run(story())


def test_a_view_over_another_waits_for_that_and_reads_its_storage(lake: Lake) -> None:
    async def story() -> None:
        house = House(lake, **MINUTELY)
        lake.drop_view(SECOND)
        put_over_first(house, TableName(("lake", "demo", "a_upper")), **MINUTELY)
        schedule = Schedule(house.catalogs, house.pipeline)
        await schedule.look()
        await schedule.rest()
        _, upper = (sql for sql in house.spark.statements if "INSERT" in sql)
        assert "demo.first__storage" in upper

    asyncio.run(story())


def test_what_a_policy_no_longer_keeps_goes_though_the_tables_rest(lake: Lake) -> None:
    house = Retained(lake)

    async def story() -> None:
        schedule = Schedule(house.catalogs, house.pipeline)
        await schedule.look()
        await schedule.rest()

    asyncio.run(story())
    assert house.part().startswith("day >= DATE '20")


def test_of_many_that_are_due_a_few_are_refreshed_at_once(lake: Lake) -> None:
    async def story() -> None:
        house = House(lake, **MINUTELY)
        pipeline = Pipeline(house.catalogs, house.spark, in_background=1)
        schedule = Schedule(house.catalogs, pipeline)
        inside: list[int] = []

        async def hold() -> None:
            inside.append(1)
            for _ in range(50):  # more looks at the catalog than the other would need to come here, too
                await house.catalogs.current([SALES])
            inside.append(-1)

        house.spark.before_insert = hold
        await schedule.look()
        await schedule.rest()
        assert inside == [1, -1, 1, -1]

    asyncio.run(story())


def test_a_view_that_takes_longer_than_its_period_hurries_nobody(lake: Lake) -> None:
    async def story() -> None:
        house, clock, release = House(lake, **MINUTELY), Clock(), asyncio.Event()

        async def hold() -> None:
            await release.wait()

        house.spark.before_insert = hold
        schedule = Schedule(house.catalogs, house.pipeline, clock)
        await schedule.look()
        clock.now += 61
        assert await schedule.look() == 10
        release.set()
        await schedule.rest()
        house.sales.append(ROWS)
        await schedule.look()
        await schedule.rest()
        assert await house.standing() == ["fresh", "fresh"]

    asyncio.run(story())


def test_cancelled_it_takes_its_refreshes_along(lake: Lake) -> None:
    async def story() -> None:
        house = House(lake, **MINUTELY)
        begun = asyncio.Event()

        async def hold() -> None:
            begun.set()
            await asyncio.Event().wait()

        house.spark.before_insert = hold
        schedule = Schedule(house.catalogs, house.pipeline)
        running = asyncio.create_task(schedule.run())
        await begun.wait()
        assert schedule.due_ms()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert schedule.due_ms() == {}  # another worker runs the schedule from now on
        assert set(lake.iceberg.load_table("demo.first__storage").metadata.refs) <= {"main"}

    asyncio.run(story())

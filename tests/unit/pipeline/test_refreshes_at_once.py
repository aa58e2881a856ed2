from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest
from pyiceberg.table.update.snapshot import ManageSnapshots
from pyiceberg.types import StringType

from proxy.catalog import commits
from proxy.hs2 import SqlError
from proxy.pipeline import Pipeline, status
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, view_document
from tests.unit.pipeline.house import House
from tests.unit.pipeline.spark import FakeSpark


def test_a_source_that_could_not_be_pinned_and_moved_is_read_again(house: House) -> None:
    async def write_once() -> None:
        house.spark.before_insert = None
        house.sales.append(ROWS)

    house.spark.before_insert = write_once
    asyncio.run(house.refresh())
    recorded = house.storage().refresh
    assert recorded is not None
    assert recorded.sources[0].snapshot_id == house.sales.refresh().metadata.current_snapshot_id
    assert "starting over" in " ".join(house.log)
    assert house.refs() == {"main"}


def test_one_that_moved_and_came_back_is_read_again(house: House) -> None:
    async def write_and_roll_back_once() -> None:
        house.spark.before_insert = None
        before = house.sales.refresh().metadata.current_snapshot_id
        house.sales.append(ROWS)
        with house.sales.transaction() as transaction:
            snapshots = ManageSnapshots(transaction)
            snapshots.set_current_snapshot(snapshot_id=before)
            snapshots.commit()

    house.sales.append(ROWS)
    house.sales.update_schema().add_column("extra", StringType()).commit()  # no snapshot has it yet
    house.spark.before_insert = write_and_roll_back_once
    asyncio.run(house.refresh())
    assert "starting over" in " ".join(house.log)


def test_a_source_that_never_rests_is_given_up_with_the_content_as_it_was(house: House) -> None:
    async def write_always() -> None:
        house.lake.iceberg.load_table("demo.sales").update_schema().add_column(
            f"c{len(house.log)}", StringType()
        ).commit()

    house.spark.before_insert = write_always
    with pytest.raises(SqlError, match="changed during each") as refused:
        asyncio.run(house.refresh())
    assert refused.value.sql_state == "40001"
    assert (house.storage().snapshot_id, house.refs()) == (house.head, {"main"})


def test_names_that_changed_while_what_was_added_was_read_start_over(house: House) -> None:
    async def rename_once() -> None:
        house.spark.before_insert = None
        house.sales.refresh().update_schema().rename_column("amount", "sum").commit()

    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.append(ROWS)
        house.spark.before_insert = rename_once
        await house.refresh()

    asyncio.run(story())
    assert "starting over" in " ".join(house.log)


def test_what_a_refresh_says_of_itself_is_known_as_long_as_it_goes_on(house: House) -> None:
    said: list[str] = []

    async def look() -> None:
        said.append(house.pipeline.said(await house.view()))

    async def story() -> None:
        house.spark.before_insert = look
        house.sales.append(ROWS)
        await house.refresh()
        house.spark.before_insert = None
        assert house.pipeline.said(await house.view()) == ""

    asyncio.run(story())
    (line,) = said
    assert line.startswith("reading lake.demo.sales, at snapshot")


def test_a_cancelled_refresh_leaves_nothing(house: House) -> None:
    async def story() -> None:
        begun = asyncio.Event()

        async def wait_for_ever() -> None:
            begun.set()
            await asyncio.Event().wait()

        house.spark.before_insert = wait_for_ever
        task = asyncio.create_task(house.refresh())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    assert (house.storage().snapshot_id, house.refs()) == (house.head, {"main"})
    assert (asyncio.run(house.last_error()) or "").endswith(": the refresh was cancelled")


def test_a_view_made_anew_under_the_name_of_one_that_is_gone_does_not_wait_for_that_ones_refresh(house: House) -> None:
    async def story() -> None:
        begun = asyncio.Event()

        async def wait_for_ever() -> None:
            begun.set()
            await asyncio.Event().wait()

        view = await house.view()
        house.spark.before_insert = wait_for_ever
        task = asyncio.create_task(house.refresh())
        await begun.wait()
        house.spark.before_insert = None
        anew = replace(view, uuid="another")
        async with asyncio.timeout(10):
            assert (await house.pipeline.refresh(anew, house.log.append)).changed
        assert (house.pipeline.said(view) != "", house.pipeline.said(anew)) == (True, "")
        task.cancel()
        await asyncio.wait({task})

    asyncio.run(story())


def test_the_refresh_of_a_view_that_is_gone_ends_and_none_begins(house: House) -> None:
    async def story() -> None:
        begun = asyncio.Event()

        async def wait_for_ever() -> None:
            begun.set()
            await asyncio.Event().wait()

        view = await house.view()
        house.spark.before_insert = wait_for_ever
        one = asyncio.create_task(house.pipeline.refresh(view, house.log.append))
        await begun.wait()
        other = asyncio.create_task(house.pipeline.refresh(view, house.log.append))
        await asyncio.sleep(0)  # until it waits for the first
        async with asyncio.timeout(60):
            async with house.pipeline.given_up(view):
                assert house.refs() == {"main"}
            for refresh in (one, other):
                with pytest.raises(SqlError, match=r"lake\.demo\.agg has just been replaced or dropped") as refused:
                    await refresh
                assert refused.value.sql_state == "40001"
        assert await house.last_error() is None
        house.spark.before_insert = None
        assert (await house.refresh()).changed  # such as one of the same uuid and storage, two replacements later

    asyncio.run(story())


def test_whoever_cancels_a_refresh_that_is_given_up_is_not_told_of_an_error(house: House) -> None:
    async def story() -> None:
        begun = asyncio.Event()

        async def wait_for_ever() -> None:
            begun.set()
            await asyncio.Event().wait()

        house.spark.before_insert = wait_for_ever
        refresh = asyncio.create_task(house.refresh())
        await begun.wait()
        giving_up = asyncio.create_task(house.pipeline.given_up(await house.view()).__aenter__())
        await asyncio.sleep(0)
        refresh.cancel()
        with pytest.raises(asyncio.CancelledError):
            await refresh
        await giving_up

    asyncio.run(story())


def test_a_refresh_that_is_cancelled_during_its_commit_has_succeeded_if_that_does(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = commits.publish

    async def story() -> None:
        loop, begun, release = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def slowly(*arguments: Any) -> Any:
            loop.call_soon_threadsafe(begun.set)
            release.wait(10)
            return publish(*arguments)

        monkeypatch.setattr(commits, "publish", slowly)
        task = asyncio.create_task(house.refresh())
        await begun.wait()
        task.cancel()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await status(house.catalogs, await house.view())).fresh
        assert await house.last_error() is None

    house.sales.append(ROWS)
    asyncio.run(story())
    assert house.refs() == {"main"}


@pytest.mark.parametrize("written", [False, True])
def test_of_two_refreshers_in_two_proxies_one_wins_and_the_other_looks_again(house: House, written: bool) -> None:
    async def the_other_is_faster() -> None:
        house.spark.before_insert = None
        await Pipeline(house.lake.catalogs(), FakeSpark(house.lake)).refresh(await house.view(), house.log.append)
        if written:
            house.sales.append(ROWS)

    house.sales.append(ROWS)
    house.spark.before_insert = the_other_is_faster
    assert asyncio.run(house.refresh()).changed == written
    assert "lake.demo.agg: another refresh was committed first; starting over" in house.log
    recorded = house.storage().refresh
    assert recorded is not None
    assert recorded.sources[0].snapshot_id == house.sales.refresh().metadata.current_snapshot_id
    assert house.refs() == {"main"}
    assert asyncio.run(house.last_error()) is None


def test_whoever_asks_for_everything_anew_is_told_of_another_refresh_that_was_faster(house: House) -> None:
    async def story() -> None:
        other = Pipeline(house.lake.catalogs(), FakeSpark(house.lake))

        async def the_other_is_faster() -> None:
            await other.refresh(await house.view(), house.log.append)

        house.spark.before_insert = the_other_is_faster
        with pytest.raises(
            SqlError, match=r"the storage table of lake\.demo\.agg was changed while this refresh ran"
        ) as refused:
            await house.refresh(full=True)
        assert refused.value.sql_state == "40001"

    asyncio.run(story())
    assert house.refs() == {"main"}
    assert house.storage().refresh is not None
    assert asyncio.run(house.last_error()) is None


def test_a_view_that_has_been_replaced_meanwhile_is_to_be_refreshed_again(house: House) -> None:
    view = asyncio.run(house.view())
    house.lake.put_view(AGG, view_document(2, **MATERIALIZED))
    house.lake.iceberg.drop_table("demo.agg__storage")
    house.catalogs.invalidate()
    with pytest.raises(SqlError, match="has just been replaced or dropped") as refused:
        asyncio.run(house.pipeline.refresh(view, house.log.append))
    assert refused.value.sql_state == "40001"

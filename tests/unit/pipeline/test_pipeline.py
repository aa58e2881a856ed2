from __future__ import annotations

import asyncio
import re
import time
from unittest.mock import Mock

import pytest
from pyiceberg.table.update.snapshot import ManageSnapshots
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import StringType

from proxy.hs2 import SqlError
from proxy.pipeline import Asked
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, SALES, view_document
from tests.unit.pipeline.house import House


def test_the_content_is_read_at_the_snapshots_that_are_recorded(house: House) -> None:
    house.sales.append(ROWS)
    snapshot = house.sales.metadata.current_snapshot_id
    refreshed = asyncio.run(house.refresh())
    storage = house.storage()
    assert storage.snapshot_id == refreshed.snapshot_id
    assert storage.refresh is not None
    (source,) = storage.refresh.sources
    assert (source.name, source.snapshot_id, storage.refresh.view_version) == (SALES, snapshot, 1)
    assert source.columns is not None
    assert storage.refresh.view_uuid == view_document()["view-uuid"]
    assert f"FROM lake.demo.sales VERSION AS OF {snapshot}" in house.spark.statements[-1]
    assert house.refs() == {"main"}
    properties = house.lake.iceberg.load_table("demo.agg__storage").properties
    assert properties[f"iceberg.base.snapshot.{source.uuid}"] == str(snapshot)


def test_a_job_enters_the_namespace_of_the_view_without_sparks_default_catalog(house: House) -> None:
    asyncio.run(house.refresh())
    assert house.spark.settings["spark.sql.defaultCatalog"] == "lake"
    assert house.spark.statements[0] == "USE lake.demo"


def test_the_job_has_the_views_own_settings(house: House) -> None:
    asyncio.run(house.refresh())
    assert house.spark.settings["spark.sql.ansi.enabled"] == "false"
    assert house.spark.settings["spark.sql.sources.partitionOverwriteMode"] == "static"
    assert house.spark.statements[0] == "USE lake.demo"


def test_fresh_storage_is_left_alone_unless_full_is_asked(house: House) -> None:
    async def story() -> list[bool]:
        return [(await house.refresh(full=full)).changed for full in (False, False, True)]

    assert asyncio.run(story()) == [True, False, True]
    assert "is fresh" in " ".join(house.log)


def test_what_is_of_another_type_than_the_storage_is_not_squeezed_into_it(house: House) -> None:
    """For example after a table was replaced: 3.5 would be stored as 3, and be taken for fresh."""
    house.spark.returned = (("region", "string"), ("amount", "double"))
    with pytest.raises(SqlError, match="now returns amount as double, but its storage table has bigint") as refusal:
        asyncio.run(house.refresh())
    assert refusal.value.sql_state == "55000"
    assert house.storage().snapshot_id == house.head
    assert house.refs() == {"main"}


@pytest.mark.parametrize("returned", [("region",), ("region", "amount", "more")])
def test_storage_that_has_not_as_many_columns_as_the_query_is_not_written(
    house: House, returned: tuple[str, ...]
) -> None:
    """For example after somebody added or dropped a storage column past Viewgate."""
    house.spark.returned = tuple((name, "string") for name in returned)
    with pytest.raises(
        SqlError, match=r"but its storage table lake\.demo\.agg__storage has \(region, amount\)"
    ) as refusal:
        asyncio.run(house.refresh())
    assert f"returns the columns ({', '.join(returned)})" in refusal.value.message
    assert refusal.value.sql_state == "55000"
    assert house.storage().snapshot_id == house.head
    assert house.refs() == {"main"}


def test_a_source_without_snapshot_that_stays_so_is_recorded_as_such(house: House) -> None:
    asyncio.run(house.refresh())
    recorded = house.storage().refresh
    assert recorded is not None
    assert recorded.sources[0].snapshot_id is None


def test_a_schema_that_is_newer_than_the_snapshot_is_not_pinned(house: House) -> None:
    house.sales.append(ROWS)
    house.sales.update_schema().add_column("more", StringType()).commit()
    asyncio.run(house.refresh())
    assert "VERSION AS OF" not in house.spark.statements[-1]


def test_a_failure_in_spark_is_passed_on_kept_and_cleared_by_success(house: House) -> None:
    async def fail() -> None:
        raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

    async def story() -> None:
        house.spark.before_insert = fail
        with pytest.raises(SqlError, match="DIVIDE_BY_ZERO"):
            await house.refresh()
        assert ": [DIVIDE_BY_ZERO] Division" in (await house.last_error() or "")
        with pytest.raises(SqlError):  # one that has nothing new to compute, and is asked to compute it anew
            await house.refresh(full=True)
        house.spark.before_insert = None
        await house.refresh()
        assert await house.last_error() is None

    asyncio.run(story())


def test_what_everybody_sees_of_a_failure_has_no_credential(house: House) -> None:
    told: list[str] = []
    shown: list[str] = []

    async def fail() -> None:
        raise SqlError("no login at jdbc:postgresql://ann:opensesame@db/x", "08001")

    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.append(ROWS)
        house.spark.before_insert = fail
        view = await house.view()

        def log(line: str) -> None:
            told.append(line)
            shown.append(house.pipeline.said(view))

        with pytest.raises(SqlError, match="opensesame"):
            await house.pipeline.refresh(view, log)
        shown.append(await house.last_error() or "")

    asyncio.run(story())
    assert sum("opensesame" in line for line in told) == 1  # the client that has sent the statement
    assert sum("jdbc:postgresql://ann:***@db/x" in text for text in shown) == 2
    assert "opensesame" not in "".join(shown)


PLAN = """[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `t0`.`amount`
cannot be resolved. Did you mean one of the following? [`t0`.`region`]. SQLSTATE: 42703; line 2 pos 10;
'InsertIntoStatement RelationV2[region#1] lake.demo.agg__storage
""".replace("`amount`\n", "`amount` ")


def test_a_column_that_is_gone_is_named_without_spark_s_plan(house: House, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise SqlError(PLAN, "42703")

    async def story() -> str:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.update_schema().delete_column("amount").commit()
        house.spark.before_insert = fail
        with pytest.raises(SqlError) as failed:
            await house.refresh(full=True)
        return failed.value.message

    message = asyncio.run(story())
    assert message == (
        "the column amount of lake.demo.sales no longer exists; restore the column, or recreate the view with CREATE "
        "OR REPLACE "
        "MATERIALIZED VIEW (the stored rows of lake.demo.agg are unchanged)"
    )
    assert "storage" not in caplog.text


def test_only_content_that_there_is_is_said_to_be_as_before(house: House) -> None:
    async def fail() -> None:
        raise SqlError("[OUT_OF_LUCK] no", "HY000")

    async def story() -> str:
        house.spark.before_insert = fail
        with pytest.raises(SqlError) as failed:
            await house.refresh()
        return failed.value.message

    assert asyncio.run(story()) == "[OUT_OF_LUCK] no"


def test_what_was_appended_is_merged_and_recorded(house: House) -> None:
    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        first = house.sales.metadata.current_snapshot_id
        house.sales.append(ROWS)
        assert (await house.pipeline.decision(await house.view())).kind == "append-merge"
        await house.refresh()
        assert f"WITH ('start-snapshot-id' = '{first}'" in house.spark.statements[-1]
        assert (await house.pipeline.decision(await house.view())).refreshes is False
        assert (await house.pipeline.planned(await house.view(), Asked(full=True)))[0] == "full"

    asyncio.run(story())
    recorded = house.storage().refresh
    assert recorded is not None
    assert recorded.sources[0].snapshot_id == house.sales.refresh().metadata.current_snapshot_id


def test_manifests_are_read_only_where_partitions_could_be_computed_alone(house: House) -> None:
    storage = house.lake.iceberg.load_table("demo.agg__storage")
    for table in (house.sales, storage):
        with table.update_spec() as update:
            update.add_field("region", IdentityTransform())

    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.delete("region = 'eu'")
        decision = await house.pipeline.decision(await house.view())
        assert (decision.kind, "REPLACE WHERE (region = 'eu')" in decision.content) == ("partition recompute", True)

        async def unreadable(*_: object) -> None:
            raise OSError("a manifest is gone")

        lake = house.catalogs["lake"]
        lake.files = lake.touched = unreadable  # type: ignore[assignment, method-assign]
        assert (await house.pipeline.decision(await house.view())).kind == "full"

    asyncio.run(story())


def test_appended_rows_are_merged_into_the_touched_partitions_of_the_storage(house: House) -> None:
    for table in (house.sales, house.lake.iceberg.load_table("demo.agg__storage")):
        with table.update_spec() as update:
            update.add_field("region", IdentityTransform())

    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.append(ROWS.slice(0, 1))

        async def unreadable(*_: object) -> None:
            raise OSError("every file of the table would be looked at")

        house.catalogs["lake"].files = unreadable  # type: ignore[assignment, method-assign]
        decision = await house.pipeline.decision(await house.view())
        assert decision.kind == "append-merge"
        assert decision.content.startswith("REPLACE WHERE (region = 'eu') ")

    asyncio.run(story())


def test_setting_the_clock_changes_no_duration(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    true_ns = time.time_ns

    async def set_back() -> None:
        monkeypatch.setattr(time, "time_ns", lambda: true_ns() - 3_600_000_000_000)

    house.sales.append(ROWS)
    house.spark.before_insert = set_back
    asyncio.run(house.refresh())
    assert re.search(r" refreshed: 4 rows in \d{1,5} ms, snapshot ", "\n".join(house.log))


def test_an_incremental_refresh_that_fails_in_spark_is_followed_by_a_full_one(house: House) -> None:
    async def fail_once() -> None:
        house.spark.before_insert = None
        raise SqlError("[ARITHMETIC_OVERFLOW] overflow", "22003")

    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.append(ROWS)
        house.spark.before_insert = fail_once
        assert (await house.refresh()).changed
        assert await house.last_error() is None

    asyncio.run(story())
    merged, whole = (s for s in house.spark.statements[-4:] if s.startswith("INSERT"))
    assert "start-snapshot-id" in merged
    assert "start-snapshot-id" not in whole
    assert "starting a full refresh: [ARITHMETIC_OVERFLOW]" in " ".join(house.log)
    assert house.refs() == {"main"}


def test_a_commit_that_the_catalog_refuses_is_told_and_not_tried_again_by_a_full_refresh(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        house.sales.append(ROWS)
        await house.refresh()
        house.sales.append(ROWS)
        with monkeypatch.context() as broken:
            broken.setattr(ManageSnapshots, "set_current_snapshot", Mock(side_effect=OSError("no\n space")))
            with pytest.raises(SqlError) as refused:
                await house.refresh()
        assert refused.value.sql_state == "58000"
        assert refused.value.message == (
            "the commit to lake.demo.agg__storage failed: no space; see the log of the catalog lake, and refresh again "
            "once the cause is fixed (the stored rows of lake.demo.agg are unchanged)"
        )
        assert "no space" in str(await house.last_error())
        assert (await house.refresh()).changed

    asyncio.run(story())
    assert "starting a full refresh" not in " ".join(house.log)


def test_a_failure_goes_where_nothing_has_to_be_computed(house: House) -> None:
    async def fail() -> None:
        raise SqlError("[OUT_OF_LUCK] no", "58000")

    async def story() -> None:
        await house.refresh()
        house.spark.before_insert = fail
        with pytest.raises(SqlError):
            await house.refresh(full=True)
        assert await house.last_error()
        assert not (await house.refresh()).changed
        assert await house.last_error() is None

    asyncio.run(story())


def test_views_below_are_recorded_with_their_tables(house: House) -> None:
    below = view_document(4)
    house.lake.put_view(SALES.__class__(("lake", "demo", "below")), below)
    outer = view_document(**MATERIALIZED)
    outer["versions"][0]["representations"][0]["sql"] = "SELECT region, amount FROM below"
    house.lake.put_view(AGG, outer)
    asyncio.run(house.refresh())
    recorded = house.storage().refresh
    assert recorded is not None
    assert [source.name for source in recorded.sources] == [SALES]
    assert [(child.uuid, child.version) for child in recorded.children] == [(below["view-uuid"], 4)]


def test_a_source_that_is_no_iceberg_table_is_refused(house: House) -> None:
    house.lake.iceberg.drop_table("demo.sales")
    with pytest.raises(SqlError, match=r"lake\.demo\.sales, which is no longer an Iceberg table") as refused:
        asyncio.run(house.refresh())
    assert refused.value.sql_state == "42P01"

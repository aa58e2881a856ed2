from __future__ import annotations

import asyncio

import pytest
from pyiceberg.table import Table
from pyiceberg.table.update.snapshot import ManageSnapshots

from proxy.catalog import Conflict
from proxy.catalog.refresh_state import STATE_PREFIXES, STORAGE_SNAPSHOT
from tests.unit.catalog.lake import ROWS, STORAGE, Lake


def stage(table: Table, branch: str) -> int:
    """Content on a branch of its own, begun at main, as a refresh leaves it."""
    table.refresh()
    with table.transaction() as transaction:
        ManageSnapshots(transaction).create_branch(table.metadata.current_snapshot_id, branch).commit()
    table.append(ROWS, branch=branch)
    return table.metadata.refs[branch].snapshot_id


def storage(lake: Lake) -> Table:
    table = lake.iceberg.create_table("demo.agg__storage", ROWS.schema, properties={"iceberg.base.snapshot.old": "1"})
    table.append(ROWS)
    return table


def publish(lake: Lake, branch: str) -> int:
    properties = {"iceberg.view.version": "1", "iceberg.base.snapshot.new": "2"}
    return asyncio.run(lake.catalog().publish(STORAGE, branch, properties, STATE_PREFIXES)).snapshot_id


def test_one_commit_moves_main_sets_and_removes_properties_and_drops_staged_branches(lake: Lake) -> None:
    table = storage(lake)
    stage(table, "viewgate_killed")
    staged = stage(table, "viewgate_a")
    before = len(table.refresh().metadata.metadata_log)
    assert publish(lake, "viewgate_a") == staged
    table.refresh()
    assert len(table.metadata.metadata_log) == before + 1
    assert (table.metadata.current_snapshot_id, set(table.metadata.refs)) == (staged, {"main"})
    assert table.properties == {
        "iceberg.view.version": "1",
        "iceberg.base.snapshot.new": "2",
        STORAGE_SNAPSHOT: str(staged),
    }


def test_the_second_of_two_refreshes_is_refused(lake: Lake) -> None:
    table = storage(lake)
    stage(table, "viewgate_a")
    stage(table, "viewgate_b")
    first = publish(lake, "viewgate_a")
    with pytest.raises(Conflict, match="another refresh changed"):
        publish(lake, "viewgate_b")
    assert table.refresh().metadata.current_snapshot_id == first


def test_a_write_to_main_after_staging_is_not_lost(lake: Lake) -> None:
    table = storage(lake)
    stage(table, "viewgate_a")
    table.append(ROWS)
    written = table.metadata.current_snapshot_id
    with pytest.raises(Conflict):
        publish(lake, "viewgate_a")
    assert table.refresh().metadata.current_snapshot_id == written


def test_dropped_storage_is_a_conflict(lake: Lake) -> None:
    with pytest.raises(Conflict, match="was dropped meanwhile"):
        publish(lake, "viewgate_a")


def test_dropping_a_branch_twice_is_no_error(lake: Lake) -> None:
    table = storage(lake)
    stage(table, "viewgate_a")
    catalog = lake.catalog()
    for _ in range(2):
        asyncio.run(catalog.drop_branch(STORAGE, "viewgate_a"))
    assert set(table.refresh().metadata.refs) == {"main"}

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pyarrow as pa
import pytest
from pyiceberg.table import Table
from pyiceberg.table.update.snapshot import ManageSnapshots

from proxy.catalog import Conflict
from proxy.catalog.refresh_state import STATE_PREFIXES, STORAGE_SNAPSHOT
from tests.unit.catalog.lake import ROWS, STORAGE, Lake

# What pyiceberg's retry of a commit says if it meets another writer's commit.
TOO_OLD = "Cannot add snapshot with sequence number 2 older than last sequence number 2"


class Staged(NamedTuple):
    base: int | None
    head: int


def stage(table: Table, branch: str) -> Staged:
    """Stage content on a branch of its own, created from main, as a refresh does."""
    base = table.refresh().metadata.current_snapshot_id
    assert base is not None
    with table.transaction() as transaction:
        ManageSnapshots(transaction).create_branch(base, branch).commit()
    table.append(ROWS, branch=branch)
    return Staged(base, table.metadata.refs[branch].snapshot_id)


def storage(lake: Lake) -> Table:
    table = lake.iceberg.create_table("demo.agg__storage", ROWS.schema, properties={"iceberg.base.snapshot.old": "1"})
    table.append(ROWS)
    return table


def publish(lake: Lake, branch: str, base: int | None) -> int:
    properties = {"iceberg.view.version": "1", "iceberg.base.snapshot.new": "2"}
    return asyncio.run(lake.catalog().publish(STORAGE, branch, base, properties, STATE_PREFIXES)).snapshot_id


def test_one_commit_moves_main_sets_and_removes_properties_and_drops_staged_branches(lake: Lake) -> None:
    table = storage(lake)
    stage(table, "viewgate_killed")
    base, staged = stage(table, "viewgate_a")
    before = len(table.refresh().metadata.metadata_log)
    assert publish(lake, "viewgate_a", base) == staged
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
    base, _ = stage(table, "viewgate_a")
    stage(table, "viewgate_b")
    first = publish(lake, "viewgate_a", base)
    with pytest.raises(Conflict, match="agg__storage was changed by another operation"):
        publish(lake, "viewgate_b", base)
    assert table.refresh().metadata.current_snapshot_id == first


def test_a_write_to_main_after_staging_is_not_lost(lake: Lake) -> None:
    table = storage(lake)
    base, _ = stage(table, "viewgate_a")
    table.append(ROWS)
    written = table.metadata.current_snapshot_id
    with pytest.raises(Conflict):
        publish(lake, "viewgate_a", base)
    assert table.refresh().metadata.current_snapshot_id == written


def test_a_branch_that_was_made_again_from_newer_content_is_refused(lake: Lake) -> None:
    table = storage(lake)
    base, _ = stage(table, "viewgate_a")
    first = publish(lake, "viewgate_a", base)
    stage(table, "viewgate_b")
    with pytest.raises(Conflict):
        publish(lake, "viewgate_b", base)
    assert table.refresh().metadata.current_snapshot_id == first


def test_dropped_storage_is_a_conflict(lake: Lake) -> None:
    with pytest.raises(Conflict, match="was dropped during the refresh"):
        publish(lake, "viewgate_a", None)


def test_dropping_a_branch_twice_is_no_error(lake: Lake) -> None:
    table = storage(lake)
    stage(table, "viewgate_a")
    catalog = lake.catalog()
    for _ in range(2):
        asyncio.run(catalog.drop_branch(STORAGE, "viewgate_a"))
    assert set(table.refresh().metadata.refs) == {"main"}


def test_rows_that_pyiceberg_finds_too_old_are_appended_again(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table, append, errors = storage(lake), Table.append, [TOO_OLD]

    def after_another(self: Table, rows: pa.Table) -> None:
        if errors:
            raise ValueError(errors.pop())
        append(self, rows)

    monkeypatch.setattr(Table, "append", after_another)
    lake.catalog().append(STORAGE, ROWS)
    assert len(table.refresh().scan().to_arrow()) == 2 * len(ROWS)
    errors.append("another mistake")
    with pytest.raises(ValueError, match="another mistake"):
        lake.catalog().append(STORAGE, ROWS)

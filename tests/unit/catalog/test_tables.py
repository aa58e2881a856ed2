from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest

from proxy.catalog.tables import ancestry, table
from rewriter.model import ForeignKey, TableName

NAME = TableName(("lake", "demo", "t"))
STATE = {"refresh-state": json.dumps({"view-version-id": 1, "source-states": []})}


def document(snapshots: list[dict[str, Any]], current: int | None) -> dict[str, Any]:
    return {
        "table-uuid": "u",
        "current-schema-id": 1,
        "schemas": [
            {"schema-id": 0, "fields": [{"id": 1, "name": "a", "required": True, "type": "int"}]},
            {"schema-id": 1, "fields": [{"id": 1, "name": "a", "required": True, "type": "long"}]},
        ],
        "properties": {"iceberg.view.version": "9"},
        "current-snapshot-id": current,
        "snapshots": snapshots,
    }


def snapshot(number: int, parent: int | None, operation: str = "append", **summary: str) -> dict[str, Any]:
    return {
        "snapshot-id": number,
        "parent-snapshot-id": parent,
        "timestamp-ms": number * 1000,
        "summary": {"operation": operation, **summary},
        "schema-id": 0,
    }


def test_snapshots_are_the_ancestry_of_the_current_one() -> None:
    read = table(NAME, document([snapshot(1, None), snapshot(2, 1), snapshot(3, 1), snapshot(4, 3)], 4))
    assert [s.id for s in read.snapshots] == [4, 3, 1]
    assert (read.snapshot_id, read.schema_id, read.snapshots[0].schema_id) == (4, 1, 0)


@pytest.mark.parametrize(
    ("current", "log", "expected"),
    [
        (4, [(1000, 1), (2000, 2), (4000, 4)], []),
        (4, [(1000, 1), (2000, 2), (3000, 3), (3500, 2), (4000, 4)], [(3000, 3500)]),  # rolled back
        (4, [(1000, 1), (2000, 2), (2500, 1), (4000, 4)], [(2500, 4000)]),  # rolled back, and forward with the next
        (4, [(1000, 1), (5000, 2), (5500, 4)], [(2000, 5000), (5000, 5500)]),  # committed to another branch before
        (4, [(3500, 2), (4000, 4)], [(0, 3500)]),  # the third has expired
        (3, [(1000, 1), (2000, 2), (3000, 3)], [(1000, 2000), (2000, 3000)]),  # replaced
        (4, [], []),
    ],
)
def test_periods_in_which_another_snapshot_was_current(
    current: int, log: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    snapshots = [snapshot(1, None), snapshot(2, 1), snapshot(3, None), snapshot(4, 2)]
    entries = [{"timestamp-ms": at, "snapshot-id": number} for at, number in log]
    read = table(NAME, {**document(snapshots, current), "snapshot-log": entries})
    assert list(read.diverged) == expected


def test_a_snapshot_tells_the_size_of_its_files_and_the_delete_files() -> None:
    sizes = {"added-files-size": "10", "removed-files-size": "20", "total-delete-files": "0"}
    read = table(NAME, document([snapshot(1, None), snapshot(2, 1, "overwrite", **sizes)], 2))
    assert [(s.added, s.removed, s.delete_files) for s in read.snapshots] == [(10, 20, 0), (None, None, None)]


def test_totals_are_those_of_the_current_snapshot() -> None:
    totals = {"total-records": "7", "total-files-size": "1234"}
    read = table(NAME, document([snapshot(1, None, **{"total-records": "1"}), snapshot(2, 1, **totals)], 2))
    assert (read.records, read.size) == (7, 1234)
    assert table(NAME, document([snapshot(1, None)], 1)).records is None


def test_ancestry_ends_where_snapshots_have_expired() -> None:
    assert [s.id for s in table(NAME, document([snapshot(3, 2), snapshot(4, 3)], 4)).snapshots] == [4, 3]


def test_ancestry_ends_where_a_snapshot_is_its_own_ancestor() -> None:
    line = ancestry(document([snapshot(1, 2), snapshot(2, 1), snapshot(3, 2)], 3))
    assert [raw["snapshot-id"] for raw in islice(line, 9)] == [3, 2, 1]


def test_a_table_without_snapshot() -> None:
    assert table(NAME, document([], -1)).snapshot_id is None
    assert table(NAME, document([], None)).refresh is None


def test_columns_are_those_of_the_current_schema() -> None:
    column = table(NAME, document([], None)).columns[0]
    assert (column.name, column.type, column.nullable, column.field_id) == ("a", "bigint", False, 1)


def test_compaction_keeps_what_its_parent_says() -> None:
    state = table(NAME, document([snapshot(1, None, **STATE), snapshot(2, 1, "replace"), snapshot(3, 2, "replace")], 3))
    assert state.refresh is not None
    assert state.refresh.view_version == 1


def test_an_append_past_a_refresh_is_not_vouched_for_by_its_summary() -> None:
    unvouched = document([snapshot(1, None, **STATE), snapshot(2, 1)], 2)
    unvouched["properties"] = {}
    assert table(NAME, unvouched).refresh is None


def test_properties_speak_where_the_summary_is_silent() -> None:
    spoken = table(NAME, document([snapshot(1, None)], 1)).refresh
    assert spoken is not None
    assert spoken.view_version == 9


def test_an_unreadable_summary_is_not_replaced_by_properties() -> None:
    assert table(NAME, document([snapshot(1, None, **{"refresh-state": "?"})], 1)).refresh is None


def test_constraints_are_table_properties() -> None:
    read = document([], None)
    read["properties"] = {
        "viewgate.primary-key": "a",
        "viewgate.foreign-keys": "(a) REFERENCES other.dates (day)",
        "viewgate.trust-constraints": "TRUE",
    }
    declared = table(NAME, read)
    assert (declared.primary_key, declared.trusted) == (("a",), True)
    assert declared.foreign_keys == (ForeignKey(("a",), TableName(("lake", "other", "dates")), ("day",)),)
    assert table(NAME, document([], None)).trusted is False


def test_a_property_that_is_no_constraint_declares_none() -> None:
    read = document([], None)
    read["properties"] = {"viewgate.primary-key": "a = b", "viewgate.foreign-keys": "x"}
    assert (table(NAME, read).primary_key, table(NAME, read).foreign_keys) == ((), ())

from __future__ import annotations

from typing import Any

import pytest

from proxy.catalog.changes import change
from rewriter.model import ChangeKind, SourceState, TableName

SALES = TableName(("lake", "demo", "sales"))
Snapshot = dict[str, Any]


def snapshot(number: int, operation: str, files: int = 1, **counts: str) -> Snapshot:
    """Return the snapshot with this number, which follows `number` - 1; the table then has `number` data files."""
    summary = {"operation": operation, "total-data-files": str(files), "total-records": "5", "total-delete-files": "0"}
    named = {key.replace("_", "-"): value for key, value in counts.items()}
    return {
        "snapshot-id": number,
        "parent-snapshot-id": number - 1 or None,
        "timestamp-ms": number,
        "schema-id": 0,
        "summary": {**summary, **named},
    }


def document(*snapshots: Snapshot, current: int | None = None) -> dict[str, Any]:
    fields = [{"id": 1, "name": "a", "required": False, "type": "int"}]
    return {
        "current-schema-id": 1,
        "schemas": [
            {"schema-id": 0, "fields": fields},
            {"schema-id": 1, "fields": [*fields, {"id": 2, "name": "b", "required": False, "type": "int"}]},
        ],
        "current-snapshot-id": current
        if current is not None
        else (snapshots[-1]["snapshot-id"] if snapshots else None),
        "snapshots": list(snapshots),
    }


FIRST = snapshot(1, "append", added_data_files="1", added_records="5")
MORE = snapshot(2, "append", 2, added_data_files="1", added_records="7")


def since_first(*later: Snapshot, current: int | None = None) -> ChangeKind:
    end = current or (FIRST, *later)[-1]["snapshot-id"]
    return change(SALES, document(FIRST, *later, current=current), SourceState(SALES, "u", 1), end).kind


def test_appends_are_counted_and_columns_are_those_of_each_moment() -> None:
    found = change(SALES, document(FIRST, MORE), SourceState(SALES, "u", 1), 2)
    assert (found.kind, found.added, found.removed, found.start, found.end) == (ChangeKind.APPENDED, 7, 0, 1, 2)
    assert [column.name for column in found.columns] == ["a", "b"]
    assert [column.name for column in found.start_columns] == ["a"]
    assert [column.name for column in found.end_columns] == ["a"]
    assert not found.row_deletes


@pytest.mark.parametrize(
    ("later", "kind"),
    [
        ([], ChangeKind.UNCHANGED),
        ([snapshot(2, "replace", 3, added_data_files="3", deleted_data_files="1")], ChangeKind.UNCHANGED),
        ([snapshot(2, "delete", 1)], ChangeKind.UNCHANGED),
        ([snapshot(2, "overwrite", 1)], ChangeKind.UNCHANGED),
        ([MORE, snapshot(3, "replace", 1, added_data_files="1", deleted_data_files="2")], ChangeKind.APPENDED),
        ([MORE, snapshot(3, "delete", 1, deleted_data_files="1")], ChangeKind.CHANGED),
        ([snapshot(2, "overwrite", 1, added_delete_files="1")], ChangeKind.CHANGED),
        ([snapshot(2, "append", 2, added_data_files="1", added_delete_files="1")], ChangeKind.CHANGED),
        ([snapshot(2, "overwrite", 2, added_data_files="1")], ChangeKind.CHANGED),
    ],
)
def test_what_snapshots_do_taken_together(later: list[Snapshot], kind: ChangeKind) -> None:
    assert since_first(*later) is kind


def test_no_count_of_files_proves_nothing() -> None:
    silent = snapshot(2, "overwrite")
    silent["summary"] = {"operation": "overwrite"}
    assert since_first(silent) is ChangeKind.CHANGED
    silent["summary"] = None
    assert since_first(silent) is ChangeKind.CHANGED


def test_a_table_that_does_not_descend_from_the_recorded_snapshot_is_not_known() -> None:
    replaced = {**snapshot(3, "append"), "parent-snapshot-id": None}
    assert since_first(replaced) is ChangeKind.UNKNOWN
    rolled_back = change(SALES, document(FIRST, MORE, current=1), SourceState(SALES, "u", 2), 1)
    assert rolled_back.kind is ChangeKind.UNKNOWN
    assert "not in the table's current history" in rolled_back.reason
    moved_on = change(SALES, document(FIRST), SourceState(SALES, "u", 1), 9)
    assert "snapshot 9 is not in the table's current history" in moved_on.reason


def test_what_was_empty_got_all_it_has() -> None:
    found = change(SALES, document(FIRST, MORE), SourceState(SALES, "u", None), 2)
    assert (found.kind, found.start, found.added) == (ChangeKind.APPENDED, None, 12)
    assert change(SALES, document(), SourceState(SALES, "u", None), None).kind is ChangeKind.UNCHANGED


def test_delete_files_are_noticed_wherever_they_lie() -> None:
    deletes = snapshot(2, "append", 2, added_data_files="1", total_delete_files="1")
    assert change(SALES, document(FIRST, deletes), SourceState(SALES, "u", 1), 2).row_deletes

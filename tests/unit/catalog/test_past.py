"""Tables as time travel clauses read them, and storage as it was refreshed from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.catalog.past import before_rollbacks, rolled_back, tables_then
from proxy.catalog.tables import table
from rewriter import AsOf
from rewriter.model import Table, TableName
from tests.unit.catalog.test_tables import document, snapshot

SALES, STORAGE = TableName(("lake", "demo", "sales")), TableName(("lake", "demo", "by_region__storage"))
REFS = {
    "main": {"type": "branch", "snapshot-id": 4},
    "audit": {"type": "branch", "snapshot-id": 3},
    "eom": {"type": "tag", "snapshot-id": 2},
    "gone": {"type": "tag", "snapshot-id": 99},
}
# Rolled back to the first snapshot when the third had come; then on to the fourth.
LOG = [{"timestamp-ms": at, "snapshot-id": number} for at, number in ((1000, 1), (2000, 2), (2500, 1), (4000, 4))]


def sales() -> dict[str, Any]:
    snapshots = [snapshot(1, None), snapshot(2, 1), snapshot(3, 2), snapshot(4, 1)]
    snapshots[3]["schema-id"] = snapshots[2]["schema-id"] = 1
    return {**document(snapshots, 4), "table-uuid": "s", "refs": REFS, "snapshot-log": LOG}


def recorded(*read: tuple[str, int], columns: bool = True) -> dict[str, str]:
    states = [{"type": "table", "namespace": ["demo"], "name": u, "uuid": u, "snapshot-id": at} for u, at in read]
    state = {"view-version-id": 1, "refresh-start-timestamp-ms": 0, "source-states": states}
    ours = {"columns": {u: [[1, "a", "int", False]] for u, _ in read}}
    return {"refresh-state": json.dumps(state), **({"viewgate.refresh-state": json.dumps(ours)} if columns else {})}


def then(as_of: AsOf, *storage: dict[str, Any], zone: str = "UTC") -> tuple[Table | None, Table | None]:
    documents = {SALES: sales(), STORAGE: document([*storage], len(storage) or None)}
    found = tables_then(documents, {SALES: as_of}, zone)
    return found[SALES], found[STORAGE]


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (AsOf("2"), 2),
        (AsOf("3"), 3),  # which is none of the current one's ancestors, and can be read all the same
        (AsOf("eom"), 2),
        (AsOf("main"), 4),
        (AsOf("audit"), 3),
        (AsOf("gone"), None),
        (AsOf("99"), None),
        (AsOf("EOM"), None),
        (AsOf("1970-01-01 00:00:02", by_time=True), 2),
        (AsOf("1970-01-01 00:00:01.9999", by_time=True), 1),
        (AsOf("1970-01-01 00:00:03", by_time=True), 1),  # rolled back by then
        (AsOf("1970-01-01 00:00:00.999", by_time=True), None),
        (AsOf("1970-01-01 01:00:02", by_time=True), 4),
        (AsOf("soon", by_time=True), None),
    ],
)
def test_a_table_is_the_snapshot_that_iceberg_looks_up(as_of: AsOf, expected: int | None) -> None:
    table, _ = then(as_of)
    assert (table.snapshot_id if table is not None else None) == expected


def test_a_time_is_one_on_the_clocks_of_the_session() -> None:
    table, _ = then(AsOf("1970-01-01 01:00:02", by_time=True), zone="+01:00")
    assert table is not None
    assert table.snapshot_id == 2


def test_columns_are_those_of_the_snapshot() -> None:
    table, _ = then(AsOf("2"))
    assert table is not None
    assert (table.columns[0].type, table.schema_id, [s.id for s in table.snapshots]) == ("int", 0, [2, 1])


def test_a_branch_whose_head_has_other_columns_than_the_table_is_not_told() -> None:
    refs = {**REFS, "old": {"type": "branch", "snapshot-id": 2}}
    assert tables_then({SALES: {**sales(), "refs": refs}}, {SALES: AsOf("old")}, "UTC")[SALES] is None


def test_storage_is_that_of_a_refresh_that_read_just_these_snapshots() -> None:
    refreshes = [
        snapshot(1, None, **recorded(("s", 1))),
        snapshot(2, 1, "overwrite", **recorded(("s", 2))),
        snapshot(3, 2, "replace"),
        snapshot(4, 3, "overwrite", **recorded(("s", 4))),
    ]
    # The last one comes after the second, of which storage is held too.
    for as_of, expected in ((AsOf("1"), 1), (AsOf("2"), 3), (AsOf("main"), 4), (AsOf("audit"), 3)):
        _, storage = then(as_of, *refreshes)
        assert (storage.snapshot_id if storage is not None else None) == expected


def test_what_was_never_published_does_not_count() -> None:
    refreshes = [snapshot(1, None, **recorded(("s", 4))), snapshot(2, 1, "overwrite", **recorded(("s", 2)))]
    documents = {SALES: sales(), STORAGE: document(refreshes, 1)}
    assert tables_then(documents, {SALES: AsOf("2")}, "UTC")[STORAGE] is None


def test_appended_rows_have_the_columns_of_now_and_must_have_had_them_then() -> None:
    storage = document([snapshot(1, None, **recorded(("s", 1)))], 1)
    for schema, held in ((0, True), (1, False)):
        raw = {**sales(), "current-schema-id": schema}
        found = tables_then({SALES: raw, STORAGE: storage}, {SALES: AsOf("2")}, "UTC")
        assert (found[STORAGE] is not None) == held


def test_a_refresh_after_the_moment_does_not_count() -> None:
    storage = document([snapshot(1, None, **recorded(("s", 3)))], 1)
    assert tables_then({SALES: sales(), STORAGE: storage}, {SALES: AsOf("2")}, "UTC")[STORAGE] is None


def test_compaction_of_a_table_changes_no_rows() -> None:
    raw = sales()
    raw["snapshots"] = [snapshot(1, None), snapshot(2, 1, "replace"), snapshot(3, 2), snapshot(4, 3, "replace")]
    storage = document([snapshot(1, None, **recorded(("s", 1)))], 1)
    later = document([snapshot(1, None, **recorded(("s", 1))), snapshot(2, 1, **recorded(("s", 3)))], 2)
    for at, held, expected in (("1", storage, 1), ("2", storage, 1), ("2", later, 1), ("4", later, 2)):
        found = tables_then({SALES: raw, STORAGE: held}, {SALES: AsOf(at)}, "UTC")[STORAGE]
        assert found is not None
        assert found.snapshot_id == expected


def test_properties_say_nothing_of_earlier_storage() -> None:
    storage = document([snapshot(1, None)], 1)
    storage["properties"] = {"iceberg.view.version": "1", "iceberg.base.snapshot.s": "1"}
    assert tables_then({SALES: sales(), STORAGE: storage}, {SALES: AsOf("1")}, "UTC")[STORAGE] is None


def test_a_refresh_that_records_no_columns_may_have_read_others() -> None:
    storage = document([snapshot(1, None, **recorded(("s", 1), columns=False))], 1)
    assert tables_then({SALES: sales(), STORAGE: storage}, {SALES: AsOf("1")}, "UTC")[STORAGE] is None


def test_behind_a_rollback_storage_is_that_of_the_last_refresh_that_read_what_is_left() -> None:
    # Of the four snapshots, the second and third were rolled back.
    refreshes = [
        snapshot(1, None, **recorded(("s", 1))),
        snapshot(2, 1, "replace"),
        snapshot(3, 2, "overwrite", **recorded(("s", 3))),
    ]
    storage = document(refreshes, 3)
    relations = {SALES: table(SALES, sales()), STORAGE: table(STORAGE, {**storage, "table-uuid": "t"})}
    assert rolled_back(relations) == [STORAGE]
    found = before_rollbacks({STORAGE: storage}, relations)[STORAGE]
    assert (found.snapshot_id, found.refresh and found.refresh.sources[0].snapshot_id) == (2, 1)
    never = document([snapshot(1, None, **recorded(("s", 2)))], 1)
    assert before_rollbacks({STORAGE: never}, relations) == {}
    anew = table(STORAGE, {**document([snapshot(1, None, **recorded(("s", 4)))], 1), "table-uuid": "t"})
    assert rolled_back({**relations, STORAGE: anew}) == []

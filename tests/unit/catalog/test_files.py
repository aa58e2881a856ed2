from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import pyarrow as pa
from pyiceberg.transforms import IdentityTransform

from proxy.catalog.changes import files
from rewriter.model import PartitionField
from tests.unit.catalog.lake import Lake

ROWS = pa.table(
    {
        "k": ["a", None],
        "d": pa.array([date(2024, 1, 1), date(1969, 12, 31)]),
        "t": pa.array([datetime(2024, 1, 1, 12), datetime(1969, 12, 31, 23)], pa.timestamp("us")),
    }
)
NOON = 19723 * 86_400_000_000 + 43_200_000_000


def test_live_files_and_those_that_came_and_went(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.parts", ROWS.schema)
    with table.update_spec() as update:
        update.add_field("k", IdentityTransform())
        update.add_field("d", IdentityTransform())
        update.add_field("t", IdentityTransform())
    table.append(ROWS)
    first = table.metadata.current_snapshot_id
    found = files(table, None, first)
    assert found.fields == tuple(PartitionField(name, "identity", name) for name in "kdt")
    assert {file.partition for file in found.live} == {("a", 19723, NOON), (None, -1, -3_600_000_000)}
    assert found.came == found.live
    assert all(file.added_ms == table.metadata.snapshots[0].timestamp_ms for file in found.live)
    assert files(table, first, first).touched == frozenset()
    table.delete("k = 'a'")
    later = files(table, first, table.metadata.current_snapshot_id)
    assert [file.partition for file in later.live] == [(None, -1, -3_600_000_000)]
    assert (later.came, [file.partition for file in later.went]) == ((), [("a", 19723, NOON)])
    assert files(table, first, table.metadata.current_snapshot_id, live=False) == replace(later, live=())


def test_files_of_several_specifications_have_no_fields_in_common(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.parts", ROWS.schema)
    table.append(ROWS)
    with table.update_spec() as update:
        update.add_field("k", IdentityTransform())
    table.append(ROWS)
    found = files(table, None, table.metadata.current_snapshot_id)
    assert (found.fields, len(found.live)) == (None, 3)


def test_a_table_without_snapshot_has_no_files(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.parts", ROWS.schema)
    assert files(table, None, None).live == ()

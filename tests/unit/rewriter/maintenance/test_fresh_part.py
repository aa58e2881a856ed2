"""Which rows of stale storage are still fresh, by the partitions that a change touched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rewriter import fresh_part
from rewriter.model import Change, ChangeKind, Column, DataFile, Files, PartitionField, RefreshState
from tests.unit.rewriter.maintenance.test_plan import COLUMNS, DIM, JOINED, SALES, TYPES, happened, view_of

BY_DAY = "SELECT d, k, sum(n) AS s FROM sales GROUP BY d, k"
OF_D = PartitionField("d", "identity")


def touched(*values: Any, went: tuple[Any, ...] = (), field: PartitionField = OF_D) -> Files:
    """Return files that were added to some partitions, and files removed from others."""
    came, gone = (
        [DataFile(f"{name}{value}", (value,), 1) for value in of] for name, of in (("c", values), ("w", went))
    )
    return Files((field,), (), tuple(came), tuple(gone))


def part(query: str, *changes: Change, only: str = "") -> str:
    view, storage = view_of(query, {"spark.sql.session.timeZone": "UTC"})
    storage = replace(storage, partitioned_by=(OF_D,), refresh=RefreshState(1, (), only=only))
    found = fresh_part(view, storage, {change.name: change for change in changes})
    return found.only if found is not None else ""


@pytest.mark.parametrize(
    ("files", "only"),
    [
        (touched(3), "(d < 3L) OR (d > 3L) OR (d IS NULL)"),
        (touched(3, went=(3, 7)), "(d < 3L) OR (d > 3L AND d < 7L) OR (d > 7L) OR (d IS NULL)"),
        (touched(None), "(d IS NOT NULL)"),
        (touched(went=(None, 1)), "(d < 1L) OR (d > 1L)"),
        (touched(*range(0, 400, 2)), ""),  # too many to name
        (touched("x", field=PartitionField("k", "identity")), ""),
        (touched(3, field=PartitionField("d", "bucket[4]")), ""),
        (Files(None, ()), ""),
        (None, ""),
    ],
    ids=str,
)
def test_what_a_change_has_not_touched_is_fresh(files: Files | None, only: str) -> None:
    assert part(BY_DAY, happened(SALES, ChangeKind.CHANGED, files=files)) == only


def test_storage_of_a_part_is_fresh_in_a_part_of_that() -> None:
    change = happened(SALES, ChangeKind.CHANGED, files=touched(3))
    assert part(BY_DAY, change, only="d > 1") == "(d > 1) AND ((d < 3L) OR (d > 3L) OR (d IS NULL))"


def test_nothing_is_known_of_more_than_one_changed_table_or_changed_columns() -> None:
    change = happened(SALES, ChangeKind.CHANGED, files=touched(3))
    joined = JOINED.replace("SELECT name", "SELECT sales.d, name").replace("BY name", "BY sales.d, name")
    assert part(joined, change, happened(DIM)) != ""
    assert part(joined, change, happened(DIM, ChangeKind.APPENDED)) == ""
    assert part(BY_DAY, replace(change, kind=ChangeKind.UNKNOWN)) == ""
    renamed = tuple(column._replace(field_id=99) if column.name == "n" else column for column in change.columns)
    assert part(BY_DAY, replace(change, columns=renamed)) == ""
    assert part("SELECT d, k, sum(n) AS s FROM sales GROUP BY d, k HAVING sum(n) > 1", change) != ""


def test_partitions_by_an_expression_would_leave_no_file_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COLUMNS, SALES, (*COLUMNS[SALES], Column("date", "date", field_id=9)))
    monkeypatch.setitem(TYPES, "d", "date")
    change = happened(SALES, ChangeKind.CHANGED, files=touched(19723, field=PartitionField("date", "identity")))
    query = "SELECT date AS d, sum(n) AS s FROM sales GROUP BY date"
    assert part(query, change).startswith("(d < DATE '2024-01-01') OR ")
    assert part(query.replace("date AS", "timeseries(date, 'month') AS").replace("BY date", "BY 1"), change) == ""


def test_the_share_of_stale_rows_is_that_of_the_tables_rows() -> None:
    live = tuple(DataFile(f"l{day}", (day,), records) for day, records in ((1, 70), (3, 20), (3, 10)))
    view, storage = view_of(BY_DAY, {"spark.sql.session.timeZone": "UTC"})
    change = happened(SALES, ChangeKind.CHANGED, files=Files((OF_D,), live, (DataFile("c", (3,), 10),)))
    found = fresh_part(view, replace(storage, partitioned_by=(OF_D,)), {SALES: change})
    assert found is not None
    assert found.stale_share == 0.3

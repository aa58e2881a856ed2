from __future__ import annotations

import pytest

from rewriter import Stored, define, derived_partitions, inherited_order, stored
from rewriter.model import (
    Column,
    DataFile,
    Files,
    MaterializedView,
    PartitionField,
    Session,
    Snapshot,
    SortField,
    Table,
    TableName,
)

SESSION = Session("lake", ("demo",))
SALES, V, STORAGE = (TableName(("lake", "demo", name)) for name in ("sales", "v", "v__storage"))
COLUMNS = (Column("k", "string"), Column("n", "int"), Column("d", "date"), Column("ts", "timestamp_ntz"))
TYPES = {"k": "string", "d": "date", "t": "timestamp_ntz", "m": "date"}
TABLE = Table(SALES, "u", COLUMNS, (Snapshot(1, 0, "append", 0),), size=100 * 2**20)
MONTHS = [(days,) for days in (0, 1, 40, 41, 70)]  # days since 1970, in three months


def held(query: str) -> Stored:
    defined = define(query, SESSION, {SALES: TABLE})
    names = [*(name or "x" for name in defined.names), *defined.hidden]
    columns = tuple(Column(name, TYPES.get(name, "bigint")) for name in names)
    view = MaterializedView(V, "", 0, query, defined.storage_query, STORAGE, columns, "lake", ("demo",), {})
    found = stored(view, Table(STORAGE, "", columns, ()), {SALES: COLUMNS})
    assert isinstance(found, Stored)
    return found


def files(column: str, transform: str, partitions: list[tuple[int]]) -> Files:
    live = tuple(DataFile(f"f{at}", partition, 1) for at, partition in enumerate(partitions))
    return Files((PartitionField(column, transform),), live)


@pytest.mark.parametrize(
    ("query", "laid_out", "derived"),
    [
        ("SELECT d, count(*) AS c FROM sales GROUP BY d", files("d", "identity", MONTHS), [("d", "day")]),
        ("SELECT d, k FROM sales", files("d", "identity", MONTHS), [("d", "day")]),
        (
            "SELECT timeseries(d, 'month') AS m, count(*) AS c FROM sales GROUP BY 1",
            files("d", "identity", MONTHS),
            [("m", "day")],
        ),
        (
            "SELECT timeseries(ts, 'hour') AS t, count(*) AS c FROM sales GROUP BY 1",
            files("ts", "month", [(0,), (1,)]),
            [("t", "month")],
        ),
        ("SELECT k, count(*) AS c FROM sales GROUP BY k", files("d", "identity", MONTHS), []),
        ("SELECT k, max(d) AS d FROM sales GROUP BY k", files("d", "identity", MONTHS), []),
        ("SELECT d, count(*) AS c FROM sales GROUP BY d", files("d", "identity", [(1,)]), []),
        ("SELECT d, count(*) AS c FROM sales GROUP BY d", files("d", "bucket[4]", [(1,), (2,)]), []),
        (
            "SELECT d, count(*) AS c FROM sales GROUP BY d",
            files("d", "identity", [(day,) for day in range(400)]),
            [("d", "month")],
        ),
    ],
)
def test_partitions_that_follow_from_the_tables_where_each_has_enough(
    query: str, laid_out: Files, derived: list[tuple[str, str]]
) -> None:
    found = derived_partitions(held(query), TABLE, laid_out)
    assert [(field.column, field.transform) for field in found] == derived


def test_the_order_is_inherited_as_far_as_there_are_columns() -> None:
    order = (SortField("K", descending=True), SortField("d"), SortField("n"))
    kept = inherited_order(held("SELECT k AS key, d, count(*) AS c FROM sales GROUP BY k, d"), order)
    assert kept == (SortField("key", descending=True), SortField("d"))
    assert inherited_order(held("SELECT d, count(*) AS c FROM sales GROUP BY d"), order) == ()
    assert inherited_order(held("SELECT a.k FROM sales a JOIN sales b ON a.k = b.k"), order) == ()

"""Which columns a view reads, and whether its storage has its own columns in place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter import misplaced, used_columns
from rewriter.model import Column, MaterializedView, Table, TableName

A, B, MV, STORAGE = (TableName(("lake", "demo", name)) for name in ("a", "b", "mv", "mv__storage"))
COLUMNS = {
    A: (Column("g", "string"), Column("K", "int"), Column("unused", "int")),
    B: (Column("g", "string"), Column("w", "int")),
}
VIEW = MaterializedView(MV, "uuid", 1, "", "", STORAGE, (Column("x", "int"), Column("y", "int")), "lake", ("demo",))


def view(query: str) -> MaterializedView:
    return replace(VIEW, storage_query=query)


@pytest.mark.parametrize(
    ("query", "used"),
    [
        ("SELECT t0.g AS g, sum(t0.k) AS s FROM lake.demo.a AS t0 GROUP BY t0.g", {A: "g K", B: "g w"}),
        ("SELECT t1.w AS w FROM a AS t0, b AS t1 WHERE t0.k = t1.w", {A: "K", B: "w"}),
        ("SELECT count(*) AS c FROM a", {A: "", B: "g w"}),
        ("SELECT g FROM a UNION ALL SELECT g FROM b", {A: "g", B: "g"}),
        ("SELECT no_such_function(g) FROM a", {A: "g", B: "g"}),
        ("SELECT k * 2, 'unused' FROM a UNION SELECT count(*), 1 FROM b", {A: "K", B: ""}),
        ("SELECT g FROM a WHERE k IN (SELECT w FROM b)", {A: "g K", B: "g w"}),
        ("SELECT g FROM a UNION ALL SELECT * FROM b", {A: "g K unused", B: "g w"}),
        ("SELECT 1, b.* FROM b UNION ALL SELECT DISTINCT * FROM b", {A: "g K unused", B: "g w"}),
        ("SELECT struct(*) FROM a UNION ALL SELECT 1 FROM b", {A: "g K unused", B: "g w"}),
        ("SELECT 1 FROM a NATURAL JOIN b UNION SELECT 1", {A: "g K unused", B: "g w"}),
        ("SELECT x FROM a PIVOT (sum(k) FOR g IN ('x')) UNION SELECT 1", {A: "g K unused", B: "g w"}),
        ("SELECT `unused` FROM a LIMIT 1", {A: "unused", B: "g w"}),
    ],
)
def test_the_columns_that_a_view_reads(query: str, used: dict[TableName, str]) -> None:
    found = used_columns(view(query), COLUMNS)
    assert {name: " ".join(column.name for column in columns) for name, columns in found.items()} == used


@pytest.mark.parametrize(
    ("query", "columns", "found"),
    [
        ("SELECT g AS g, sum(k) AS s, count(*) AS c FROM a GROUP BY g", "g s c", None),
        ("SELECT g AS g, sum(k) AS s, count(*) AS c FROM a GROUP BY g", "g C s", "C"),
        ("SELECT g AS g, sum(k) AS s, count(*) AS c FROM a GROUP BY g", "g other c", None),
        ("SELECT g AS g, sum(k) AS s, count(*) AS c FROM a GROUP BY g", "g other s", "s"),
        ("SELECT * FROM a LIMIT 3", "x y", None),
        ("SELECT * FROM a LIMIT 3", "y x", "y"),
        ("SELECT k x, k y FROM a UNION ALL SELECT k, k FROM a", "y x", "y"),
        ("SELECT sum(k) FROM a", "sum(k)", None),
    ],
)
def test_a_column_that_stands_where_another_output_is_written(query: str, columns: str, found: str | None) -> None:
    storage = Table(STORAGE, "uuid", tuple(Column(name, "int") for name in columns.split()), ())
    column = misplaced(view(query), storage)
    assert (column.name if column else None) == found
